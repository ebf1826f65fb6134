"""Unpacks gzip, bzip2, xz and Zstandard while they are read, with a limit on what a file may unpack
to.

Each is recognized by its first bytes. A stream can be read again from an earlier place: it is
unpacked again from the beginning then. gzip is unpacked by isal if it is installed, in a third of
the time.
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
from bpe_studio.files.extras import needed
from bpe_studio.files.text.byte_stream import ByteStream

GZIP = "gzip"
BZIP2 = "bzip2"
XZ = "xz"
ZSTANDARD = "Zstandard"
_ZSTANDARD_MAGIC = b"\x28\xb5\x2f\xfd"
_MAGIC = (
    (b"\x1f\x8b", GZIP),
    (b"BZh", BZIP2),
    (b"\xfd7zXZ\x00", XZ),
    (_ZSTANDARD_MAGIC, ZSTANDARD),
)
_ZSTANDARD_SKIPPED = tuple(bytes([byte]) + b"\x2a\x4d\x18" for byte in range(0x50, 0x60))
FREELY_UNPACKED_BYTES = 64 << 20
MAX_RATIO = 100
"""A file may unpack to this many bytes, or to this many times its own size if that is more.

Text unpacks to 20 times its size at most, and reading so much takes a second.
"""
MOST_LAYERS = 2
MOST_AT_ONCE = 64 << 20
"""The most bytes that are read at once, so that no claim of a size takes more memory."""
MOST_DICTIONARY_BYTES = 256 << 20
"""The most memory that a file of xz or Zstandard may ask for.

`xz -9` makes files that need 65 MB.
"""
PACKED_BYTES = 1 << 11
"""Bytes that are unpacked at once: two kilobytes of xz may become 14 MB, of Zstandard 64 MB."""


class TooLargeError(SourceError):
    """A file or an archive unpacks to more than is allowed."""


def packing_of(head: bytes) -> str:
    """The packing of a file, by its first bytes; "" for none."""
    if head.startswith(_ZSTANDARD_SKIPPED):
        return ZSTANDARD
    found = next((name for magic, name in _MAGIC if head.startswith(magic)), "")
    if found == BZIP2 and head[4:10] not in (b"1AY&SY", b"\x17\x72\x45\x38\x50\x90"):
        return ""
    return found


def unpacked(stream: IO[bytes], packing: str, name: str) -> IO[bytes]:
    """The unpacked bytes of a stream, which begins where it is now.

    Args:
        stream: the packed bytes, from the beginning.
        packing: the packing, as `packing_of` gives it.
        name: the name of the file in messages.

    Raises:
        SourceError: the package that unpacks it is not installed.
    """
    if packing == GZIP:
        return cast("IO[bytes]", _gzip().GzipFile(fileobj=stream, mode="rb"))
    if packing == BZIP2:
        return cast("IO[bytes]", bz2.BZ2File(stream))
    if packing == XZ:
        begin = partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, MOST_DICTIONARY_BYTES)
        return cast("IO[bytes]", io.BufferedReader(_Streams(stream, begin, b"\0"), 1 << 17))
    zstandard = needed("zstandard", f"{name} is packed with Zstandard")
    begin = zstandard.ZstdDecompressor(max_window_size=MOST_DICTIONARY_BYTES).decompressobj
    return cast("IO[bytes]", io.BufferedReader(_Streams(stream, begin), 1 << 17))


def _gzip() -> Any:
    try:
        return importlib.import_module("isal.igzip")
    except ImportError:
        return gzip


class _Streams(ByteStream):
    """The unpacked bytes of streams that follow each other in a file, which may be read again from
    the beginning.

    Args:
        stream: the file.
        begin: makes the object that unpacks the next stream.
        padding: the bytes that may be between streams.
    """

    def __init__(self, stream: IO[bytes], begin: Callable[[], Any], padding: bytes = b"") -> None:
        super().__init__()
        self._stream = stream
        self._begin = begin
        self._padding = padding
        self._unpacker: Any = None
        self._rest = memoryview(b"")
        self._packed = b""

    def _go_to(self, place: int) -> None:
        if place < self._place:
            self._stream.seek(0)
            self._unpacker = None
            self._rest = memoryview(b"")
            self._packed = b""
            self._place = 0
        while self._place < place and (data := self._next_bytes(place - self._place)):
            self._place += len(data)

    def _next_bytes(self, size: int) -> bytes:
        while not self._rest:
            if self._unpacker is not None and self._unpacker.eof:
                self._packed = self._unpacker.unused_data
                self._unpacker = None
            packed = self._packed or self._stream.read(PACKED_BYTES)
            self._packed = b""
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
        data = self._rest[:size]
        self._rest = self._rest[size:]
        return data.tobytes()


class Limited(ByteStream):
    """A stream that refuses to unpack to too much, and to be read in too large parts.

    Args:
        stream: the unpacked bytes.
        most: the most of them that are allowed.
        name: the name of the file in messages.
    """

    def __init__(self, stream: IO[bytes], most: int, name: str) -> None:
        super().__init__()
        self._stream = stream
        self._place = stream.tell()
        self._most = most
        self._name = name

    def read(self, size: int = -1) -> bytes:
        """The next `size` bytes; without a size, it refuses to read."""
        data = self._next_bytes(size)
        self._place += len(data)
        return data

    def close(self) -> None:
        """Closes the stream that it reads from, too."""
        self._stream.close()
        super().close()

    def _next_bytes(self, size: int) -> bytes:
        if size < 0 or size > MOST_AT_ONCE:
            raise SourceError(
                f"{self._name} claims to contain a part of {size:,} bytes: it is damaged"
            )
        data = self._stream.read(size)
        refuse_too_much(self._place + len(data), self._most, self._name)
        return data

    def _go_to(self, place: int) -> None:
        refuse_too_much(place, self._most, self._name)
        self._place = self._stream.seek(place)

    def _size_bytes(self) -> int:
        return self._stream.seek(0, io.SEEK_END)


def refuse_too_much(n_bytes: int, most: int, name: str) -> None:
    """Refuses a file that has been unpacked to more than is allowed.

    Raises:
        TooLargeError: it has.
    """
    if n_bytes > most:
        raise TooLargeError(
            f"{name} unpacks to more than {most >> 20:,} MB, {MAX_RATIO:,} times its own size:"
            " unpack it and use a part of it"
        )


def most_unpacked(size_bytes: int) -> int:
    """The most bytes that a file of a size may unpack to."""
    return max(FREELY_UNPACKED_BYTES, MAX_RATIO * size_bytes)


@contextlib.contextmanager
def unpacking_errors(name: str, packings: tuple[str, ...]) -> Iterator[None]:
    """Makes errors of unpacking one sentence."""
    try:
        yield
    except lzma.LZMAError as error:
        if "limit" not in str(error):
            raise _damaged(name, packings) from None
        raise _needs_memory(name, "with xz -9") from None
    except (gzip.BadGzipFile, EOFError, OverflowError, zlib.error):
        # OverflowError: isal has no room for a very long name.
        raise _damaged(name, packings) from None
    except OSError as error:
        if error.errno or BZIP2 not in packings:
            raise
        raise _damaged(name, packings) from None
    except Exception as error:
        if type(error).__name__ not in ("ZstdError", "IsalError"):
            raise
        if "memory" in str(error):
            raise _needs_memory(name, "without --long") from None
        raise _damaged(name, packings) from None


def _needs_memory(name: str, how: str) -> SourceError:
    return SourceError(
        f"{name} needs more than {MOST_DICTIONARY_BYTES >> 20} MB to be unpacked: unpack it, or"
        f" pack it again {how}"
    )


def _damaged(name: str, packings: tuple[str, ...]) -> SourceError:
    if packings[:1] == (GZIP,):  # isal cannot tell the two apart
        return SourceError(
            f"{name} is a damaged gzip file, or has other data after its end: unpack it with gzip,"
            " and open the result"
        )
    kind = packings[0] if packings else "packed"
    return SourceError(f"{name} is a damaged {kind} file: unpack it again from the original")
