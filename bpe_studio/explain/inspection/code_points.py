"""A table of code points, with the properties that an inspection looks for.

A code point is entered when it first occurs in a text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import regex

from bpe_studio.engine.text.cleaning import (
    CONTINUATIONS,
    LEADS,
    LOST,
    NO_SPACES,
    is_of_one_script,
    is_presentation_form,
    misread_bytes,
)
from bpe_studio.engine.text.unicode_scripts import SCRIPT_NAMES, script_name

N_CODES = 0x110000
KNOWN, SPACE, BASE64, WORD, LETTER, CONTINUATION, LOSS, SMALL = (1 << bit for bit in range(8))
"""The bits of `INFO`. A `LETTER` is of a script whose words have no letters of another script. ftfy
never takes a sequence of `SMALL` characters for a misread one."""
LEAD_BITS = tuple(1 << bit for bit in range(8, 11))
"""The bits of a misread first byte of a character: of two, three or four bytes."""
FINDING_SHIFT = 11
FINDING_BITS = 15
SCRIPT_SHIFT = 16
"""The places of the numbers of the finding and of the script."""
CHARACTER_FINDINGS = (
    "replacement_character",
    "invalid_bytes",
    "byte_order_mark",
    "control_characters",
    "delete_characters",
    "zero_width",
    "bidi_controls",
    "soft_hyphen",
    "no_break_space",
    "private_use",
    "unassigned",
    "carriage_returns",
    "line_separators",
    "presentation_forms",
    "kashida",
)
"""The findings that consist of a single character, by their number, from 1."""
SCRIPTS = ("Common", "Latin", *(name for name in SCRIPT_NAMES if name not in ("Common", "Latin")))
"""The scripts whose characters are counted, by number."""

_SINGLE = {
    "\ufffd": "replacement_character",
    "\ufeff": "byte_order_mark",
    "\x7f": "delete_characters",
    "\xad": "soft_hyphen",
    "\r": "carriage_returns",
    "\u0640": "kashida",
    **dict.fromkeys("\u200b\u2060", "zero_width"),
    **dict.fromkeys(
        "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", "bidi_controls"
    ),
    **dict.fromkeys("\xa0\u2007\u202f", "no_break_space"),
    **dict.fromkeys("\u2028\u2029", "line_separators"),
}
_CAPITALS = frozenset("АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЁЄІЇ")
"""Cyrillic capitals that count as `SMALL`, as all small Cyrillic letters do."""
_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")


def finding_of(char: str) -> str:
    """The finding that a character is by itself; "" for none.

    >>> finding_of(chr(0x200B)), finding_of(chr(0x200C))
    ('zero_width', '')
    """
    if char in _SINGLE:
        return _SINGLE[char]
    if "\udc80" <= char <= "\udcff":
        return "invalid_bytes"
    category = unicodedata.category(char)
    if category == "Cc":
        return "" if char in "\t\n" else "control_characters"
    if category == "Co":
        return "private_use"
    if category == "Cn" and regex.match(r"\p{Cn}", char):
        return "unassigned"
    return "presentation_forms" if is_presentation_form(char) else ""


INFO = np.zeros(N_CODES, np.uint32)
"""The entry of each code point; 0 before it is looked up."""


def look_up(codes: Iterable[int]) -> None:
    """Fill in the entries of some code points."""
    for code in codes:
        INFO[code] = _info(chr(code))


def _info(char: str) -> int:
    code = ord(char)
    finding = finding_of(char)
    script = script_name(char)
    info = KNOWN | SCRIPTS.index(script) << SCRIPT_SHIFT
    if finding:
        info |= CHARACTER_FINDINGS.index(finding) + 1 << FINDING_SHIFT
    if (script not in NO_SPACES or script == "Common") and regex.match(r"\w", char):
        info |= WORD | LETTER * is_of_one_script(char)
    info |= SPACE * char.isspace() | BASE64 * (char in _BASE64) | LOSS * (char in LOST)
    if code < 0x80:
        return info | SMALL
    *leads, continuations = _misread_bytes()
    for bit, chars in zip(LEAD_BITS, leads, strict=True):
        info |= bit * (char in chars)
    info |= CONTINUATION * (char in continuations)
    return info | SMALL * (script == "Cyrillic" and (char.islower() or char in _CAPITALS))


@lru_cache(maxsize=1)
def _misread_bytes() -> list[frozenset[str]]:
    """The characters as which the first bytes of UTF-8, and its other bytes, may be misread."""
    return [misread_bytes(span) for span in (*LEADS, CONTINUATIONS)]
