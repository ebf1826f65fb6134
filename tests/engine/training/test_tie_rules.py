"""Every tie rule, held to the twin that recounts all pairs before each merge."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.training.candidates import rank_candidates
from tests.engine import corpora, texts
from tests.engine.rules import BYTE_RULES, RULES, every_rule, log_of, log_of_twin
from tests.engine.textbook_twin import Twin, count_words
from tests.examples import IN_A_CAMPAIGN, IN_EACH_OF_MANY, examples

_MANY = 60


def _train(rule_name: str, text: str, **options: object) -> bpe.Run:
    config = RULES[rule_name].config(**({"merges": _MANY} | options))
    return bpe.train(bpe.Corpus.from_text(text, config), config)


@every_rule
@settings(max_examples=examples(IN_A_CAMPAIGN))
@given(text=corpora.texts(), min_frequency=st.integers(0, 3), n_merges=st.integers(0, 25))
@example(text="", min_frequency=1, n_merges=5)
@example(text="a", min_frequency=1, n_merges=5)
@example(text="a b a b", min_frequency=0, n_merges=5)
@example(text="aaaa aaa aaaaaaa", min_frequency=1, n_merges=9)
@example(text="abab baba abba", min_frequency=1, n_merges=9)
def test_small_corpora(rule, text: str, min_frequency: int, n_merges: int) -> None:
    run = _train(rule.name, text, merges=n_merges, min_frequency=min_frequency)
    twin = rule.twin(text, min_frequency=min_frequency).train(n_merges)
    assert log_of(run) == log_of_twin(twin)
    assert run.initial_n_tokens == rule.twin(text).n_tokens()


@every_rule
@settings(max_examples=examples(IN_A_CAMPAIGN))
@given(text=corpora.plain_text())
def test_anything_unicode_has(rule, text: str) -> None:
    text = text.replace("#", "")  # a character that is a mark as well makes two tokens of one name
    if rule.preset == "sentencepiece":
        text = text.replace("\t", "").replace("▁", "")
        text = " ".join(text.split())
    run = _train(rule.name, text)
    assert log_of(run) == log_of_twin(rule.twin(text).train(_MANY))


@pytest.mark.parametrize("name", BYTE_RULES)
@settings(max_examples=examples(IN_A_CAMPAIGN))
@given(content=corpora.any_bytes())
@example(content=b"")
@example(content=b"\xff\xff\xff\xff")
@example(content=b"\xf0\x9f\x98\xf0\x9f\x98\x84")
@example(content=b"\x00\x00\x00")
def test_bytes_that_are_not_utf8(name: str, content: bytes) -> None:
    text = content.decode("utf-8", "surrogateescape")
    if RULES[name].options["split"] != "none":
        text = content.decode("utf-8", "replace")
        content = text.encode()
    config = RULES[name].config(merges=_MANY)
    run = bpe.train(bpe.Corpus.from_text(content, config), config)
    expected = log_of_twin(RULES[name].twin(text).train(_MANY))
    assert log_of(run) == expected
    assert log_of(_train(name, text)) == expected


@pytest.mark.slow(buys="hundreds of merges recounted under every rule")
@pytest.mark.parametrize("kind", texts.KINDS)
@every_rule
def test_longer_texts(rule, kind: str) -> None:
    text = texts.KINDS[kind](60, seed=7)
    if kind == "any characters":
        text = texts.any_characters(500, seed=7)
    if rule.options.get("split") == "none":
        text = text[:400]
    if kind == "any characters" or rule.preset == "sentencepiece":
        text = " ".join("".join(c for c in text if c.isprintable()).split())
    run = _train(rule.name, text)
    assert log_of(run) == log_of_twin(rule.twin(text).train(_MANY))
    assert len(run.merges) > 40


@every_rule
@settings(max_examples=examples(IN_A_CAMPAIGN))
@given(text=corpora.texts(), data=st.data())
def test_forced_and_forbidden(rule, text: str, data: st.DataObject) -> None:
    probe = rule.twin(text)
    free = [pair for pair, _ in probe.ranking()]
    if not free:
        return
    pairs = st.sampled_from(free)
    force = data.draw(st.lists(pairs, max_size=2, unique=True))
    forbid = [
        pair for pair in data.draw(st.lists(pairs, max_size=3, unique=True)) if pair not in force
    ]
    run = _train(rule.name, text, force=tuple(force), forbid=tuple(forbid), merges=12)
    twin = rule.twin(text, force=force, forbid=forbid).train(12)
    occurring = [rank for rank, merge in enumerate(twin.merges) if merge.count]
    found = log_of(run)
    expected = log_of_twin(twin)
    assert len(found) == len(expected)
    assert [found[rank] for rank in occurring] == [expected[rank] for rank in occurring]
    assert [entry[:4] + entry[5:] for entry in found] == [
        entry[:4] + entry[5:] for entry in expected
    ]


@every_rule
@settings(max_examples=examples(IN_A_CAMPAIGN))
@given(text=corpora.texts(), step=st.integers(0, 12))
def test_candidates_at_a_step(rule, text: str, step: int) -> None:
    run = _train(rule.name, text, merges=12)
    step = min(step, len(run.merges))
    ranking = rule.twin(text).train(step).ranking()
    counts = [count for _, count in ranking]
    candidates = rank_candidates(run, step, n=5)
    found = [((run.token_name(c.left), run.token_name(c.right)), c.count) for c in candidates]
    assert found == ranking[:5]
    assert [c.tied for c in candidates] == [counts.count(c.count) for c in candidates]
    if step < len(run.merges):
        assert [c.is_winner for c in candidates] == [True] + [False] * (len(candidates) - 1)
        assert found[0][0] == (run.merges[step].left, run.merges[step].right)


@every_rule
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(text=corpora.texts())
def test_words_and_sizes_at_every_step(rule, text: str) -> None:
    run = _train(rule.name, text, merges=12)
    twin = rule.twin(text)
    words = [run.corpus.pre_token(i) for i in range(len(run.corpus))]
    assert len(words) == len(twin.words)
    for step in range(len(run.merges) + 1):
        table = run.words_at(step)
        cuts = [[run.token_name(i) for i in table.cut(word)] for word in range(len(words))]
        assert cuts == [symbols for symbols, _ in twin.words]
        assert [table.n_tokens(word) for word in range(len(words))] == [len(cut) for cut in cuts]
        assert run.n_tokens_at(step) == twin.n_tokens()
        twin.step()


@every_rule
def test_columns_say_the_same_as_the_merges(rule) -> None:
    run = _train(rule.name, texts.english(40, seed=3))
    columns = run.columns
    assert len(columns.count) == len(run.merges) > 10
    for rank, merge in enumerate(run.merges):
        assert run.token_name(int(columns.left[rank])) == merge.left
        assert run.token_name(int(columns.right[rank])) == merge.right
        assert run.token_name(run.token_of(rank)) == merge.token
        assert (columns.count[rank], columns.tied[rank], columns.n_tokens[rank]) == (
            merge.count,
            merge.tied,
            merge.n_tokens,
        )
        assert bool(columns.forced[rank]) == merge.forced
        line = {
            "rank": rank,
            "left": merge.left,
            "right": merge.right,
            "token": merge.token,
            "count": merge.count,
        }
        assert merge.to_log() == line | {
            "tied": merge.tied,
            "forced": merge.forced,
            "n_tokens": merge.n_tokens,
        }


def test_counts_beyond_32_bits() -> None:
    config = bpe.TrainingConfig.preset("textbook", merges=3)
    run = bpe.train(
        bpe.Corpus.from_counts({"ab": 2**40, "bc": 2**40 + 1, "aab": 3}, config), config
    )
    assert log_of(run) == log_of_twin(
        Twin([(list("ab"), 2**40), (list("bc"), 2**40 + 1), (list("aab"), 3)]).train(3)
    )
    assert run.merges[0].count == 2**40 + 3 or run.merges[0].count == 2**40 + 1


def test_one_word_of_one_character_repeated() -> None:
    config = RULES["first-seen, bytes"].config(merges=30)
    for n in (1, 2, 3, 4, 5, 63, 64, 65, 127, 1000):
        run = bpe.train(bpe.Corpus.from_text("a" * n, config), config)
        assert log_of(run) == log_of_twin(Twin(count_words(["a" * n], units="bytes")).train(30))


def test_forced_pair_of_unknown_tokens_is_refused() -> None:
    with pytest.raises(bpe.BpeError, match="xy"):
        _train("first-seen", "ab ab", force=(("xy", "b"),))


def test_forced_pair_may_use_a_token_that_was_forced_before() -> None:
    run = _train(
        "first-seen", "abcd abcd xy", force=(("b", "c"), ("bc", "d"), ("y", "x")), merges=4
    )
    assert [(m.token, m.count, m.forced) for m in run.merges] == [
        ("bc", 2, True),
        ("bcd", 2, True),
        ("yx", 0, True),
        ("abcd", 2, False),
    ]


@every_rule
def test_many_ties_over_many_merges(rule) -> None:
    """Hundreds of words over three letters with counts of one to three: nearly every merge is
    decided by the rule.
    """
    rng = random.Random(17)
    words = [
        "".join(rng.choice("aab" if i % 2 else "abc") for _ in range(rng.randint(1, 9)))
        for i in range(150)
    ]
    text = " ".join(word for word in words for _ in range(rng.randint(1, 3)))
    run = _train(rule.name, text, merges=150)
    assert log_of(run) == log_of_twin(rule.twin(text).train(150))
    assert sum(merge.tied > 1 for merge in run.merges) > 40
