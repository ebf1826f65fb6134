"""Gates: checks of a tokenizer as a whole, for example that texts come back as they were, and that
ids are unique and without gaps.
"""

from __future__ import annotations

import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.errors import VocabularyError
from bpe_studio.explain.doctor.token_classes import ids_of, ids_of_each
from bpe_studio.explain.wording import plural
from bpe_studio.files.third_party.folders.transformers import compared_with_transformers

_BLOCK = 1 << 15
"""The number of characters that are checked in one text, with line breaks between them."""
_MOST_SHOWN = 3
WHITE_SPACE = (
    " ",
    "  ",
    "   ",
    "\t",
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    " \n",
    "\n ",
    " a",
    "a ",
    "  a",
    "a  b",
    "a\tb",
    "a\n\nb",
    "\u00a0",
    "\u2003",
    "\u2028",
    "\u3000",
    "a\u00a0b",
    "\x0b",
    "\x0c",
    "\x85",
)
COMBINING = (
    "e\u0301",
    "a\u0323\u0307",
    "o\u0302\u0301",
    "n\u0303o",
    "\u0915\u094d\u0937\u093f",
    "\u0e01\u0e33\u0e49",
    "\u05e9\u05c1\u05b8",
    "\u0643\u0650\u062a\u064e\u0627\u0628",
    "\u1112\u1161\u11ab",
    "\U0001f469\u200d\U0001f52c",
    "\U0001f1e9\U0001f1ea",
    "\U0001f44d\U0001f3fd",
    "x\u0338",
    "\u0301e",
)
FORMS = ("é", "Å", "ö", "ñandú", "ệ", "한국", "が", "Ω\u0301")
SAMPLE = "The quick brown fox, 12,345 times: don't!\n\n\tnaïve café, 日本語, سلام, 🦊🦊 "


@dataclass(frozen=True)
class Gate:
    """The result of one check.

    Attributes:
        name: the name of the check, as the command prints it.
        passed: whether the tokenizer passed it.
        detail: the finding, in words.
    """

    name: str
    passed: bool
    detail: str

    @property
    def title(self) -> str:
        """The name of the check in the window."""
        return _CHECKS[self.name][0]


def gates_of(tokenizer: Tokenizer) -> Iterator[Gate]:
    """All checks of a tokenizer, one after the other; for items, only those that need no text."""
    has_items = type(tokenizer) is Tokenizer and tokenizer.model.config.units == "items"
    for name, (_, check) in _CHECKS.items():
        if has_items and name in _OF_LETTERS:
            continue
        found = check(tokenizer)
        if found is not None:
            yield Gate(name, *found)


def _bytes(tokenizer: Tokenizer) -> tuple[bool, str]:
    contents = {
        tokenizer.content(number)
        for number in tokenizer.tokens
        if len(tokenizer.tokens[number]) <= 8
    }
    missing = [
        byte
        for byte in range(256)
        if bytes([byte]) not in contents and not _byte_comes_back(tokenizer, byte)
    ]
    if not missing:
        return True, "all 256 bytes round-trip"
    shown = ", ".join(f"0x{byte:02X}" for byte in missing[:_MOST_SHOWN])
    return (
        False,
        (
            f"{plural(len(missing), 'byte')} of 256 cannot be encoded:"
            f" {shown}{_and_more(len(missing))}"
        ),
    )


def _byte_comes_back(tokenizer: Tokenizer, byte: int) -> bool:
    try:
        return tokenizer.decode_bytes(tokenizer.encode_ids(bytes([byte])).tolist()) == bytes([byte])
    except VocabularyError:
        return False


def _code_points(tokenizer: Tokenizer) -> tuple[bool, str]:
    assigned = assigned_characters()
    lost: list[tuple[str, str]] = []
    for begin in range(0, len(assigned), _BLOCK):
        lost += _not_coming_back(tokenizer, assigned[begin : begin + _BLOCK])
    if not lost:
        # Their number depends on the Unicode version of Python.
        return True, "all assigned code points round-trip"
    return _verdict(lost, len(assigned), "assigned code points")


@cache
def assigned_characters() -> str:
    """All characters that Python knows as assigned, without surrogates and private ones."""
    every = map(chr, range(sys.maxunicode + 1))
    return "".join(char for char in every if unicodedata.category(char) not in ("Cn", "Cs", "Co"))


def _not_coming_back(tokenizer: Tokenizer, texts: Sequence[str]) -> list[tuple[str, str]]:
    """The texts that decode to something else, with the result; most are checked together."""
    whole = "\n".join(texts)
    decoded = _there_and_back(tokenizer, whole)
    if decoded == whole:
        return []
    lines = decoded.split("\n")
    if len(lines) == len(texts):
        # Only the texts that differ in this one are checked by themselves.
        texts = [text for text, line in zip(texts, lines, strict=True) if text != line]
    return _lost(tokenizer, texts)


def _lost(tokenizer: Tokenizer, texts: Iterable[str]) -> list[tuple[str, str]]:
    """The texts that decode to something else, with the result; each is checked by itself."""
    texts = list(texts)
    # Most lost characters become the same unknown token.
    decoded: dict[tuple[int, ...], str] = {}
    lost = []
    for text, ids in zip(texts, ids_of_each(tokenizer, texts), strict=True):
        if ids is None:
            lost.append((text, ""))
            continue
        key = tuple(ids)
        if key not in decoded:
            decoded[key] = tokenizer.decode(ids)
        if decoded[key] != text:
            lost.append((text, decoded[key]))
    return lost


def _there_and_back(tokenizer: Tokenizer, text: str) -> str:
    try:
        return tokenizer.decode(tokenizer.encode_ids(text).tolist())
    except VocabularyError:
        return ""


def _all_come_back(texts: Iterable[str], what: str) -> Callable[[Tokenizer], tuple[bool, str]]:
    def check(tokenizer: Tokenizer) -> tuple[bool, str]:
        every = list(texts)
        return _verdict(_lost(tokenizer, every), len(every), what)

    return check


def _verdict(lost: Sequence[tuple[str, str]], n: int, what: str) -> tuple[bool, str]:
    if not lost:
        return True, f"all {n:,} {what} round-trip"
    changes = [f"{_shown(text)} becomes {_shown(found)}" for text, found in lost[:_MOST_SHOWN]]
    shown = "; ".join(changes)
    return False, f"{len(lost):,} of {n:,} {what} do not round-trip: {shown}{_and_more(len(lost))}"


def _shown(text: str) -> str:
    if not text:
        return "nothing"
    points = " ".join(f"U+{ord(char):04X}" for char in text[:4])
    if len(text) > 4:
        points = f"{points} ..."
    return f"{text!r} ({points})"


def _and_more(n: int) -> str:
    return f" and {n - _MOST_SHOWN:,} more" if n > _MOST_SHOWN else ""


def _digits(tokenizer: Tokenizer) -> tuple[bool, str]:
    numbers = map(str, (*range(1100), 10**6, 1234567890))
    passed, detail = _all_come_back(numbers, "numbers")(tokenizer)
    if not passed:
        return passed, detail
    ids = tokenizer.encode_ids("0123456789").tolist()
    n = len(ids)
    return True, f"{detail}; the ten digits in a row are {plural(n, 'token')}"


def _both_forms(tokenizer: Tokenizer) -> tuple[bool, str]:
    changed = []
    n_same = 0
    for text in FORMS:
        pair = [unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)]
        found = [_there_and_back(tokenizer, form) for form in pair]
        if found[0] == found[1]:
            n_same += 1
        # A tokenizer may keep both forms, or turn one into the other; anything else loses text.
        changed += [
            (form, back) for form, back in zip(pair, found, strict=True) if back not in pair
        ]
    if changed:
        return _verdict(changed, 2 * len(FORMS), "composed or decomposed texts")
    if n_same == len(FORMS):
        return True, "composed and decomposed text become the same tokens"
    return True, "composed and decomposed text both round-trip, as different tokens"


def _determinism(tokenizer: Tokenizer) -> tuple[bool, str]:
    found = [ids_of(tokenizer, SAMPLE * n) for n in (1, 40, 1, 40)]
    if found[:2] == found[2:]:
        return True, "a text encoded twice has the same tokens"
    return False, "a text encoded twice has different tokens"


def _duplicates(tokenizer: Tokenizer) -> tuple[bool, str]:
    counts = Counter(tokenizer.tokens.values())
    repeated = [name for name, count in counts.items() if count > 1]
    if not repeated:
        return True, "no token has two ids"
    shown = ", ".join(map(repr, repeated[:_MOST_SHOWN]))
    return (
        False,
        (
            f"{plural(len(repeated), 'token has', 'tokens have')} several ids:"
            f" {shown}{_and_more(len(repeated))}"
        ),
    )


def _holes(tokenizer: Tokenizer) -> tuple[bool, str]:
    ids = sorted(tokenizer.tokens)
    if not ids:
        return True, "there are no tokens"
    there = set(ids)
    missing = [number for number in range(ids[-1] + 1) if number not in there]
    if not missing:
        return True, f"ids go from 0 to {ids[-1]:,} without a gap"
    shown = ", ".join(map(str, missing[:_MOST_SHOWN]))
    return (
        False,
        (
            f"{plural(len(missing), 'id')} below {ids[-1]:,} have no token:"
            f" {shown}{_and_more(len(missing))}"
        ),
    )


def _transformers(tokenizer: Tokenizer) -> tuple[bool, str] | None:
    """`None` if Transformers is not installed, or does not open the tokenizer."""
    return compared_with_transformers(tokenizer, tokenizer.folder) if tokenizer.folder else None


_CHECKS: dict[str, tuple[str, Callable[[Tokenizer], tuple[bool, str] | None]]] = {
    "every_byte": ("Every byte", _bytes),
    "every_code_point": ("Every character", _code_points),
    "digits": ("Digits", _digits),
    "white_space": ("White space", _all_come_back(WHITE_SPACE, "texts with white space")),
    "combining_marks": ("Combining marks", _all_come_back(COMBINING, "texts with combining marks")),
    "nfc_and_nfd": ("Composed and decomposed", _both_forms),
    "determinism": ("Same result each time", _determinism),
    "no_duplicates": ("Unique tokens", _duplicates),
    "no_holes": ("No gaps in the ids", _holes),
    "transformers": ("Same ids in Transformers", _transformers),
}
"""The title and the function of each check, by its name.

A function returns `None` if the check does not apply.
"""
_OF_LETTERS = (
    "every_byte",
    "every_code_point",
    "digits",
    "white_space",
    "combining_marks",
    "nfc_and_nfd",
)
"""The checks that any text comes back; with items, only known items do."""
N_GATES = len(_CHECKS)
