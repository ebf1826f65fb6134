"""Two runs compared by names, against plain sets and lists."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.analysis.run_difference import compare_runs
from tests.engine import corpora
from tests.engine.analysis.meaning_twin import meanings_of

_TIES = ("first-seen", "huggingface", "raw-ids", "greatest-bytes", "subword-nmt")


def _train(text: str, ties: str, merges: int = 15, **options: object) -> bpe.Run:
    config = bpe.TrainingConfig.preset(
        "raw", merges=merges, split="gpt2", min_frequency=1, ties=ties, **options
    )
    return bpe.train(bpe.Corpus.from_text(text, config), config)


def _names(run: bpe.Run, step: int) -> list[str]:
    return [run.token_name(token) for token in run.ids_at(step)]


def _is_the_twins(a: bpe.Run, b: bpe.Run, step_a: int, step_b: int) -> None:
    found = compare_runs(a, b, step_a, step_b)
    pairs = [
        [(m.left, m.right) for m in run.merges[:step]] for run, step in ((a, step_a), (b, step_b))
    ]
    shorter = min(step_a, step_b)
    differing = [rank for rank in range(shorter) if pairs[0][rank] != pairs[1][rank]]
    rank = differing[0] if differing else shorter if step_a != step_b else None
    assert found.rank == rank
    for merge, run, step in ((found.merge_a, a, step_a), (found.merge_b, b, step_b)):
        assert merge == (run.merges[rank] if rank is not None and rank < step else None)
    names_a = _names(a, step_a)
    names_b = _names(b, step_b)
    assert [own.name for own in found.only_a] == [
        name for name in names_a if name not in set(names_b)
    ]
    assert [own.name for own in found.only_b] == [
        name for name in names_b if name not in set(names_a)
    ]
    assert found.n_common == len(set(names_a) & set(names_b))
    for own in found.only_a:
        info = a.token_info(own.token)
        assert (own.name, own.rank, own.birth_count) == (info.name, info.rank, info.birth_count)
    assert (found.n_tokens_a, found.n_tokens_b) == (a.n_tokens_at(step_a), b.n_tokens_at(step_b))
    assert (found.n_tokens_a, found.n_tokens_b) == (a.n_tokens_at(step_a), b.n_tokens_at(step_b))
    assert found.overlap_steps.tolist() == list(range(1, shorter + 1))
    for step, share in zip(found.overlap_steps.tolist(), found.overlap.tolist(), strict=True):
        made = [{merge.token for merge in run.merges[:step]} for run in (a, b)]
        assert share == pytest.approx(len(made[0] & made[1]) / step)


@given(
    text=corpora.texts(),
    ties=st.tuples(st.sampled_from(_TIES), st.sampled_from(_TIES)),
    less=st.integers(0, 15),
)
def test_two_tie_rules(text: str, ties: tuple[str, str], less: int) -> None:
    a = _train(text, ties[0])
    b = _train(text, ties[1])
    _is_the_twins(a, b, max(0, len(a.merges) - less), len(b.merges))
    _is_the_twins(a, b, len(a.merges), max(0, len(b.merges) - less))


_WAYS = (
    {},
    {"units": "characters"},
    {"split": "whitespace"},
    {"split": "whitespace", "continuing": "##"},
    {"units": "characters", "split": "sentencepiece"},
    {"units": "characters", "split": "whitespace", "word_end": "</w>"},
    {"units": "characters", "split": "whitespace", "word_end": "_", "word_end_as": "own-symbol"},
    {"normalize": "lowercase"},
)


@given(
    text=corpora.texts(),
    ways=st.tuples(st.sampled_from(_WAYS), st.sampled_from(_WAYS)),
    less=st.integers(0, 15),
)
def test_runs_that_are_written_in_different_ways(
    text: str, ways: tuple[dict[str, str], dict[str, str]], less: int
) -> None:
    runs = []
    for way in ways:
        options = {"min_frequency": 1, "merges": 15, "full_alphabet": False, "split": "gpt2", **way}
        config = bpe.TrainingConfig.preset("raw", **options)
        runs.append(bpe.train(bpe.Corpus.from_text(text, config), config))
    a, b = runs
    step_a = max(0, len(a.merges) - less)
    step_b = len(b.merges)
    found = compare_runs(a, b, step_a, step_b)
    meant_a = meanings_of(a, b, step_a)
    meant_b = meanings_of(b, a, step_b)
    assert found.n_common == len(set(meant_a) & set(meant_b))
    for own, run, mine, others in (
        (found.only_a, a, meant_a, meant_b),
        (found.only_b, b, meant_b, meant_a),
    ):
        firsts = [
            token
            for token, each in enumerate(mine)
            if each not in others and mine.index(each) == token
        ]
        assert [each.token for each in own] == firsts
        assert [each.name for each in own] == [run.token_name(token) for token in firsts]
    for step, share in zip(found.overlap_steps.tolist(), found.overlap.tolist(), strict=True):
        made = set(meant_a[: a.token_of(step)]) - set(meant_a[: a.n_alphabet])
        assert share == pytest.approx(
            len(made & set(meant_b[: b.token_of(step)])) / max(1, len(made))
        )


def test_a_word_is_the_same_token_however_its_beginning_is_written() -> None:
    found = {}
    for way in (
        {},
        {"units": "characters", "split": "sentencepiece"},
        {"split": "whitespace", "continuing": "##"},
    ):
        config = bpe.TrainingConfig.preset("raw", merges=12, **{"split": "gpt2", **way})
        found[str(way)] = bpe.train(bpe.Corpus.from_text(" the the the" * 9, config), config)
    a, b, c = found.values()
    assert [run.token_name(run.token_of(len(run.merges) - 1)) for run in (a, b, c)] == [
        "Ġthe",
        "▁the",
        "the",
    ]
    for one, other in ((a, b), (b, a), (a, c), (b, c)):
        assert one.token_name(one.token_of(len(one.merges) - 1)) not in [
            own.name for own in compare_runs(one, other).only_a
        ]
