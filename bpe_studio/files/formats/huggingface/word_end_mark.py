r"""Writes a word-end mark that is a symbol of its own, which the format does not support.

Hugging Face's tokenizers can only attach a mark to the last character. So the mark is written into
the text: a normalizer inserts it at the end of each word, and *helper merges*, before all others,
join its characters into one symbol. They must not apply to the characters of a word, so every
helper pair contains a character, the *key*, that only marks have: a character of the mark that is
not in the alphabet or, if all are, one that is renamed (an *alias*) in text and tokens. In a text,
the characters of the mark that are not in the alphabet would no longer be unknown, so they are
replaced by one that is. Helper tokens have the last ids and never remain in a result.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import regex

from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.engine.options import label_of
from bpe_studio.engine.presets import PATTERNS
from bpe_studio.errors import SaveError


def _end_of(runs: str) -> str:
    """The expression of the place where a run of characters ends."""
    one = runs.removesuffix("+")
    return f"(?<={one})(?!{one})"


WORD_CLASS = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{200c}\x{200d}"
"""The word characters of `regex`, as the inside of a class of Oniguruma."""
BOUNDARIES = {
    "whitespace": r"(?<=\S)(?!\S)",
    "spaces": _end_of(PATTERNS["spaces"]),
    "sentencepiece": _end_of(PATTERNS["sentencepiece"]),
    "words": rf"(?<=[{WORD_CLASS}])(?![{WORD_CLASS}])|(?<=[^{WORD_CLASS}\s])(?![^{WORD_CLASS}\s])",
    "none": r"(?<=[\x{0}-\x{10ffff}])\z",
}
"""The expression of the end of a word in Oniguruma, by split; it matches no character."""

_WORD_STAND_INS = range(0xA000, 0xA48D)
_OTHER_STAND_INS = range(0xE000, 0xF8FF)


@dataclass(frozen=True)
class OwnSymbol:
    """A mark that is a symbol of its own, in terms of the format.

    Attributes:
        mark: the mark.
        boundary: the expression that finds the places for the mark.
        names: the tokens by id, with helper tokens at the end and the aliased character renamed.
        helper_merges: the merges that make the mark, as pairs of names.
        aliases: characters of the text and their replacements, in order.
        renamed: the aliased character and its replacement in tokens; empty for none.
    """

    mark: str
    boundary: str
    names: list[str]
    helper_merges: list[tuple[str, str]]
    aliases: list[tuple[str, str]]
    renamed: tuple[str, ...]


def plan_own_symbol(model: TokenizerModel) -> OwnSymbol:
    """The tokens, merges and replacements that write the tokenizer's mark.

    Raises:
        SaveError: the mark, or the split, cannot be written in this way.
    """
    config = model.config
    mark = config.word_end or ""
    if config.units == "bytes" or config.cutting not in BOUNDARIES:
        what = f"the split “{label_of('split', config.split)}”"
        if config.units == "bytes":
            what = "byte units"
        raise SaveError(
            f"Hugging Face tokenizers have no word-end mark as a symbol of its own, and with {what}"
            " none can be made: put the mark on the last character, or use another format"
        )
    if model.finals:
        raise SaveError(
            "Hugging Face tokenizers cannot repeat codes of version 0.1: save them as subword-nmt"
            " codes"
        )
    special = set(model.special_ids.values()) | {model.unknown_id}
    texts = [name for number, name in enumerate(model.tokens) if number not in special]
    alphabet = set(itertools.chain.from_iterable(name.removesuffix(mark) for name in texts))
    if config.word_start and config.word_start in mark:
        raise SaveError(
            f"The word-end mark {mark!r} contains {config.word_start}, which marks the start of"
            " a word: choose another, such as </w>"
        )
    if mark not in texts:
        raise SaveError(
            f"The tokenizer has no token {mark!r}, its word-end mark: train it on a text with words"
        )
    free_word = _free(_WORD_STAND_INS, alphabet | set(mark))
    free_other = _free(_OTHER_STAND_INS, alphabet | set(mark))
    aliases: list[tuple[str, str]] = []
    renamed: tuple[str, ...] = ()
    missing = [char for char in dict.fromkeys(mark) if char not in alphabet]
    candidates = missing or sorted(dict.fromkeys(mark), key=_is_word)
    plan = next(filter(None, (_helper_merges(mark, key) for key in candidates)), None)
    if plan is None:
        raise SaveError(
            f"The word-end mark {mark!r} cannot be built from its characters: choose a plainer one,"
            " such as </w>"
        )
    key, helper_merges = plan
    if not missing:
        free = free_word if _is_word(key) else free_other
        alias = next(free)
        unknown = next(free)
        aliases += [(alias, unknown), (key, alias)]
        renamed = (key, alias)
        _check_ends(model, mark)
    unknowns = {True: next(free_word), False: next(free_other)}
    aliases += [(char, unknowns[_is_word(char)]) for char in missing]
    names = list(model.tokens)
    for number, name in enumerate(model.tokens):
        if number not in special:
            names[number] = rename(name, mark, *renamed)
    helpers = dict.fromkeys([*(missing or [key]), *(left + right for left, right in helper_merges)])
    names += [name for name in helpers if name != mark]
    return OwnSymbol(mark, BOUNDARIES[config.split], names, helper_merges, aliases, renamed)


def _helper_merges(mark: str, key: str) -> tuple[str, list[tuple[str, str]]] | None:
    """The key, and the merges that make the mark from there; `None` if the key cannot be part of
    all of them.
    """
    start = mark.index(key)
    low = start
    high = start + 1
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


def _check_ends(model: TokenizerModel, mark: str) -> None:
    """Makes sure that the mark ends each token that it is in, so that its characters can be told
    from those of words.

    Raises:
        SaveError: a merge puts something behind it, as a forced one may.
    """
    ending = {number for number, name in enumerate(model.tokens) if name == mark}
    for left, right, new in model.merges:
        if left in ending:
            raise SaveError(
                f"The merge of {model.tokens[left]!r} and {model.tokens[right]!r} continues after"
                f" the word-end mark {mark!r}, which this format cannot store if the text contains"
                " the mark: choose another mark, or do not force this merge"
            )
        if right in ending:
            ending.add(new)


def rename(name: str, mark: str, old: str = "", new: str = "") -> str:
    """The name of a token with `new` in place of `old`, except in the mark at its end."""
    body = name.removesuffix(mark)
    return body.replace(old, new) + name[len(body) :] if old else name


def _is_word(char: str) -> bool:
    return regex.match(r"\w", char) is not None


def _free(points: range, taken: set[str]) -> Iterator[str]:
    """Characters that occur in no token."""
    return itertools.filterfalse(taken.__contains__, map(chr, points))
