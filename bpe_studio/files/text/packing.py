"""Unpacks gzip, bzip2, xz and Zstandard while they are read, with a limit on what a file may unpack to.

Each is recognized by its first bytes. A stream can be read again from an earlier place: it is unpacked again from the
beginning then. What gzip and zip have packed is unpacked by isal if it is installed, and otherwise by zlib.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import importlib
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import IO, Any, cast

from bpe_studio.errors import SourceError
from bpe_studio.files.records.arrow_tables import needed
from bpe_studio.files.text.byte_stream import ByteStream

GZIP, BZIP2, XZ, ZSTANDARD = "gzip", "bzip2", "xz", "Zstandard"
_ZSTANDARD_MAGIC = b"\x28\xb5\x2f\xfd"
_MAGIC = ((b"\x1f\x8b", GZIP), (b"BZh", BZIP2), (b"\xfd7zXZ\x00", XZ), (_ZSTANDARD_MAGIC, ZSTANDARD))
_ZSTANDARD_SKIPPED = tuple(bytes([byte]) + b"\x2a\x4d\x18" for byte in range(0x50, 0x60))
FREELY_UNPACKED_BYTES, MAX_RATIO = 4 << 30, 200
"""A file may unpack to this many bytes, or to this many times its own size if that is more."""
MOST_LAYERS = 2
MOST_AT_ONCE = 64 << 20
"""The most bytes that are read at once, so that no claim of a size takes more memory."""
MOST_DICTIONARY_BYTES = 256 << 20
"""The most memory that a file of xz or Zstandard may ask for; `xz -9` makes files that need 65 MB."""
PACKED_BYTES = 1 << 11
"""How much is unpacked at once: four bytes of Zstandard may become 128 KB, a kilobyte of xz 7 MB."""
_InParts = Callable[[IO[bytes]], Iterator[bytes]]


class TooLargeError(SourceError):
    """A file or an archive unpacks to more than is allowed."""


def packing_of(head: bytes) -> str:
    """How a file is packed, by its first bytes; "" for not at all."""
    if head.startswith(_ZSTANDARD_SKIPPED):
        return ZSTANDARD
    found = next((name for magic, name in _MAGIC if head.startswith(magic)), "")
    return "" if found == BZIP2 and head[4:10] not in (b"1AY&SY", b"\x17\x72\x45\x38\x50\x90") else found


def unpacked(stream: IO[bytes], packing: str, name: str) -> IO[bytes]:
    """The unpacked bytes of a stream, which begins where it is now.

    Args:
        stream: the packed bytes, from the beginning.
        packing: what `packing_of` says.
        name: the name of the file in messages.

    Raises:
        SourceError: what unpacks it is not installed.
    """
    if packing == GZIP:
        return cast("IO[bytes]", (isal("igzip") or gzip).GzipFile(fileobj=stream, mode="rb"))
    if packing == BZIP2:
        return cast("IO[bytes]", bz2.BZ2File(stream))
    if packing == XZ:
        begin = partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, MOST_DICTIONARY_BYTES)
        return cast("IO[bytes]", io.BufferedReader(_Streams(stream, begin, _small_parts, b"\0"), 1 << 17))
    zstandard = needed("zstandard", f"{name} is packed with Zstandard")
    begin = zstandard.ZstdDecompressor(max_window_size=MOST_DICTIONARY_BYTES).decompressobj
    return cast("IO[bytes]", io.BufferedReader(_Streams(stream, begin, _zstandard_blocks), 1 << 17))


def _small_parts(stream: IO[bytes]) -> Iterator[bytes]:
    """What is packed, in parts that hardly become more than some megabytes."""
    return iter(partial(stream.read, PACKED_BYTES), b"")


def _zstandard_blocks(stream: IO[bytes]) -> Iterator[bytes]:
    """The same of Zstandard, a block at a time, each of which becomes 128 KB at the most (RFC 8878, section 3.1.1).

    A stream of small blocks is read in small parts, and so is what is no stream; the library judges both.
    """
    head = stream.read(5)
    while len(head) == 5 and head.startswith(_ZSTANDARD_MAGIC):
        flags = head[4]
        head += stream.read((not flags & 32) + (0, 1, 2, 4)[flags & 3] + (flags >> 5 & 1, 2, 4, 8)[flags >> 6])
        is_last = False
        while not is_last:
            block = stream.read(3)
            fields = int.from_bytes(block, "little")
            is_last, is_repeated, size = bool(fields & 1), fields >> 1 & 3 == 1, fields >> 3
            yield head + block + stream.read(1 if is_repeated else size)
            head = b""
            if size < PACKED_BYTES and not is_last:
                yield from _small_parts(stream)
                return
        if flags & 4:
            yield stream.read(4)
        head = stream.read(5)
    yield head
    yield from _small_parts(stream)


def isal(module: str) -> Any:
    """A module of isal, used as that of the standard library but three times as fast; None if it is not installed."""
    try:
        return importlib.import_module(f"isal.{module}")
    except ImportError:
        return None


class _Streams(ByteStream):
    """The unpacked bytes of streams that follow each other in a file, which may be read again from the beginning.

    Args:
        stream: the file.
        begin: makes what unpacks the next stream.
        in_parts: divides the file into what is unpacked at once.
        padding: the bytes that may be between streams.
    """

    def __init__(self, stream: IO[bytes], begin: Callable[[], Any], in_parts: _InParts, padding: bytes = b"") -> None:
        super().__init__()
        self._stream = stream
        self._begin = begin
        self._in_parts = in_parts
        self._parts = in_parts(stream)
        self._padding = padding
        self._unpacker: Any = None
        self._rest = memoryview(b"")
        self._packed = b""

    def _go_to(self, place: int) -> None:
        if place < self._place:
            self._stream.seek(0)
            self._parts = self._in_parts(self._stream)
            self._unpacker, self._rest, self._packed, self._place = None, memoryview(b""), b"", 0
        while self._place < place and (data := self._next_bytes(place - self._place)):
            self._place += len(data)

    def _next_bytes(self, size: int) -> bytes:
        while not self._rest:
            if self._unpacker is not None and self._unpacker.eof:
                self._packed = self._unpacker.unused_data
                self._unpacker = None
            packed, self._packed = self._packed or next(self._parts, b""), b""
            if not packed:
                if self._unpacker is not None:
                    raise EOFError
                return b""
            if self._unpacker is None:
                packed = packed.lstrip(self._padding)
                if not packed:
                    continue
                self._unpacker = self._begin()
            self._rest = memoryview(self._unpacker.decompress(packed))
        data, self._rest = self._rest[:size], self._rest[size:]
        return data.tobytes()


def limited(stream: IO[bytes], most: int, name: str) -> IO[bytes]:
    """A stream that refuses to unpack to too much, and to be read in too large parts.

    Args:
        stream: the unpacked bytes.
        most: how many of them are allowed.
        name: the name of the file in messages.
    """
    return cast("IO[bytes]", _Limited(stream, most, name))


class _Limited(ByteStream):
    def __init__(self, stream: IO[bytes], most: int, name: str) -> None:
        super().__init__()
        self._stream, self._place = stream, stream.tell()
        self._most = most
        self._name = name

    def read(self, size: int = -1) -> bytes:
        data = self._next_bytes(size)
        self._place += len(data)
        return data

    def close(self) -> None:
        self._stream.close()
        super().close()

    def _next_bytes(self, size: int) -> bytes:
        if size < 0 or size > MOST_AT_ONCE:
            raise SourceError(f"{self._name} claims to hold a part of {size:,} bytes: it is damaged")
        data = self._stream.read(size)
        self._checked(self._place + len(data))
        return data

    def _go_to(self, place: int) -> None:
        while self._place + MOST_AT_ONCE < place:
            self._place = self._checked(self._stream.seek(self._place + MOST_AT_ONCE))
        self._place = self._checked(self._stream.seek(place))

    def _size_bytes(self) -> int:
        return self._stream.seek(0, io.SEEK_END)

    def _checked(self, place: int) -> int:
        if place > self._most:
            raise TooLargeError(
                f"{self._name} unpacks to more than {self._most >> 30} GB, {MAX_RATIO:,} times its own size: unpack it "
                "and use a part of it"
            )
        return place


def most_unpacked(size_bytes: int) -> int:
    """How many bytes a file of a size may unpack to."""
    return max(FREELY_UNPACKED_BYTES, MAX_RATIO * size_bytes)


@contextlib.contextmanager
def unpacking_errors(name: str, packings: tuple[str, ...]) -> Iterator[None]:
    """Makes errors of unpacking one sentence."""
    try:
        yield
    except lzma.LZMAError as error:
        if "limit" not in str(error):
            raise _damaged(name, packings) from None
        raise needs_memory(name, "with xz -9") from None
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise _damaged(name, packings) from None
    except OSError as error:
        if error.errno or BZIP2 not in packings:
            raise
        raise _damaged(name, packings) from None
    except Exception as error:
        if type(error).__name__ not in ("ZstdError", "IsalError"):
            raise
        if "memory" in str(error):
            raise needs_memory(name, "without --long") from None
        raise _damaged(name, packings) from None


def needs_memory(name: str, how: str) -> SourceError:
    """The error for a file that asks for too much memory.

    Args:
        name: the name of the file.
        how: how it can be packed again, as a phrase.
    """
    return SourceError(
        f"{name} needs more than {MOST_DICTIONARY_BYTES >> 20} MB to be unpacked: unpack it, or pack it again {how}"
    )


def _damaged(name: str, packings: tuple[str, ...]) -> SourceError:
    return SourceError(
        f"{name} is a damaged {packings[0] if packings else 'packed'} file: unpack it again from the original"
    )
