"""The `sentencepiece` format: a `.model` file of type BPE.

Models are read and written if they put `▁` before each word, collapse spaces, and have no
normalization, NFKC, or the default `nmt_nfkc`, whose tables the library has.
SentencePiece processes a text line by line.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from itertools import chain

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.engine.presets import WORD_START
from bpe_studio.engine.text.alphabet import FALLBACK_NAMES
from bpe_studio.engine.text.normalization import NMT_NFKC
from bpe_studio.errors import SaveError, TokenizerFormatError
from bpe_studio.files.formats import protobuf_wire as wire
from bpe_studio.files.formats.ranked_pieces import (
    NotMergeable,
    check_exact,
    check_lengths,
    recover_merges,
)
from bpe_studio.files.formats.read_back import ReadBack
from bpe_studio.files.formats.tokenizer_file import config_as_read

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
MAX_PIECES = 1_000_000
_TEXT = 1 << 3 | wire.BYTES
_SCORE = bytes([2 << 3 | wire.FIXED32])
_TYPES = {1: "UNIGRAM", 2: "BPE", 3: "WORD", 4: "CHAR"}
_NORMALIZATIONS = {"identity": (), "nfkc": ("nfkc",), "nmt_nfkc": (NMT_NFKC,)}
_WRITTEN = {normalize: rule for rule, normalize in _NORMALIZATIONS.items()}
_MARK = 1001
"""The number of the field by which this program knows its own models.

The format leaves the numbers from 200 on to other programs.
"""
_ROLES = {
    41: ("bos_token", ("<s>", "[BOS]", "<bos>")),
    42: ("eos_token", ("</s>", "[EOS]", "<eos>")),
    43: ("pad_token", ("<pad>", "[PAD]")),
}
"""The role, and its usual pieces, by the number of the field with its id; the field with its piece
has a number greater by 5.
"""

KEEPS = (
    "ids, merges, special tokens and their roles, the unknown token and the normalization, which is"
    " none, NFKC or nmt_nfkc"
)
DROPS = (
    "that special tokens are found in a text, and that each line is encoded by itself, as"
    " spm_encode does; template, padding, training settings"
)


@dataclass
class Proto:
    """The fields of a model file that matter here.

    Attributes:
        pieces: the text, the score and the kind of each piece, by id.
        model_type: the number of the type; 2 is BPE.
        treats_suffix: whether the mark stands after a word instead of before it.
        normalization: the name of the normalization; empty for none, or for one without a name.
        adds_prefix: whether a mark is put before each text.
        drops_spaces: whether spaces at the ends are dropped and others collapsed.
        escapes_spaces: whether a space is written as the mark.
        is_ours: whether this program wrote the file: then text is split as by our tokenizer, line
            breaks included.
        roles: the piece that the file names for each role, which may be missing.
        trainer: the settings of the training, by the numbers of the fields.
        table: the library's table of the normalization.
    """

    pieces: list[tuple[str, float, int]] = field(default_factory=list)
    model_type: int = 1
    treats_suffix: bool = False
    normalization: str = ""
    adds_prefix: bool = True
    drops_spaces: bool = True
    escapes_spaces: bool = True
    is_ours: bool = False
    roles: dict[str, str] = field(default_factory=dict)
    trainer: dict[int, wire.Value] = field(default_factory=dict, repr=False)
    table: bytes = field(default=b"", repr=False)


def content(tokenizer: Tokenizer) -> bytes:
    """The bytes of the model file.

    Raises:
        SaveError: the format cannot hold the tokenizer exactly.
    """
    model = tokenizer.model
    config = tokenizer.model.config
    if (
        config.units != "characters"
        or not config.has_piece_rules
        or config.word_end
        or config.normalize not in _WRITTEN
    ):
        raise SaveError(
            "A SentencePiece model can only be written for characters with the split SentencePiece,"
            " without marks and with no normalization but NFKC or SentencePiece's own: train with"
            " the preset SentencePiece, or use the Hugging Face format"
        )
    if model.unknown_id is None:
        raise SaveError(
            "A SentencePiece model needs an unknown token: train with one, or use the Hugging Face"
            " format"
        )
    ranked = [model.tokens[new] for _, _, new in model.merges]
    special = set(model.special_ids.values())
    made = {new for _, _, new in model.merges}
    merged = set(chain.from_iterable(model.merges)) & {*special, model.unknown_id}
    if merged:
        raise SaveError(
            f"The token {model.tokens[min(merged)]!r} is special or the unknown token and also"
            " occurs in a merge, which a SentencePiece model cannot hold: use the Hugging Face"
            " format"
        )
    alone = next((name for name in model.special_ids if len(name) == 1), None)
    if alone is not None:
        raise SaveError(
            f"The special token {alone!r} is a character of the text as well, which a SentencePiece"
            " model cannot hold: use the Hugging Face format"
        )
    for number, name in enumerate(model.tokens):
        if not name:
            raise SaveError(
                f"The token with the id {number} is empty, which a SentencePiece model cannot hold"
            )
        is_symbol = len(name) == 1 or (config.byte_fallback and name in FALLBACK_NAMES)
        if (
            not is_symbol
            and number not in made
            and number not in special
            and number != model.unknown_id
        ):
            raise SaveError(
                f"No merge makes the token {name!r}, but a SentencePiece model would make it, like"
                " all its pieces: use the Hugging Face format"
            )
        if WORD_START in name[1:] and number in made:
            raise SaveError(
                f"The token {name!r} crosses from one word into the next, which a SentencePiece"
                " model cannot hold: use the Hugging Face format"
            )
    check_exact(model, ranked, "a SentencePiece model")
    scores = {name: -float(rank) for rank, name in enumerate(ranked)}
    data = b""
    for number, name in enumerate(model.tokens):
        kind = NORMAL
        if config.byte_fallback and name in FALLBACK_NAMES:
            kind = BYTE
        elif number == model.unknown_id:
            kind = UNKNOWN
        elif number in special:
            kind = CONTROL
        score = scores.get(name, -float(len(ranked) + number)) if kind == NORMAL else 0.0
        piece = wire.field(1, name) + wire.field(2, score)
        if kind != NORMAL:
            piece += wire.field(3, kind)
        data += wire.field(1, piece)
    spec = wire.field(3, 2) + wire.field(4, len(model.tokens)) + wire.field(40, model.unknown_id)
    spec += wire.field(45, model.tokens[model.unknown_id])
    spec += wire.field(35, 1) if config.byte_fallback else b""
    for number, (role, usual) in _ROLES.items():
        found = model.special_of(role, usual)
        if found is None:
            spec += wire.field(number, -1)
        else:
            spec += wire.field(number, model.special_ids[found])
            spec += wire.field(number + 5, found)
    return _marked(data + wire.field(2, spec) + _normalizer(_WRITTEN[config.normalize]))


def _normalizer(rule: str) -> bytes:
    """The field of a model with the library's table for a normalization."""
    import sentencepiece

    normalizer = sentencepiece.SentencePieceNormalizer(
        rule_name=rule,
        add_dummy_prefix=True,
        remove_extra_whitespaces=True,
        escape_whitespaces=True,
    )
    return bytes(normalizer.serialized_model_proto())


def read_back(written: bytes, tokenizer: Tokenizer) -> ReadBack:
    """The encoding of each line of a text by the library `sentencepiece`, as its command does it.

    Marks in the text are given to it as spaces, as our split drops them.
    """
    import sentencepiece

    library = sentencepiece.SentencePieceProcessor(model_proto=written)

    def ids(text: str, _: bool) -> list[int]:
        found: list[int] = []
        for line in text.replace(WORD_START, " ").split("\n"):
            found += library.encode(line)
        return found

    return ReadBack(ids, finds_special=False)


def model_of(proto: Proto) -> TokenizerModel:
    """The tokenizer of a file.

    Raises:
        TokenizerFormatError: it cannot be a tokenizer of ours.
    """
    _refuse_settings(proto)
    check_lengths(name for name, _, _ in proto.pieces)
    numbers: dict[str, int] = {}
    for number, (name, _, _) in enumerate(proto.pieces):
        if not name or numbers.setdefault(name, number) != number:
            raise TokenizerFormatError(f"its piece {number} is empty or occurs twice")
    kinds = [kind for _, _, kind in proto.pieces]
    unknown = next((number for number, kind in enumerate(kinds) if kind == UNKNOWN), None)
    special_ids = {
        name: number
        for name, number in numbers.items()
        if kinds[number] not in (NORMAL, UNUSED, BYTE)
    }
    roles = {role: name for role, name in proto.roles.items() if name in special_ids}
    ranked = [
        number
        for number, kind in enumerate(kinds)
        if kind == NORMAL and len(proto.pieces[number][0]) > 1
    ]
    ranked.sort(key=lambda number: -proto.pieces[number][1])
    pieces = [proto.pieces[number][0] for number in ranked]
    scores = {proto.pieces[number][1] for number in ranked}
    if len(scores) < len(ranked):
        raise TokenizerFormatError("two of its pieces have the same score")
    odd = next((piece for piece in pieces if WORD_START in piece[1:]), None)
    if odd:
        raise TokenizerFormatError(f"its piece {odd[:40]!r} crosses the boundary between two words")
    normal = {name: number for name, number in numbers.items() if kinds[number] == NORMAL}
    try:
        merges = recover_merges(pieces, normal)
    except NotMergeable as piece:
        raise TokenizerFormatError(
            f"its piece {str(piece)[:40]!r} is not made from two that rank before it"
        ) from None
    tokens = tuple(name for name, _, _ in proto.pieces)
    unknown_token = None if unknown is None else tokens[unknown]
    unusual_roles = {
        role: roles[role]
        for role, usual in _ROLES.values()
        if roles.get(role, usual[0]) != usual[0]
    }
    config = config_as_read(
        units="characters",
        split="sentencepiece",
        normalize=_NORMALIZATIONS[proto.normalization or "identity"],
        ties="sentencepiece",
        special=tuple(special_ids),
        unknown=unknown_token,
        byte_fallback=BYTE in kinds,
        merges=len(merges),
        **unusual_roles,
    )
    return TokenizerModel(
        config,
        tokens,
        tuple(merges),
        special_ids,
        unknown,
        pad_token=roles.get("pad_token"),
        splits_special=True,  # as in the library
    )


def _marked(data: bytes) -> bytes:
    """The bytes of a model with our mark at the end: a checksum, so that a model that another
    program has changed is no longer ours.
    """
    return data + wire.field(_MARK, hashlib.sha256(data).digest())


def parsed(data: bytes) -> Proto:
    """The fields of a model file.

    Raises:
        TokenizerFormatError: it is cut short, is not a model, or has no pieces.
    """
    proto = Proto(is_ours=data == _marked(data[: -len(_marked(b""))]))
    pieces: list[bytes] = []
    for number, value in wire.fields(data):
        if number == 1:
            if len(pieces) == MAX_PIECES:
                raise TokenizerFormatError(
                    f"it has more than {MAX_PIECES:,} pieces, more than the format allows"
                )
            pieces.append(wire.as_bytes(value))
        elif number == 2:
            spec = dict(wire.fields(wire.as_bytes(value)))
            proto.trainer = spec
            proto.model_type = wire.as_int(spec.get(3, 1))
            proto.treats_suffix = bool(spec.get(24, 0))
            for key, (role, usual) in _ROLES.items():
                proto.roles[role] = wire.as_text(spec.get(key + 5, usual[0].encode()))
        elif number == 3:
            spec = dict(wire.fields(wire.as_bytes(value)))
            proto.normalization = wire.as_text(spec.get(1, b""))
            proto.table = wire.as_bytes(spec.get(2, b""))
            proto.adds_prefix = bool(spec.get(3, 1))
            proto.drops_spaces = bool(spec.get(4, 1))
            proto.escapes_spaces = bool(spec.get(5, 1))
    if not pieces:
        raise TokenizerFormatError("it contains no piece")
    proto.pieces = list(map(_piece, pieces))
    return proto


def _piece(data: bytes) -> tuple[str, float, int]:
    """The text, the score and the kind of a piece."""
    # Most pieces are a short text and a score, and nothing else.
    if len(data) > 7 and data[0] == _TEXT and data[1] < 128:
        end = 2 + data[1]
        if data[end : end + 1] == _SCORE and len(data) == end + 5:
            return wire.as_text(data[2:end]), wire.as_float(data[end + 1 :]), NORMAL
    parts = dict(wire.fields(data))
    score = wire.as_float(parts[2]) if 2 in parts else 0.0
    return wire.as_text(parts.get(1, b"")), score, wire.as_int(parts.get(3, NORMAL))


def _refuse_settings(proto: Proto) -> None:
    if proto.model_type != 2:
        kind = _TYPES.get(proto.model_type, str(proto.model_type))
        raise TokenizerFormatError(f"it is of the type {kind}; only BPE can be read")
    names = {name for name, _, kind in proto.pieces if kind == BYTE}
    if names and names != set(FALLBACK_NAMES):
        raise TokenizerFormatError("its byte pieces are not the 256 bytes")
    if proto.treats_suffix or not (
        proto.adds_prefix and proto.drops_spaces and proto.escapes_spaces
    ):
        raise TokenizerFormatError("it does not put exactly one mark before each word")
    if proto.normalization not in _NORMALIZATIONS and (proto.table or proto.normalization):
        raise TokenizerFormatError(
            f"its normalization {proto.normalization[:40]!r} is not supported"
        )
