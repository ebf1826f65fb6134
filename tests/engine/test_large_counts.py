"""Counts, totals and places beyond 32 bits: nothing overflows, and what would is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.analysis.decision import decide
from bpe_studio.engine.analysis.size_curves import corpus_curve
from bpe_studio.engine.analysis.size_measures import TokenUses
from bpe_studio.engine.analysis.token_life import token_life
from bpe_studio.engine.analysis.words_containing import words_with_pair, words_with_token
from bpe_studio.engine.counting.corpus import MOST_SYMBOLS
from bpe_studio.engine.counting.counter import Counter
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.training.candidates import rank_candidates
from bpe_studio.files.counts.files import load_counter
from bpe_studio.files.counts.tsv import tsv_parts
from bpe_studio.files.exports.csv_tables import cell
from tests.engine.rules import RULES, log_of, log_of_twin
from tests.engine.textbook_twin import Twin, stand_ins_of, symbols_of
from tests.examples import IN_EACH_OF_MANY, examples

LARGE = 2**40 + 7
"""No power of two, so that lost digits show."""
words = st.dictionaries(
    st.text("abc", min_size=1, max_size=6),
    st.one_of(
        st.integers(1, 3),
        st.integers(LARGE, LARGE + 2),
        st.just(2**31 - 1),
        st.just(2**31),
        st.just(2**52 + 1),
    ),
    min_size=1,
    max_size=6,
)


def _corpus(rule_name: str, counts: dict[str, int], config: bpe.TrainingConfig) -> bpe.Corpus:
    mark = "▁" if rule_name == "sentencepiece" else ""
    names = {mark + word: count for word, count in counts.items()}
    if config.units == "bytes":
        names = {stand_ins_of(word.encode()): count for word, count in names.items()}
    return bpe.Corpus.from_counts(names, config)


def _twin(rule_name: str, counts: dict[str, int], **options: object) -> Twin:
    rule = RULES[rule_name]
    mark = "▁" if rule_name == "sentencepiece" else ""
    table = [(symbols_of(mark + word, **rule.marks), count) for word, count in counts.items()]
    return replace(rule.twin("", **options), words=table, min_frequency=1)


@pytest.fixture(params=[False, True], ids=["plain", "compiled"])
def kernels(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param:
        monkeypatch.setattr(loader, "PLAIN_WORK", -1)


@pytest.mark.slow(buys="every tie rule with plain and compiled kernels")
@pytest.mark.parametrize("rule_name", RULES)
@pytest.mark.parametrize("is_compiled", [False, True])
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(counts=words)
def test_merges_by_every_rule(rule_name: str, is_compiled: bool, counts: dict[str, int]) -> None:
    config = RULES[rule_name].config(merges=8, min_frequency=1)
    trainer = bpe.Trainer(_corpus(rule_name, counts, config), config, use_compiled=is_compiled)
    trainer.run()
    twin = _twin(rule_name, counts).train(8)
    assert log_of(trainer.run_record) == log_of_twin(twin)
    assert trainer.run_record.initial_n_tokens == _twin(rule_name, counts).n_tokens()


@pytest.mark.usefixtures("kernels")
def test_everything_at_every_step() -> None:
    counts = {"abcab": LARGE, "abc": LARGE + 3, "cab": 2**52 + 1, "aab": 5, "bbb": 2**31}
    config = RULES["first-seen"].config(merges=6, min_frequency=1)
    run = bpe.train(_corpus("first-seen", counts, config), config)
    n = len(run.merges)
    curve = corpus_curve(run, n)
    for step in range(n + 1):
        twin = _twin("first-seen", counts).train(step)
        expected: dict[str, int] = {}
        for tokens, count in twin.words:
            for token in tokens:
                expected[token] = expected.get(token, 0) + count
        found = {
            run.token_name(token): count
            for token, count in enumerate(run.token_counts_at(step).tolist())
            if count
        }
        assert found == expected
        assert run.n_tokens_at(step) == curve[step] == twin.n_tokens()
        ranking = [count for _, count in twin.ranking()]
        candidates = rank_candidates(run, step, 50)
        assert sorted((c.count for c in candidates), reverse=True)[: len(ranking)] == sorted(
            ranking, reverse=True
        )
        for token in run.ids_at(step):
            occurs = expected.get(run.token_name(token), 0)
            assert token_life(run, token).count_at(step) == occurs
            assert words_with_token(run, token, step).total == occurs
    for step, merge in enumerate(run.merges):
        assert decide(run, step).winner.count == merge.count
        left, right = (run.find_token(name) for name in (merge.left, merge.right))
        assert left is not None and right is not None
        assert words_with_pair(run, left, right, step).total == merge.count
    uses = TokenUses.of_corpus(run, n)
    for step, found_counts in uses.counts_at(range(n + 1)):
        assert found_counts.tolist() == run.token_counts_at(step).tolist()


def test_files_keep_every_digit(tmp_path: Path) -> None:
    counts = {"abcab": LARGE, "abc": 2**53 - 1, "b": 1}
    config = RULES["first-seen"].config(merges=4, min_frequency=1)
    corpus = bpe.Corpus.from_counts(counts, config)
    (tmp_path / "counts.tsv").write_bytes(b"".join(tsv_parts(Counter.of(corpus))))
    assert dict(load_counter(str(tmp_path / "counts.tsv"), config).corpus(config).items()) == counts
    run = bpe.train(corpus, config)
    lines = [json.loads(json.dumps(merge.to_log())) for merge in run.merges]
    assert [line["count"] for line in lines] == [merge.count for merge in run.merges]
    assert lines[0]["count"] == 2 * LARGE + 2**53 - 1
    assert cell(run.merges[0].count) == str(lines[0]["count"])


@pytest.mark.parametrize(
    "counts",
    [{"a" * 1100: 2**53}, {"ab" * 300: 2**52, "cd" * 300: 2**52}, [("a", 2**53)] * 129],
    ids=str,
)
def test_counts_that_would_overflow_are_refused(counts: object) -> None:
    config = bpe.TrainingConfig.preset("textbook", merges=2)
    with pytest.raises(bpe.CorpusError, match=f"more than {MOST_SYMBOLS:,} symbols"):
        bpe.Corpus.from_counts(counts, config)  # type: ignore[arg-type]


@pytest.mark.slow(buys="a text of eight million bytes")
def test_a_pre_token_of_millions_of_tokens() -> None:
    """More ids than 23 bits count: such a text had no tokens at all."""
    config = bpe.TrainingConfig.preset("raw", merges=1)
    run = bpe.train(bpe.Corpus.from_text("abab", config), config)
    text = "xy" * (2**22 + 9)
    ids = run.tokenizer().encode_ids(text)
    assert len(ids) == len(text) and ids[:2].tolist() == ids[-2:].tolist() == list(b"xy")
    assert run.text_gaps(text).n_tokens(1) == len(text)
