"""A SentencePiece model as Transformers reads it: its pieces in a `tokenizer.json`."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import regex

from bpe_studio.engine.text.pretokenization import WORD_START
from bpe_studio.files.formats import protobuf_wire as wire
from bpe_studio.files.formats import sentencepiece
from bpe_studio.files.formats.huggingface.writing import replacement
from bpe_studio.files.formats.ranked_pieces import check_lengths
from bpe_studio.files.formats.sentencepiece import CONTROL, NORMAL, USER_DEFINED, Proto
from bpe_studio.files.third_party.auto_tokenizer.added_tokens import AddedToken
from bpe_studio.files.third_party.auto_tokenizer.classes import PIECES_AS_TEXT, metaspace
from bpe_studio.files.third_party.borders import listed

JsonObject = dict[str, Any]
_UNIGRAM = 1
_UNK_ID, _BYTE_FALLBACK = 40, 35
_ROLES = {"unk_token": (_UNK_ID, 0, "<unk>"), "bos_token": (41, 1, "<s>"), "eos_token": (42, 2, "</s>")}
"""The field with the id of each role, its usual id and its usual piece; the piece is in the fifth field after it."""


def parsed(data: bytes) -> Proto:
    """The content of a model file.

    Raises:
        TokenizerFormatError: it is not one, or its pieces are too long.
    """
    proto = sentencepiece.parsed(data)
    check_lengths(name for name, _, _ in proto.pieces)
    return proto


def is_unigram(proto: Proto) -> bool:
    """Whether a model is of the type Unigram; any other is read as BPE."""
    return proto.model_type == _UNIGRAM


def added_tokens(proto: Proto) -> list[AddedToken]:
    """The control symbols of a model, and the symbols that a user defined."""
    return [
        AddedToken(name, normalized=False, special=kind == CONTROL)
        for name, _, kind in proto.pieces
        if kind in (CONTROL, USER_DEFINED)
    ]


def roles_of(proto: Proto) -> dict[str, str]:
    """The tokens of the roles that a model names."""
    return {
        role: wire.as_text(proto.trainer.get(key + 5, b"")) or name
        for role, (key, number, name) in _ROLES.items()
        if wire.as_int(proto.trainer.get(key, number)) >= 0
    }


def _table(proto: Proto) -> str:
    """The characters that a model replaces, in base64."""
    return base64.b64encode(proto.table).decode()


def _falls_back(proto: Proto) -> bool:
    """Whether an unknown character becomes bytes."""
    return bool(proto.trainer.get(_BYTE_FALLBACK, 0))


def table_of(root: JsonObject | None, model: bytes) -> str:
    """The table of replaced characters of a `tokenizer.json`, or of a model; empty for none."""
    if root is None:
        return _table(parsed(model)) if model else ""
    parts = listed(root.get("normalizer"), "normalizers")
    tables = (
        part.get("precompiled_charsmap")
        for part in parts
        if isinstance(part, dict) and part.get("type") == "Precompiled"
    )
    return str(next((table for table in tables if isinstance(table, str)), ""))


def merges_of_vocab(vocab: Mapping[str, int]) -> list[list[str]]:
    """All pairs of tokens that spell a token, token by token."""
    found = []
    for name, number in vocab.items():
        for at in range(1, len(name)):
            left, right = name[:at], name[at:]
            if left in vocab and right in vocab:
                found.append((number, len(left), len(right), vocab[left], vocab[right], left, right))
    # Of one token, pairs are in the order of their ids first, and then by length.
    found.sort(key=lambda one: (one[0], one[3], one[4]))
    found.sort(key=lambda one: one[:3])
    return [[left, right] for *_, left, right in found]


def as_tokenizer_json(proto: Proto, values: Mapping[str, Any], added: dict[int, AddedToken]) -> JsonObject:
    """The `tokenizer.json` of a model for which no class is named.

    Args:
        proto: the model.
        values: the settings of the folder.
        added: the added tokens by id, which name pieces anew; those before which a prefix is put are changed.
    """
    names = [name for name, _, _ in proto.pieces]
    if not is_unigram(proto):
        names = _renamed(names, added)
    if proto.adds_prefix:
        added.update({number: replace(token, normalized=False) for number, token in added.items()})
    is_legacy = bool(values.get("legacy", True))
    user_defined = [name for name, (_, _, kind) in zip(names, proto.pieces, strict=True) if kind == USER_DEFINED]
    normalizers: list[JsonObject] = []
    if proto.table:
        normalizers.append({"type": "Precompiled", "precompiled_charsmap": _table(proto)})
    if proto.drops_spaces:
        normalizers += [replacement({"Regex": r"\A +| +\z"}, ""), replacement({"Regex": " {2,}"}, " ")]
    if proto.escapes_spaces:
        normalizers.append(replacement({"String": " "}, WORD_START))
    if proto.adds_prefix and is_legacy:
        normalizers.append(replacement({"Regex": rf"\A{WORD_START}"}, WORD_START * 2))
    cuts: list[JsonObject] = []
    if proto.adds_prefix:
        cuts.append(metaspace("always" if is_legacy else "first", split=False))
    if user_defined:
        pattern = "|".join(regex.escape(name) for name in sorted(user_defined, key=len, reverse=True))
        cuts.append({"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False})
    spaces, falls_back, fuse = PIECES_AS_TEXT
    decoders = [spaces, *([falls_back] if _falls_back(proto) else [])]
    if proto.adds_prefix:
        decoders += [fuse, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]
    elif _falls_back(proto):
        decoders.append(fuse)
    return {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {"type": "Sequence", "normalizers": normalizers},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": cuts} if cuts else None,
        "post_processor": None,
        "decoder": {"type": "Sequence", "decoders": decoders},
        "model": _model(proto, names, ignores_merges=bool(user_defined)),
    }


def _model(proto: Proto, names: Sequence[str], *, ignores_merges: bool) -> JsonObject:
    if is_unigram(proto):
        vocab = [[name, score] for name, score, _ in proto.pieces]
        return {
            "type": "Unigram",
            "unk_id": wire.as_int(proto.trainer.get(_UNK_ID, 0)),
            "vocab": vocab,
            "byte_fallback": _falls_back(proto),
        }
    normal = {
        name: (-score, number)
        for number, (name, (_, score, kind)) in enumerate(zip(names, proto.pieces, strict=True))
        if kind == NORMAL
    }
    ranked = sorted(
        (*rank, name[:at], name[at:])
        for name, rank in normal.items()
        for at in range(1, len(name))
        if name[:at] in normal and name[at:] in normal
    )
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": roles_of(proto).get("unk_token", "<unk>"),
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": True,
        "byte_fallback": _falls_back(proto),
        "ignore_merges": ignores_merges,
        "vocab": {name: number for number, name in enumerate(names)},
        "merges": [[left, right] for _, _, left, right in ranked],
    }


def _renamed(names: list[str], added: Mapping[int, AddedToken]) -> list[str]:
    """The pieces, named by the added tokens of their ids where no other piece has that name."""
    kept = {name for number, name in enumerate(names) if number not in added}
    wanted = {number: token.content for number, token in added.items() if token.content not in kept}
    return [wanted.get(number, name) for number, name in enumerate(names)]
