"""The base of the streams of bytes that unpack, fetch or examine a file while it is read."""

from __future__ import annotations

import io
from typing import Any


class ByteStream(io.RawIOBase):
    """Bytes that are read from the beginning, or from any place to which the stream can go.

    A subclass gives the next bytes and its size, and goes to a place.
    """

    def __init__(self) -> None:
        self._place = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always; a place before the present one may take long."""
        return True

    def tell(self) -> int:
        """The place of the next byte."""
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Goes to a place, or as far as there is; returns the place."""
        if whence == io.SEEK_END:
            offset += self._size_bytes()
        elif whence == io.SEEK_CUR:
            offset += self._place
        self._go_to(offset)
        return self._place

    def read(self, size: int = -1) -> bytes:
        """At most `size` of the next bytes, or all; without the base class's copies."""
        if size < 0:
            return self.readall()
        data = self._next_bytes(size)
        self._place += len(data)
        return data

    def readinto(self, buffer: Any) -> int:
        """Fills a buffer with the next bytes; returns their number."""
        data = self._next_bytes(len(buffer))
        buffer[: len(data)] = data
        self._place += len(data)
        return len(data)

    def _next_bytes(self, size: int) -> bytes:
        """At most `size` bytes from `_place` on; none at the end."""
        raise NotImplementedError

    def _go_to(self, place: int) -> None:
        """Set `_place`, or as much of the way as there is."""
        self._place = place

    def _size_bytes(self) -> int:
        """The number of bytes from the beginning to the end.

        Raises:
            io.UnsupportedOperation: it is not known before all bytes are read.
        """
        raise io.UnsupportedOperation("the size is not known")
