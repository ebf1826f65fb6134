"""The parts of a text have, together, the tokens that a library gives the whole text."""

from __future__ import annotations

import random
from collections.abc import Iterable
from functools import cache
from itertools import chain

import pytest

from bpe_studio.workspace.corpus.text_parts import TextParts
from tests.files.third_party.made import BPES, OTHERS, SENTENCEPIECE, TRAINING, VARIANTS, strange_texts
from tests.files.third_party.test_typed_text import opened

SCRIPTS = [(0x0F40, 0x0F6C), (0x1000, 0x102A), (0x1200, 0x1248), (0x13A0, 0x13F5), (0x1820, 0x1878), (0x10A00, 0x10A60)]


@cache
def rare_text(n_words: int) -> str:
    """A text of rare scripts, with some usual words and line ends."""
    draw = random.Random(7)
    words = []
    for _ in range(n_words):
        low, high = draw.choice(SCRIPTS)
        words.append("".join(chr(draw.randrange(low, high)) for _ in range(draw.randrange(1, 9))))
        words.append(draw.choice([" ", " ", "  ", "\n", "\n\n \n", "\u0f0b", "\u1361", "\u00a0", "\t", ". ", "\r\n"]))
    words += [*TRAINING, *strange_texts(40, 3)]
    draw.shuffle(words)
    return "".join(words)


def fed(parts: TextParts, text: str, size: int) -> list[str]:
    pieces: Iterable[str] = (text[start : start + size] for start in range(0, len(text), size))
    return [*chain.from_iterable(map(parts.feed, pieces)), *parts.end_document()]


@pytest.mark.parametrize("name", [*BPES, *OTHERS, *VARIANTS, *(f"sentencepiece {name}" for name in SENTENCEPIECE)])
def test_the_parts_of_rare_scripts_have_the_tokens_of_the_whole(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    library, text = opened(name).tokenizer().native, rare_text(2_000)
    monkeypatch.setattr("bpe_studio.workspace.corpus.text_parts.USUAL_CHARACTERS", 40)
    spaces = "" if library.prefixes_parts else library.cuts_before
    parts = TextParts(spaces, library.most_characters)
    found = fed(parts, text, 997)
    assert "".join(found) == text and (len(found) > 10) == bool(spaces) and parts.n_whole == (not spaces)
    ids = [number for each in library.ids_of(found) for number in each]
    assert ids == library.ids(text, recognize_special=False)
    assert not parts.n_doubtful


@pytest.mark.parametrize("size", [1, 3, 1_000])
def test_lines_and_what_is_between_separators_are_texts(size: int) -> None:
    assert fed(TextParts("", 99, is_by_line=True), "a b\n\nc\r\nd", size) == ["a b\n", "\n", "c\r\n", "d"]
    parts = TextParts("", 99, separators=("<|end|>", "<|end|>x"))
    found = fed(parts, "a b<|end|><|end|>xc<|en\nd<|end|>", size)
    assert [text for text in found if text] == ["a b", "c<|en\nd"]
