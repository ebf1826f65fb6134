"""The automata of the named splits against their expressions: all code points, short texts, nasty
ones.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import regex

from bpe_studio.engine.kernels import loader
from bpe_studio.engine.kernels.instructions import N_BYTES
from bpe_studio.engine.kernels.scanning import (
    COLUMNS,
    GAP,
    N_CUTTING,
    N_ENDS,
    N_STARTS,
    RETREAT,
    SPARE,
    START,
    STOP,
    STOP_NUMBER,
)
from bpe_studio.engine.kernels.windows import NO_WINDOWS, TEXTS
from bpe_studio.engine.presets import PATTERNS
from bpe_studio.engine.splits.automaton import (
    Automaton,
    continuous_steps,
    split_automaton,
    steps_of_pairs,
)
from tests.engine.texts import packed, standing_out
from tests.examples import examples

SPLITS = [name for name in PATTERNS if name not in ("llama3", "digits-right")]
# What each split tells apart, a character of each kind.
SHORT = {
    "whitespace": "a \n\u3000",
    "spaces": "a \n\r\t",
    "items": "a \n\u3000",
    "words": "a_ !\n\u0301",
    "gpt2": "'slre1 \n!",
    "cl100k": "'sLre1 \n!",
    "qwen2": "'\u017fle1\t\r!",
    "o200k": "'sAaあ\u03011 \n/",
    "o200k-words": "'sAaあ\u03011 \n/",
    "sentencepiece": "a \n▁\t",
    "superwords": "a1² \n\t!\u0301/",
    "digits-single": "a1² \n!",
    "digits-left": "a1² \n!",
}
NASTY = "'''sStTmMdDlLrRvVeE\u017f\u0130ıßǅʰあ文\u0301\u0903\u200d\u200c1²½٣_ - /\\.!\"#€😀👩🏽"
NASTY += "  \t\n\r\r\n\x0b\x1c\x85\xa0\u3000\u2028▁\udc80\udcff\ud83d\x00\x7f"


WITHOUT_WINDOWS = np.full(COLUMNS, NO_WINDOWS, np.uint8)
STRAY = re.compile("[\udc80-\udcff]")
SURROGATE = re.compile("[\ud800-\udfff]")
LINES = regex.compile(r"[^\n]*\n|[^\n]+")
compiled = cache(regex.compile)
"""`regex` looks for an expression that it has compiled before for longer than a short text takes.
"""


def scanned(
    split: str,
    text: str,
    by_line: bool = False,
    room: int = 64,
    sizes: list[int] | None = None,
    is_plain: bool = False,
) -> list[str]:
    """The pre-tokens that the kernel finds in a text, or in several of so many bytes that stand end
    to end.
    """
    content = text.encode("utf-8", "surrogatepass")
    return cut(split_automaton(split, by_line), content, room, sizes, is_plain)


def expected(split: str, text: str, by_line: bool = False) -> list[str]:
    """Those that the expression finds."""
    return matched(r"[\s\S]+" if split == "none" else PATTERNS[split], text, by_line)


def matched(pattern: str, text: str, by_line: bool = False) -> list[str]:
    """What an expression finds in a text, or in each of its lines."""
    parts = LINES.findall(text) if by_line else [text]
    return [match.group() for part in parts for match in compiled(pattern).finditer(part)]


def spans_cut(
    automaton: Automaton,
    content: bytes,
    room: int = 64,
    sizes: list[int] | None = None,
    is_plain: bool = False,
) -> Any:
    """(n, 2) int64: where the pre-tokens begin and end that the kernel finds, in bytes."""
    scanning = loader.plain("scanning") if is_plain else loader.compiled("scanning")
    b: Any = np.frombuffer(content + bytes(N_BYTES), np.uint8)
    starts: Any = np.zeros(SPARE + 3 + room, np.int64)
    ends: Any = np.zeros(SPARE + 3 + room, np.int64)
    state: Any = np.zeros(N_CUTTING, np.int64)
    bounds: Any = np.cumsum([len(content)] if sizes is None else sizes)
    tables: Any = automaton.tables
    if is_plain:
        b, starts, ends, state, bounds = (
            list(map(int, values)) for values in (b, starts, ends, state, bounds)
        )
        tables = [bytes(automaton.columns), *(table.tolist() for table in automaton.tables[1:])]
    scanning.begin(state, 0)
    found: list[Any] = [np.zeros((2, 0), np.int64)]
    while state[STOP_NUMBER] < len(bounds):
        scanning.cut(state, b, bounds, tables, starts, ends)
        n_starts = int(state[N_STARTS])
        n = int(state[N_ENDS])
        assert n <= n_starts <= n + 1 and 2 * n_starts <= len(starts)
        found.append(np.array([starts[:n], ends[:n]], np.int64))
    assert n_starts == n
    return np.concatenate(found, axis=1).T


def cut(
    automaton: Automaton,
    content: bytes,
    room: int = 64,
    sizes: list[int] | None = None,
    is_plain: bool = False,
) -> list[str]:
    """The pre-tokens that the kernel finds."""
    spans = spans_cut(automaton, content, room, sizes, is_plain).tolist()
    return [content[start:end].decode("utf-8", "surrogatepass") for start, end in spans]


def is_cut_alike(automaton: Automaton, pattern: str, text: str) -> bool:
    """Whether the kernel cuts a long text where the expression does.

    The places are compared, as arrays.
    """
    content = text.encode("utf-8", "surrogatepass")
    is_first = (np.frombuffer(content, np.uint8) & 0xC0) != 0x80
    n_before = np.append(np.cumsum(is_first) - is_first, len(text))
    spans = spans_cut(automaton, content, 4096)
    is_whole = np.append(is_first, True)[spans].all()
    return bool(is_whole) and np.array_equal(n_before[spans], spans_matched(pattern, text))


def spans_matched(pattern: str, text: str) -> Any:
    """(n, 2) int64: where the matches of an expression begin and end, in characters."""
    expression = compiled(pattern)
    if expression.groups == 0:
        # What is between the matches is found too, as characters in no group: twice as fast as
        # asking each match.
        sizes = np.array(
            [len(found) for found in compiled(f"({pattern})|[\\s\\S]").findall(text)], np.int64
        )
        is_match = sizes > 0
        ends = np.cumsum(np.maximum(sizes, 1))
        return np.stack([ends - sizes, ends], axis=1)[is_match]
    return np.array([match.span() for match in expression.finditer(text)], np.int64).reshape(-1, 2)


@cache
def alone(plane: int) -> str:
    """The code points of a plane, with spaces between them."""
    return " ".join(map(chr, range(plane << 16, (plane + 1) << 16)))


PLANES = (*range(5), 14, 16)
"""One of planes 4 to 13, which hold no characters, and of 15 and 16, which hold such of private use
only.
"""


def check_every_code_point(
    automaton: Automaton,
    pattern: str,
    places: list[tuple[str, str]],
    planes: Iterable[int] = PLANES,
) -> None:
    """Holds the kernel to the expression with every code point alone and among its neighbours.

    Those that differ from their neighbours are also put between other characters.
    """
    for plane in planes:
        codes = range(plane << 16, (plane + 1) << 16)
        assert is_cut_alike(automaton, pattern, packed(codes.start, codes.stop)), hex(codes.start)
        if plane < 4 or plane == 14:
            assert is_cut_alike(automaton, pattern, alone(plane)), hex(codes.start)
    for before, after in places:
        text = "".join([f"{before}{char}{after}" for char in standing_out()])
        assert is_cut_alike(automaton, pattern, text), (before, after)


every_split = pytest.mark.parametrize("split", SPLITS)


@pytest.mark.slow(
    buys="each character is of the kind that the expression takes it for, before and after others"
)
@every_split
def test_every_code_point_in_several_places(split: str) -> None:
    automaton = split_automaton(split)
    pattern = PATTERNS.get(split, r"[\s\S]+")
    places = [("a", "A"), ("'", "s"), ("1", "1"), (" ", "!"), ("  ", "\n")]
    check_every_code_point(automaton, pattern, places, range(17))


@pytest.mark.slow(buys="every text of a few characters, for each split")
@every_split
@pytest.mark.parametrize("by_line", [False, True])
def test_every_short_text(split: str, by_line: bool) -> None:
    texts = [
        "".join(letters)
        for length in range(1, 5)
        for letters in itertools.product(SHORT[split], repeat=length)
    ]
    sizes = [len(text.encode("utf-8", "surrogatepass")) for text in texts]
    separately = [part for text in texts for part in expected(split, text, by_line)]
    assert scanned(split, "".join(texts), by_line, 4096, sizes) == separately


@every_split
def test_random_nasty_texts(split: str) -> None:
    rng = random.Random(7)
    for _ in range(examples(3000)):
        alphabet = rng.choices(NASTY, k=rng.randint(1, 12))
        text = "".join(rng.choices(alphabet, k=rng.randint(1, 40)))
        by_line = rng.random() < 0.5
        assert scanned(split, text, by_line, room=rng.choice([1, 7, 64])) == expected(
            split, text, by_line
        )


@pytest.mark.slow(buys="hundreds of random texts for each split")
@pytest.mark.parametrize("split", [*SPLITS, "none"])
def test_several_texts_at_once(split: str) -> None:
    rng = random.Random(12)
    for number in range(examples(400)):
        alphabet = rng.choices(NASTY + " \n'ls", k=rng.randint(1, 12))
        texts = [
            "".join(rng.choices(alphabet, k=rng.randint(1, 30))) for _ in range(rng.randint(1, 3))
        ]
        sizes = [len(text.encode("utf-8", "surrogatepass")) for text in texts]
        by_line = rng.random() < 0.5
        room = rng.choice([1, 2, 3, 10, 200])
        separately = [part for text in texts for part in expected(split, text, by_line)]
        assert (
            scanned(split, "".join(texts), by_line, room, sizes, is_plain=number % 10 == 0)
            == separately
        ), texts


def test_a_pre_token_that_goes_back_to_its_beginning_is_none() -> None:
    # The expression `ab+c`: an `a` without the rest belongs to nothing, and what follows it is
    # looked at anew.
    moves = np.full((7, COLUMNS), STOP, np.uint8)
    moves[START] = GAP
    moves[START, [ord("a"), ord("d")]] = (4, RETREAT)
    moves[GAP] = STOP
    moves[GAP, [ord("b"), ord("c")]] = GAP
    moves[4:6] = RETREAT
    moves[4, ord("b")] = moves[5, ord("b")] = 5
    moves[5, ord("c")] = 6
    steps = continuous_steps(moves, np.zeros_like(moves))
    kinds, pairs = steps_of_pairs(steps)
    tables = {"steps": steps.ravel(), "kinds": kinds, "pairs": pairs, "classes": WITHOUT_WINDOWS}
    automaton = replace(split_automaton("gpt2"), **tables)
    for length in range(1, 7):
        for letters in itertools.product("abcd", repeat=length):
            text = "".join(letters)
            for room in (1, 9):
                assert cut(automaton, text.encode(), room) == regex.findall("ab+c", text)


def test_windows_find_what_the_automaton_finds() -> None:
    rng = random.Random(16)
    for by_line in (False, True):
        automaton = split_automaton("gpt2", by_line)
        assert automaton.classes[TEXTS] != NO_WINDOWS
        one_by_one = replace(automaton, classes=WITHOUT_WINDOWS)
        for number in range(examples(200)):
            kinds = rng.choices(
                ["a", "be", "s", "'", "'ll", "'ve", "'t", "7", " ", "\n", "é", "’", "あ", *NASTY],
                k=8,
            )
            kinds += rng.choice([[], ["word"] * 20, [" of", "the ", "it's"] * 9])
            pieces = [
                "".join(rng.choices(kinds, k=rng.randint(1, 90))) for _ in range(rng.randint(1, 3))
            ]
            content = "".join(pieces).encode("utf-8", "surrogatepass")
            sizes = [len(piece.encode("utf-8", "surrogatepass")) for piece in pieces]
            room = rng.choice([1, 2, 30, 500])
            found = spans_cut(automaton, content, room, sizes, is_plain=number % 50 == 0)
            assert np.array_equal(found, spans_cut(one_by_one, content, room, sizes)), content


@every_split
def test_a_text_may_be_cut_where_the_kernel_says_so(split: str) -> None:
    rng = random.Random(8)
    scanning = loader.compiled("scanning")
    n_cut = 0
    n = examples(2000)
    for _ in range(n):
        text = "".join(rng.choices(NASTY, k=rng.randint(1, 30)))
        by_line = rng.random() < 0.5
        automaton = split_automaton(split, by_line)
        content = text.encode("utf-8", "surrogatepass")
        b = np.frombuffer(content, np.uint8).copy()
        place = scanning.last_boundary(b, 0, len(b), automaton.columns, automaton.parts)
        if place > 0:
            n_cut += 1
            assert cut(automaton, content[:place]) + cut(automaton, content[place:]) == cut(
                automaton, content
            )
    assert n_cut > 0.15 * n


def test_any_bytes_are_scanned_without_harm() -> None:
    rng = random.Random(9)
    for _ in range(500):
        content = bytes(
            rng.choices(
                b"a \xc3\xa9\xe2\x96\x81\xf0\x9f\x98\x80\xff\xed\xa0\xf5\xc0", k=rng.randint(1, 20)
            )
        )
        automaton = split_automaton("gpt2")
        spans = spans_cut(automaton, content, room=rng.choice([1, 64]))
        assert spans[0][0] == 0 and spans[-1][1] == len(content)
        assert all(end == start for (_, end), (start, _) in itertools.pairwise(spans))
