"""The automata of the named splits against their expressions: all code points, short texts, nasty ones."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
import regex

from bpe_studio.engine import kernels
from bpe_studio.engine.fast_counting import white_space
from bpe_studio.engine.pretokenization import PATTERNS
from bpe_studio.engine.split_automata import Automaton, split_automaton

SPLITS = [name for name in PATTERNS if name != "llama3"]
# What each split tells apart, a character of each kind.
SHORT = {
    "whitespace": "a \n\u3000",
    "words": "a_ !\n\u0301",
    "gpt2": "'slre1 \n!",
    "cl100k": "'sLre1 \n!",
    "qwen2": "'\u017fle1\t\r!",
    "o200k": "'sAaあ\u03011 \n/",
    "sentencepiece": "a \n▁\t",
}
NASTY = "'''sStTmMdDlLrRvVeE\u017f\u0130ıßǅʰあ文\u0301\u0903\u200d\u200c1²½٣_ - /\\.!\"#€😀👩🏽"
NASTY += "  \t\n\r\r\n\x0b\x1c\x85\xa0\u3000\u2028▁\udc80\udcff\ud83d\x00\x7f"


def scanned(split: str, text: str, by_line: bool = False, room: int = 64) -> list[str]:
    """The pre-tokens that the kernel finds."""
    return _scan(split_automaton(split, by_line), text.encode("utf-8", "surrogatepass"), room)


def expected(split: str, text: str, by_line: bool = False) -> list[str]:
    """Those that the expression finds."""
    parts = regex.findall(r"[^\n]*\n|[^\n]+", text) if by_line else [text]
    return [match.group() for part in parts for match in regex.finditer(PATTERNS[split], part)]


def _scan(automaton: Automaton, content: bytes, room: int = 64) -> list[str]:
    b = np.frombuffer(content + bytes(8), np.uint8).copy()
    starts, ends = np.zeros(room, np.int64), np.zeros(room, np.int64)
    found: list[str] = []
    place = 0
    while place < len(content):
        n, place = kernels.compiled("scanning").scan(
            b, place, len(content), automaton.columns, automaton.moves, automaton.marks, starts, ends
        )
        spans = zip(starts[:n].tolist(), ends[:n].tolist(), strict=True)
        found += [content[start:end].decode("utf-8", "surrogatepass") for start, end in spans]
    return found


every_split = pytest.mark.parametrize("split", SPLITS)


@every_split
def test_every_code_point_in_several_places(split: str) -> None:
    for before, after in [("", " "), ("a", "A"), ("'", "s"), ("1", "1"), (" ", "!"), ("  ", "\n")]:
        # Planes 4 to 13 hold no characters; they are looked at in one place only.
        for first in range(0, 0x110000, 1 << 16):
            if before and 0x40000 <= first < 0xE0000:
                continue
            text = "".join(f"{before}{chr(code)}{after}" for code in range(first, first + (1 << 16)))
            assert scanned(split, text, room=4096) == expected(split, text)


@every_split
@pytest.mark.parametrize("by_line", [False, True])
def test_every_short_text(split: str, by_line: bool) -> None:
    for length in range(1, 5):
        for letters in itertools.product(SHORT[split], repeat=length):
            text = "".join(letters)
            assert scanned(split, text, by_line) == expected(split, text, by_line)


@every_split
def test_random_nasty_texts(split: str) -> None:
    rng = random.Random(7)
    for _ in range(3000):
        alphabet = rng.choices(NASTY, k=rng.randint(1, 12))
        text = "".join(rng.choices(alphabet, k=rng.randint(1, 40)))
        by_line = rng.random() < 0.5
        assert scanned(split, text, by_line, room=rng.choice([1, 7, 64])) == expected(split, text, by_line)


def test_every_line_is_one_pre_token_without_a_split() -> None:
    assert scanned("none", "a  \n\nb\r\nc", by_line=True) == ["a  \n", "\n", "b\r\n", "c"]
    assert scanned("none", "a  \n\nb\r\nc") == ["a  \n\nb\r\nc"]


@every_split
def test_a_text_may_be_cut_where_the_kernel_says_so(split: str) -> None:
    rng = random.Random(8)
    scanning = kernels.compiled("scanning")
    n_cut = 0
    for _ in range(2000):
        text = "".join(rng.choices(NASTY, k=rng.randint(1, 30)))
        by_line = rng.random() < 0.5
        automaton = split_automaton(split, by_line)
        content = text.encode("utf-8", "surrogatepass")
        b = np.frombuffer(content, np.uint8).copy()
        place = scanning.last_parting(b, 0, len(b), automaton.columns, automaton.parts)
        if place > 0:
            n_cut += 1
            assert _scan(automaton, content[:place]) + _scan(automaton, content[place:]) == _scan(automaton, content)
    assert n_cut > 300


def test_words_of_prose_may_be_cut_at_blanks() -> None:
    scanning = kernels.compiled("scanning")
    for split in SPLITS:
        automaton = split_automaton(split)
        b = np.frombuffer(b"the cat", np.uint8).copy()
        assert scanning.last_parting(b, 0, len(b), automaton.columns, automaton.parts) in (3, 4)


def test_any_bytes_are_scanned_without_harm() -> None:
    rng = random.Random(9)
    for _ in range(500):
        content = bytes(
            rng.choices(b"a \xc3\xa9\xe2\x96\x81\xf0\x9f\x98\x80\xff\xed\xa0\xf5\xc0", k=rng.randint(1, 20))
        )
        automaton = split_automaton("gpt2")
        b = np.frombuffer(content, np.uint8).copy()
        starts, ends = np.zeros(64, np.int64), np.zeros(64, np.int64)
        n, place = kernels.compiled("scanning").scan(
            b, 0, len(b), automaton.columns, automaton.moves, automaton.marks, starts, ends
        )
        assert place == len(content) and ends[n - 1] == place
        assert list(starts[1:n]) == list(ends[: n - 1])


def test_white_space_words_are_those_of_python() -> None:
    scanning = kernels.compiled("scanning")
    rng = random.Random(10)
    everything = " ".join(chr(code) + "x" + chr(code) + chr(code) for code in range(0x110000))
    texts = ["".join(rng.choices(NASTY, k=rng.randint(0, 40))) for _ in range(500)]
    for text in [everything, *texts]:
        b = np.frombuffer(text.encode("utf-8", "surrogatepass") + bytes(1), np.uint8)
        found = scanning.white_space_words(b, len(b) - 1, 0, white_space())
        assert found >> 1 == len(text.split())
        assert bool(found & 1) == bool(text and not text[-1].isspace())
