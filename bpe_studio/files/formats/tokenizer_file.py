"""What every tokenizer format needs to read a file: its bytes or lines, plain errors, and options that fit."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.errors import ConfigError, TokenizerFormatError

MAX_BYTES = 512 << 20
HEAD_BYTES = 1 << 16


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """A tokenizer file's bytes.

    Raises:
        TokenizerFormatError: the file is missing, a folder, unreadable, empty or too large.
    """
    name = os.fspath(path)
    try:
        with open(path, "rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise TokenizerFormatError(f"{name} does not exist: check the name, or choose another tokenizer") from None
    except IsADirectoryError:
        raise TokenizerFormatError(f"{name} is a folder: choose the tokenizer file in it") from None
    except ValueError:
        raise TokenizerFormatError(f"{name!r} cannot be the name of a file: choose another") from None
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
    """A tokenizer file's lines, without their line breaks.

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


def head_of(path: str | os.PathLike[str]) -> bytes:
    """A file's first bytes; none where there is no file to read."""
    try:
        with open(path, "rb") as stream:
            return stream.read(HEAD_BYTES)
    except (OSError, ValueError):
        return b""


@contextlib.contextmanager
def reading(path: str | os.PathLike[str], what: str) -> Iterator[None]:
    """Puts the file's name, and what it was read as, before what was found wrong in it."""
    name = os.fspath(path)
    try:
        yield
    except TokenizerFormatError as error:
        if str(error).startswith((name, repr(name))):
            raise
        raise TokenizerFormatError(f"{name} cannot be read as {what}: {error}; choose another tokenizer") from None


def config_as_read(**values: Any) -> TrainingConfig:
    """Options that describe a tokenizer read from a file; those that only training uses are neutral.

    Raises:
        TokenizerFormatError: the options do not fit together.
    """
    name = "gpt2" if values["units"] == "bytes" else "textbook"
    neutral = {"documents": "file", "min_frequency": 1, "ties": "huggingface", "unknown": None, "special": ()}
    try:
        return TrainingConfig.preset(name, **{**neutral, **values})
    except ConfigError as error:
        raise TokenizerFormatError(f"its settings make no tokenizer here ({error})") from None
