r"""Writes a tokenizer as the parts of a Hugging Face `tokenizer.json`.

Each part is chosen so that the library `tokenizers` gives the same ids: splits that drop text
remove it there too, accents are stripped by Unicode category, and an expression must mean the same
to that library (`dialect`). A setting without an exact counterpart raises `SaveError`. Two
differences remain. Characters differ that only one of the two libraries' Unicode tables knows (NFKC
in `tokenizers` is that of Unicode 12). And that library always finds special tokens in a text.
`folder` writes the files; `word_end_mark` writes marks that are symbols of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import regex

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.encoding.token_marks import TokenMarks
from bpe_studio.engine.encoding.tokenizer_model import Part, TokenizerModel
from bpe_studio.engine.presets import pattern_of
from bpe_studio.engine.text.alphabet import marks_of_symbol, to_stand_ins
from bpe_studio.engine.text.normalization import (
    NMT_DROPPED,
    NMT_KEPT,
    NMT_NFKC,
    NMT_SPACES,
    REPLACED_CHARACTERS,
)
from bpe_studio.errors import SaveError
from bpe_studio.files.formats.huggingface.dialect import means_the_same

if TYPE_CHECKING:
    from bpe_studio.files.formats.huggingface.word_end_mark import OwnSymbol

JsonObject = dict[str, Any]
DROP_MARKS = r"\p{Mn}+"


def _one_of(characters: str) -> str:
    """The expression of any one of some characters; a hyphen between two makes a range."""
    escaped = ""
    for char in characters:
        escaped += "-" if char == "-" else f"\\x{{{ord(char):x}}}"
    return f"[{escaped}]"


REPLACEMENTS = {
    name: (_one_of(characters), new) for name, (characters, new) in REPLACED_CHARACTERS.items()
}
"""The expression and the replacement of each normalization that replaces single characters."""
_FORMS = {"nfc": "NFC", "nfd": "NFD", "nfkc": "NFKC", "nfkd": "NFKD", "lowercase": "Lowercase"}
_NONCHARACTER = "\ufdd0"
"""A character that occurs in no text, and that NFKC leaves alone."""


def nmt_nfkc() -> list[JsonObject]:
    """The normalizers that do what `nmt_nfkc` does, except for marks in an order that is not
    Unicode's.
    """
    return [
        replacement({"Regex": _one_of(NMT_DROPPED)}, ""),
        replacement({"Regex": _one_of(NMT_SPACES)}, " "),
        replacement({"String": NMT_KEPT}, _NONCHARACTER),
        {"type": "NFKC"},
        replacement({"String": _NONCHARACTER}, NMT_KEPT),
    ]


def tokenizer_json(model: TokenizerModel) -> JsonObject:
    """The content of `tokenizer.json`.

    Raises:
        SaveError: the format cannot hold the tokenizer exactly.
    """
    if model.config.units == "items":
        return _items_json(model)
    names = list(model.tokens)
    _check_names(names)
    own = own_symbol(model)
    if own is not None:
        names = own.names
    merges = _merges(model, names)
    if own is not None:
        merges = [*map(list, own.helper_merges), *merges]
    root = settings_json(model, names, own)
    root["model"] |= {
        "vocab": {name: number for number, name in enumerate(names)},
        "merges": merges,
    }
    return root


def _items_json(model: TokenizerModel) -> JsonObject:
    """The content of `tokenizer.json` for a tokenizer of items.

    Raises:
        SaveError: its items are too long.
    """
    from bpe_studio.files.formats.huggingface.items import PRE_TOKENIZER, WrittenItems

    _check_names(list(model.tokens))
    written = WrittenItems.of(model)
    names = written.names
    merges = [[names[left], names[right]] for left, right, _ in model.merges]
    parts = [*_normalizers(model, None), *written.normalizers()]
    root = settings_json(model, list(model.tokens))
    root["normalizer"] = _sequence(parts, "normalizers")
    root["pre_tokenizer"] = PRE_TOKENIZER
    special = [name for _, name in _added(model)]
    root["decoder"]["decoders"] = written.decoders(special)
    root["model"] |= {
        "vocab": {name: number for number, name in enumerate(names)},
        "merges": [*map(list, written.helper_merges), *merges],
    }
    return root


def own_symbol(model: TokenizerModel) -> OwnSymbol | None:
    """The plan for its word-end mark if that is a symbol of its own, otherwise `None`.

    Raises:
        SaveError: the mark cannot be written.
    """
    if model.config.word_end_as != "own-symbol":
        return None
    # Few tokenizers need it.
    from bpe_studio.files.formats.huggingface.word_end_mark import plan_own_symbol

    return plan_own_symbol(model)


def settings_json(
    model: TokenizerModel, names: list[str], own: OwnSymbol | None = None
) -> JsonObject:
    """The content of `tokenizer.json` without the vocabulary and the merges.

    Args:
        model: the tokenizer.
        names: the tokens by id, as they are written.
        own: the plan for its word-end mark if that is a symbol of its own.
    """
    config = model.config
    unknown = None if model.unknown_id is None else names[model.unknown_id]
    suffix = config.word_end if config.word_end_as == "on-last-character" else None
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [added_token(number, name) for number, name in _added(model)],
        "normalizer": _sequence(_normalizers(model, own), "normalizers"),
        "pre_tokenizer": pre_tokenizer_json(config, own),
        "post_processor": _post_processor(model),
        "decoder": {"type": "Sequence", "decoders": _decoders(model, own, names)},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": unknown,
            "continuing_subword_prefix": config.continuing,
            "end_of_word_suffix": suffix,
            "fuse_unk": config.fuses_unknown,
            "byte_fallback": config.byte_fallback,
            "ignore_merges": False,
        },
    }


def added_token(number: int, name: str) -> JsonObject:
    """A special token as `tokenizers` and Transformers list it."""
    flags = {
        "single_word": False,
        "lstrip": False,
        "rstrip": False,
        "normalized": False,
        "special": True,
    }
    return {"id": number, "content": name, **flags}


def _added(model: TokenizerModel) -> list[tuple[int, str]]:
    numbers = set(model.special_ids.values())
    if model.unknown_id is not None:
        numbers.add(model.unknown_id)
    return [(number, model.tokens[number]) for number in sorted(numbers)]


def _check_names(names: list[str]) -> None:
    if len(set(names)) == len(names):
        return
    first: dict[str, int] = {}
    for number, name in enumerate(names):
        if first.setdefault(name, number) != number:
            raise SaveError(
                f"The token {name!r} has two ids, {first[name]} and {number}, which this format"
                " cannot hold: use another format, or stop the training before the second one is"
                " learned"
            )


def _merges(model: TokenizerModel, names: list[str]) -> list[list[str]]:
    """The merges as pairs of names, without duplicates.

    Raises:
        SaveError: a merge makes a token that its parts do not spell.
    """
    cut = len(model.config.continuing or "")
    tokens = model.tokens
    for left, right, new in model.merges:
        if tokens[left] + tokens[right][cut:] != tokens[new]:
            raise SaveError(
                f"The merge of {tokens[left]!r} and {tokens[right]!r} makes {tokens[new]!r}, "
                "which this format cannot hold because it joins the two texts: use another format"
            )
    return [[names[left], names[right]] for left, right, _ in dict.fromkeys(model.merges)]


def _normalizers(model: TokenizerModel, own: OwnSymbol | None) -> list[JsonObject]:
    parts: list[JsonObject] = []
    for name in model.config.normalize:
        if name == "strip-accents":
            parts += [{"type": "NFD"}, replacement({"Regex": DROP_MARKS}, "")]
        elif name == NMT_NFKC:
            parts += nmt_nfkc()
        elif name in REPLACEMENTS:
            parts.append(replacement({"Regex": REPLACEMENTS[name][0]}, REPLACEMENTS[name][1]))
        else:
            parts.append({"type": _FORMS[name]})
    if own is not None:
        parts += [replacement({"String": old}, new) for old, new in own.aliases]
        parts.append(replacement({"Regex": own.boundary}, own.mark))
    return parts


def replacement(pattern: dict[str, str], content: str) -> JsonObject:
    """The normalizer or decoder that replaces a string, or the matches of an expression."""
    return {"type": "Replace", "pattern": pattern, "content": content}


def _sequence(parts: list[JsonObject], key: str) -> JsonObject | None:
    if len(parts) < 2:
        return parts[0] if parts else None
    return {"type": "Sequence", key: parts}


def pre_tokenizer_json(config: TrainingConfig, own: OwnSymbol | None = None) -> JsonObject | None:
    """The part that cuts text into pre-tokens; `None` if text is not cut.

    Raises:
        SaveError: a regular expression may match something else in Oniguruma.
    """
    return _sequence(_pre_tokenizers(config, own), "pretokenizers")


def _pre_tokenizers(config: TrainingConfig, own: OwnSymbol | None) -> list[JsonObject]:
    is_bytes = config.units == "bytes"
    parts: list[JsonObject] = []
    if config.cutting != config.split:
        parts.append({"type": "Digits", "individual_digits": True})
    if config.split == "gpt2" and is_bytes:
        return [*parts, byte_level(use_regex=True)]
    if config.split == "whitespace" or (own is not None and config.split == "words"):
        parts.append({"type": "WhitespaceSplit"})
        if own is not None and config.split == "words":
            pattern = {"String": own.mark}
            parts.append(
                {
                    "type": "Split",
                    "pattern": pattern,
                    "behavior": "MergedWithPrevious",
                    "invert": False,
                }
            )
    elif config.split == "words":
        parts.append({"type": "Whitespace"})
    elif config.split != "none":
        pattern = {"Regex": _split_pattern(config.split)}
        parts.append({"type": "Split", "pattern": pattern, "behavior": "Removed", "invert": True})
    if config.word_start:
        parts.append(
            {
                "type": "Metaspace",
                "replacement": config.word_start,
                "prepend_scheme": "always",
                "split": False,
            }
        )
    if is_bytes:
        parts.append(byte_level(use_regex=False))
    return parts


def byte_level(*, use_regex: bool) -> JsonObject:
    """The pre-tokenizer that turns bytes into stand-ins, with or without GPT-2's split; also the
    decoder.
    """
    return {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": use_regex,
    }


def _split_pattern(split: str) -> str:
    pattern = pattern_of(split)
    if not means_the_same(pattern):
        raise SaveError(
            f"The split {pattern[:200]!r} may match other text in Hugging Face's tokenizers: write"
            r" it with plain parts such as \p{L}, \s, [a-z] or {1,3}, without \w, \b, ^, $ or"
            " flags, or use another format"
        )
    return pattern


def _post_processor(model: TokenizerModel) -> JsonObject | None:
    template = model.template
    if template is None:
        return None
    numbers = {name: number for number, name in enumerate(model.tokens)}
    ids = {name: numbers[name] for name in template.names}
    return template_json(template.parts(1), template.parts(2), ids)


def template_json(
    single: Sequence[Part], pair: Sequence[Part], ids: Mapping[str, int]
) -> JsonObject:
    """The post-processor that puts special tokens around a text, and around two texts.

    Args:
        single: the parts of an input of one text, each with its type id: the name of a special
            token, or the number of a text.
        pair: those of an input of two texts.
        ids: the id of each special token.
    """

    def part(name: str | int, type_id: int) -> JsonObject:
        if isinstance(name, int):
            return {"Sequence": {"id": "AB"[name], "type_id": type_id}}
        return {"SpecialToken": {"id": name, "type_id": type_id}}

    parts = {"single": [part(*one) for one in single], "pair": [part(*one) for one in pair]}
    special = {
        name: {"id": name, "ids": [number], "tokens": [name]} for name, number in ids.items()
    }
    return {"type": "TemplateProcessing", **parts, "special_tokens": special}


def _misleading_names(model: TokenizerModel, names: list[str]) -> list[str]:
    """The names whose own characters look like the prefix at the start, or the mark at the end.

    Raises:
        SaveError: one of them looks like a symbol with a mark, and that library would take it for
            one.
    """
    config = model.config
    marks = TokenMarks(model)
    found: list[str] = []
    if not marks.has_any:
        return found
    prefix = config.continuing
    mark = config.word_end
    special = {*model.special_ids.values(), model.unknown_id}
    for number, name in enumerate(model.tokens):
        read = (
            prefix is not None and name.startswith(prefix),
            mark is not None and name.endswith(mark),
        )
        if number in special or read == marks.of(number):
            continue
        if marks_of_symbol(name, config) not in (None, marks.of(number)):
            raise SaveError(
                f"The token {name!r} is made of the text's own characters, but Hugging Face would"
                " take it for one character with a mark: train with a mark or prefix that does not"
                " occur in the text"
            )
        found.append(names[number])
    return found


def _decoders(model: TokenizerModel, own: OwnSymbol | None, names: list[str]) -> list[JsonObject]:
    """The decoders that turn the marks of tokens back into the dropped spaces, join the tokens, and
    strip one space.

    A character that no token has protects names that only seem to have a mark, and is removed
    afterwards.
    """
    config = model.config
    is_bytes = config.units == "bytes"
    blank = to_stand_ins(b" ") if is_bytes else " "
    space = blank if config.drops_text else ""
    parts: list[JsonObject] = []
    misleading = _misleading_names(model, names)
    guard = ""
    if misleading:
        taken = set("".join(names))
        guard = next(char for char in map(chr, range(0xE000, 0xF8FF)) if char not in taken)
        parts += [
            replacement({"Regex": rf"\A{_escaped(name)}\z"}, guard + name + guard)
            for name in misleading
        ]
    if config.continuing is not None:
        prefix = _escaped(config.continuing)
        if config.word_end is None and space:
            parts.append(replacement({"Regex": rf"\A(?!{prefix})"}, space))
        parts.append(replacement({"Regex": rf"\A{prefix}"}, ""))
    if config.word_end is not None:
        parts.append(replacement({"Regex": rf"{_escaped(config.word_end)}\z"}, space))
    if misleading:
        parts.append(replacement({"String": guard}, ""))
    if own is not None and own.renamed:
        parts.append(replacement({"String": own.renamed[1]}, own.renamed[0]))
    if config.word_start:
        mark = config.word_start
        word_start = to_stand_ins(mark.encode()) if is_bytes else mark
        parts.append(replacement({"String": word_start}, blank))
    if config.byte_fallback:
        parts.append({"type": "ByteFallback"})
    joined = byte_level(use_regex=True) if is_bytes else {"type": "Fuse"}
    parts.append(joined)
    if config.word_start or (config.continuing is not None and config.word_end is None and space):
        parts.append(replacement({"Regex": r"\A "}, ""))
    elif config.word_end is not None and space:
        parts.append(replacement({"Regex": r" \z"}, ""))
    return parts


def _escaped(text: str) -> str:
    return str(regex.escape(text, special_only=False))
