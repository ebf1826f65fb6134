"""Recognizes a tokenizer by the content of its files, not by their names, and finds the other file of a pair."""

from __future__ import annotations

import gzip
import io
import os
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bpe_studio.errors import SourceError, TokenizerFormatError
from bpe_studio.files.document import studio
from bpe_studio.files.foreign import fastbpe
from bpe_studio.files.foreign.vocab_and_merges import pairs_of
from bpe_studio.files.formats import minbpe, sentencepiece, tiktoken
from bpe_studio.files.formats.registry import check_path
from bpe_studio.files.formats.tokenizer_file import HEAD_BYTES, MAX_BYTES, read_at_most, read_bytes
from bpe_studio.files.json_parts import parse_json
from bpe_studio.files.text.regular_files import open_regular

KINDS = {
    "huggingface": "tokenizer.json of Hugging Face",
    "tekken": "tekken JSON of Mistral",
    "gpt2": "vocab.json and merges.txt",
    "sentencepiece": "SentencePiece model",
    "tiktoken": "tiktoken ranks",
    "minbpe": "minbpe model",
    "subword-nmt": "subword-nmt codes",
    "fastbpe": "fastBPE codes",
    "bert": "vocab.txt of BERT",
    "studio": "studio document",
}
"""Every kind of tokenizer; the first of several in a folder is opened."""

_MERGES = "merges"  # half a pair, which is no kind by itself
_VOCAB = "vocabulary"
_CODES = "subword-nmt"  # merges of words that end in </w> look the same
_VOCAB_START = re.compile(rb'\{\s*"(?:[^"\\]|\\.)+"\s*:\s*\d+\s*[,}]')
_NEXT_RECORD = re.compile(rb"\}[ \t\r]*\n[ \t\r]*\{")  # between two lines of JSON lines, and nowhere in a vocabulary
_JSON_START = re.compile(
    rb'\{\s*"(version|truncation|padding|added_tokens|normalizer|pre_tokenizer|post_processor|decoder|model)"\s*:'
)
_JSON_PART = re.compile(rb'"model"\s*:\s*\{|"added_tokens"\s*:\s*\[|"(normalizer|pre_tokenizer)"\s*:')
"""What a `tokenizer.json` has near its beginning; a line of JSON lines may also have a \"model\", which is a text."""
_PAIR = re.compile(r"\S+ \S+")
_PAIR_BELOW_HEADER = re.compile(r"[^ ]+ [^ ]+")
"""Below a header nothing else can be meant, and some tokens hold white space or a control character."""
_HEADERS = ("#version: 0.1", "#version: 0.2")
_SIMPLE_VOCAB = '"bpe_simple_vocab'
_BERT = {b"[UNK]", b"[CLS]", b"[SEP]"}
_WORDS_IN_LINE = re.compile(rb"[^\r\n][ \t]+[^\r\n]")
_FEW = 20
"""So few merges may be of anything; the merges of GPT-2's kind are thousands, and many begin with a space."""
MAX_LINES = 2_000_000
MAX_PARTS = 8_000_000
"""Commas and brackets of a JSON file; a vocabulary and its merges of a million tokens have half as many."""
_MAX_FILES = 500
_MAX_TRIED = 20


@dataclass(frozen=True)
class Found:
    """What a path is.

    Attributes:
        kind: a name of `KINDS`.
        files: the file; of `gpt2` the vocabulary and the merges, or the merges alone.
    """

    kind: str
    files: tuple[str, ...]


def recognize(path: str | os.PathLike[str]) -> Found:
    """What a file or folder is.

    Raises:
        TokenizerFormatError: it does not exist, holds no tokenizer, or the other file of a pair is missing.
    """
    name = check_path(path)
    if os.path.isdir(name):
        return _in_folder(name)
    kind = _kind_of(name)
    if kind in (_MERGES, _VOCAB, _CODES) and (pair := _pair(name, kind)) is not None:
        return pair
    if kind == _MERGES and _are_codes(_head(name)):
        kind = _CODES
    if kind in (_MERGES, _VOCAB):
        raise _half(name, kind)
    if kind is None:
        raise TokenizerFormatError(f"{name} is no tokenizer in a known format: the formats are {', '.join(KINDS)}")
    return Found(kind, (name,))


def is_tokenizer(path: str | os.PathLike[str]) -> bool:
    """Whether a file or folder is a tokenizer; half of a pair is none without the other."""
    try:
        return bool(recognize(path))
    except TokenizerFormatError:
        return False


def contents(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a tokenizer file, decompressed if it is compressed by gzip.

    Raises:
        TokenizerFormatError: it cannot be read, is damaged or too large.
    """
    data = read_bytes(path)
    if not data.startswith(b"\x1f\x8b"):
        return data
    name = os.fspath(path)
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            data = read_at_most(stream.read, MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error):
        raise TokenizerFormatError(f"{name} is damaged: decompress it, or download it again") from None
    if len(data) > MAX_BYTES:
        raise TokenizerFormatError(f"{name} holds more than {MAX_BYTES >> 20} MB, which no tokenizer does")
    return data


def json_of(path: str | os.PathLike[str]) -> Any:
    """The JSON of a tokenizer file, decompressed.

    Raises:
        TokenizerFormatError: as `contents`, or it is not valid, or has more parts than any tokenizer.
    """
    data = contents(path)
    n_parts = data.count(b",") + data.count(b"[") + data.count(b"{")
    if n_parts > MAX_PARTS:
        raise TokenizerFormatError(
            f"{os.fspath(path)} has about {n_parts:,} entries, and {MAX_PARTS:,} at most are read: "
            "no tokenizer has more"
        )
    return parse_json(data, os.fspath(path))


def lines_of(path: str | os.PathLike[str]) -> list[str]:
    """The lines of a tokenizer file, decompressed, without line breaks.

    Raises:
        TokenizerFormatError: as `contents`, or it is not UTF-8.
    """
    data = contents(path)
    n_lines = data.count(b"\n")
    if n_lines > MAX_LINES:
        raise TokenizerFormatError(
            f"{os.fspath(path)} has {n_lines:,} lines, and {MAX_LINES:,} at most are read: no tokenizer has more"
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TokenizerFormatError(
            f"{os.fspath(path)} is not UTF-8 at byte {error.start:,}: save or download the tokenizer again"
        ) from None
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


def _in_folder(folder: str) -> Found:
    try:
        names = sorted(os.listdir(folder))[:_MAX_FILES]
    except OSError as error:
        raise TokenizerFormatError(f"{folder} cannot be read ({error.strerror}): choose another folder") from None
    paths = [path for path in (os.path.join(folder, name) for name in names) if os.path.isfile(path)]
    kinds = {path: _kind_of(path) for path in paths}
    # The lines of many texts look like merges, so a folder of texts may have thousands of them.
    halves = [path for kind in (_VOCAB, _MERGES) for path in paths if kinds[path] == kind][:_MAX_TRIED]
    known = {os.path.basename(path): kind for path, kind in kinds.items()}
    for kind in KINDS:
        for path in paths:
            if kinds[path] == kind:
                return Found(kind, (path,))
            if kind == "gpt2" and path in halves and (pair := _pair(path, kinds[path], known)) is not None:
                return pair
    if halves:
        raise _half(halves[0], kinds[halves[0]])
    raise TokenizerFormatError(f"{folder} holds no tokenizer in a known format: the formats are {', '.join(KINDS)}")


def _kind_of(path: str) -> str | None:
    """The kind of a file by its first bytes; `None` for none."""
    head = _head(path)
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text.startswith(b"{"):
        if _VOCAB_START.match(text):
            return None if _NEXT_RECORD.search(text) else _VOCAB
        if b'"token_bytes"' in text or b'"default_num_special_tokens"' in text:
            return "tekken"
        return "huggingface" if _JSON_START.match(text) and _JSON_PART.search(text) else None
    if studio.recognizes(path):
        return "studio"
    for kind, module in (("minbpe", minbpe), ("sentencepiece", sentencepiece), ("tiktoken", tiktoken)):
        if module.recognizes(head):
            return kind
    return _kind_of_lines(head)


def _kind_of_lines(head: bytes) -> str | None:
    if set(head.split()) >= _BERT and (set(head.splitlines()) >= _BERT or not _WORDS_IN_LINE.search(head)):
        return "bert"
    try:
        # A character may be cut at the end of the head.
        lines = head.decode("utf-8", "replace" if len(head) == HEAD_BYTES else "strict").split("\n")
    except UnicodeDecodeError:
        return None
    if len(head) == HEAD_BYTES:
        lines.pop()
    lines = [line.removesuffix("\r") for line in lines]
    has_header = bool(lines) and (lines[0].startswith(("#version", _SIMPLE_VOCAB)))
    pairs = [line for line in lines[1 if has_header else 0 :] if line]
    if has_header and all(map(_PAIR_BELOW_HEADER.fullmatch, pairs)):
        marked = any(line.endswith("</w>") for line in pairs)
        return _CODES if marked and lines[0].rstrip() in _HEADERS else _MERGES
    if pairs and all(map(_PAIR.fullmatch, pairs)):
        return _CODES if any(line.endswith("</w>") for line in pairs) else _MERGES
    if pairs and all(map(fastbpe.LINE.fullmatch, pairs)) and any("</w> " in line for line in pairs):
        return "fastbpe"
    return None


def _are_codes(head: bytes) -> bool:
    """Whether merges with a header, none of which ends a word, are codes and not the merges of GPT-2's kind."""
    lines = head.decode("utf-8", "replace").split("\n")
    is_gpt2 = len(lines) > _FEW and "Ġ" in head.decode("utf-8", "replace")
    return lines[0].rstrip() == _HEADERS[0] or (lines[0].rstrip() == _HEADERS[1] and not is_gpt2)


def _pair(path: str, kind: str | None, known: Mapping[str, str | None] | None = None) -> Found | None:
    """Both files of a pair, one of which is given; `None` if the other one is not in its folder.

    Args:
        path: one of the files.
        kind: its kind.
        known: the kinds of the files in its folder by their names, if they are known.
    """
    folder = os.path.dirname(os.path.abspath(path))
    wanted = (_MERGES, _CODES) if kind == _VOCAB else (_VOCAB,)
    try:
        names = sorted(os.listdir(folder))[:_MAX_FILES]
    except OSError:
        names = []
    base = os.path.basename(path)
    near = sorted(names, key=lambda name: -_common_start(name, base))
    others = [other for name in near if (other := os.path.join(folder, name)) != path and os.path.isfile(other)]
    kind_of = _kind_of if known is None else lambda other: known.get(os.path.basename(other))
    candidates = [other for other in others if kind_of(other) in wanted][:_MAX_TRIED]
    for other in candidates:
        vocab, merges = (path, other) if kind == _VOCAB else (other, path)
        if not _why_apart(vocab, merges):
            return Found("gpt2", (vocab, merges))
    if kind != _VOCAB and _head(path).startswith(_SIMPLE_VOCAB.encode()):
        return Found("gpt2", (path,))
    return None


def _half(path: str, kind: str | None) -> TokenizerFormatError:
    this, that = ("vocabulary", "merges") if kind == _VOCAB else ("merges", "vocabulary")
    usual = "merges.txt" if kind == _VOCAB else "vocab.json"
    other = os.path.join(os.path.dirname(os.path.abspath(path)), usual)
    if os.path.isfile(other):
        why = _why_apart(*((path, other) if kind == _VOCAB else (other, path)))
        return TokenizerFormatError(f"{path} and {usual} next to it are no tokenizer together: {why}")
    return TokenizerFormatError(
        f"{path} holds the {this} of a tokenizer, and no file in its folder holds its {that}: "
        f"put its {usual} into the same folder"
    )


def _common_start(one: str, other: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _why_apart(vocab_file: str, merges_file: str) -> str:
    """Why two files are no pair; "" if they are."""
    try:
        vocab = json_of(vocab_file)
        pairs = pairs_of(lines_of(merges_file))[:1000]
    except TokenizerFormatError as error:
        return str(error)
    if not isinstance(vocab, dict):
        return f"{vocab_file} holds no tokens and ids"
    missing = next((left + right for left, right in pairs if left + right not in vocab), None)
    return "" if missing is None else f"a merge makes {missing[:40]!r}, which is no token of the vocabulary"


def _head(path: str) -> bytes:
    """The first bytes of a file, decompressed; none if it cannot be read."""
    try:
        with open_regular(path) as stream:
            start = stream.read(2)
            stream.seek(0)
            if start != b"\x1f\x8b":
                return stream.read(HEAD_BYTES)
            with gzip.GzipFile(fileobj=stream) as packed:
                return packed.read(HEAD_BYTES)
    except (OSError, EOFError, zlib.error, SourceError):
        return b""
