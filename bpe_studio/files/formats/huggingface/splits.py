r"""Reads the normalizers and pre-tokenizers of a Hugging Face `tokenizer.json` as training options.

It reads a split by an expression that means the same here (`dialect`), GPT-2's split, alone or
after digits, and splits at words or white space. For anything else, the error names it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import regex

from bpe_studio.engine.options import REGEX
from bpe_studio.engine.presets import (
    DIGIT_SPLITS,
    KEEPING_SPLITS,
    PATTERNS,
    WORD_START,
    digits_apart,
)
from bpe_studio.engine.text.normalization import NMT_NFKC
from bpe_studio.engine.text.pretokenization import compile_split
from bpe_studio.errors import PatternError, TokenizerFormatError
from bpe_studio.files.formats.huggingface.dialect import means_the_same
from bpe_studio.files.formats.huggingface.writing import DROP_MARKS, REPLACEMENTS, nmt_nfkc
from bpe_studio.files.json_parts import checked, member, optional

JsonObject = dict[str, Any]
_FORMS = {"NFC": "nfc", "NFD": "nfd", "NFKC": "nfkc", "NFKD": "nfkd", "Lowercase": "lowercase"}
_REPLACEMENT_NAMES = {replacement: name for name, replacement in REPLACEMENTS.items()}
_NAMED = {pattern: name for name, pattern in reversed(PATTERNS.items())}
_SPELLED_OTHERWISE = {r" ?[^(\s|[.,!?…。，、।۔،])]+": r" ?[^(\s|.,!?…。，、।۔،)]+"}
"""Published expressions, with the spelling that `regex` needs: BLOOM's has a set within a set."""


@dataclass(frozen=True)
class Split:
    """The pre-tokenizers as one split.

    Attributes:
        split: its name, or `regex:PATTERN`.
        is_bytes: whether the units are bytes.
        splits_digits: whether each digit is cut off first.
    """

    split: str
    is_bytes: bool = False
    splits_digits: bool = False


def read_normalizers(part: object) -> tuple[str, ...]:
    """The normalizers as training options, in order.

    Raises:
        TokenizerFormatError: one of them has no counterpart.
    """
    found: list[str] = []
    parts = list(_flattened(part, "normalizers", "normalizer"))
    of_sentencepiece = nmt_nfkc()
    while parts:
        if parts[: len(of_sentencepiece)] == of_sentencepiece:
            del parts[: len(of_sentencepiece)]
            found.append(NMT_NFKC)
            continue
        one = parts.pop(0)
        kind = member(one, "type", str, "a normalizer")
        if kind in _FORMS:
            found.append(_FORMS[kind])
            continue
        content = optional(one, "content", str, f"the normalizer {kind}") or ""
        expression = _pattern(one, kind).get("Regex", "") if kind == "Replace" else ""
        if expression == DROP_MARKS and not content and found[-1:] == ["nfd"]:
            found[-1] = "strip-accents"
        elif (expression, content) in _REPLACEMENT_NAMES:
            found.append(_REPLACEMENT_NAMES[expression, content])
        else:
            raise _no_counterpart("normalizer", kind)
    return tuple(found)


def read_pre_tokenizers(part: object) -> Split:
    """The pre-tokenizers as one split.

    Raises:
        TokenizerFormatError: one of them has no counterpart, or together they are not one split.
    """
    parts = list(_flattened(part, "pretokenizers", "pre_tokenizer"))
    splits_digits = False
    if parts and parts[0].get("type") == "Digits" and parts[0].get("individual_digits") is True:
        splits_digits = True
        del parts[0]
    kinds = [member(one, "type", str, "a pre-tokenizer") for one in parts]
    is_bytes = kinds[-1:] == ["ByteLevel"]
    uses_gpt2 = False
    if is_bytes:
        last = parts.pop()
        kinds.pop()
        if optional(last, "add_prefix_space", bool, "ByteLevel") is not False:
            raise _no_counterpart("setting", "add_prefix_space of ByteLevel")
        uses_gpt2 = optional(last, "use_regex", bool, "ByteLevel") is not False
    match kinds:
        case []:
            split = "gpt2" if uses_gpt2 else "none"
        case ["Digits"] if uses_gpt2:
            split = REGEX + digits_apart("gpt2", r"\p{N}+")
        case [_, *_] if uses_gpt2:
            raise _not_one(kinds)
        case ["Whitespace"]:
            split = "words"
        case ["WhitespaceSplit"]:
            split = "whitespace"
        case ["Split"]:
            split = read_split(parts[0])
        case ["Split", "Metaspace"] if (
            _starts_words(parts[1]) and read_split(parts[0]) == "sentencepiece"
        ):
            split = "sentencepiece"
        case [kind]:
            raise _no_counterpart("pre-tokenizer", kind)
        case _:
            raise _not_one(kinds)
    if splits_digits and (split.startswith(REGEX) or split in DIGIT_SPLITS):
        raise _not_one(["Digits", *kinds])
    return Split(split, is_bytes, splits_digits)


def read_split(part: JsonObject) -> str:
    """The split of a single `Split`.

    Raises:
        TokenizerFormatError: it has no counterpart.
    """
    # Most splits do without the modules of the automaton.
    from bpe_studio.engine.splits.automaton import begins_matches

    expression = expression_of(part)
    named = _NAMED.get(expression) if means_the_same(expression) else None
    behavior = member(part, "behavior", str, "the pre-tokenizer Split")
    is_inverted = optional(part, "invert", bool, "the pre-tokenizer Split") is True
    if behavior == "Removed" and is_inverted:
        return named or REGEX + expression
    if behavior == "Isolated" and (named in KEEPING_SPLITS or begins_matches(expression)):
        return named or REGEX + expression
    raise _no_counterpart("setting", f"behavior {behavior!r} of Split")


def expression_of(part: JsonObject) -> str:
    """The expression of a single `Split`, as `regex` needs it.

    Raises:
        TokenizerFormatError: it is not valid, or may match something else here.
    """
    pattern = _pattern(part, "Split")
    if "String" in pattern:
        return str(regex.escape(pattern["String"], special_only=True))
    expression = _SPELLED_OTHERWISE.get(pattern["Regex"], pattern["Regex"])
    try:
        may_be_empty = compile_split(REGEX + expression).fullmatch("")
    except PatternError as error:
        raise TokenizerFormatError(
            f"its split {expression[:200]!r} cannot be used ({error})"
        ) from None
    if may_be_empty:
        raise TokenizerFormatError(
            f"its split {expression[:200]!r} may match nothing, which is not supported"
        )
    if not means_the_same(pattern["Regex"]) and pattern["Regex"] not in _SPELLED_OTHERWISE:
        raise TokenizerFormatError(f"its split {expression[:200]!r} may match other text here")
    return expression


def _starts_words(part: JsonObject) -> bool:
    return part.get("replacement") == WORD_START and part.get("prepend_scheme") == "always"


def _pattern(part: JsonObject, where: str) -> dict[str, str]:
    pattern = member(part, "pattern", dict, where)
    if len(pattern) != 1 or not pattern.keys() <= {"Regex", "String"}:
        raise TokenizerFormatError(f"the pattern of {where} is neither a Regex nor a String")
    return {key: checked(value, str, f"the pattern of {where}") for key, value in pattern.items()}


def _flattened(part: object, key: str, where: str, depth: int = 0) -> Iterator[JsonObject]:
    """The parts of a sequence, with nested sequences expanded."""
    if part is None:
        return
    one = checked(part, dict, where)
    if one.get("type") != "Sequence":
        member(one, "type", str, where)
        yield one
        return
    if depth > 20:
        raise TokenizerFormatError(f"its {where} is nested too deeply")
    for inner in member(one, key, list, where):
        yield from _flattened(checked(inner, dict, where), key, where, depth + 1)


def _not_one(kinds: list[str]) -> TokenizerFormatError:
    return TokenizerFormatError(
        f"its pre-tokenizers ({', '.join(kinds)}) do not add up to one split"
    )


def _no_counterpart(what: str, name: str) -> TokenizerFormatError:
    return TokenizerFormatError(f"its {what} {name} is not supported exactly")
