"""What the corpus doctor notes of each code point. A page of 256 is looked up when a text has one of them."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import numpy as np
import regex

from bpe_studio.engine.arrays import Int64Array
from bpe_studio.engine.kernels import inspecting as notes
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
CHARACTER_FINDINGS = (
    "replacement_character", "invalid_bytes", "byte_order_mark", "control_characters", "delete_characters",
    "zero_width", "bidi_controls", "soft_hyphen", "no_break_space", "private_use", "unassigned", "carriage_returns",
    "line_separators", "presentation_forms", "kashida",
)  # fmt: skip
"""The findings that a single character is; their order gives the kinds of their notes."""
SCRIPTS = ("Common", "Latin", *(name for name in SCRIPT_NAMES if name not in ("Common", "Latin")))
"""The scripts whose characters are counted, by number; the kernel knows that of Latin."""

_SINGLE = {
    "\ufffd": "replacement_character",
    "\ufeff": "byte_order_mark",
    "\x7f": "delete_characters",
    "\xad": "soft_hyphen",
    "\r": "carriage_returns",
    "\u0640": "kashida",
    **dict.fromkeys("\u200b\u2060", "zero_width"),
    **dict.fromkeys("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", "bidi_controls"),
    **dict.fromkeys("\xa0\u2007\u202f", "no_break_space"),
    **dict.fromkeys("\u2028\u2029", "line_separators"),
}
_CAPITALS = frozenset("АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЁЄІЇ")
"""Capitals that ftfy, like all small Cyrillic letters, takes for no part of a misread character among such letters."""
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


INFO: Int64Array = np.zeros(N_CODES, np.int64)
"""What the kernel notes of each code point; 0 where it has not been looked up."""


def fill(page: int) -> None:
    """Look up 256 code points."""
    for code in range(page << 8, (page + 1) << 8):
        INFO[code] = _info(chr(code))


def ascii_bytes(special_starts: str) -> Int64Array:
    """(256,) int64, what the kernel notes of each byte that is ASCII; 0 for others.

    Args:
        special_starts: the characters that special tokens begin with.
    """
    found: Int64Array = np.zeros(256, np.int64)
    for char in _BASE64:
        found[ord(char)] = notes.BYTE_BASE64
    for char in f"{special_starts}:":
        found[ord(char)] |= notes.BYTE_SPECIAL
    return found


def _info(char: str) -> int:
    code = ord(char)
    info = notes.CODE_KNOWN
    finding = finding_of(char)
    if finding:
        kind = notes.FIRST_CHARACTER_KIND + CHARACTER_FINDINGS.index(finding)
        info |= notes.CODE_PLACED | kind << notes.KIND_SHIFT
    script = script_name(char)
    number = SCRIPTS.index(script)
    info |= number << notes.SCRIPT_SHIFT
    if (script not in NO_SPACES or script == "Common") and regex.match(r"\w", char):
        info |= notes.CODE_WORD
        number = notes.LATIN if code < 0x80 else number
        if code < 0x80 or is_of_one_script(char):
            info |= number << notes.UNMIXED_SHIFT | notes.SCRIPT_BITS - number << notes.INVERTED_SHIFT
        info |= notes.CODE_UNMIXED * is_of_one_script(char)
    info |= notes.CODE_SPACE * char.isspace()
    info |= notes.CODE_LINE_FEED * (char == "\n")
    info |= notes.CODE_LOST * (char in LOST)
    info |= notes.CODE_STRAY * (finding == "invalid_bytes")
    info |= notes.CODE_BASE64 * (char in _BASE64)
    if code < 0x80:
        return _marked(info | notes.CODE_SMALL, char)
    info |= unicodedata.combining(char) << notes.CLASS_SHIFT
    info |= notes.CODE_NOT_NFC * (not unicodedata.is_normalized("NFC", char))
    info |= notes.CODE_MAYBE_NFC * (char in _second_parts())
    *leads, continuations = _misread_bytes()
    for n_more, chars in enumerate(leads):
        info |= (notes.CODE_LEAD | 1 << notes.LEAD_SHIFT + n_more) * (char in chars)
    info |= notes.CODE_CONTINUATION * (char in continuations)
    info |= notes.CODE_SMALL * (script == "Cyrillic" and (char.islower() or char in _CAPITALS))
    if code in notes.FORM_CODES:
        info |= 1 << notes.FORM_SHIFT + notes.FORM_CODES.index(code)
    return _marked(info, char)


def _marked(info: int, char: str) -> int:
    """The same with the marks of a plain character, and of one behind which nothing depends on it."""
    depends = notes.CODE_WORD | notes.CODE_BASE64 | notes.CODE_LEAD | notes.CODE_CONTINUATION | notes.CODE_CLASS
    info |= notes.CODE_PLAIN * (not info & notes.NOT_PLAIN)
    return info | notes.CODE_BORDER * (char != "\r" and not info & depends)


@lru_cache(maxsize=1)
def _second_parts() -> frozenset[str]:
    """The characters that may combine with the one before them into one character."""
    found = {chr(code) for low, high in ((0x1161, 0x1176), (0x11A8, 0x11C3)) for code in range(low, high)}
    for low, high in ((0xC0, 0x3400), (0x10000, 0x12000), (0x16000, 0x17000), (0x1D000, 0x1D200)):
        for code in range(low, high):
            parts = unicodedata.decomposition(chr(code)).split()
            if len(parts) == 2 and parts[0][0] != "<" and unicodedata.is_normalized("NFC", chr(code)):
                found.add(chr(int(parts[1], 16)))
    return frozenset(found)


@lru_cache(maxsize=1)
def _misread_bytes() -> list[frozenset[str]]:
    """What the first bytes of characters in UTF-8, and their other bytes, may have been misread as."""
    return [misread_bytes(span) for span in (*LEADS, CONTINUATIONS)]
