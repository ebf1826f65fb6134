"""A trainer of words with a mark at their ends, as students write it, with one mistake at a time.

It shares nothing with `explain/check`."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

import bpe_studio as bpe

MARK = "</w>"
Word = list[str]
Pair = tuple[str, str]
MISTAKES = (
    "mark-on-last-character",
    "mark-left-out",
    "borders-crossed",
    "split-single-spaces",
    "merges-as-size",
    "several-merges-a-count",
    "pairs-taken-once",
)


def words_of(text: str, mistake: str) -> dict[tuple[str, ...], int]:
    pieces = text.split(" ") if mistake == "split-single-spaces" else text.split()
    words: Counter[tuple[str, ...]] = Counter()
    row: Word = []
    for piece in filter(None, pieces):
        symbols = [*piece, MARK]
        if mistake == "mark-left-out":
            symbols = [*piece]
        elif mistake == "mark-on-last-character":
            symbols = [*piece[:-1], piece[-1] + MARK]
        words[tuple(symbols)] += 1
        row += symbols
    return {tuple(row): 1} if mistake == "borders-crossed" else words


def merged(word: Word, pair: Pair) -> Word:
    token = pair[0] + pair[1]
    done: Word = []
    place = 0
    while place < len(word):
        is_pair = tuple(word[place : place + 2]) == pair
        done.append(token if is_pair else word[place])
        place += 2 if is_pair else 1
    return done


def train(text: str, n_merges: int, mistake: str) -> list[Pair]:
    table = words_of(text, mistake)
    words = [list(word) for word in table]
    weights = list(table.values())
    counts: Counter[Pair] = Counter()
    for word, weight in zip(words, weights, strict=True):
        for pair in pairwise(word):
            counts[pair] += weight
    merges: list[Pair] = []
    if mistake == "merges-as-size":
        n_merges -= len({symbol for word in words for symbol in word})
    while len(merges) < n_merges and counts:
        best = sorted(counts, key=lambda pair: (counts[pair], pair), reverse=True)
        n_chosen = 3 if mistake == "several-merges-a-count" else 1
        for pair in best[: min(n_chosen, n_merges - len(merges))]:
            merges.append(pair)
            for number, word in enumerate(words):
                after = merged(word, pair)
                if after == word:
                    continue
                before = pairwise(word)
                for each in set(before) if mistake == "pairs-taken-once" else before:
                    counts[each] -= weights[number]
                for each in pairwise(after):
                    counts[each] += weights[number]
                words[number] = after
            del counts[pair]
    return merges


TEXTS = {
    "borders-crossed": ("hug pug hug pug hug pug bun", 6),
    "split-single-spaces": ("low\nlow low\nlow lower newer", 8),
    "pairs-taken-once": ("xixix xixix xixix xixix ab ab ab cd", 5),
    "merges-as-size": ("aab aab aab baa baa abab", 6),
}
TEXT = "mmm mmm hum hum hum human humane mum mum xixix xixix nana"


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named(mistake: str) -> None:
    text, n_merges = TEXTS.get(mistake, (TEXT, 12))
    config = bpe.TrainingConfig.preset("sennrich", merges=n_merges, ties="greatest-bytes")
    assert bpe.check(train(text, n_merges, ""), text, config).correct
    found = bpe.check(train(text, n_merges, mistake), text, config)
    assert mistake in {each.name for each in found.mistakes}, str(found)


def test_negated_bytes_in_a_heap_take_the_shorter_token() -> None:
    def train(text: str, vocab_size: int) -> list[tuple[bytes, bytes]]:
        words = [[bytes([byte]) for byte in word.encode()] for word in text.split()]
        merges = []
        while len(merges) < vocab_size - 256:
            counts = Counter(pair for word in words for pair in pairwise(word))
            pair = min(
                counts, key=lambda pair: (-counts[pair], [[-x for x in token] for token in pair])
            )
            merges.append(pair)
            for word in words:
                for place in range(len(word) - 1, 0, -1):
                    if (word[place - 1], word[place]) == pair:
                        word[place - 1 : place + 1] = [pair[0] + pair[1]]
        return merges

    text = "abc abd abc abd xab aba babab cabd dabc zabz zz yzabc"
    options = {"split": "whitespace", "ties": "greatest-bytes", "special": ()}
    config = bpe.TrainingConfig.preset("raw", merges=12, min_frequency=1, **options)
    found = bpe.check(train, text, config)
    assert [each.name for each in found.mistakes] == ["ties-shorter-first"], str(found)
