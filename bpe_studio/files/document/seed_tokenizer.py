"""The tokenizer with whose merges a run begins (`engine/training/seeded_run.py`), as parts of a
studio document.

The document holds the tokenizer itself, not the path of its file: its tokens, end to end, their
lengths (uint32) and the ids of each merge (left, right and new, int32) are parts, the rest is in
`document.json`. They are read as untrusted input: a token must be spelled by the two that its merge
joins, so tokens are no longer than their part.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.encoding.tokenizer_model import Part, Template, TokenizerModel, TwoStages
from bpe_studio.engine.training.seeded_run import check_can_continue
from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.document import records as d
from bpe_studio.files.document.word_tables import (
    MOST,
    DocumentArchive,
    Steps,
    in_range,
    whole,
    whole_or_none,
)
from bpe_studio.files.json_parts import checked, member, optional

_MOST_PARTS = 1_000
_AT_A_TIME = 10_000
_SIDES = ("left", "right")


def about_tokenizer(model: TokenizerModel) -> dict[str, Any]:
    """The entry of a tokenizer in `document.json`."""
    n_first = None
    if model.two_stages is not None:
        n_first = model.two_stages.n_first
    template = None
    if model.template is not None:
        template = [model.template.before, model.template.after, model.template.pair]
    chat_template = model.chat_template if isinstance(model.chat_template, str) else None
    return {
        "config": model.trained_by.to_dict(),
        "n_first": n_first,
        "n_tokens": len(model.tokens),
        "n_merges": len(model.merges),
        "special_ids": model.special_ids,
        "unknown_id": model.unknown_id,
        "template": template,
        "pad_token": model.pad_token,
        "model_max_length": model.model_max_length,
        "padding_side": model.padding_side,
        "truncation_side": model.truncation_side,
        "chat_template": chat_template,
    }


def contents(model: TokenizerModel) -> tuple[bytes, bytes, bytes]:
    """The bytes of each part, in the order of `records.tokenizer_parts`."""
    tokens = [name.encode("utf-8", "surrogatepass") for name in model.tokens]
    lengths = np.array(list(map(len, tokens)), "<u4")
    return b"".join(tokens), lengths.tobytes(), np.array(model.merges, "<i4").tobytes()


def read_tokenizer(parts: DocumentArchive, about: dict[str, Any], number: int) -> Steps:
    """Reads and checks the tokenizer of a run.

    Raises:
        TokenizerFormatError: it is damaged, or no run can begin with it.
    """
    where = f"the tokenizer of branch {number:,}"
    tokens_part, lengths_part, merges_part = d.tokenizer_parts(number)
    n_tokens = whole(about, "n_tokens", d.MAX_SEED_TOKENS - parts.n_tokens)
    n_merges = whole(about, "n_merges", n_tokens)
    parts.n_tokens += n_tokens
    blob = bytes((yield from parts.read(tokens_part, d.MAX_WORD_BYTES - parts.n_word_bytes)))
    parts.n_word_bytes += len(blob)
    packed = yield from parts.read(lengths_part, d.MAX_WORD_BYTES, 4 * n_tokens)
    ends = np.cumsum(np.frombuffer(packed, "<u4").astype(np.int64))
    end = int(ends[-1]) if n_tokens else 0
    if len(blob) != end:
        raise TokenizerFormatError(f"the tokens of {where} do not end where its part does")
    tokens: list[str] = []
    start = 0
    for end in ends.tolist():
        tokens.append(_text(blob[start:end], where))
        start = end
        if not len(tokens) % _AT_A_TIME:
            yield parts.progress
    packed = yield from parts.read(merges_part, d.MAX_WORD_BYTES, 12 * n_merges)
    columns = np.frombuffer(packed, "<i4").reshape(-1, 3)
    if n_merges and not 0 <= int(columns.min()) <= int(columns.max()) < n_tokens:
        raise TokenizerFormatError(f"a merge of {where} has a token that it does not have")
    merges = tuple(map(tuple, columns.tolist()))
    trained_by = TrainingConfig.from_dict(member(about, "config", dict, where))
    config = trained_by.stages[-1]
    if any(
        config.joined(tokens[left], tokens[right]) != tokens[new] for left, right, new in merges
    ):
        raise TokenizerFormatError(f"a merge of {where} makes a token that its parts do not spell")
    yield parts.progress
    two_stages = None
    if trained_by.superwords_from is not None:
        two_stages = TwoStages(trained_by, whole(about, "n_first", n_merges))
    facts = _facts(about, tokens, where)
    model = TokenizerModel(config, tuple(tokens), merges, two_stages=two_stages, **facts)
    no_symbols = {*model.special_ids.values(), model.unknown_id}
    usual = [name for token, name in enumerate(tokens) if token not in no_symbols]
    if len(set(usual)) < len(usual):
        raise TokenizerFormatError(f"{where} has two tokens with the same text")
    check_can_continue(model)
    return model


def _facts(about: dict[str, Any], tokens: list[str], where: str) -> dict[str, Any]:
    """The facts about a tokenizer in addition to its tokens, merges and settings."""
    special_ids: dict[str, int] = {}
    for name, token in member(about, "special_ids", dict, where).items():
        special_ids[name] = in_range(token, len(tokens) - 1, f"the id of {name[:40]!r}")
        if tokens[special_ids[name]] != name:
            raise TokenizerFormatError(
                f"the special token {name[:40]!r} of {where} is another token"
            )
    unknown = whole_or_none(about, "unknown_id", len(tokens) - 1)
    pad = optional(about, "pad_token", str, where)
    template = _template(about, where)
    names: set[str] = set()
    if template is not None:
        names.update(template.names)
    if pad is not None:
        names.add(pad)
    missing = next(iter(names.difference(tokens)), None)
    if missing is not None:
        raise TokenizerFormatError(f"{where} has no token {missing[:40]!r}")
    return {
        "special_ids": special_ids,
        "unknown_id": unknown,
        "template": template,
        "pad_token": pad,
        "model_max_length": whole_or_none(about, "model_max_length", MOST),
        "padding_side": _side(about, "padding_side", where),
        "truncation_side": _side(about, "truncation_side", where),
        "chat_template": optional(about, "chat_template", str, where),
    }


def _template(about: dict[str, Any], where: str) -> Template | None:
    values = optional(about, "template", list, where)
    if values is None:
        return None
    if len(values) != 3:
        raise TokenizerFormatError(f"the template of {where} is not one")
    before = tuple(checked(name, str, "a special token") for name in _few(values[0], where))
    after = tuple(checked(name, str, "a special token") for name in _few(values[1], where))
    if values[2] is None:
        return Template(before, after)
    return Template(before, after, tuple(_part(each, where) for each in _few(values[2], where)))


def _part(value: object, where: str) -> Part:
    pair = _few(value, where)
    if len(pair) != 2 or (not isinstance(pair[0], str) and pair[0] not in (0, 1)):
        raise TokenizerFormatError(f"the template of {where} is not one")
    name = pair[0] if isinstance(pair[0], str) else int(pair[0])
    return name, in_range(pair[1], MOST, "a token type id")


def _few(value: object, where: str) -> list[Any]:
    found = checked(value, list, f"a part of the template of {where}")
    if len(found) > _MOST_PARTS:
        raise TokenizerFormatError(f"the template of {where} has more than {_MOST_PARTS:,} parts")
    return found


def _side(about: Mapping[str, Any], key: str, where: str) -> str:
    value = about.get(key)
    if value not in _SIDES:
        raise TokenizerFormatError(f"{key!r} of {where} is not a side")
    return str(value)


def _text(content: bytes, where: str) -> str:
    try:
        return content.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise TokenizerFormatError(f"a token of {where} is not text") from None
