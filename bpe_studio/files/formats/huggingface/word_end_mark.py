r"""A word-end mark as a symbol of its own, in a format that knows no such thing.

Hugging Face's tokenizers can only glue a mark to the last character. So the mark is written into the text: a normalizer
puts it where each word ends, and *helper merges*, ahead of all others, join its characters into the one symbol. They
may never touch a word's own characters, so every helper pair holds one character, the *key*, that only marks have: a
character of the mark that the alphabet lacks or, when it has them all, one that goes by another name (an alias) in text
and tokens. Characters of the mark that the alphabet lacks would no longer be unknown in a text; there they become one
that is. Helper tokens have the last ids and never come out.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import regex

from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.engine.text.pretokenization import PATTERNS, WORD_START
from bpe_studio.errors import SaveError
from bpe_studio.files.formats.huggingface.onig import to_onig
from bpe_studio.files.formats.huggingface.onig_classes import WORD_CLASS

_IN_WORD = to_onig(PATTERNS["sentencepiece"].removesuffix("+"))
BOUNDARIES = {
    "whitespace": r"(?<=\S)(?!\S)",
    "sentencepiece": f"(?<={_IN_WORD})(?!{_IN_WORD})",
    "words": rf"(?<=[{WORD_CLASS}])(?![{WORD_CLASS}])|(?<=[^{WORD_CLASS}\s])(?![^{WORD_CLASS}\s])",
    "none": r"(?<=[\x{0}-\x{10ffff}])\z",
}
"""Where words end, by split, as Oniguruma expressions that match no character."""

_WORD_STAND_INS, _OTHER_STAND_INS = range(0xA000, 0xA48D), range(0xE000, 0xF8FF)


@dataclass(frozen=True)
class OwnSymbol:
    """How to write a mark that is a symbol of its own.

    Attributes:
        mark: the mark.
        boundary: the expression that finds where it goes.
        names: the tokens by id, helper tokens at the end, the aliased character renamed.
        helper_merges: the merges that build the mark, as pairs of names.
        aliases: characters to replace in the text, in this order.
        renamed: the aliased character and the one that stands for it in tokens; empty where none is needed.
    """

    mark: str
    boundary: str
    names: list[str]
    helper_merges: list[tuple[str, str]]
    aliases: list[tuple[str, str]]
    renamed: tuple[str, ...]


def plan_own_symbol(model: TokenizerModel) -> OwnSymbol:
    """How to write the tokenizer's mark.

    Raises:
        SaveError: the words of this split, or this mark, cannot be written so.
    """
    config = model.config
    mark = config.word_end or ""
    if config.units == "bytes" or config.split not in BOUNDARIES:
        what = "byte units" if config.units == "bytes" else f"the split {config.split}"
        raise SaveError(
            f"Hugging Face tokenizers have no word-end mark as a symbol of its own, and with {what} none can be made: "
            "put the mark on the last character (word-end-as on-last-character), or use another format"
        )
    special = set(model.special_ids.values()) | {model.unknown_id}
    texts = [name for number, name in enumerate(model.tokens) if number not in special]
    alphabet = {char for name in texts for char in name.removesuffix(mark)}
    if config.split == "sentencepiece" and WORD_START in mark:
        raise SaveError(
            f"The word-end mark {mark!r} holds {WORD_START}, which starts words here: choose another, such as </w>"
        )
    if mark not in texts:
        raise SaveError(f"The tokenizer has no token {mark!r}, its word-end mark: train it on a text that holds words")
    free_word, free_other = _free(_WORD_STAND_INS, alphabet | set(mark)), _free(_OTHER_STAND_INS, alphabet | set(mark))
    aliases: list[tuple[str, str]] = []
    renamed: tuple[str, ...] = ()
    missing = [char for char in dict.fromkeys(mark) if char not in alphabet]
    candidates = missing or sorted(dict.fromkeys(mark), key=_is_word)
    plan = next((found for key in candidates if (found := _helper_merges(mark, key)) is not None), None)
    if plan is None:
        raise SaveError(
            f"The word-end mark {mark!r} cannot be built from its characters: choose a plainer one, such as </w>"
        )
    key, helper_merges = plan
    if not missing:
        free = free_word if _is_word(key) else free_other
        alias, unknown = next(free), next(free)
        aliases += [(alias, unknown), (key, alias)]
        renamed = (key, alias)
    unknowns = {is_word: next(free) for is_word, free in ((True, free_word), (False, free_other))}
    aliases += [(char, unknowns[_is_word(char)]) for char in missing]
    names = [
        _rename(name, mark, renamed) if number not in special else name for number, name in enumerate(model.tokens)
    ]
    helpers = dict.fromkeys([*(missing or [key]), *(left + right for left, right in helper_merges)])
    names += [name for name in helpers if name != mark]
    return OwnSymbol(mark, BOUNDARIES[config.split], names, helper_merges, aliases, renamed)


def _helper_merges(mark: str, key: str) -> tuple[str, list[tuple[str, str]]] | None:
    """Merges that build the mark, beginning at the key; None when they do not end in the whole mark."""
    start = mark.index(key)
    low, high = start, start + 1
    merges: list[tuple[str, str]] = []
    while high - low < len(mark):
        if low > 0:
            merges.append((mark[low - 1], mark[low:high]))
            low -= 1
        else:
            merges.append((mark[low:high], mark[high]))
            high += 1
    symbols = list(mark)
    for left, right in merges:
        i = 0
        while i < len(symbols) - 1:
            if (symbols[i], symbols[i + 1]) == (left, right):
                symbols[i : i + 2] = [left + right]
            i += 1
    return (key, merges) if symbols == [mark] else None


def _rename(name: str, mark: str, renamed: tuple[str, ...]) -> str:
    if not renamed:
        return name
    body = name.removesuffix(mark)
    return body.replace(renamed[0], renamed[1]) + name[len(body) :]


def _is_word(char: str) -> bool:
    return regex.match(r"\w", char) is not None


def _free(points: range, taken: set[str]) -> Iterator[str]:
    """Characters that no token holds."""
    return itertools.filterfalse(taken.__contains__, map(chr, points))
