"""Damaged and hostile files of every format that opens: one sentence each, or what the library
makes of it.

The tokenizers are tiny, so that a file can be cut at every byte. Studio documents have their own
tests (`tests/files/document`); random damage to larger files is the campaign `readers`."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import bpe_studio as bpe
from bpe_studio.errors import BpeError, TokenizerFormatError
from bpe_studio.files.document.writing import pack
from bpe_studio.files.loading import load
from tests.files.document.test_document import document
from tests.files.third_party.made import sentencepiece_model as trained_model

_BYTES = [*(bytes([byte]) for byte in range(256)), b"hu", b"hug"]
_BASE64 = [base64.b64encode(token).decode() for token in _BYTES]
_MODEL: dict[str, Any] = {
    "vocab": {"h": 0, "u": 1, "g": 2, "hu": 3, "hug": 4},
    "merges": ["h u", "hu g"],
}
_UNIGRAM = {
    "type": "Unigram",
    "unk_id": 0,
    "vocab": [["<unk>", 0.0], ["h", -1.5], ["u", -1.5], ["hu", -1.0]],
}
_VOCAB = {"h": 0, "u": 1, "g": 2, "hu": 3, "hug</w>": 4, "g</w>": 5}
_TEKKEN = {
    "config": {
        "pattern": r"\p{L}+|\s+|[^\s\p{L}]+",
        "num_vocab_tokens": 258,
        "default_vocab_size": 260,
        "default_num_special_tokens": 2,
    },
    "vocab": [{"rank": rank, "token_bytes": token} for rank, token in enumerate(_BASE64)],
    "special_tokens": [{"rank": 0, "token_str": "<s>", "is_control": True}],
}


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


def _document() -> bytes:
    config = bpe.TrainingConfig.preset("gpt2", merges=2)
    (main, *_) = document(config).branches
    return pack(
        document(config, branches=(replace(main, step=2),), held_out=None, held_out_share=0.0)
    )


FILES: dict[str, tuple[str, bytes]] = {
    "tokenizer.json": (
        "tokenizer.json",
        _json({"version": "1.0", "model": {"type": "BPE", **_MODEL}}),
    ),
    "Unigram": ("tokenizer.json", _json({"version": "1.0", "model": _UNIGRAM})),
    "vocab": ("vocab.json", _json(_VOCAB)),
    "merges": ("merges.txt", b"#version: 0.2\nh u\nhu g</w>\n"),
    "tiktoken": (
        "a.tiktoken",
        "".join(f"{token} {rank}\n" for rank, token in enumerate(_BASE64)).encode(),
    ),
    "tekken": ("tekken.json", _json(_TEKKEN)),
    "SentencePiece": ("a.model", trained_model("usual")),
    "SentencePiece Unigram": ("a.model", trained_model("unigram")),
    "subword-nmt": ("codes", b"#version: 0.2\nh u\nhu g</w>\nhu g\n"),
    "fastBPE": ("codes", b"h u 40\nhu g</w> 12\nhu g 10\n"),
    "minbpe": ("a.model", b"minbpe v1\n\n1\n<s> 258\n104 117\n256 103\n"),
    "BERT": ("vocab.txt", b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nhug\nh\n##u\n##g\n"),
    "gzip": ("codes.gz", gzip.compress(b"#version: 0.2\nh u\nhu g</w>\nhu g\n", mtime=0)),
    "document": ("a.bpestudio", _document()),
}
_OTHER_HALF = {"vocab": "merges", "merges": "vocab"}


def _written(format_name: str, content: bytes, folder: Path) -> Path:
    file = folder / FILES[format_name][0]
    file.write_bytes(content)
    if format_name in _OTHER_HALF:
        name, other = FILES[_OTHER_HALF[format_name]]
        (folder / name).write_bytes(other)
        return folder / "vocab.json"  # merges alone are codes
    return file


def _refusal(file: Path) -> str:
    """The sentence that refuses a file; empty if it opens and encodes text."""
    try:
        load(file).encode("hug pug")
    except BpeError as error:
        message = str(error)
        assert message and "\n" not in message and len(message) < 700
        return message
    return ""


def _cuts(content: bytes) -> Iterator[int]:
    """Every place of a small file.

    Of others those at the beginning and the end, and some between.
    """
    n = len(content)
    yield from (
        end for end in range(n) if n < 400 or end < 60 or end > n - 30 or not end % (n // 30)
    )


@pytest.mark.parametrize("format_name", FILES)
@pytest.mark.usefixtures("sound_files", "transformers_here")
def test_a_file_that_is_cut_at_any_byte(format_name: str, tmp_path: Path) -> None:
    content = FILES[format_name][1]
    assert not _refusal(_written(format_name, content, tmp_path)), "the whole file opens"
    refused = [
        end for end in _cuts(content) if _refusal(_written(format_name, content[:end], tmp_path))
    ]
    assert 0 in refused
    if format_name in ("tokenizer.json", "Unigram", "vocab", "tekken", "gzip", "document"):
        assert refused == list(_cuts(content))


_NO_TYPE = "the library cannot load it: tokenizers says"


@pytest.mark.parametrize(
    ("format_name", "old", "new", "says"),
    [
        # Duplicate tokens.
        ("tokenizer.json", b'"u": 1', b'"h": 1', "'h' occurs twice in one object"),
        ("vocab", b'"u": 1', b'"h": 1', r"merges.txt next to it .*'h' occurs twice in one object"),
        ("tiktoken", b"aHVn 257", b"aHU= 257", "line 258 repeats a rank or a token"),
        ("tiktoken", b"aHVn 257", b"aHVn 256", "line 258 repeats a rank or a token"),
        ("tekken", b'"aHVn"', b'"aHU="', "a token occurs twice"),
        ("tekken", b'"rank": 257', b'"rank": 256', "token 257 has another rank"),
        ("BERT", b"\n##u", b"\nhug", "line 8 repeats the token 'hug'"),
        # Duplicate merges; the other formats say which of the two counts, as their libraries do.
        ("minbpe", b"256 103", b"104 117", "line 6 repeats the merge of 104 and 117"),
        # Merges of tokens that do not exist.
        ("tokenizer.json", b'"hu g"', b'"hu x"', "Token `x` out of vocabulary"),
        ("merges", b"hu g</w>", b"hu x", r"merges.txt next to it .*makes 'hux'"),
        ("subword-nmt", b"hu g\n", b"hx g\n", "the part 'hx' is neither a symbol nor made"),
        ("fastBPE", b"hu g 10", b"hx g 10", "the part 'hx' is neither a symbol nor made"),
        ("minbpe", b"256 103", b"300 103", "line 6 uses the id 300, which is not made yet"),
        # Wrong types.
        ("tokenizer.json", b'["h u", "hu g"]', b'{"h": "u"}', _NO_TYPE),
        ("tokenizer.json", b'"hu g"', b'["hu", "g", "s"]', _NO_TYPE),
        ("tokenizer.json", b'"h": 0', b'"h": "0"', _NO_TYPE),
        ("tokenizer.json", b'"h": 0', b'"h": -1', _NO_TYPE),
        ("tokenizer.json", b'"h": 0', b'"h": 1e400', _NO_TYPE),
        ("tokenizer.json", b'"h": 0', b'"h": NaN', "NaN is not a number"),
        ("tokenizer.json", b'"BPE"', b"7", _NO_TYPE),
        ("Unigram", b"0.0", b'"0"', _NO_TYPE),
        ("Unigram", b'["h", -1.5]', b"7", _NO_TYPE),
        ("Unigram", b'"unk_id": 0', b'"unk_id": 99', _NO_TYPE),
        ("vocab", b'"h": 0', b'"h": null', "not a tokenizer in a known format"),
        ("vocab", b'"u": 1', b'"u": []', "the id of 'u' in vocab.json is a list"),
        ("merges", b"hu g</w>", b"hu", "line 3 is not two tokens"),
        ("tiktoken", b" 257", b" x", "line 258 is not base64, a space and a rank"),
        ("tiktoken", b"aHVn 257", b"!!!! 257", "line 258 is not base64, a space and a rank"),
        ("tekken", b'"rank": 257', b'"rank": "257"', "is '257', not a whole number"),
        ("tekken", b'"pattern": "', b'"pattern": 7, "p": "', "is 7, not a text"),
        ("tekken", b'"aHVn"', b"7", "is 7, not a text"),
        ("tekken", b'"aHVn"', b'"!"', "token 257 are not valid base64"),
        (
            "tekken",
            b'"special_tokens": [',
            b'"special_tokens": [7, ',
            "a special token is 7, not an object",
        ),
        ("subword-nmt", b"hu g\n", b"hu\n", "not a tokenizer in a known format"),
        ("fastBPE", b"hu g 10", b"hu g x", "not a tokenizer in a known format"),
        ("minbpe", b"256 103", b"256 x", "line 6 holds 'x' instead of a number"),
        ("minbpe", b"256 103", b"256 103 9", "line 6 is not two ids"),
        ("minbpe", b"<s> 258", b"<s> -1", "line 4 holds '-1' instead of a number"),
        ("BERT", b"[SEP]\n", b"", r"not a tokenizer in a known format|no line is \[SEP\] alone"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 15 else "",
)
@pytest.mark.usefixtures("sound_files")
def test_what_cannot_be_meant_is_said_in_a_sentence(
    format_name: str, old: bytes, new: bytes, says: str, tmp_path: Path
) -> None:
    content = FILES[format_name][1]
    assert content.count(old) >= 1
    with pytest.raises(TokenizerFormatError, match=says) as caught:
        load(_written(format_name, content.replace(old, new, 1), tmp_path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "format_name",
    [name for name in FILES if name not in ("gzip", "document") and "Piece" not in name],
)
def test_ten_million_entries_are_counted_and_refused(format_name: str, tmp_path: Path) -> None:
    content = FILES[format_name][1]
    content += b',"a":0' * 10_000_000 if content.startswith(b"{") else b"\n" * 10_000_000
    with pytest.raises(TokenizerFormatError, match="at most are read: no tokenizer has more"):
        load(_written(format_name, content, tmp_path))


@pytest.mark.parametrize(
    "format_name", ["tokenizer.json", "vocab", "subword-nmt", "BERT", "tiktoken", "minbpe"]
)
def test_a_gzip_bomb_is_refused_before_it_is_unpacked(
    format_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bpe_studio.files.formats.tokenizer_file.MAX_BYTES", 100_000)
    content = gzip.compress(FILES[format_name][1] + b"\n" * 1_000_000)
    assert len(content) < 10_000
    with pytest.raises(TokenizerFormatError, match="holds more than 0 MB"):
        load(_written(format_name, content, tmp_path))
