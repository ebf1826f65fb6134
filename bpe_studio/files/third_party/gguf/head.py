"""The head of a GGUF file, the format of llama.cpp: keys with values.

The tensors behind it are never read. Each length is checked against the rest of the file before any
bytes are taken, and only the values about the tokenizer are kept.
"""

from __future__ import annotations

import os
from typing import IO, Any

import numpy as np

from bpe_studio.errors import SourceError, TokenizerFormatError
from bpe_studio.files.text.regular_files import open_regular

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_KEPT = ("tokenizer.ggml.", "tokenizer.chat_template", "general.name")
_NUMBERS = {
    0: "u1",
    1: "i1",
    2: "<u2",
    3: "<i2",
    4: "<u4",
    5: "<i4",
    6: "<f4",
    7: "?",
    10: "<u8",
    11: "<i8",
    12: "<f8",
}
"""The type of a number by its code, as numpy names it."""
_STRING = 8
_ARRAY = 9
_MOST_BYTES = 1 << 28
_MOST_ENTRIES = 5_000_000
"""The most keys and strings; a tokenizer of a million tokens has half as many."""


def head_of(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The keys about the tokenizer, with their values: numbers, texts and lists of these.

    Raises:
        TokenizerFormatError: the file cannot be read, is not a GGUF file, is cut short or too
            large, or has a text that is not UTF-8.
    """
    try:
        with open_regular(path) as stream:
            return _Head(stream).values()
    except (OSError, SourceError) as error:
        raise TokenizerFormatError(f"it cannot be read ({error})") from None


class _Head:
    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._n_left = min(os.fstat(stream.fileno()).st_size, _MOST_BYTES)
        self._n_entries = 0

    def values(self) -> dict[str, Any]:
        if self._take(len(_MAGIC)) != _MAGIC:
            raise TokenizerFormatError("it does not begin like one: decompress it first")
        version = self._number(4)
        if version not in _VERSIONS:
            raise TokenizerFormatError(
                f"it is of version {version:,} or of a big-endian computer; 2 and 3 are read"
            )
        # The number of tensors comes first.
        self._number(10)
        found: dict[str, Any] = {}
        for _ in range(self._counted(self._number(10))):
            key = self._text("utf-8")
            encoding = "utf-8" if key.startswith(_KEPT) else "latin-1"
            value = self._value(self._number(4), encoding)
            if key in found:
                raise TokenizerFormatError(f"it has the key {key[:60]!r} twice")
            if key.startswith(_KEPT):
                found[key] = value
        return found

    def _value(self, code: int, encoding: str) -> Any:
        if code == _STRING:
            return self._text(encoding)
        if code != _ARRAY:
            return self._numbers(code, 1)[0]
        inner = self._number(4)
        n = self._number(10)
        if inner == _ARRAY:
            raise TokenizerFormatError("it has a list of lists, which no tokenizer needs")
        if inner == _STRING:
            return [self._text(encoding) for _ in range(self._counted(n))]
        return self._numbers(inner, n)

    def _numbers(self, code: int, n: int) -> list[Any]:
        if code not in _NUMBERS:
            raise TokenizerFormatError(f"it has a value of the unknown type {code:,}")
        kind = np.dtype(_NUMBERS[code])
        found: list[Any] = np.frombuffer(self._take(n * kind.itemsize), kind).tolist()
        return found

    def _number(self, code: int) -> int:
        return int(self._numbers(code, 1)[0])

    def _text(self, encoding: str) -> str:
        n_bytes = int.from_bytes(self._take(8), "little")
        try:
            return self._take(n_bytes).decode(encoding)
        except UnicodeDecodeError as error:
            raise TokenizerFormatError(
                f"a text in it is not UTF-8: {error.object[:40]!r}"
            ) from None

    def _counted(self, n: int) -> int:
        self._n_entries += n
        if self._n_entries > _MOST_ENTRIES:
            raise TokenizerFormatError(
                f"it has {self._n_entries:,} texts, and {_MOST_ENTRIES:,} at most are read"
            )
        return n

    def _take(self, n_bytes: int) -> bytes:
        self._n_left -= n_bytes
        data = self._stream.read(n_bytes) if self._n_left >= 0 else b""
        if len(data) < n_bytes:
            raise TokenizerFormatError(
                "it is cut short, or a length in it is wrong: download it again"
            )
        return data
