"""Changes to a text before it is split, with a map back to the given text.

`normalize` gives the text; `normalize_aligned` also gives, for every character of the result, its
place in the source. Bytes are decoded by the code that reads the file, not here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np

from bpe_studio.engine.arrays import FloatArray

REPLACED_CHARACTERS = {
    "strip-controls": ("\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f", ""),
    "strip-zero-width": ("\u200b\u2060\ufeff", ""),
    "strip-bidi": ("\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069", ""),
    "strip-soft-hyphens": ("\xad", ""),
    "strip-kashida": ("\u0640", ""),
    "strip-replacements": ("\ufffd", ""),
    "strip-carriage-returns": ("\r", ""),
    "plain-spaces": ("\xa0\u2007\u202f", " "),
    "plain-separators": ("\u2028\u2029", " "),
    "strip-private-use": ("\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd", ""),
    "persian-yeh": ("\u064a", "\u06cc"),
    "arabic-yeh": ("\u06cc", "\u064a"),
    "persian-kaf": ("\u0643", "\u06a9"),
    "arabic-kaf": ("\u06a9", "\u0643"),
}
"""The changes that replace single characters: these characters, written as in a set of a regular
expression, and their replacement.
"""

NMT_NFKC = "nmt-nfkc"
"""SentencePiece's default, which its library applies: NFKC that changes neither the order of marks
nor `NMT_KEPT`, drops `NMT_DROPPED` and replaces `NMT_SPACES` with spaces."""
NMT_DROPPED = "\x01-\x08\x0b\x0e-\x1f\x7f\x8f\x9f"
NMT_SPACES = "\t\x0c\r\u061c\u1680\u200b\u200c\u200e\u200f\u2028\u2029\u2581\ufeff\ufffd"
NMT_KEPT = "\uff5e"
_NMT_LINE = re.compile("[^\n\ud800-\udfff]+")
"""A part that SentencePiece normalizes at once: of one line, without stray bytes."""
_NMT_CHANGING = re.compile("(?m)^[ -~]*+[^ -~\n].*")
"""A line with a character that may change.

Others are passed over, which makes English four times as fast.
"""
_NMT_ALONE = re.compile(f"[{NMT_DROPPED}\n\ud800-\udfff]")

_FORMS = {"nfc": "NFC", "nfd": "NFD", "nfkc": "NFKC", "nfkd": "NFKD"}


class AlignedText(NamedTuple):
    """A normalized text and its places in the source.

    Attributes:
        text: the normalized text.
        starts: (len(text) + 1,) float64; the start of each character in the source, in code points.
            A fraction is a share of a source character that became several. The last entry is the
            length of the source.
    """

    text: str
    starts: FloatArray


def normalize(text: str, names: Sequence[str]) -> str:
    """The text after the named changes, applied in order.

    `lowercase` maps each character separately; `strip-accents` decomposes (NFD) and drops
    non-spacing marks; those of `REPLACED_CHARACTERS` drop or replace single characters; `NMT_NFKC`
    is SentencePiece's.
    """
    for name in names:
        text = _change(name)(text)
    return text


def normalize_aligned(text: str, names: Sequence[str]) -> AlignedText:
    """The same text as from `normalize`, with every character's place in the source."""
    starts = np.arange(len(text) + 1, dtype=np.float64)
    for name in names:
        change = _change(name)
        pieces: list[str] = []
        places: list[float] = []
        for begin, end in _units(text, name):
            piece = change(text[begin:end])
            if end - begin > 1 and len(piece) > 1:
                inside = _places(text[begin:end], piece)
                places += np.interp(
                    inside, range(end - begin + 1), starts[begin : end + 1]
                ).tolist()
            else:
                low = starts[begin]
                high = starts[end]
                places.extend(low + (high - low) * k / len(piece) for k in range(len(piece)))
            pieces.append(piece)
        starts = np.array([*places, starts[-1]], dtype=np.float64)
        text = "".join(pieces)
    return AlignedText(text, starts)


def _places(source: str, piece: str) -> list[float]:
    """The place of each character of a changed unit in the unit, found by decomposing both.

    If the parts are in another order, or some are gone, the characters share the unit evenly.
    """
    parts: list[tuple[str, float]] = []
    for number, char in enumerate(source):
        decomposed = unicodedata.normalize("NFKD", char)
        parts += [(part, number + place / len(decomposed)) for place, part in enumerate(decomposed)]
    decomposed_pieces = [unicodedata.normalize("NFKD", char) for char in piece]
    if "".join(decomposed_pieces) != "".join(part for part, _ in parts):
        return [len(source) * place / len(piece) for place in range(len(piece))]
    firsts = accumulate(map(len, decomposed_pieces), initial=0)
    return [parts[first][1] for first, _ in zip(firsts, piece, strict=False)]


def _change(name: str) -> Callable[[str], str]:
    if name in _FORMS:
        form = _FORMS[name]
        return lambda text: unicodedata.normalize(form, text)  # type: ignore[arg-type]
    if name in REPLACED_CHARACTERS:
        characters, new = REPLACED_CHARACTERS[name]
        return partial(re.compile(f"[{characters}]").sub, new)
    if name == NMT_NFKC:
        return partial(_NMT_CHANGING.sub, lambda line: _NMT_LINE.sub(_by_sentencepiece, line[0]))
    return _lowercase if name == "lowercase" else _strip_accents


@lru_cache(maxsize=1)
def _sentencepiece() -> Any:
    import sentencepiece  # most texts are never normalized by it

    return sentencepiece.SentencePieceNormalizer(
        rule_name="nmt_nfkc",
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        escape_whitespaces=False,
    )


def _by_sentencepiece(line: re.Match[str]) -> str:
    return str(_sentencepiece().normalize(line[0]))


def _lowercase(text: str) -> str:
    # str.lower() looks at the neighbours of a capital sigma; other tools map character by
    # character.
    return text.lower() if "Σ" not in text else "".join(map(str.lower, text))


def _strip_accents(text: str) -> str:
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")


def _units(text: str, name: str) -> list[tuple[int, int]]:
    """The smallest parts that can be changed separately with the same result."""
    if name == "lowercase" or name in REPLACED_CHARACTERS:
        return [(i, i + 1) for i in range(len(text))]
    if not text:
        return []
    if name == NMT_NFKC:
        return _nmt_units(text)
    # A character that composes with the one before it has a non-zero class, or is a Hangul vowel or
    # final.
    borders = [0]
    form = _FORMS.get(name, "NFD")
    for i in range(1, len(text)):
        char = text[i]
        if char.isascii() or (
            unicodedata.combining(char) == 0 and _stands_alone(text[borders[-1] : i], char, form)
        ):
            borders.append(i)
    return list(pairwise([*borders, len(text)]))


def _nmt_units(text: str) -> list[tuple[int, int]]:
    borders = {match.start() for match in _NMT_ALONE.finditer(text)}
    for line in _NMT_LINE.finditer(text):
        _, origins = _sentencepiece().normalize(line[0], with_offsets=True)
        borders.update(line.start() + origin for origin in origins)
    return list(pairwise(sorted({0, *borders, len(text)})))


def _stands_alone(before: str, char: str, form: str) -> bool:
    whole = unicodedata.normalize(form, before + char)  # type: ignore[arg-type]
    apart = unicodedata.normalize(form, before) + unicodedata.normalize(form, char)  # type: ignore[arg-type]
    # A decomposition may begin with a mark that would then be reordered across the boundary.
    return whole == apart and unicodedata.combining(unicodedata.normalize("NFD", char)[0]) == 0
