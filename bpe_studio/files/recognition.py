"""Says what a file or folder is, by its content and not by its name: a tokenizer, a document,
counts, or a text.

Only the beginning of a file is looked at. Two things need more: the other file of a pair is looked
for in the folder, and a Parquet table of counts has its head at its end. A name counts only for a
few words with numbers, in `dict.txt`. `files/text` finds out what a text is packed in and which
records it holds, when it is read.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import IO

from bpe_studio.errors import SourceError, TokenizerFormatError
from bpe_studio.files.atomic_folder import restore_folder
from bpe_studio.files.formats.tokenizer_file import json_of, lines_of, pairs_of
from bpe_studio.files.own_marks import COUNTS_KEY, COUNTS_START, MIMETYPE, MIMETYPE_PART
from bpe_studio.files.text.regular_files import is_regular, open_regular

TOKENIZERS = {
    "huggingface": "tokenizer.json of Hugging Face",
    "tekken": "tekken JSON of Mistral",
    "gpt2": "vocab.json and merges.txt",
    "sentencepiece": "SentencePiece model",
    "gguf": "GGUF model",
    "tiktoken": "tiktoken ranks",
    "pickle": "pickled tiktoken encoding",
    "minbpe": "minbpe model",
    "subword-nmt": "subword-nmt codes",
    "fastbpe": "fastBPE codes",
    "bert": "vocab.txt of BERT",
    "studio": "studio document",
}
"""Every kind of tokenizer; the first of several in a folder is opened."""

COUNTS = "counts"
HUB = "hub"
NAMED = "named"
STUDIO = "studio"
TEXT = "text"
_VOCABULARY_OF_OPENNMT = "onmt vocabulary"
_CODES_OF_OPENNMT = "onmt codes"
_YOUTOKENTOME = "yttm"
_FAIRSEQ = "fairseq"
_NAMED = {
    _VOCABULARY_OF_OPENNMT: (
        "is a vocabulary of OpenNMT, which lists tokens without their merges: open the BPE codes "
        "or the SentencePiece model that it was made with"
    ),
    _CODES_OF_OPENNMT: (
        "contains BPE codes of OpenNMT's Lua tools, which mark words in their own way: learn them "
        "again with pyonmttok or subword-nmt, and open those"
    ),
    _YOUTOKENTOME: (
        "is a model of YouTokenToMe, which only that program runs: train again from its text, with"
        " the preset sentencepiece"
    ),
    _FAIRSEQ: (
        "lists tokens with their counts, as dict.txt of fairseq does, and no merges: open the BPE"
        " codes or the SentencePiece model that it was made with"
    ),
}
"""The kinds that are recognized and not opened, and the sentence about each."""
# halves of a pair, which are no kind by themselves
_MERGES = "merges"
_VOCAB = "vocabulary"
_CODES = "subword-nmt"  # merges of words that end in </w> look the same
_HEAD_BYTES = 1 << 16
_MOST_FOOTER_BYTES = 16 << 20
_GZIP = b"\x1f\x8b"
_GGUF = b"GGUF"
_PICKLE = re.compile(rb"\x80[\x02-\x05].{0,20}tiktoken\.core.{1,4}Encoding", re.DOTALL)
_ANY_PICKLE = re.compile(rb"\x80[\x02-\x05]")
_STUDIO_AT = 30
_STUDIO = MIMETYPE_PART.encode("ascii") + MIMETYPE
"""What follows the local header of a document's first part."""

_VOCAB_START = re.compile(rb'\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\d+\s*[,}]')
_NEXT_RECORD = re.compile(rb"\}[ \t\r]*\n[ \t\r]*\{")
"""Stands between two lines of JSON lines, and nowhere in a vocabulary."""
_JSON_START = re.compile(
    rb'\{\s*"(version|truncation|padding|added_tokens|normalizer|pre_tokenizer|post_processor|decoder|model)"\s*:'
)
_JSON_PART = re.compile(
    rb'"model"\s*:\s*\{|"added_tokens"\s*:\s*\[|"(normalizer|pre_tokenizer)"\s*:'
)
"""A part that a `tokenizer.json` has near its beginning.

A line of JSON lines may also have a \"model\", which is a text.
"""
_TEKKEN = re.compile(rb'"token_bytes"|"default_num_special_tokens"')
_MINBPE = re.compile(rb"minbpe v1\r?(\n|\Z)")
_RANK = r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|=)? [0-9]+\r?"
_RANKS = re.compile(rf"(?=[^\n]){_RANK}(\n({_RANK})?){{0,2}}(\n|\Z)".encode())
_PAIR = re.compile(r"\S+ \S+")
_PAIR_BELOW_HEADER = re.compile(r"[^ ]+ [^ ]+")
"""Below a header nothing else can be meant, and some tokens hold white space or a control
character.
"""
_PAIR_AND_COUNT = re.compile(r"[^ ]+ [^ ]+ [0-9]{1,19}")
_HEADERS = ("#version: 0.1", "#version: 0.2")
_SIMPLE_VOCAB = '"bpe_simple_vocab'
_JOINER = "\uffed"
_TOKEN_AND_COUNT = re.compile(r"\S+([ \t][0-9]+)?")
_COUNTED = re.compile(r"(\S+) ([0-9]{1,19})( #fairseq:overwrite)?")
_PIECE = re.compile(r"@@$|^[▁Ġ]|^madeupword[0-9]{4}$")
_DICTIONARY = re.compile(r"dict(\..+)?\.txt")
_NUMBERS = re.compile(r"-?[0-9]{1,10}( -?[0-9]{1,10}){1,3}")
_SOME = 5
"""From this many lines on, words with counts that only fall are a dictionary and not text."""
_BERT = {b"[UNK]", b"[CLS]", b"[SEP]"}
_WORDS_IN_LINE = re.compile(rb"[^\r\n][ \t]+[^\r\n]")
_FEW = 20
"""Up to this many merges may be of any kind.

Merges of GPT-2's kind are thousands, and many of them begin with a space.
"""
_MAX_FILES = 500
_MAX_TRIED = 20


@dataclass(frozen=True)
class Found:
    """The kind of a path.

    Attributes:
        kind: a name of `TOKENIZERS`, `HUB` for the address of one, `NAMED` for a tokenizer's file
            that cannot be opened, `COUNTS`, or `TEXT` for anything else.
        files: the file; of `gpt2` the vocabulary and the merges, or the merges alone.
        why_no_tokenizer: a sentence that says why it cannot be opened as a tokenizer; "" if it is
            one.
    """

    kind: str
    files: tuple[str, ...]
    why_no_tokenizer: str = ""

    @property
    def is_tokenizer(self) -> bool:
        """Whether it is a tokenizer, even one that cannot be opened; a studio document is one."""
        return self.kind in TOKENIZERS or self.kind in (HUB, NAMED)


def recognize(path: str | os.PathLike[str]) -> Found:
    """The kind of a file or folder; a folder whose saving was interrupted is restored first."""
    name = os.fspath(path)
    if name.startswith("hf:") and not name.startswith("hf:/"):
        return Found(HUB, (name,))
    try:
        restore_folder(name)
        exists = os.path.exists(name)
    except ValueError:
        exists = False
    if not exists:
        return Found(
            TEXT, (name,), f"{name} does not exist: check the name, or choose another tokenizer"
        )
    if os.path.isdir(name):
        return _in_folder(name)
    if not is_regular(name):
        why = f"{name} is a pipe or a device, not a tokenizer: save it in a file, and choose that"
        return Found(TEXT, (name,), why)
    head = _head(name)
    kind = _kind_of(head, os.path.basename(name))
    if kind in (_MERGES, _VOCAB, _CODES) and (pair := _pair(name, kind, head)) is not None:
        return pair
    if kind == _MERGES and _are_codes(head):
        kind = _CODES
    if kind in (_MERGES, _VOCAB):
        return Found(TEXT, (name,), _half(name, kind))
    if kind in _NAMED:
        return Found(NAMED, (name,), f"{name} {_NAMED[kind]}")
    if kind in TOKENIZERS:
        return Found(kind, (name,))
    if head.startswith(COUNTS_START.encode()) or (head.startswith(b"PAR1") and _has_counts(name)):
        kind = COUNTS
    why = f"{name} is not a tokenizer in a known format: the formats are {', '.join(TOKENIZERS)}"
    if _ANY_PICKLE.match(head):
        why = (
            f"{name} is a pickle that holds something other than a tiktoken encoding: choose"
            " another file"
        )
    return Found(kind, (name,), why)


def _in_folder(folder: str) -> Found:
    try:
        names = sorted(os.listdir(folder))[:_MAX_FILES]
    except OSError as error:
        return Found(
            TEXT, (folder,), f"{folder} cannot be read ({error.strerror}): choose another folder"
        )
    places = [os.path.join(folder, name) for name in names]
    paths = list(filter(os.path.isfile, places))
    heads = {path: _head(path) for path in paths}
    kinds = {path: _kind_of(head, os.path.basename(path)) for path, head in heads.items()}
    by_name = {os.path.basename(path): kind for path, kind in kinds.items()}
    # The lines of many texts look like merges, so a folder of texts may have thousands of them.
    vocabs = [path for path in paths if kinds[path] == _VOCAB]
    merges = [path for path in paths if kinds[path] == _MERGES]
    halves = [*vocabs, *merges][:_MAX_TRIED]
    for kind in TOKENIZERS:
        for path in paths:
            if kinds[path] == kind:
                return Found(kind, (path,))
            is_half = kind == "gpt2" and path in halves
            if is_half and (pair := _pair(path, kinds[path], heads[path], by_name)) is not None:
                return pair
    for path in paths:
        if kinds[path] in _NAMED:
            return Found(NAMED, (path,), f"{path} {_NAMED[kinds[path]]}")
    if halves:
        return Found(TEXT, (folder,), _half(halves[0], kinds[halves[0]]))
    why = (
        f"{folder} contains no tokenizer in a known format: the formats are {', '.join(TOKENIZERS)}"
    )
    return Found(TEXT, (folder,), why)


def _kind_of(head: bytes, name: str) -> str:
    """The kind of a file by its first bytes, and its name if they may mean two things; `TEXT` for
    none that is known.
    """
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text.startswith(b"{"):
        if _VOCAB_START.match(text):
            return TEXT if _NEXT_RECORD.search(text) else _VOCAB
        if _TEKKEN.search(text):
            return "tekken"
        return "huggingface" if _JSON_START.match(text) and _JSON_PART.search(text) else TEXT
    if head.startswith(b"PK\x03\x04") and head.startswith(_STUDIO, _STUDIO_AT):
        return STUDIO
    if _PICKLE.match(head):
        return "pickle"
    if head.startswith(_GGUF):
        return "gguf"
    if _MINBPE.match(head):
        return "minbpe"
    if _begins_with_piece(head):
        return "sentencepiece"
    kind = _kind_of_lines(head, is_dictionary=_DICTIONARY.fullmatch(name) is not None)
    return "tiktoken" if kind not in _NAMED and _RANKS.match(head) else kind


def _begins_with_piece(head: bytes) -> bool:
    """Whether bytes begin with a piece of SentencePiece: field 1, of a text, then of a score or a
    kind, or neither.
    """
    if not head.startswith(b"\n") or head[2:3] != b"\n":
        return False
    piece = head[2 : 2 + head[1]]
    text = piece[2 : 2 + piece[1]] if len(piece) > 1 else b""
    rest = piece[2 + piece[1] :] if len(piece) > 1 else b""
    return (
        len(piece) == head[1]
        and bool(text)
        and len(text) == piece[1]
        and rest[:1] in (b"", b"\x15", b"\x18")
    )


def _kind_of_lines(head: bytes, *, is_dictionary: bool) -> str:
    if set(head.split()) >= _BERT and (
        set(head.splitlines()) >= _BERT or not _WORDS_IN_LINE.search(head)
    ):
        return "bert"
    # A character may be cut at the end of the head.
    errors = "replace" if len(head) == _HEAD_BYTES else "strict"
    try:
        lines = head.decode("utf-8", errors).split("\n")
    except UnicodeDecodeError:
        return TEXT
    if len(head) == _HEAD_BYTES:
        lines.pop()
    lines = [line.strip(" \r") for line in lines]
    if named := _named(lines, is_whole=len(head) < _HEAD_BYTES, is_dictionary=is_dictionary):
        return named
    has_header = bool(lines) and (lines[0].startswith(("#version", _SIMPLE_VOCAB)))
    below = lines[1:] if has_header else lines
    pairs = list(filter(None, below))
    marked = any(line.endswith("</w>") for line in pairs)
    if has_header and all(map(_PAIR_BELOW_HEADER.fullmatch, pairs)):
        return _CODES if marked and lines[0].rstrip() in _HEADERS else _MERGES
    if pairs and all(map(_PAIR.fullmatch, pairs)):
        return _CODES if marked else _MERGES
    if (
        pairs
        and all(map(_PAIR_AND_COUNT.fullmatch, pairs))
        and any("</w> " in line for line in pairs)
    ):
        return "fastbpe"
    return TEXT


def _named(lines: Sequence[str], *, is_whole: bool, is_dictionary: bool) -> str:
    """The kind of lines that is recognized and not opened; "" for none.

    `is_dictionary` says whether the file has the name of a dictionary.
    """
    lines = [line for line in lines if line]
    if not lines:
        return ""
    if lines[0].startswith("v3;") and lines[0].count(";") == 5:
        return _CODES_OF_OPENNMT
    tokens = [line for line in lines if not line.startswith("# ")]
    if any(line.startswith(_JOINER) or line.split("\t")[0].endswith(_JOINER) for line in tokens):
        return _VOCABULARY_OF_OPENNMT if all(map(_TOKEN_AND_COUNT.fullmatch, tokens)) else ""
    if not re.fullmatch(r"\S+ [0-9]{1,19}.*", lines[0]):
        return ""
    if all(map(_NUMBERS.fullmatch, lines)) and _is_youtokentome(lines, is_whole):
        return _YOUTOKENTOME
    counted = [match for match in map(_COUNTED.fullmatch, lines) if match]
    counts = [int(match[2]) for match in counted]
    is_sorted = len(counted) == len(lines) and all(a >= b for a, b in pairwise(counts))
    are_pieces = any(_PIECE.search(match[1]) for match in counted)
    return _FAIRSEQ if is_sorted and (are_pieces or is_dictionary or len(lines) >= _SOME) else ""


def _is_youtokentome(lines: Sequence[str], is_whole: bool) -> bool:
    """Whether lines of numbers are the characters, the rules and the special tokens that the first
    one announces.
    """
    n_characters, n_rules = map(int, lines[0].split(" ")[:2])
    n_lines = n_characters + n_rules + 2
    if len(lines) > n_lines or (is_whole and len(lines) < n_lines):
        return False
    ends = n_characters + 1, n_lines - 1, n_lines
    for at, line in enumerate(lines):
        n_spaces = 1 + sum(at >= end for end in ends)
        if line.count(" ") != n_spaces:
            return False
    return True


def _are_codes(head: bytes) -> bool:
    """Whether merges with a header, none of which ends a word, are codes and not the merges of
    GPT-2's kind.
    """
    lines = head.decode("utf-8", "replace").split("\n")
    is_gpt2 = len(lines) > _FEW and "Ġ" in head.decode("utf-8", "replace")
    return lines[0].rstrip() == _HEADERS[0] or (lines[0].rstrip() == _HEADERS[1] and not is_gpt2)


def _pair(
    path: str, kind: str, head: bytes, kinds: Mapping[str, str] | None = None
) -> Found | None:
    """Both files of a pair, one of which is given; `None` if the other one is not in its folder.

    Args:
        path: one of the files.
        kind: its kind.
        head: its first bytes.
        kinds: the kinds of the files in its folder by their names, if they are known.
    """
    folder, base = os.path.split(path)
    wanted = (_MERGES, _CODES) if kind == _VOCAB else (_VOCAB,)
    try:
        names = sorted(os.listdir(folder or os.curdir))[:_MAX_FILES]
    except OSError:
        names = []
    near = sorted(names, key=lambda name: -_common_start(name, base))
    others = [
        other
        for name in near
        if (other := os.path.join(folder, name)) != path and os.path.isfile(other)
    ]
    by_name = {os.path.basename(other): other for other in others}
    kinds = kinds or {name: _kind_of(_head(other), name) for name, other in by_name.items()}
    tried = [other for other in others if kinds.get(os.path.basename(other)) in wanted]
    for other in tried[:_MAX_TRIED]:
        vocab, merges = (path, other) if kind == _VOCAB else (other, path)
        if not _why_apart(vocab, merges):
            return Found("gpt2", (vocab, merges))
    if kind != _VOCAB and head.startswith(_SIMPLE_VOCAB.encode()):
        return Found("gpt2", (path,))
    return None


def _common_start(one: str, other: str) -> int:
    return len(os.path.commonprefix([one, other]))  # noqa: RUF071 (of names, not of paths)


def _half(path: str, kind: str) -> str:
    """The sentence about one half of a pair."""
    this, that = ("vocabulary", "merges") if kind == _VOCAB else ("merges", "vocabulary")
    usual = "merges.txt" if kind == _VOCAB else "vocab.json"
    other = os.path.join(os.path.dirname(path), usual)
    files = (path, other) if kind == _VOCAB else (other, path)
    if os.path.isfile(other) and (why := _why_apart(*files)):
        return f"{path} and {usual} next to it do not form a tokenizer: {why}"
    return (
        f"{path} contains the {this} of a tokenizer, but no file in its folder contains the {that}:"
        f" put its {usual} into the same folder"
    )


def _why_apart(vocab_file: str, merges_file: str) -> str:
    """The reason why two files are not a pair; "" if they are."""
    try:
        vocab = json_of(vocab_file)
        pairs = pairs_of(lines_of(merges_file)[:1000])
    except TokenizerFormatError as error:
        return str(error)
    if not isinstance(vocab, dict):
        return f"{vocab_file} contains no tokens with ids"
    for left, right in pairs:
        if left + right not in vocab:
            return f"a merge makes {(left + right)[:40]!r}, which is not in the vocabulary"
    return ""


def _head(path: str) -> bytes:
    """The first bytes of a file, decompressed; none if it cannot be read."""
    try:
        with open_regular(path) as stream:
            start = stream.read(len(_GZIP))
            stream.seek(0)
            if start != _GZIP:
                return stream.read(_HEAD_BYTES)
            return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(
                stream.read(2 * _HEAD_BYTES), _HEAD_BYTES
            )
    except (OSError, zlib.error, SourceError):
        return b""


def _has_counts(path: str) -> bool:
    """Whether the metadata at the end of a Parquet table have the head of a table of counts."""
    try:
        with open_regular(path) as stream:
            return COUNTS_KEY in _footer(stream)
    except (OSError, SourceError):
        return False


def _footer(stream: IO[bytes]) -> bytes:
    size = stream.seek(-8, os.SEEK_END) + 8
    n_bytes = int.from_bytes(stream.read(4), "little")
    stream.seek(max(0, size - 8 - n_bytes))
    return stream.read(min(n_bytes, _MOST_FOOTER_BYTES))
