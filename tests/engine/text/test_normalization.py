"""SentencePiece's default normalization: line by line, with places in the given text."""

from __future__ import annotations

import re

import sentencepiece
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.engine.text.normalization import (
    NMT_DROPPED,
    NMT_KEPT,
    NMT_NFKC,
    NMT_SPACES,
    normalize,
    normalize_aligned,
)

_CHARACTERS = "ae\u0301\u0323\u0302éậﬁ½～\t\r\n\u200b\x01\u2028각\u1100\u1161\U0001d41a漢 \udc80"


def _rule(name: str) -> sentencepiece.SentencePieceNormalizer:
    return sentencepiece.SentencePieceNormalizer(
        rule_name=name,
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        escape_whitespaces=False,
    )


def test_what_the_default_rule_has_besides_nfkc() -> None:
    nmt = _rule("nmt_nfkc")
    nfkc = _rule("nfkc")
    dropped = re.compile(f"[{NMT_DROPPED}]")
    spaces = re.compile(f"[{NMT_SPACES}]")
    for code in [*range(10), *range(11, 0xD800), *range(0xE000, 0x110000)]:
        char = chr(code)
        expected = nfkc.normalize(char)
        if dropped.match(char):
            expected = ""
        elif spaces.match(char):
            expected = " "
        elif char == NMT_KEPT:
            expected = char
        assert nmt.normalize(char) == expected, ascii(char)


@given(st.text(st.sampled_from(_CHARACTERS), max_size=12))
def test_lines_are_normalized_by_the_library_and_stray_bytes_are_left_alone(text: str) -> None:
    parts = re.split("([\n\udc80])", text)
    expected = "".join(
        part if part in ("", "\n", "\udc80") else _rule("nmt_nfkc").normalize(part)
        for part in parts
    )
    assert normalize(text, [NMT_NFKC]) == expected


@given(st.text(st.sampled_from(_CHARACTERS), max_size=12))
def test_places_are_those_of_what_became_each_character(text: str) -> None:
    found, starts = normalize_aligned(text, [NMT_NFKC])
    assert found == normalize(text, [NMT_NFKC])
    assert len(starts) == len(found) + 1
    assert starts[-1] == len(text)
    assert all(a < b for a, b in zip(starts, starts[1:], strict=False))
    borders = [int(place) for place in starts if place == int(place)]
    for begin, end in zip(borders, borders[1:], strict=False):
        changed = found[list(starts).index(begin) : list(starts).index(end)]
        assert changed == normalize(text[begin:end], [NMT_NFKC])
