"""Where and why two runs part, against a naive recount of their words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.analysis.divergence import Cause, Divergence, explain_divergence
from bpe_studio.engine.analysis.run_difference import compare_runs
from bpe_studio.engine.presets import PRESETS
from bpe_studio.engine.training.branch import branch
from bpe_studio.engine.training.overrides import Override, OverrideKind
from tests.engine import corpora
from tests.engine.analysis.meaning_twin import Meaning, meanings_of
from tests.engine.counting.test_source_weights import corpus_of

GPT2 = bpe.TrainingConfig.preset("gpt2", merges=40)
CHARACTERS = GPT2.replace(units="characters", split="whitespace")
CONFIGS = (
    *(bpe.TrainingConfig.preset(name, merges=12) for name in PRESETS),
    GPT2.replace(merges=12, split="whitespace", continuing="##", min_frequency=1),
    CHARACTERS.replace(merges=12, continuing="##", min_frequency=1),
    GPT2.replace(merges=12, normalize="lowercase,strip-accents", documents="file"),
    CHARACTERS.replace(merges=12, word_end="_"),
    GPT2.replace(merges=12, split=r"regex: ?\w+"),
)
TEXT = (
    "The cat sat on the mat. Don't the cats' hats café naïve résumé 12345 67890 12 the The THE "
    "they're hot\n" * 3 + "été garçon élève\n" * 4
)


def _train(text: str, config: bpe.TrainingConfig) -> bpe.Run:
    return bpe.train(bpe.Corpus.from_text(text, config), config)


def _between(a: bpe.Run, b: bpe.Run, *steps: int) -> Divergence | None:
    return explain_divergence(a, b, compare_runs(a, b, *steps))


def _explained(a: bpe.TrainingConfig, b: bpe.TrainingConfig, text: str = TEXT) -> Divergence:
    found = _between(_train(text, a), _train(text, b))
    assert found is not None
    return found


def _recounted(
    run: bpe.Run, meant: list[Meaning], step: int, pair: tuple[Meaning, Meaning]
) -> int | None:
    table = run.words_at(step)
    total = 0
    meant = meant[: run.token_of(step)]
    if any(each not in meant for each in pair):
        return None
    for index, count in enumerate(run.corpus.counts.tolist()):
        ids = table.cut(index)
        total += count * sum(
            (meant[x], meant[y]) == pair for x, y in zip(ids, ids[1:], strict=False)
        )
    return total


@given(text=corpora.texts(), configs=st.tuples(st.sampled_from(CONFIGS), st.sampled_from(CONFIGS)))
def test_it_is_the_first_difference_and_the_counts_are_those_of_a_recount(
    text: str, configs: tuple[bpe.TrainingConfig, bpe.TrainingConfig]
) -> None:
    runs = a, b = [_train(text, config) for config in configs]
    all_meant = [meanings_of(run, other, len(run.merges)) for run, other in ((a, b), (b, a))]
    meant = [
        [
            (all_meant[k][x], all_meant[k][y])
            for x, y in zip(run.columns.left, run.columns.right, strict=True)
        ]
        for k, run in enumerate(runs)
    ]
    shorter = min(map(len, meant))
    first = next((k for k in range(shorter) if meant[0][k] != meant[1][k]), None)
    if first is None and len(a.merges) != len(b.merges):
        first = shorter
    found = _between(a, b)
    assert compare_runs(a, b).rank == first
    if found is None:
        assert first is None
        return
    assert found.rank == first
    for k, side in enumerate((found.a, found.b)):
        run = runs[k]
        merge = run.merges[first] if first < len(run.merges) else None
        assert side.merge == merge and side.own_count == (None if merge is None else merge.count)
        pair = meant[1 - k][first] if first < len(meant[1 - k]) else None
        assert side.other_count == (
            None if pair is None else _recounted(run, all_meant[k], first, pair)
        )
    _is_sound(found, *runs)


def _is_sound(found: Divergence, a: bpe.Run, b: bpe.Run) -> None:
    """What a cause says is so."""
    sides = (found.a, found.b)
    assert set(found.settings) <= set(found.differing)
    if found.cause is Cause.ties:
        assert all(side.own_count == side.other_count for side in sides)
        assert found.a.ties != found.b.ties or found.settings
    elif found.cause in (Cause.normalization, Cause.cut, Cause.alphabet):
        # Where several pairs of one run mean the same, each of them may stand less often than all
        # together.
        counts = (
            found.a.own_count == found.b.other_count and found.b.own_count == found.a.other_count
        )
        assert found.settings and (not counts or found.cause is Cause.alphabet)
    elif found.cause in (Cause.end, Cause.frequency):
        assert None in (found.a.merge, found.b.merge)
    for word in found.words:
        times = word.times_a, word.times_b
        assert times[0] != times[1]
        assert "".join(t for piece in word.cut_a for t in piece) or "".join(
            t for piece in word.cut_b for t in piece
        )


@pytest.mark.parametrize(
    ("b", "cause", "settings"),
    [
        (GPT2.replace(split="cl100k"), "cut", ("split",)),
        (GPT2.replace(split="none"), "cut", ("split",)),
        (GPT2.replace(split="whitespace", documents="file"), "cut", ("split", "documents")),
        (GPT2.replace(ties="first-seen"), "ties", ("ties",)),
        (GPT2.replace(normalize="lowercase"), "normalization", ("normalize",)),
        (GPT2.replace(units="characters"), "alphabet", ("units",)),
        (GPT2.replace(min_frequency=12), "frequency", ("min_frequency",)),
        (GPT2.replace(merges=3), "end", ()),
        (GPT2.replace(force=[("q", "q")]), "override", ("force",)),
        (GPT2.replace(forbid=[("Ã", "©")]), "override", ("forbid",)),
        (GPT2.replace(normalize="lowercase", split="none", ties="raw-ids"), "cut", ("split",)),
        (
            GPT2.replace(normalize="strip-accents", documents="file"),
            "normalization",
            ("normalize",),
        ),
        (bpe.TrainingConfig.preset("sennrich"), "alphabet", ("units", "word_end", "word_end_as")),
        (
            bpe.TrainingConfig.preset("sentencepiece", character_coverage=1.0),
            "alphabet",
            ("units",),
        ),
        (GPT2.replace(split_digits=True), "cut", ("split_digits",)),
        (GPT2.replace(max_token_length=3), "pieces", ("max_token_length",)),
        (GPT2.replace(whole_characters=True), "pieces", ("whole_characters",)),
        (
            GPT2.replace(normalize="lowercase", split="cl100k", ties="raw-ids"),
            "normalization",
            ("normalize",),
        ),
    ],
)
def test_the_cause_is_told_from_both_sides(
    b: bpe.TrainingConfig, cause: str, settings: tuple[str, ...]
) -> None:
    found = _explained(GPT2, b)
    assert (found.cause, set(found.settings)) == (cause, set(settings)), found
    if cause in ("cut", "normalization", "alphabet"):
        assert 1 <= len(found.words) <= 5 and found.shown
    other = _explained(b, GPT2)
    assert (other.rank, other.cause, set(other.settings)) == (found.rank, cause, set(settings))
    assert (other.a, other.b) == (found.b, found.a)
    swapped = [(w.text, w.cut_b, w.cut_a, w.times_b, w.times_a) for w in other.words]
    assert swapped == [(w.text, w.cut_a, w.cut_b, w.times_a, w.times_b) for w in found.words]


@given(text=corpora.texts(), configs=st.tuples(st.sampled_from(CONFIGS), st.sampled_from(CONFIGS)))
def test_it_is_the_same_from_the_other_side(
    text: str, configs: tuple[bpe.TrainingConfig, bpe.TrainingConfig]
) -> None:
    one, other = (_train(text, config) for config in configs)
    found = _between(one, other)
    turned = _between(other, one)
    if found is None or turned is None:
        assert found is turned
        return
    assert (found.rank, found.a, found.b) == (turned.rank, turned.b, turned.a)
    assert (found.cause, found.settings, found.shown) == (
        turned.cause,
        turned.settings,
        {"a": "b", "b": "a", "": ""}[turned.shown],
    )
    assert [(word.text, word.cut_a, word.cut_b, word.times_a) for word in found.words] == [
        (word.text, word.cut_b, word.cut_a, word.times_b) for word in turned.words
    ]


def test_words_show_what_the_split_parts() -> None:
    found = _explained(GPT2, GPT2.replace(split="cl100k"))
    assert (found.a.merge.left, found.a.merge.right, found.b.other_count) == ("Ġ", "12", 0)  # type: ignore[union-attr]
    word = next(word for word in found.words if word.text == " 12345")
    assert word.cut_a == (("Ġ", "12", "3", "4", "5"),) and word.cut_b == (
        ("Ġ",),
        ("12", "3"),
        ("4", "5"),
    )
    assert (word.times_a, word.times_b, word.count) == (1, 0, 3)


def test_a_persons_decision_in_a_branch_is_the_cause() -> None:
    run = _train(TEXT, GPT2)
    for override in (
        Override(4, OverrideKind.force, "m", "a"),
        Override(4, OverrideKind.skip, run.merges[4].left, run.merges[4].right),
    ):
        trainer = branch(run, override)
        trainer.run(10)
        found = _between(run, trainer.run_record)
        assert found is not None and (found.rank, found.cause) == (4, Cause.override)
        assert (found.a.override, found.b.override) == (None, override)
        assert bool(found.b.leaves_out) == (override.kind is OverrideKind.skip)


def test_weights_of_files_make_counts_differ():
    config = bpe.TrainingConfig.preset("textbook", merges=5)
    corpus = corpus_of([("a", "low lower " * 4), ("b", "new newest newer " * 3)], config)
    runs = [bpe.train(corpus, config), bpe.train(corpus, config, weight="b=3")]
    found = explain_divergence(*runs, compare_runs(*runs))
    assert (found.cause, found.settings) == (Cause.weights, ("weight",))
