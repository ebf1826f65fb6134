"""The parts of a text have, together, the tokens that a library gives the whole text."""

from __future__ import annotations

import random
from functools import cache

import pytest

from bpe_studio.files.third_party.borders import parts_of
from tests.files.third_party.made import (
    BPES,
    OTHERS,
    SENTENCEPIECE,
    TRAINING,
    VARIANTS,
    strange_texts,
)
from tests.files.third_party.test_typed_text import opened

SCRIPTS = [
    (0x0F40, 0x0F6C),
    (0x1000, 0x102A),
    (0x1200, 0x1248),
    (0x13A0, 0x13F5),
    (0x1820, 0x1878),
    (0x10A00, 0x10A60),
]


@cache
def rare_text(n_words: int) -> str:
    """A text of rare scripts, with some usual words and line ends."""
    draw = random.Random(7)
    words = []
    for _ in range(n_words):
        low, high = draw.choice(SCRIPTS)
        words.append("".join(chr(draw.randrange(low, high)) for _ in range(draw.randrange(1, 9))))
        words.append(
            draw.choice(
                [" ", " ", "  ", "\n", "\n\n \n", "\u0f0b", "\u1361", "\u00a0", "\t", ". ", "\r\n"]
            )
        )
    words += [*TRAINING, *strange_texts(40, 3)]
    draw.shuffle(words)
    return "".join(words)


@pytest.mark.parametrize(
    "name", [*BPES, *OTHERS, *VARIANTS, *(f"sentencepiece {name}" for name in SENTENCEPIECE)]
)
def test_the_parts_of_rare_scripts_have_the_tokens_of_the_whole(name: str) -> None:
    library = opened(name).tokenizer().native
    text = rare_text(2_000)
    spaces = "" if library.prefixes_parts else library.cuts_before
    found = list(parts_of(text, spaces, 80 if spaces else library.most_characters))
    assert "".join(found) == text and (len(found) > 10) == bool(spaces)
    ids = [number for each in library.ids_of(found, recognize_special=False) for number in each]
    assert ids == library.ids(text, recognize_special=False)
