"""The part of the protocol-buffer wire format that a SentencePiece model needs.

A message is a sequence of fields: a number, a wire type and a value. Unknown fields are skipped, as
the format requires.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from bpe_studio.errors import TokenizerFormatError

VARINT = 0
FIXED64 = 1
BYTES = 2
FIXED32 = 5
Value = int | bytes


def fields(data: bytes) -> Iterator[tuple[int, Value]]:
    """The fields of a message as (number, value), in order; values of fixed size are bytes.

    Raises:
        TokenizerFormatError: the data is cut short or is not a message.
    """
    place = 0
    while place < len(data):
        key = data[place]
        if key < 128:
            place += 1
        else:
            key, place = _varint(data, place)
        number = key >> 3
        kind = key & 7
        if kind == VARINT:
            value: Value
            value, place = _varint(data, place)
        elif kind in (FIXED64, FIXED32, BYTES):
            size = 8 if kind == FIXED64 else 4
            if kind == BYTES:
                size, place = _varint(data, place)
            value = data[place : place + size]
            place += size
            if place > len(data):
                raise TokenizerFormatError("it is cut short")
        else:
            raise TokenizerFormatError(
                f"it contains the wire type {kind}, more than the format allows"
            )
        if number == 0:
            raise TokenizerFormatError("it contains a field without a number")
        yield number, value


def as_bytes(value: Value) -> bytes:
    """The value of a field that holds a text, a message or bytes.

    Raises:
        TokenizerFormatError: it is a number.
    """
    if not isinstance(value, bytes):
        raise TokenizerFormatError("it contains a number instead of text")
    return value


def as_text(value: Value) -> str:
    """The value of a field that holds a text.

    Raises:
        TokenizerFormatError: it is a number, or not UTF-8.
    """
    try:
        return as_bytes(value).decode("utf-8")
    except UnicodeDecodeError:
        raise TokenizerFormatError("it contains text that is not UTF-8") from None


def as_int(value: Value) -> int:
    """The value of a field that holds a whole number; negative numbers are in two's complement.

    Raises:
        TokenizerFormatError: it is a text.
    """
    if not isinstance(value, int):
        raise TokenizerFormatError("it contains text instead of a number")
    return value - (1 << 64) if value >= 1 << 63 else value


def as_float(value: Value) -> float:
    """The value of a field that holds a single-precision number.

    Raises:
        TokenizerFormatError: it is of another type.
    """
    if not isinstance(value, bytes) or len(value) != 4:
        raise TokenizerFormatError("it contains a score that is not a number")
    return float(struct.unpack("<f", value)[0])


def field(number: int, value: int | float | str | bytes) -> bytes:
    """The bytes of a field; a `float` is written in single precision."""
    if isinstance(value, float):
        return _coded(number << 3 | FIXED32) + struct.pack("<f", value)
    if isinstance(value, int):
        return _coded(number << 3 | VARINT) + _coded(value & (1 << 64) - 1)
    content = value.encode("utf-8") if isinstance(value, str) else value
    return _coded(number << 3 | BYTES) + _coded(len(content)) + content


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = 0
    shift = 0
    while True:
        if place >= len(data) or shift > 63:
            raise TokenizerFormatError("it is cut short or not a model")
        byte = data[place]
        place += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value & (1 << 64) - 1, place


def _coded(value: int) -> bytes:
    coded = bytearray()
    while value > 127:
        coded.append(value & 127 | 128)
        value >>= 7
    coded.append(value)
    return bytes(coded)
