"""An inspection as in its definition: each finding by itself, over whole lines and documents, with
its places.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict

import regex

from bpe_studio.engine.text.cleaning import KNOWN_SPECIALS, kind_of_data

Found = dict[str, list[tuple[int, int]]]
NO_SPACES = (
    *(
        "Han",
        "Hiragana",
        "Katakana",
        "Hangul",
        "Bopomofo",
        "Yi",
        "Thai",
        "Lao",
        "Khmer",
        "Myanmar",
        "Tibetan",
    ),
    *("Tai_Le", "New_Tai_Lue", "Tai_Tham", "Tai_Viet", "Javanese", "Balinese"),
)
SCRIPTS = ("Latin", "Greek", "Cyrillic", "Arabic", "Hebrew", "Devanagari")
SIGNS = "\u03a9\u2126\u03bc\u03b2\u03b8\u03c7"
WORD = regex.compile(
    r"[\w--[" + "".join(rf"\p{{Script={name}}}" for name in NO_SPACES) + "]]+", regex.V1
)
CHARACTERS = {
    "replacement_character": "\ufffd",
    "byte_order_mark": "\ufeff",
    "delete_characters": "\x7f",
    "soft_hyphen": "\xad",
    "carriage_returns": "\r",
    "kashida": "\u0640",
    "zero_width": "\u200b\u2060\ufeff",
    "bidi_controls": "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
    "no_break_space": "\xa0\u2007\u202f",
    "line_separators": "\u2028\u2029",
    "control_characters": "".join(
        map(chr, [*range(9), 11, 12, *range(14, 32), *range(0x80, 0xA0)])
    ),
    "invalid_bytes": "".join(map(chr, range(0xDC80, 0xDD00))),
}


def found_in(documents: list[str], specials: tuple[str, ...] = ()) -> Found:
    """The places (line, column) of each finding in the documents of one file, in the order of the
    text.
    """
    found: Found = defaultdict(list)
    lines_before: dict[str, int] = defaultdict(int)
    documents_before: set[str] = set()
    boilerplate: dict[str, list[int]] = defaultdict(list)
    number = 0
    for document in documents:
        forms: dict[str, list[tuple[int, int]]] = defaultdict(list)
        lines = document.split("\n")
        lines = lines if lines[-1] else lines[:-1]
        for line in lines:
            number += 1
            _look_at(line, number, found, specials)
            for column, char in enumerate(line, 1):
                forms[char].append((number, column))
            text = line.removesuffix("\r")
            if len(text) >= 40:
                if lines_before[text]:
                    found["repeated_lines"].append((number, 1))
                lines_before[text] += 1
                boilerplate[text].append(number)
        for name, (one, other) in {
            "mixed_yeh": "\u064a\u06cc",
            "mixed_kaf": "\u0643\u06a9",
        }.items():
            rare = forms[one] if len(forms[one]) <= len(forms[other]) else forms[other]
            found[name] += rare
        if document:
            same = "\n".join(line.removesuffix("\r") for line in lines)
            if same in documents_before:
                found["repeated_documents"].append((number, 1))
            documents_before.add(same)
    for numbers in boilerplate.values():
        if len(numbers) >= 10:
            found["boilerplate_lines"] += [(each, 1) for each in numbers]
    return {name: places for name, places in found.items() if places}


def _look_at(line: str, number: int, found: Found, specials: tuple[str, ...]) -> None:
    for column, char in enumerate(line, 1):
        for name, chars in CHARACTERS.items():
            if char in chars:
                found[name].append((number, column))
        if unicodedata.category(char) == "Co":
            found["private_use"].append((number, column))
        if unicodedata.category(char) == "Cn" and regex.match(r"\p{Cn}", char):
            found["unassigned"].append((number, column))
        name = unicodedata.name(char, "")
        if char in "\ufb00\ufb01\ufb02\ufb03\ufb04\ufb05\ufb06" or re.search(
            "ARABIC.* FORM$", name
        ):
            found["presentation_forms"].append((number, column))
    if not unicodedata.is_normalized("NFC", line):
        found["not_nfc"].append((number, 1))
    if len(line.encode("utf-8", "surrogateescape")) > 65_536:
        found["long_lines"].append((number, 1))
    for match in re.finditer(r"(\S)\1{19,}", line):
        if not match[1].isspace():
            found["character_runs"].append((number, match.start() + 1))
    for match in re.finditer(r"(?<=[a-z])://", line):
        found["urls"].append((number, match.start() + 1))
    for match in re.finditer(r"[A-Za-z0-9+/]{32,}", line):
        kind = kind_of_data(match[0].encode())
        if kind:
            found[kind].append((number, match.start() + 1))
    for token in {*KNOWN_SPECIALS, *specials}:
        for match in re.finditer(re.escape(token), line):
            found["special_tokens"].append((number, match.start() + 1))
    for match in WORD.finditer(line):
        letters = match[0].translate(dict.fromkeys(map(ord, SIGNS)))
        if sum(bool(regex.search(rf"\p{{Script={name}}}", letters)) for name in SCRIPTS) > 1:
            found["mixed_scripts"].append((number, match.start() + 1))
