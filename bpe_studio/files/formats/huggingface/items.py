r"""Writes a tokenizer of items, which the format does not support: a symbol there is a character.

Each item is written after a space. *Helper merges*, before all others, join the space and the
characters of an item from left to right, so that no merge applies inside an item. In the text, a
normalizer puts one space before each item, and replaces an item that is not in the alphabet by an
unknown character. Helper tokens have the last ids and never remain in a result.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import regex

from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.engine.presets import BETWEEN
from bpe_studio.errors import SaveError

MOST_CHARACTERS = 1_000_000
"""The most characters of all items together: each may need a helper token."""
LONGEST_ITEM = 200
_MOST_TRIED = 4_000
_STAND_INS = range(0xE000, 0xF8FF)


@dataclass(frozen=True)
class WrittenItems:
    """A tokenizer of items, in terms of the format.

    Attributes:
        names: the tokens by id, with helper tokens at the end.
        helper_merges: the merges that make items, as pairs of names.
        known: the expression of an item of the alphabet.
        stand_in: the character that replaces any other item; empty if such an item is left out.
    """

    names: list[str]
    helper_merges: list[tuple[str, str]]
    known: str
    stand_in: str

    @classmethod
    def of(cls, model: TokenizerModel) -> WrittenItems:
        """The names, merges and expressions to write for a tokenizer of items.

        Raises:
            SaveError: an item is too long, or all together are.
        """
        special = {*model.special_ids.values(), model.unknown_id}
        names = list(model.tokens)
        items = []
        for number, name in enumerate(model.tokens):
            if number not in special:
                names[number] = BETWEEN + name
                if BETWEEN not in name:
                    items.append(name)
        longest = max(items, key=len, default="")
        if len(longest) > LONGEST_ITEM or sum(map(len, items)) > MOST_CHARACTERS:
            raise SaveError(
                f"This format holds items of up to {LONGEST_ITEM} characters,"
                f" {MOST_CHARACTERS:,} together: use a studio document, or shorter items"
            )
        pairs: dict[tuple[str, str], None] = {}
        for item in items:
            for place, char in enumerate(item):
                pairs[BETWEEN + item[:place], char] = None
        made = (left + right for left, right in pairs)
        characters = sorted(set[str]().union(*items))
        helpers = dict.fromkeys((BETWEEN, *characters, *made))
        known = set(names)
        names += [helper for helper in helpers if helper not in known]
        stand_in = ""
        if model.unknown_id is not None:
            used = set("".join(names))
            stand_in = next(char for char in map(chr, _STAND_INS) if char not in used)
        return cls(names, list(pairs), expression_of(items), stand_in)

    def normalizers(self) -> list[dict[str, Any]]:
        """The normalizers that put one space before each item, and a line break between lines."""
        other = rf"{BETWEEN}(?!{self.known}(?:[ \n]|\z))[^ \n]+"
        steps = (
            (r"[^\S\n]+", BETWEEN),
            (r"[ \n]*\n[ \n]*", "\n" + BETWEEN),
            (r"[ \n]+\z", ""),
            (other, self.stand_in),
        )
        replacing = [
            {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}
            for pattern, content in steps
        ]
        return [{"type": "Prepend", "prepend": BETWEEN}, *replacing]

    def decoders(self, special: Iterable[str]) -> list[dict[str, Any]]:
        """The decoders that put a space before each special token, too, and remove the first
        space.
        """
        spaced = [
            (rf"\A{regex.escape(name, special_only=False)}\z", BETWEEN + name) for name in special
        ]
        replacing = [
            {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}
            for pattern, content in (*spaced, (rf"\A{BETWEEN}", ""))
        ]
        return [*replacing[:-1], {"type": "Fuse"}, replacing[-1]]


PRE_TOKENIZER = {
    "type": "Split",
    "pattern": {"String": "\n"},
    "behavior": "Removed",
    "invert": False,
}


def expression_of(items: Sequence[str]) -> str:
    """The expression of any of some items, in which common beginnings are written once.

    >>> expression_of(["C", "C4", "D"])
    '(?:C(?:|4)|D)'
    """
    ends: list[str] = []
    by_first: dict[str, list[str]] = {}
    for item in items:
        if item:
            by_first.setdefault(item[0], []).append(item[1:])
        else:
            ends.append("")
    parts = [
        regex.escape(first, special_only=False) + expression_of(rests)
        for first, rests in by_first.items()
    ]
    if not parts:
        return ""
    return parts[0] if len(parts) == 1 and not ends else f"(?:{'|'.join((*ends, *parts))})"


def lines_of(tokens: Collection[str]) -> Iterable[str]:
    """Texts of unknown items, and of tokens from all over a vocabulary: side by side, and on lines
    of their own.
    """
    line: list[str] = []
    for token in islice(tokens, None, None, 1 + len(tokens) // _MOST_TRIED):
        line.append(token)
        if len(line) == 20:
            yield f"{' '.join(line)}\n\n {token}  {token}x x{token}\t\n{token}{token} {line[0]}"
            line = line[10:]
    yield " ".join(line)
