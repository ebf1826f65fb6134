"""How our engine cuts a text as a library does, and for which characters that is so.

Both know the characters of some version of Unicode, seldom the same one: a letter that only one of them knows is cut
in another way. So the characters of a text are given to the library: those of each class in its expressions, and what
its normalizer makes of them, must be the same as here. What remains is an expression that means the same in both.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import regex

from bpe_studio.engine.text.normalization import normalize
from bpe_studio.engine.text.pretokenization import WORD_START
from bpe_studio.files.foreign.borders import listed
from bpe_studio.files.formats.huggingface.onig import from_onig

_CLASS = re.compile(r"\\[pP]\{\^?\w+\}|\\[sSdDwW]|\\p[A-Z]")
_CASED = re.compile(r"\(\?i:([^()]*)\)")
_LATIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_BELOW, _ABOVE = "\u0345", "\u0334"
"""Marks that come last and first where marks are put in order: so the place of any other is seen next to them."""


def nothing(_characters: str) -> set[str]:
    """No character."""
    return set()


@dataclass(frozen=True)
class Cutting:
    """How our engine cuts a text into pieces, each of which has the same tokens by itself as in the text.

    Attributes:
        split: a split of ours.
        normalize: what is done to the text before.
        absent: texts that the library finds before it cuts; what is said here holds for a text without them.
        prefix: what the library puts before each text; empty for nothing.
        cut_otherwise: the characters, of those of a normalized text, for which it does not hold.
        normalized_otherwise: those of the text itself.
    """

    split: str
    normalize: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    prefix: str = ""
    cut_otherwise: Callable[[str], set[str]] = nothing
    normalized_otherwise: Callable[[str], set[str]] = nothing


def split_at_marks(names: Sequence[str], *, has_lines: bool) -> str | None:
    """A split of a text that is one piece for a BPE: at places which no merge can cross.

    A merge makes a token that holds both characters at whose border it is. So if no token has a `▁` after another
    character, no merge crosses the border before a `▁`; the same holds for line ends. Only some white space may precede
    a `▁` in a token: then the border is one after any other character.

    Args:
        names: the tokens, without those of bytes.
        has_lines: whether the text can be cut at line ends if no token holds one and something else.
    """
    every = "\0".join(names)
    mark = f" {WORD_START}"
    before = {found[0] for found in re.findall(rf"[^\0{WORD_START}]{WORD_START}", every)}
    if has_lines and not before and not re.search(r"[^\0\n]\n|\n[^\0\n]", every):
        return rf"regex:[{mark}]*[^{mark}\n]+|[{mark}]+|\n+"
    if not before:
        return f"regex:[{mark}]*[^{mark}]+|[{mark}]+"
    if not before <= set("\t\n\r"):
        return None
    # A piece goes on over marks that follow such a character.
    held = "".join(sorted(before))
    return f"regex:[{mark}]*(?:[^{mark}{held}]|[{held}]+[{mark}]*)+|[{mark}]+"


def cut_otherwise(pre_tokenizer: object, characters: str) -> set[str]:
    """The characters that belong to other classes in the expressions of a pre-tokenizer than they do here."""
    import tokenizers

    found: set[str] = set()
    for part in listed(pre_tokenizer, "pretokenizers"):
        assert isinstance(part, dict)
        if part["type"] == "Digits":
            digits = tokenizers.pre_tokenizers.Digits(individual_digits=True)
            pieces = digits.pre_tokenize_str("a".join(["", *characters, ""]))
            theirs = {piece for piece, _ in pieces if "a" not in piece}
            found |= theirs ^ set(regex.findall(r"\p{N}", characters))
        pattern = part["pattern"].get("Regex", "") if part["type"] == "Split" else r"\s\p{L}\p{N}"
        cased = set("".join(_CASED.findall(pattern))) & _LATIN
        classes = {*_CLASS.findall(pattern), *(f"(?i:{letter})" for letter in cased)}
        for one in classes:
            split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(one), "removed")
            others = "".join(piece for piece, _ in split.pre_tokenize_str(characters))
            found |= (set(characters) - set(others)) ^ set(regex.findall(from_onig(one), characters))
    return found


def normalized_otherwise(normalizer: object, names: tuple[str, ...], characters: str) -> set[str]:
    """The characters that a normalizer by forms of Unicode changes in another way than we do, alone or among others.

    What a form makes of the characters of one version never changes in later ones. So those count that Python does not
    know, and those that the library decomposes in another way, puts in another order among marks or does not compose.
    """
    import tokenizers

    made: list[Any] = [
        getattr(tokenizers.normalizers, one["type"])()
        for one in listed(normalizer, "normalizers")
        if isinstance(one, dict)
    ]
    change = tokenizers.normalizers.Sequence(made).normalize_str
    pairs = _composed_pairs()
    theirs, ours = (changed.split("\n") for changed in (change(pairs), normalize(pairs, names)))
    found = set("".join(pair for pair, a, b in zip(pairs.split("\n"), theirs, ours, strict=True) if a != b))
    for char in characters:
        text = f"{char}\na{char}{_ABOVE}\na{_BELOW}{char}\n"
        if unicodedata.category(char) == "Cn" or change(text) != normalize(text, names):
            found.add(char)
    return found & set(characters)


@lru_cache(maxsize=1)
def _composed_pairs() -> str:
    """What each character that has a canonical decomposition is composed of, in lines."""
    chars = (chr(point) for point in (*range(0xAC00), *range(0xD7A4, 0xD800), *range(0xF900, 0x30000)))
    return "\n".join(
        unicodedata.normalize("NFD", char)
        for char in chars
        if unicodedata.decomposition(char) and not unicodedata.decomposition(char).startswith("<")
    )
