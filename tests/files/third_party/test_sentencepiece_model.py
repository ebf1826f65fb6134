"""A third-party SentencePiece model gives the ids of its library, and at a step those of a model
with fewer pieces.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
import sentencepiece
from sentencepiece.sentencepiece_model_pb2 import ModelProto

from bpe_studio.explain.doctor.token_classes import classes_of
from bpe_studio.files.formats import protobuf_wire as wire
from bpe_studio.files.formats.sentencepiece import CONTROL, NORMAL, UNKNOWN, parsed
from bpe_studio.files.loading import load
from bpe_studio.files.third_party.tokenizer import ThirdPartyTokenizer
from tests.examples import examples
from tests.files.third_party.made import (
    SENTENCEPIECE,
    TEXTS,
    Json,
    sentencepiece_model,
    strange_texts,
    trained_pieces,
)

pytestmark = pytest.mark.usefixtures("sound_files")

_BPES = [name for name, options in SENTENCEPIECE.items() if "model_type" not in options]


def opened(tmp_path: Path, data: bytes) -> ThirdPartyTokenizer:
    file = tmp_path / "a file of any name"
    file.write_bytes(data)
    tokenizer = load(file)
    assert isinstance(tokenizer, ThirdPartyTokenizer)
    return tokenizer


def theirs(data: bytes) -> sentencepiece.SentencePieceProcessor:
    return sentencepiece.SentencePieceProcessor(model_proto=data)


def changed(
    data: bytes, changes: dict[int, tuple[str | None, int]], scores: Sequence[float] = ()
) -> bytes:
    """The model with another text (`None`: the same) and kind of some pieces, and with other scores
    of all.
    """
    pieces = []
    for number, (text, score, kind) in enumerate(parsed(data).pieces):
        new, kind = changes.get(number, (text, kind))
        score = scores[number] if scores else score
        pieces.append(
            wire.field(1, wire.field(1, new or text) + wire.field(2, score) + wire.field(3, kind))
        )
    rest = [wire.field(number, value) for number, value in wire.fields(data) if number != 1]
    return b"".join(pieces + rest)


def random_model(draw: random.Random) -> tuple[bytes, str]:
    """A model of the types with scores, trained with random settings, and the characters of its
    text.
    """
    alphabet = draw.choice(["ab ", "abc 12\n", "aé漢 \t", "abcdefgh  ", "aA.▁ ", "سلام ۱"]) + "xy"
    lines = ["".join(draw.choices(alphabet, k=draw.randrange(1, 40))) for _ in range(60)]
    has_bytes = draw.random() < 0.5
    flags = (
        "split_digits",
        "add_dummy_prefix",
        "remove_extra_whitespaces",
        "treat_whitespace_as_suffix",
    )
    flags += ("split_by_whitespace", "allow_whitespace_only_pieces")
    options: Json = {
        "model_type": draw.choice(["bpe", "bpe", "unigram"]),
        "vocab_size": draw.choice([20, 40, 80]) + 260 * has_bytes,
        "byte_fallback": has_bytes,
        "normalization_rule_name": draw.choice(["identity", "nmt_nfkc", "nfkc_cf"]),
        "user_defined_symbols": draw.sample(["ab", "x", "<sep>", " y", "ba b"], draw.randrange(3)),
        "control_symbols": draw.sample(["<c>", "b a"], draw.randrange(2)),
        "unk_surface": draw.choice([" ⁇ ", "?"]),
        **{flag: draw.random() < 0.5 for flag in flags},
    }
    return trained_pieces(lines, **options), alphabet


def without_defaults(data: bytes) -> bytes:
    """The model without fields whose value is their default, which programs of any age may leave
    out.
    """
    proto = ModelProto.FromString(data)
    for message in (*proto.pieces, proto.trainer_spec, proto.normalizer_spec):
        for field, value in message.ListFields():
            if value == field.default_value:
                message.ClearField(field.name)
    return bytes(proto.SerializeToString())


@pytest.mark.parametrize("name", SENTENCEPIECE)
def test_a_stream_gives_the_text_of_the_library(name: str, tmp_path: Path) -> None:
    tokenizer = opened(tmp_path, sentencepiece_model(name))
    draw = random.Random(name)
    numbers = list(tokenizer.tokens)
    for _ in range(examples(100)):
        ids = draw.choices(draw.choices(numbers, k=6), k=12)
        assert "".join(tokenizer.decode_stream(ids)) == tokenizer.decode(ids)


@pytest.mark.parametrize("name", SENTENCEPIECE)
def test_fields_may_be_left_out_where_they_have_their_default(name: str, tmp_path: Path) -> None:
    data = sentencepiece_model(name)
    short = without_defaults(data)
    assert len(short) < len(data)
    expected = parsed(data)
    found = parsed(short)
    assert (found.pieces, found.roles) == (expected.pieces, expected.roles)
    tokenizer = opened(tmp_path, short)
    library = theirs(short)
    for text in TEXTS:
        assert tokenizer.encode(text).ids == library.EncodeAsIds(text)


@pytest.mark.parametrize("name", SENTENCEPIECE)
def test_ids_tokens_and_text_are_those_of_the_library(name: str, tmp_path: Path) -> None:
    data = sentencepiece_model(name)
    tokenizer = opened(tmp_path, data)
    library = theirs(data)
    for text in (*TEXTS, *strange_texts(examples(60), 1)):
        expected = library.EncodeAsIds(text)
        found = tokenizer.encode(text)
        assert found.ids == tokenizer.encode_ids(text).tolist() == expected
        assert found.tokens == [library.IdToPiece(number) for number in expected]
        assert tokenizer.decode(expected) == library.DecodeIds(expected)
    assert tokenizer.vocab_size == library.GetPieceSize()


@pytest.mark.parametrize("name", _BPES)
def test_merges_give_the_ids_of_the_library(name: str, tmp_path: Path) -> None:
    data = sentencepiece_model(name)
    tokenizer = opened(tmp_path, data)
    library = theirs(data)
    assert tokenizer.why_no_merges == ""
    for text in (*TEXTS, *strange_texts(examples(200), 2)):
        found = tokenizer.encode(text, step=tokenizer.n_merges)
        assert found.ids == library.EncodeAsIds(text)
        assert all(0 <= start <= end <= len(text) for start, end in found.offsets)


@pytest.mark.parametrize("name", _BPES)
def test_at_a_step_the_ids_are_those_of_a_model_with_fewer_pieces(
    name: str, tmp_path: Path
) -> None:
    data = sentencepiece_model(name)
    tokenizer = opened(tmp_path, data)
    assert tokenizer.piece_merges is not None
    assert tokenizer.piece_merges.are_in_order
    for step in (0, 1, tokenizer.n_merges // 3, tokenizer.n_merges - 1):
        # A control piece takes part in no merge, and keeps the ids of the others.
        library = theirs(
            changed(data, dict.fromkeys(tokenizer.piece_merges.made[step:], (None, CONTROL)))
        )
        for text in TEXTS:
            assert tokenizer.encode_ids(text, step=step).tolist() == library.EncodeAsIds(text)


@pytest.mark.parametrize("name", ["usual", "llama"])
def test_pieces_that_are_not_made_of_two_are_joined_in_every_way(name: str, tmp_path: Path) -> None:
    data = sentencepiece_model(name)
    long = [
        n
        for n, (text, _, kind) in enumerate(parsed(data).pieces)
        if kind == NORMAL and len(text) > 1
    ]
    data = changed(data, {number: (f"<was {number}>", CONTROL) for number in long[2:90:4]})
    tokenizer = opened(tmp_path, data)
    library = theirs(data)
    assert (
        tokenizer.why_no_merges,
        tokenizer.piece_merges and tokenizer.piece_merges.are_in_order,
    ) == ("", False)
    for text in (*TEXTS, *strange_texts(examples(200), 6)):
        assert tokenizer.encode_ids(text, step=tokenizer.n_merges).tolist() == library.EncodeAsIds(
            text
        )


@pytest.mark.parametrize("seed", range(examples(30)))
def test_random_models_give_the_ids_of_the_library(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    data, alphabet = random_model(draw)
    if draw.random() < 0.3:  # some scores are equal then
        pieces = parsed(data).pieces
        data = changed(data, {}, [float(round(score * 0.6)) for _, score, _ in pieces])
    tokenizer = opened(tmp_path, data)
    library = theirs(data)
    for _ in range(60):
        text = "".join(
            draw.choices([*alphabet, "<sep>", "ab", "<c>", "z", "😀", " "], k=draw.randrange(20))
        )
        expected = library.EncodeAsIds(text)
        assert tokenizer.encode(text).ids == expected
        if tokenizer.piece_merges is not None:
            assert tokenizer.encode_ids(text, step=tokenizer.n_merges).tolist() == expected
    assert bool(tokenizer.why_no_merges) == (tokenizer.piece_merges is None)
    assert len(list(classes_of(tokenizer))) == tokenizer.vocab_size


@pytest.mark.parametrize(
    ("scored", "can_meet"), [(["bc", "ab"], True), (["ab", "abc"], True), (["ab", "▁c"], False)]
)
def test_of_pieces_with_equal_scores_the_library_joins_the_leftmost(
    scored: list[str], can_meet: bool, tmp_path: Path
) -> None:
    # A model of few fields, which is none of ours either: each line break counts for the library.
    pieces = [("<unk>", UNKNOWN), *((name, NORMAL) for name in (*scored, *"abc▁"))]
    parts = [
        wire.field(1, name) + wire.field(2, 0.0) + wire.field(3, kind) for name, kind in pieces
    ]
    data = b"".join(wire.field(1, part) for part in parts) + wire.field(2, wire.field(3, 2))
    tokenizer = opened(tmp_path, data)
    assert ("depends on their places" in tokenizer.why_no_merges) == can_meet
    for text in ("abc\nbc", "abc ab ca", "c aabbcc"):
        expected = theirs(data).EncodeAsIds(text)
        assert tokenizer.encode(text).ids == expected
        assert can_meet or tokenizer.encode_ids(text, step=2).tolist() == expected


@pytest.mark.parametrize(
    ("name", "kind"), [("unigram", "Unigram"), ("words", "word"), ("characters", "character")]
)
def test_a_model_without_merges_says_why_there_are_no_steps(
    name: str, kind: str, tmp_path: Path
) -> None:
    tokenizer = opened(tmp_path, sentencepiece_model(name))
    assert tokenizer.piece_merges is None
    assert f"its model is of the type {kind}, which has no merges" in tokenizer.why_no_merges
