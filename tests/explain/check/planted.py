"""A naive trainer as a student writes it, with any of the known mistakes planted in it.

It shares nothing with `explain/check`: it counts all pairs again before every merge, and a mistake
is a line of its own. Tokens are `bytes`, or `str` where it trains on characters by mistake."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any

import regex

from tests.engine.textbook_twin import stand_ins_of

SPECIAL = "<|endoftext|>"
GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
Token = Any
Pair = tuple[Token, Token]
Words = list[tuple[list[Token], int]]

# In the printable order of GPT-2's stand-ins, which is that of Hugging Face.
_ORDER = {
    bytes([byte]): place
    for place, byte in enumerate(sorted(range(256), key=lambda b: stand_ins_of(bytes([b]))))
}

TEXT_FAULTS: dict[str, Callable[[str], str]] = {
    "line-breaks-translated": lambda text: text.replace("\r\n", "\n").replace("\r", "\n"),
    "final-line-break-lost": lambda text: (
        regex.sub("(\r\n|\n)$(?!\n)", "", text) if text.endswith("\n") else text
    ),
    "text-stripped": str.strip,
    "line-breaks-dropped": lambda text: "".join(text.splitlines()),
    "line-breaks-as-spaces": lambda text: regex.sub("\r\n|\r|\n", " ", text),
    "specials-joined": lambda text: "".join(text.split(SPECIAL)),
    "specials-as-white-space": lambda text: text.replace(SPECIAL, " "),
    "lowercased": str.lower,
    "normalized": lambda text: unicodedata.normalize("NFD", text),
    "latin-1": lambda text: text.encode().decode("latin-1"),
}
TIES = (
    "ties-first-seen",
    "ties-huggingface",
    "ties-raw-ids",
    "ties-subword-nmt",
    "ties-sentencepiece",
    "ties-last-seen",
    "ties-first-counted",
    "ties-greatest-ids",
    "ties-smallest-bytes",
    "ties-greatest-token",
)
FAULTS = (
    *TIES,
    *TEXT_FAULTS,
    "runs-counted-without-overlap",
    "runs-merged-from-the-right",
    "merged-at-first-place-only",
    "merged-across-tokens",
    "pairs-counted-once-in-a-piece",
    "counts-never-updated",
    "counts-not-lowered",
    "new-pairs-not-counted",
    "pieces-counted-once",
    "borders-crossed",
    "split-whitespace",
    "lines-without-breaks",
    "specials-not-removed",
    "other-units",
    "size-one-more",
    "size-one-less",
    "size-without-alphabet",
    "min-frequency-ignored",
    "min-frequency-exclusive",
    "specials-not-escaped",
    "chunks-cut-anywhere",
    "letters-only",
    "rare-pieces-dropped",
    "last-symbol-lost",
    "last-pair-not-counted",
    "first-pair-not-counted",
    "counts-never-emptied",
    "list-changed-while-walked",
    "wordpiece-score",
    "min-frequency-hidden",
    "alphabet-of-text",
    "runs-merged-whole",
    "packed-pairs",
    "lowered-pairs-lost",
    "normalized",
)
ORDERS = ("pieces-sorted-set", "words-sorted", "words-by-count", "words-moved-to-the-end")
"""Mistakes that need a tie rule by the order in the text."""


def random_text(rng: random.Random) -> str:
    """A short text with runs, line breaks of both kinds, special tokens and characters of several
    bytes.
    """
    words = [
        "".join(
            rng.choice(rng.choice(["ab", "aA", "abcdé", "aaa ", "xyz"]))
            for _ in range(rng.randint(1, 7))
        )
        for _ in range(rng.randint(2, 9))
    ]
    parts = [
        rng.choice(words) + rng.choice([" ", " ", " ", "  ", "\n", "\r\n", SPECIAL, ", "])
        for _ in range(rng.randint(5, 60))
    ]
    return "".join(parts) + rng.choice(["", "\n"])


def train(
    text: str,
    vocab_size: int,
    special: list[str],
    faults: frozenset[str] = frozenset(),
    least: int = 1,
) -> tuple[dict[int, bytes], list[Pair]]:
    """The vocabulary and the merges."""
    for fault in TEXT_FAULTS:
        text = TEXT_FAULTS[fault](text) if fault in faults else text
    words = _words(text, faults)
    if "alphabet-of-text" in faults:
        vocab_size += 256 - len(set(text.replace(SPECIAL, "").encode()))
    n_merges = vocab_size - (0 if "size-without-alphabet" in faults else 256 + len(special))
    n_merges += ("size-one-more" in faults) - ("size-one-less" in faults)
    if "min-frequency-ignored" in faults:
        least = 1
    if "min-frequency-hidden" in faults:
        least = 5
    if "min-frequency-exclusive" in faults:
        least += 1
    merges = _merges(words, n_merges, faults, least)
    tokens = [
        *special,
        *(bytes([byte]) for byte in range(256)),
        *(left + right for left, right in merges),
    ]
    return dict(enumerate(tokens)), merges


def merges_of(text: str, vocab_size: int, faults: Iterable[str], least: int = 1) -> list[Pair]:
    """The merges, in which every token is `bytes`."""
    merges = train(text, vocab_size, [SPECIAL], frozenset(faults), least)[1]
    return [
        tuple(token if isinstance(token, bytes) else token.encode() for token in pair)
        for pair in merges
    ]  # type: ignore[misc]


def first_difference(right: list[Pair], wrong: list[Pair]) -> int:
    """The place of the first merge that is wrong."""
    differ = (place for place, (a, b) in enumerate(zip(right, wrong, strict=False)) if a != b)
    return next(differ, min(len(right), len(wrong)))


def _words(text: str, faults: frozenset[str]) -> Words:
    documents = (
        [text] if "specials-not-removed" in faults or SPECIAL not in text else text.split(SPECIAL)
    )
    if "specials-not-escaped" in faults:
        documents = regex.split(SPECIAL, text)
    if "chunks-cut-anywhere" in faults:
        size = len(text) // 3
        chunks = [text[:size], text[size : 2 * size], text[2 * size :]]
        documents = [document for chunk in chunks for document in chunk.split(SPECIAL)]
    if "lines-without-breaks" in faults:
        documents = [line for document in documents for line in regex.split("\r\n|\r|\n", document)]
    counts: dict[str, int] = {}
    for document in documents:
        if "borders-crossed" in faults:
            pieces = [document] if document else []
        elif "letters-only" in faults:
            pieces = regex.findall("[A-Za-z]+", document)
        elif "split-whitespace" in faults:
            pieces = document.split()
        else:
            pieces = regex.findall(GPT2, document)
        for piece in pieces:
            counts[piece] = 1 if "pieces-counted-once" in faults else counts.get(piece, 0) + 1
    if "rare-pieces-dropped" in faults:
        counts = {piece: count for piece, count in counts.items() if count >= 2}
    if "words-sorted" in faults:
        counts = {piece: counts[piece] for piece in sorted(counts)}
    if "words-by-count" in faults:
        counts = dict(sorted(counts.items(), key=lambda entry: entry[1], reverse=True))
    if "pieces-sorted-set" in faults:
        counts = dict.fromkeys(sorted(counts), 1)
    if "other-units" in faults:
        return [(list(piece), count) for piece, count in counts.items()]
    return [([bytes([byte]) for byte in piece.encode()], count) for piece, count in counts.items()]


def _pairs(tokens: list[Token], faults: frozenset[str]) -> list[Pair]:
    pairs = list(zip(tokens, tokens[1:], strict=False))
    if "last-pair-not-counted" in faults:
        return pairs[:-1]
    if "first-pair-not-counted" in faults:
        return pairs[1:]
    if "pairs-counted-once-in-a-piece" in faults:
        return list(dict.fromkeys(pairs))
    if "runs-counted-without-overlap" in faults:
        kept: list[Pair] = []
        place = 0
        while place < len(pairs):
            kept.append(pairs[place])
            place += 2 if pairs[place : place + 2] == [pairs[place]] * 2 else 1
        return kept
    return pairs


def _merged(tokens: list[Token], pair: Pair, faults: frozenset[str]) -> list[Token]:
    if "merged-across-tokens" in faults:
        mark, gap = ("\0", "\0") if isinstance(pair[0], str) else (b"\xff", b"\xff")
        joined = gap.join(tokens)
        return list(joined.replace(pair[0] + mark + pair[1], pair[0] + pair[1]).split(gap))
    if "runs-merged-from-the-right" in faults:
        done: list[Token] = []
        place = len(tokens) - 1
        while place >= 0:
            if place and (tokens[place - 1], tokens[place]) == pair:
                done.insert(0, pair[0] + pair[1])
                place -= 2
            else:
                done.insert(0, tokens[place])
                place -= 1
        return done
    if "list-changed-while-walked" in faults:
        done = list(tokens)
        place = 0
        while place < len(done) - 1:
            if tuple(done[place : place + 2]) == pair:
                done[place : place + 2] = [pair[0] + pair[1]]
                place += 2
            else:
                place += 1
        return done
    if "runs-merged-whole" in faults:
        starts = [tuple(tokens[place : place + 2]) == pair for place in range(len(tokens))]
        done = [pair[0] + pair[1] if starts[place] else each for place, each in enumerate(tokens)]
        return [each for place, each in enumerate(done) if not place or not starts[place - 1]]
    if "last-symbol-lost" in faults:
        done = []
        place = 0
        while place < len(tokens) - 1:
            if (tokens[place], tokens[place + 1]) == pair:
                done.append(pair[0] + pair[1])
                place += 2
            else:
                done.append(tokens[place])
                place += 1
        return done
    done = []
    place = 0
    n_done = 0
    while place < len(tokens):
        is_first = n_done == 0 or "merged-at-first-place-only" not in faults
        if tuple(tokens[place : place + 2]) == pair and is_first:
            done.append(pair[0] + pair[1])
            place = place + 2
            n_done = n_done + 1
        else:
            done.append(tokens[place])
            place += 1
    return done


def _merges(words: Words, n_merges: int, faults: frozenset[str], least: int) -> list[Pair]:
    merges: list[Pair] = []
    table: dict[Pair, int] = {}  # as a trainer keeps it that does not count again

    def count(words: Words) -> dict[Pair, int]:
        counts: dict[Pair, int] = {}
        for tokens, n in words:
            for pair in _pairs(tokens, faults):
                counts[pair] = counts.get(pair, 0) + n
        return counts

    symbols = sorted({token for tokens, _ in words for token in tokens})
    now = count(words)
    table.update(now)
    is_stale = bool(
        faults & {"counts-never-updated", "counts-not-lowered", "new-pairs-not-counted"}
    )
    sums: dict[Pair, int] = {}
    lost: set[Pair] = set()
    while len(merges) < n_merges:
        counts: dict[Pair, Any] = table if is_stale else now
        if "counts-never-emptied" in faults:
            for other, n in now.items():
                sums[other] = sums.get(other, 0) + n
            counts = sums
        if "wordpiece-score" in faults:
            frequency: dict[Token, int] = {}
            for tokens, n in words:
                for token in tokens:
                    frequency[token] = frequency.get(token, 0) + n
            counts = {(a, b): n / (frequency[a] * frequency[b]) for (a, b), n in now.items()}
            least = -1
        if "packed-pairs" in faults and "other-units" not in faults:
            counts = _packed(now, merges)
        counts = {other: n for other, n in counts.items() if other not in lost}
        best = max(counts.values(), default=0)
        if not best or (least >= 0 and best < max(1, least)):
            break
        tied = [pair for pair in counts if counts[pair] == best]
        pair = _choose(tied, faults, list(table), symbols, merges)
        merges.append(pair)
        if "words-moved-to-the-end" in faults:
            words.sort(key=lambda word: pair in zip(word[0], word[0][1:], strict=False))
        words = [(_merged(tokens, pair, faults), n) for tokens, n in words]
        before = now
        now = count(words)
        if "lowered-pairs-lost" in faults:
            lost |= {other for other in before if now.get(other, 0) < before[other]}
        if not faults & {"counts-never-updated", "new-pairs-not-counted"}:
            for other in now:
                table.setdefault(other, 0)
        if "counts-not-lowered" in faults or "counts-never-updated" in faults:
            table[pair] = 0
        for other in table:
            change = now.get(other, 0) - before.get(other, 0)
            is_kept = change < 0 and faults & {"counts-never-updated", "counts-not-lowered"}
            is_new = change > 0 and faults & {"counts-never-updated", "new-pairs-not-counted"}
            table[other] += 0 if is_kept or is_new else change
    return merges


def _packed(counts: dict[Pair, int], merges: list[Pair]) -> dict[Pair, int]:
    """The counts by `left * 256 + right`."""
    names = [bytes([byte]) for byte in range(256)] + [left + right for left, right in merges]
    ids = {name: number for number, name in reversed(list(enumerate(names)))}
    table: dict[int, int] = {}
    for (left, right), n in counts.items():
        number = ids[left] * 256 + ids[right]
        table[number] = table.get(number, 0) + n
    return {
        (names[number // 256], names[number % 256]): n
        for number, n in table.items()
        if number < 256 * len(names)  # otherwise no token has the number of the left one
    }


def _choose(
    tied: list[Pair],
    faults: frozenset[str],
    table: list[Pair],
    symbols: list[Token],
    merges: list[Pair],
) -> Pair:
    rules = [fault for fault in TIES if fault in faults]
    rule = rules[0] if rules else "ties-greatest-bytes"
    made = [left + right for left, right in merges]

    def ids(pair: Pair) -> tuple[Any, ...]:
        def number(token: Token) -> int:
            if token in made:
                return 1000 + made.index(token)
            if rule in ("ties-raw-ids", "ties-greatest-ids"):
                return int(token[0]) if isinstance(token, bytes) else symbols.index(token)
            return _ORDER[token] if isinstance(token, bytes) else symbols.index(token)

        return number(pair[0]), number(pair[1])

    def name(token: Token) -> str:
        return stand_ins_of(token) if isinstance(token, bytes) else token

    if rule == "ties-first-seen":
        return tied[0]
    if rule == "ties-last-seen":
        return tied[-1]
    if rule == "ties-first-counted":
        return min(tied, key=table.index)
    if rule in ("ties-huggingface", "ties-raw-ids"):
        return min(tied, key=ids)
    if rule == "ties-greatest-ids":
        return max(tied, key=ids)
    if rule == "ties-subword-nmt":
        return max(tied, key=lambda pair: (name(pair[0]), name(pair[1])))
    if rule == "ties-sentencepiece":
        return min(
            tied,
            key=lambda pair: (len(name(pair[0]) + name(pair[1])), name(pair[0]) + name(pair[1])),
        )
    if rule == "ties-smallest-bytes":
        return min(tied)
    if rule == "ties-greatest-token":
        return max(tied, key=lambda pair: (pair[0] + pair[1], pair))
    return max(tied)
