"""Reads text files block by block: finds out their encoding, and reports what it had to guess.

Text is returned as it is in the file: no line break is translated and nothing is trimmed, except for a byte-order mark.
Invalid bytes in UTF-8 become lone surrogates (`surrogateescape`), so that none is lost. The engine splits and counts
the text. `encodings` judges the bytes and `decoding` turns them into text.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import stat
import sys
import tempfile
import weakref
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import IO, cast

from bpe_studio.errors import SourceError
from bpe_studio.files.text import encodings
from bpe_studio.files.text.decoding import BLOCK_BYTES, NAME_THE_ENCODING, SAMPLE_BYTES, Reader, not_text
from bpe_studio.files.text.regular_files import unreadable

_SPOOL_BYTES = 64 << 20
_NO_TEXT_CODECS = frozenset({"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"})


@dataclass(frozen=True)
class SourceText:
    """A whole text file in memory.

    Attributes:
        text: the text; invalid bytes are lone surrogates.
        encoding: the encoding that it was decoded with, by Python's name.
        notices: sentences for the user; usually none.
        size_bytes: the size of the stored text, decompressed.
    """

    text: str
    encoding: str
    notices: tuple[str, ...]
    size_bytes: int


@dataclass
class Source:
    """A text file whose first bytes have been examined, ready to be read in blocks.

    Attributes:
        path: as it was given; "-" is standard input.
        name: its name in messages and lists.
        encoding: the encoding as far as it is known; certain once all blocks are read.
        size_bytes: the size of the file; 0 if it is not known before reading.
        position_bytes: how many bytes have been read, out of `size_bytes` unless the file is compressed.
        notices: sentences for the user; complete once all blocks are read.
        opened: opens the file each time that it is read; None to open the path.
    """

    path: str
    name: str
    encoding: str
    size_bytes: int
    mark_bytes: int = 0
    is_chosen: bool = False
    is_packed: bool = False
    position_bytes: int = 0
    notices: list[str] = field(default_factory=list)
    guess: str = ""
    opened: Callable[[], IO[bytes]] | None = field(default=None, repr=False)
    spool: IO[bytes] | None = field(default=None, repr=False)
    rest: IO[bytes] | None = field(default=None, repr=False)

    def blocks(self) -> Iterator[str]:
        """The text in pieces of about a megabyte; never divided inside a character.

        It yields empty pieces while bytes are only examined, so that the caller can stop at any time.

        Raises:
            SourceError: as `contents`.
        """
        for content in self.contents():
            yield content.decode("utf-8", "surrogatepass")

    def contents(self) -> Iterator[bytes]:
        """The same pieces as UTF-8, faster for a UTF-8 file; lone surrogates as three bytes.

        It yields empty pieces while bytes are only examined, so that the caller can stop at any time.

        Raises:
            SourceError: the file cannot be read any more, is binary, or has bytes that are invalid in the encoding.
        """
        self.position_bytes = 0
        self.notices = [self.guess] if self.guess else []
        try:
            with self._open() as stream:
                yield from self._unspooled()
                stream.seek(self.mark_bytes)
                yield from Reader(self, stream).contents()
        except (gzip.BadGzipFile, EOFError, zlib.error):
            raise SourceError(f"{self.name} is a damaged gzip file: unpack it again from the original") from None
        except OSError as error:
            raise unreadable(self.name, error) from error

    @contextmanager
    def _open(self) -> Iterator[IO[bytes]]:
        if self.spool is not None:
            yield self.spool  # which stays open, so that a pipe's text can be read again
            return
        with self.opened() if self.opened is not None else open(self.path, "rb") as stream:
            if not self.is_packed:
                yield stream
                return
            with gzip.GzipFile(fileobj=stream) as unpacked:
                yield cast("IO[bytes]", unpacked)

    def _unspooled(self) -> Iterator[bytes]:
        """Moves the rest of a pipe into the spool."""
        if self.spool is None or self.rest is None:
            return
        self.spool.seek(0, io.SEEK_END)
        while data := self.rest.read(BLOCK_BYTES):
            self.spool.write(data)
            yield b""
        if self.rest is not getattr(sys.stdin, "buffer", None):
            self.rest.close()
        self.rest = None
        self.size_bytes = self.spool.tell()


def read_text(path: str | os.PathLike[str], encoding: str | None = None) -> SourceText:
    """A whole text file.

    Args:
        path: the file; "-" is standard input.
        encoding: its encoding by name; None to detect it.

    Raises:
        SourceError: the file cannot be read, is empty or binary, or is not in that encoding.
    """
    source = open_source(path, encoding)
    text = "".join(source.blocks())
    return SourceText(text, source.encoding, tuple(source.notices), source.position_bytes)


def open_source(
    path: str | os.PathLike[str], encoding: str | None = None, opened: Callable[[], IO[bytes]] | None = None
) -> Source:
    """Examines the first bytes of a text file, and makes it ready to be read in blocks.

    Args:
        path: the file; "-" is standard input.
        encoding: its encoding by name; None to detect it.
        opened: opens the file each time that it is read; None to open the path, which may be a pipe.

    Raises:
        SourceError: the file is missing, a folder, unreadable, empty or binary, or there is no such encoding.
    """
    path = os.fspath(path)
    chosen = "" if encoding is None else encoding_named(encoding)
    try:
        if path == "-":
            source, head = _from_pipe("standard input", path, standard_input())
        else:
            source, head = _from_path(path, opened)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise SourceError(f"{path} is a damaged gzip file: unpack it again from the original") from None
    except OSError as error:
        raise unreadable(path, error) from error
    if not head:
        raise SourceError(f"{source.name} is empty: choose a file that holds text")
    source.is_chosen = bool(chosen)
    if chosen:
        source.encoding = chosen
    else:
        _find_encoding(source, head)
        if len(head) == source.mark_bytes:
            raise SourceError(f"{source.name} is empty but for a byte-order mark: choose a file that holds text")
    return source


def encoding_named(name: str) -> str:
    """Python's name of a text encoding.

    Raises:
        SourceError: there is no text encoding of that name.

    >>> encoding_named("Windows-1252")
    'cp1252'
    """
    try:
        info = codecs.lookup(name.strip())
    except (LookupError, ValueError):
        info = None
    if info is None or not getattr(info, "_is_text_encoding", True) or info.name in _NO_TEXT_CODECS:
        raise SourceError(f"There is no text encoding {name!r}: choose one such as utf-8, utf-16, cp1252 or gb18030")
    return info.name


def _from_path(path: str, opened: Callable[[], IO[bytes]] | None) -> tuple[Source, bytes]:
    if opened is None:
        try:
            status = os.stat(path)
        except ValueError:
            raise SourceError(f"{path!r} cannot be the name of a file: choose another") from None
        if stat.S_ISDIR(status.st_mode):
            raise SourceError(f"{path} is a folder: choose the text files in it")
        if not stat.S_ISREG(status.st_mode):
            return _from_pipe(path, path, open(path, "rb"))
        opened = partial(cast("Callable[[str, str], IO[bytes]]", open), path, "rb")
    with opened() as stream:
        source = Source(path, os.path.basename(path), "utf-8", _size_bytes(stream), opened=opened)
        head = stream.read(SAMPLE_BYTES)
        if head.startswith(encodings.GZIP_MAGIC):
            source.is_packed = True
            stream.seek(0)
            with gzip.GzipFile(fileobj=stream) as unpacked:
                head = unpacked.read(SAMPLE_BYTES)
    return source, head


def _size_bytes(stream: IO[bytes]) -> int:
    """The size of an open file; 0 for a part of an archive, which is in no file of its own."""
    try:
        return os.fstat(stream.fileno()).st_size
    except io.UnsupportedOperation:
        return 0


def _from_pipe(name: str, path: str, pipe: IO[bytes]) -> tuple[Source, bytes]:
    """A source that cannot be read twice: its bytes are stored, in memory while they are few."""
    head = pipe.read(SAMPLE_BYTES)
    source = Source(path, name, "utf-8", 0, rest=pipe)
    source.spool = cast("IO[bytes]", tempfile.SpooledTemporaryFile(max_size=_SPOOL_BYTES))  # noqa: SIM115
    source.spool.write(head)
    weakref.finalize(source, source.spool.close)
    return source, head


def standard_input() -> IO[bytes]:
    """Standard input as bytes.

    Raises:
        SourceError: it is closed.
    """
    if sys.stdin is None:
        raise SourceError("There is no standard input to read from: give a file instead of -")
    buffer = getattr(sys.stdin, "buffer", None)
    if buffer is None:
        return io.BytesIO(sys.stdin.read().encode())
    try:
        # A stream of its own: a thread that still waits for Python's own one would crash the process as it ends.
        return open(buffer.fileno(), "rb", closefd=False)
    except OSError:
        return cast("IO[bytes]", buffer)


def _find_encoding(source: Source, head: bytes) -> None:
    """Settles what the first bytes can settle: a mark, UTF-16 without a mark, or a binary file."""
    marked, source.mark_bytes = encodings.mark_of(head)
    if marked:
        source.encoding = marked
        return
    magic = encodings.magic_name(head)
    if magic:
        raise SourceError(f"{source.name} is {magic}, not text: choose a plain text file, or export its text first")
    wide = encodings.wide_encoding(head)
    if wide:
        source.encoding = wide
        source.guess = (
            f"{source.name} has no byte-order mark and was read as {encodings.nice_name(wide)}; {NAME_THE_ENCODING}."
        )
    elif encodings.looks_binary(head, is_utf8=encodings.is_utf8_so_far(head)):
        raise not_text(source.name)
