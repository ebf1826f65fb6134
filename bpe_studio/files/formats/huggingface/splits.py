r"""Reads the normalizers and pre-tokenizers of a Hugging Face `tokenizer.json` as training options.

Several pre-tokenizers in a row become one split if it cuts in the same way: character classes that are cut off (digits,
punctuation, white space) are combined into one expression, and GPT-2's split may follow on digits. For any other chain,
and any setting without a counterpart, the error names it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import regex

from bpe_studio.engine.presets import KEEPING_SPLITS
from bpe_studio.engine.splits.automaton import begins_matches
from bpe_studio.engine.text.pretokenization import PATTERNS, WORD_START
from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.formats.huggingface.onig import from_onig, to_onig
from bpe_studio.files.formats.huggingface.onig_classes import Untranslatable
from bpe_studio.files.formats.huggingface.word_end_mark import BOUNDARIES
from bpe_studio.files.formats.huggingface.writing import DROP_MARKS, REPLACEMENTS
from bpe_studio.files.json_parts import checked, member, optional

JsonObject = dict[str, Any]
_FORMS = {"NFC": "nfc", "NFD": "nfd", "NFKC": "nfkc", "NFKD": "nfkd", "Lowercase": "lowercase"}
_REPLACEMENT_NAMES = {replacement: name for name, replacement in REPLACEMENTS.items()}
_PUNCTUATION = r"!-/:-@\[-`{-~\p{P}"
_GPT2_AFTER_DIGITS = (
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+|\p{N}%s| ?[^\s\p{L}\p{N}]+|\s+(?![^\s\p{N}])|\s+"  # digits end a run of white space
)


@dataclass
class Normalization:
    """What the normalizers do, as training options.

    Attributes:
        names: the normalizations, in order.
        mark: the word-end mark that is inserted into the text; "" for none.
        mark_splits: the splits whose words the mark ends.
        aliases: replaced characters and their replacements, in order.
        replaces_first: whether characters are replaced before anything else.
    """

    names: list[str] = field(default_factory=list)
    mark: str = ""
    mark_splits: tuple[str, ...] = ()
    aliases: list[tuple[str, str]] = field(default_factory=list)
    replaces_first: bool = True

    @property
    def replacements(self) -> tuple[tuple[str, str], ...]:
        """The aliases as replacements that are made at once, before anything else.

        Raises:
            TokenizerFormatError: characters are replaced later, or one replacement changes another's result.
        """
        if self.mark or not self.aliases:
            return ()
        seen: set[str] = set()
        for old, new in self.aliases:
            if old in seen or not self.replaces_first:
                raise _no_counterpart("normalizer", "Replace")
            seen |= {old, new}
        return tuple(self.aliases)


@dataclass(frozen=True)
class Split:
    """What the pre-tokenizers do: the split, and whether the units are bytes."""

    split: str
    is_bytes: bool = False


def read_normalizers(part: object) -> Normalization:
    """The normalizers as training options.

    Raises:
        TokenizerFormatError: one of them has no counterpart.
    """
    found = Normalization()
    parts = list(_flattened(part, "normalizers", "normalizer"))
    for i, one in enumerate(parts):
        kind = member(one, "type", str, "a normalizer")
        if kind in _FORMS and not found.mark:
            found.names.append(_FORMS[kind])
        elif kind == "Replace":
            _read_replace(one, found, is_last=i == len(parts) - 1)
        else:
            raise _no_counterpart("normalizer", kind)
    return found


def _read_replace(part: JsonObject, found: Normalization, *, is_last: bool) -> None:
    content = optional(part, "content", str, "the normalizer Replace") or ""
    pattern = _pattern(part, "Replace")
    expression = pattern.get("Regex")
    if expression == DROP_MARKS and not content and found.names[-1:] == ["nfd"] and found.replaces_first:
        found.names[-1] = "strip-accents"
    elif expression is not None and (expression, content) in _REPLACEMENT_NAMES and not found.mark:
        found.names.append(_REPLACEMENT_NAMES[expression, content])
    elif is_last and content and expression in BOUNDARIES.values():
        found.mark = content
        found.mark_splits = tuple(split for split, boundary in BOUNDARIES.items() if boundary == expression)
    elif len(pattern.get("String", "")) == 1 and len(content) <= 1 and not found.mark:
        found.aliases.append((pattern["String"], content))
        found.replaces_first = found.replaces_first and not found.names
    else:
        raise _no_counterpart("normalizer", "Replace")


def read_pre_tokenizers(part: object, normalization: Normalization) -> Split:
    """The pre-tokenizers as one split.

    Raises:
        TokenizerFormatError: one of them has no counterpart, or together they are not one split.
    """
    parts = list(_flattened(part, "pretokenizers", "pre_tokenizer"))
    kinds = [member(one, "type", str, "a pre-tokenizer") for one in parts]
    is_bytes = kinds[-1:] == ["ByteLevel"]
    uses_gpt2 = False
    if is_bytes:
        last = parts.pop()
        if optional(last, "add_prefix_space", bool, "ByteLevel") is not False:
            raise _no_counterpart("setting", "add_prefix_space of ByteLevel")
        uses_gpt2 = optional(last, "use_regex", bool, "ByteLevel") is not False
    if normalization.mark:
        return Split(_marked_split(parts, kinds, normalization), is_bytes)
    return Split(_joined(parts, uses_gpt2), is_bytes)


def _marked_split(parts: list[JsonObject], kinds: list[str], normalization: Normalization) -> str:
    if kinds == ["WhitespaceSplit"]:
        split = "whitespace"
    elif _starts_words(parts, kinds):
        split = "sentencepiece"
    elif kinds == ["WhitespaceSplit", "Split"]:
        split = "words" if _pattern(parts[1], "Split").get("String") == normalization.mark else ""
    else:
        split = "none" if not kinds else ""
    if split not in normalization.mark_splits:
        raise _no_counterpart("normalizer", "Replace")
    return split


def _starts_words(parts: list[JsonObject], kinds: list[str]) -> bool:
    """Whether the pre-tokenizers cut words as SentencePiece does, each with `▁` before it."""
    if kinds != ["Split", "Metaspace"] or _one_split(parts[0]) != "sentencepiece":
        return False
    return parts[1].get("replacement") == WORD_START and parts[1].get("prepend_scheme") == "always"


def _joined(parts: list[JsonObject], uses_gpt2: bool) -> str:
    """The one split that cuts as all pre-tokenizers in a row do."""
    kinds = [str(part["type"]) for part in parts]
    if not parts:
        return "gpt2" if uses_gpt2 else "none"
    if _starts_words(parts, kinds) and not uses_gpt2:
        return "sentencepiece"
    if len(parts) == 1 and not uses_gpt2 and not _class_of(parts[0]):
        return _lone(parts[0], kinds[0])
    if kinds == ["Digits"] and uses_gpt2:
        return "regex:" + _GPT2_AFTER_DIGITS % ("" if _cuts_each(parts[0]) else "+")
    if kinds == ["Whitespace", "Digits"] and not uses_gpt2:
        digits = r"\p{N}" if _cuts_each(parts[1]) else r"(?:(?=\w)\p{N})+|(?:(?!\w)\p{N})+"
        return rf"regex:{digits}|(?:(?!\p{{N}})\w)+|(?:(?!\p{{N}})[^\w\s])+"
    cut_off, dropped, alone = "", "", []
    for part, kind in zip(parts, kinds, strict=True):
        inside = _class_of(part)
        if inside:
            alone.append(f"[{inside}]{'' if _cuts_each(part) else '+'}")
            cut_off += inside
        if kind in ("WhitespaceSplit", "BertPreTokenizer"):
            dropped = r"\s"
        elif uses_gpt2 or not inside:
            raise TokenizerFormatError(f"its pre-tokenizers ({', '.join(kinds)}) do not add up to one split")
    return f"regex:{'|'.join(alone)}|[^{dropped}{cut_off}]+"


def _lone(part: JsonObject, kind: str) -> str:
    if kind == "Split":
        return _one_split(part)
    if kind == "CharDelimiterSplit":
        return f"regex:[^{regex.escape(member(part, 'delimiter', str, kind), special_only=False)}]+"
    known = {"Whitespace": "words", "WhitespaceSplit": "whitespace"}
    if kind not in known:
        raise _no_counterpart("pre-tokenizer", kind)
    return known[kind]


def _class_of(part: JsonObject) -> str:
    """The characters that a pre-tokenizer cuts off, as the inside of a class; "" if it is of another kind."""
    if part["type"] == "Digits":
        return r"\p{N}"
    if part["type"] == "BertPreTokenizer":
        return _PUNCTUATION
    if part["type"] == "Punctuation":
        if part.get("behavior", "Isolated") not in ("Isolated", "Contiguous"):
            raise _no_counterpart("setting", f"behavior {part['behavior']!r} of Punctuation")
        return _PUNCTUATION
    return ""


def _cuts_each(part: JsonObject) -> bool:
    """Whether each character is cut off separately, instead of whole runs."""
    if part["type"] == "Digits":
        return optional(part, "individual_digits", bool, "Digits") is True
    return bool(part.get("behavior", "Isolated") == "Isolated")


def _one_split(part: JsonObject) -> str:
    """The split of a single `Split`; if the text between matches is kept, the expression matches that as well."""
    pattern = _pattern(part, "Split")
    behavior = member(part, "behavior", str, "the pre-tokenizer Split")
    is_inverted = optional(part, "invert", bool, "the pre-tokenizer Split") is True
    named = _named_splits().get(pattern.get("Regex", ""))
    if "String" in pattern:
        expression = regex.escape(pattern["String"], special_only=True)
    else:
        try:
            expression = from_onig(pattern["Regex"])
        except Untranslatable as what:
            raise TokenizerFormatError(
                f"its split {pattern['Regex']!r} holds {what}, which has no counterpart here"
            ) from None
    if (behavior, is_inverted) == ("Removed", True):
        return named or f"regex:{expression}"
    if regex.fullmatch(expression, ""):
        raise TokenizerFormatError(f"its split {expression!r} may match nothing, which has no counterpart here")
    between = rf"(?:(?!{expression})(?s:.))"
    match behavior, is_inverted:
        case "Removed", False:
            return f"regex:{between}+"
        case "Isolated", _:
            if named in KEEPING_SPLITS:
                return named
            if begins_matches(expression):
                return f"regex:{expression}"
            return f"regex:{expression}|{between}+"
        case "Contiguous", False:
            return f"regex:(?:{expression})+|{between}+"
        case "MergedWithPrevious", False:
            return f"regex:{between}*(?:{expression})|{between}+"
        case "MergedWithNext", False:
            return f"regex:(?:{expression}){between}*|{between}+"
    raise _no_counterpart("setting", f"behavior {behavior!r} of Split")


@lru_cache(maxsize=1)
def _named_splits() -> dict[str, str]:
    """The named splits by their expressions, in Oniguruma's dialect and as published."""
    named = dict(reversed(PATTERNS.items()))
    published = {pattern: name for name, pattern in named.items() if r"\w" not in pattern}
    return published | {to_onig(pattern): name for name, pattern in named.items()}


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


def _no_counterpart(what: str, name: str) -> TokenizerFormatError:
    return TokenizerFormatError(f"its {what} {name} has no exact counterpart here")
