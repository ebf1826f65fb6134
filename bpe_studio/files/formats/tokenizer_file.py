"""What every tokenizer format needs to read a file: its bytes or lines, plain errors, and valid options."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from bpe_studio.engine.config import MAX_TOKEN_CHARACTERS, TrainingConfig
from bpe_studio.errors import ConfigError, SourceError, TokenizerFormatError
from bpe_studio.files.text.regular_files import open_regular

MAX_BYTES = 512 << 20
HEAD_BYTES = 1 << 16
_BLOCK_BYTES = 1 << 24


def read_at_most(read: Callable[[int], bytes], n_bytes: int) -> bytes:
    """So many bytes of a file, or all if it has fewer: its own `read(n_bytes)` first takes memory for `n_bytes`."""
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
        raise TokenizerFormatError(f"{name} does not exist: check the name, or choose another tokenizer") from None
    except SourceError:
        if os.path.isdir(name):
            raise TokenizerFormatError(f"{name} is a folder: choose the tokenizer file in it") from None
        what = "cannot be the name of a file" if "\0" in name else "is a pipe or a device, not a file"
        raise TokenizerFormatError(f"{name!r} {what}: choose another") from None
    except OSError as error:
        raise TokenizerFormatError(f"{name} cannot be read ({error.strerror}): choose another tokenizer") from error
    if len(data) > MAX_BYTES:
        raise TokenizerFormatError(
            f"{name} is larger than {MAX_BYTES >> 20} MB, which no tokenizer is: choose another file"
        )
    if not data:
        raise TokenizerFormatError(f"{name} is empty: save the tokenizer again, or choose another")
    return data


def read_lines(path: str | os.PathLike[str]) -> list[str]:
    """The lines of a tokenizer file, without line breaks.

    Raises:
        TokenizerFormatError: as `read_bytes`, or the file is not UTF-8.
    """
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TokenizerFormatError(
            f"{os.fspath(path)} is not UTF-8 at byte {error.start:,}: save or download the tokenizer again"
        ) from None
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


@contextlib.contextmanager
def reading(path: str | os.PathLike[str], what: str) -> Iterator[None]:
    """Adds the file's name, and what it was read as, to the message of an error that was found in it."""
    name = os.fspath(path)
    try:
        yield
    except TokenizerFormatError as error:
        if str(error).startswith((name, repr(name))):
            raise
        raise TokenizerFormatError(f"{name} cannot be read as {what}: {error}; choose another tokenizer") from None


def check_token_lengths(names: Iterable[str]) -> None:
    """Makes sure that the tokens together are no longer than those of any tokenizer.

    Raises:
        TokenizerFormatError: they are.
    """
    total = sum(map(len, names))
    if total > MAX_TOKEN_CHARACTERS:
        raise TokenizerFormatError(
            f"its tokens together have {total:,} characters, and {MAX_TOKEN_CHARACTERS:,} at most are read"
        )


def config_as_read(**values: Any) -> TrainingConfig:
    """The options of a tokenizer that was read from a file; those that only training uses are neutral.

    Raises:
        TokenizerFormatError: the options contradict each other.
    """
    name = "gpt2" if values["units"] == "bytes" else "textbook"
    neutral = {"documents": "file", "min_frequency": 1, "ties": "huggingface", "unknown": None, "special": ()}
    try:
        return TrainingConfig.preset(name, **{**neutral, **values})
    except ConfigError as error:
        raise TokenizerFormatError(f"its settings are not valid ({error})") from None
