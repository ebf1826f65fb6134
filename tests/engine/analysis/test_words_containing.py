"""The words that hold a token or a pair, against words that are cut one by one."""

from __future__ import annotations

from functools import partial

from hypothesis import example, given, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.analysis.words_containing import words_with_pair, words_with_token
from bpe_studio.engine.training.candidates import rank_candidates
from tests.engine import corpora
from tests.engine.rules import Rule, every_rule, trained
from tests.examples import IN_EACH_OF_MANY, examples

_train = partial(trained, merges=12)


def _cut(run: bpe.Run, step: int) -> list[list[int]]:
    return [run.words_at(step).cut(word) for word in range(len(run.corpus))]


def _replaced(ids: list[int], pair: tuple[int, int], made: int) -> list[int]:
    """The plain way: look for the pair from the left, over and over."""
    for i in range(len(ids) - 1):
        if (ids[i], ids[i + 1]) == pair:
            return [*ids[:i], made, *_replaced(ids[i + 2 :], pair, made)]
    return ids


@every_rule
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(text=corpora.texts(), step=st.integers(0, 12), n=st.integers(1, 8))
@example(text="aaaa aaaaa aaaa", step=1, n=5)
def test_words_with_a_token(rule: Rule, text: str, step: int, n: int) -> None:
    run = _train(rule, text)
    step = min(step, len(run.merges))
    cut = _cut(run, step)
    counts = run.corpus.counts.tolist()
    for token in {token for word in cut for token in word} | {run.token_of(step - 1)} - {-1}:
        found = words_with_token(run, token, step, n)
        rows = [
            (word, counts[word], ids.count(token)) for word, ids in enumerate(cut) if token in ids
        ]
        rows.sort(key=lambda row: (-row[1], row[0]))
        columns = (found.words.tolist(), found.counts.tolist(), found.times.tolist())
        assert list(zip(*columns, strict=True)) == rows[:n]
        assert found.n_words == len(rows)
        assert (
            found.total
            == sum(count * times for _, count, times in rows)
            == run.token_counts_at(step)[token]
        )


@every_rule
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(text=corpora.texts(), step=st.integers(0, 12), n=st.integers(1, 8))
@example(text="aaaa aaaaa aaaa", step=0, n=5)
def test_words_with_a_pair(rule: Rule, text: str, step: int, n: int) -> None:
    run = _train(rule, text)
    step = min(step, len(run.merges))
    cut = _cut(run, step)
    for candidate in rank_candidates(run, step, 6):
        pair = (candidate.left, candidate.right)
        found = words_with_pair(run, *pair, step, n)
        assert found.total == candidate.count
        times = [sum(two == pair for two in zip(ids, ids[1:], strict=False)) for ids in cut]
        order = sorted(
            (word for word, k in enumerate(times) if k), key=lambda word: -run.corpus.counts[word]
        )
        assert found.n_words == len(order) and [row.word for row in found.words] == order[:n]
        later = [
            m.rank
            for m in run.merges
            if (run.columns.left[m.rank], run.columns.right[m.rank]) == pair
        ]
        assert found.made == (run.token_of(later[0]) if later else -1)
        for row in found.words:
            ids = cut[row.word]
            assert (row.count, row.times, row.is_whole) == (
                run.corpus.counts[row.word],
                times[row.word],
                True,
            )
            assert list(row.before) == ids and len(row.before_places) == row.times
            assert all((ids[i], ids[i + 1]) == pair for i in row.before_places)
            assert list(row.after) == _replaced(ids, pair, found.made)
            assert all(row.after[i] == found.made for i in row.after_places)
            assert len(row.before) - len(row.after) == len(row.after_places)
        if step < len(run.merges) and found.made == run.token_of(step):
            after = _cut(run, step + 1)
            assert all(list(row.after) == after[row.word] for row in found.words)
