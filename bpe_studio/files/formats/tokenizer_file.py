"""Reads a tokenizer file for every format: its bytes, lines or JSON, with plain errors and valid
options.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from bpe_studio.engine.config import MAX_TOKEN_CHARACTERS, TrainingConfig
from bpe_studio.engine.option_types import PresetName
from bpe_studio.engine.options import REGEX
from bpe_studio.engine.presets import PATTERNS
from bpe_studio.engine.text.pretokenization import compile_split
from bpe_studio.errors import ConfigError, PatternError, SourceError, TokenizerFormatError
from bpe_studio.files.json_parts import parse_json
from bpe_studio.files.text.regular_files import open_regular

MAX_BYTES = 512 << 20
MAX_LINES = 2_000_000
MAX_PARTS = 8_000_000
"""The most commas and opening brackets of a JSON file.

A vocabulary of a million tokens and its merges have half as many.
"""
_BLOCK_BYTES = 1 << 24


def read_at_most(read: Callable[[int], bytes], n_bytes: int) -> bytes:
    """The first `n_bytes` bytes of a file, or all if it has fewer.

    It is read in blocks, as a single `read(n_bytes)` first takes memory for `n_bytes`.
    """
    blocks = []
    while n_bytes > 0 and (block := read(min(n_bytes, _BLOCK_BYTES))):
        blocks.append(block)
        n_bytes -= len(block)
    return b"".join(blocks)


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a tokenizer file.

    Raises:
        TokenizerFormatError: the file is missing, a folder, unreadable, empty or too large.
    """
    name = os.fspath(path)
    try:
        with open_regular(path) as stream:
            data = read_at_most(stream.read, MAX_BYTES + 1)
    except FileNotFoundError:
        raise TokenizerFormatError(
            f"{name} does not exist: check the name, or choose another tokenizer"
        ) from None
    except SourceError:
        if os.path.isdir(name):
            raise TokenizerFormatError(
                f"{name} is a folder: choose the tokenizer file in it"
            ) from None
        what = "is a pipe or a device, not a file"
        if "\0" in name:
            what = "cannot be the name of a file"
        raise TokenizerFormatError(f"{name!r} {what}: choose another") from None
    except OSError as error:
        raise TokenizerFormatError(
            f"{name} cannot be read ({error.strerror}): choose another tokenizer"
        ) from error
    if len(data) > MAX_BYTES:
        raise TokenizerFormatError(
            f"{name} is larger than {MAX_BYTES >> 20} MB, the limit for tokenizers: choose another"
            " file"
        )
    if not data:
        raise TokenizerFormatError(f"{name} is empty: save the tokenizer again, or choose another")
    return data


def contents(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a tokenizer file, decompressed if it is compressed by gzip.

    Raises:
        TokenizerFormatError: it cannot be read, is damaged, or is too large.
    """
    data = read_bytes(path)
    name = os.fspath(path)
    if data.startswith(b"\x1f\x8b"):
        data = _decompressed(data, name)
    if data.startswith(codecs.BOM_UTF8):
        raise TokenizerFormatError(
            f"{name} begins with a byte order mark, which libraries of tokenizers refuse: save it"
            " as UTF-8 without one"
        )
    return data


def _decompressed(data: bytes, name: str) -> bytes:
    import gzip
    import zlib

    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            data = read_at_most(stream.read, MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error):
        raise TokenizerFormatError(
            f"{name} is damaged, or has other data after its end: decompress it with gzip, or"
            " download it again"
        ) from None
    if len(data) > MAX_BYTES:
        raise TokenizerFormatError(
            f"{name} holds more than {MAX_BYTES >> 20} MB, the limit for tokenizers"
        )
    return data


def json_of(path: str | os.PathLike[str], *, allows_repeats: bool = False) -> Any:
    """The JSON of a tokenizer file, decompressed; for `allows_repeats` see `parse_json`.

    Raises:
        TokenizerFormatError: as `contents`, or it is not valid, or has more parts than any
            tokenizer.
    """
    return json_in(contents(path), path, allows_repeats=allows_repeats)


def json_in(data: bytes, path: str | os.PathLike[str], *, allows_repeats: bool = False) -> Any:
    """The JSON in the bytes of a tokenizer file; for `allows_repeats` see `parse_json`.

    Raises:
        TokenizerFormatError: it is not valid, or has more parts than any tokenizer.
    """
    n_parts = 0
    if len(data) > MAX_PARTS:
        n_parts = data.count(b",") + data.count(b"[") + data.count(b"{")
    if n_parts > MAX_PARTS:
        raise TokenizerFormatError(
            f"{os.fspath(path)} has about {n_parts:,} entries, and {MAX_PARTS:,} at most are read: "
            "no tokenizer has more"
        )
    return parse_json(data, os.fspath(path), allows_repeats=allows_repeats)


def lines_of(path: str | os.PathLike[str]) -> list[str]:
    """The lines of a tokenizer file, decompressed, without line breaks.

    Raises:
        TokenizerFormatError: as `contents`, or it is not UTF-8.
    """
    data = contents(path)
    n_lines = data.count(b"\n")
    if n_lines > MAX_LINES:
        raise TokenizerFormatError(
            f"{os.fspath(path)} has {n_lines:,} lines, and {MAX_LINES:,} at most are read: no"
            " tokenizer has more"
        )
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise TokenizerFormatError(
            f"{os.fspath(path)} is not UTF-8 at byte {error.start:,}: save or download the"
            " tokenizer again"
        ) from None
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


def pairs_of(lines: Sequence[str]) -> list[list[str]]:
    """The merges in the lines of a `merges.txt`.

    Raises:
        TokenizerFormatError: a line is not a pair.
    """
    head = 0
    if lines and ("#version" in lines[0] or lines[0].startswith('"bpe_simple_vocab')):
        head = 1
    pairs = []
    for place, line in enumerate(lines[head:], head + 1):
        if line:
            pair = line.split(" ")
            if len(pair) != 2 or not all(pair):
                raise TokenizerFormatError(
                    f"line {place:,} is not two tokens with a space between them"
                )
            pairs.append(pair)
    return pairs


@contextlib.contextmanager
def reading(path: str | os.PathLike[str], what: str) -> Iterator[None]:
    """Adds the file's name, and what it was read as, to the message of an error in it.

    Args:
        path: the file.
        what: the format, for a sentence.
    """
    name = os.fspath(path)
    try:
        yield
    except TokenizerFormatError as error:
        if str(error).startswith((name, repr(name))):
            raise
        raise TokenizerFormatError(
            f"{name} cannot be read as {what}: {error}; choose another tokenizer"
        ) from None


def check_token_lengths(names: Iterable[str]) -> None:
    """Makes sure that the tokens together are not longer than those of any real tokenizer.

    Raises:
        TokenizerFormatError: they are.
    """
    total = sum(map(len, names))
    if total > MAX_TOKEN_CHARACTERS:
        raise TokenizerFormatError(
            f"its tokens together have {total:,} characters, and {MAX_TOKEN_CHARACTERS:,} at most"
            " are read"
        )


def split_of_expression(pattern: str) -> str:
    """The split that an expression makes: a name or `regex:PATTERN`; `none` for an empty one.

    Raises:
        TokenizerFormatError: the expression cannot be used.
    """
    named = {text: name for name, text in reversed(PATTERNS.items()) if name != "sentencepiece"}
    if not pattern or pattern in named:
        return named.get(pattern, "none")
    split = REGEX + pattern
    try:
        compile_split(split)
    except PatternError as error:
        raise TokenizerFormatError(f"its split {pattern[:200]!r} cannot be used: {error}") from None
    return split


def config_as_read(**values: Any) -> TrainingConfig:
    """The options of a tokenizer that was read from a file, with neutral ones for training alone.

    Raises:
        TokenizerFormatError: the options contradict each other.
    """
    neutral = {
        "documents": "file",
        "min_frequency": 1,
        "ties": "huggingface",
        "unknown": None,
        "special": (),
    }
    preset: PresetName = "gpt2" if values["units"] == "bytes" else "textbook"
    try:
        return TrainingConfig.preset(preset, **{**neutral, **values})
    except ConfigError as error:
        raise TokenizerFormatError(f"its settings are not valid ({error})") from None
