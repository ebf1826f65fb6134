"""Reads the files in a zip or tar archive one after the other; nothing is extracted to the disk under a name.

An archive is not trusted: the names of its files are shown and never opened, sizes and numbers are limits to check, and
what it unpacks to is bounded.
"""

from __future__ import annotations

import bz2
import contextlib
import io
import lzma
import os
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, Any, cast

from bpe_studio.errors import SourceError
from bpe_studio.files.text.byte_stream import ByteStream
from bpe_studio.files.text.packing import MOST_DICTIONARY_BYTES, PACKED_BYTES, isal, needs_memory

ZIP, TAR = "a zip archive", "a tar archive"
MAX_DIRECTORY_BYTES = 32 << 20
"""How long the list of the files of a zip may be, which is read whole: some 300,000 files."""
_IN_MEMORY_BYTES = 64 << 20
_HEAD_BYTES = 1 << 20
_LZMA_HEAD_BYTES = 9
"""What LZMA in a zip begins with: a version, the size of its properties, a byte of them, the size of the dictionary."""
_WAITING = bytes(PACKED_BYTES)
"""Stands for packed bytes that were read and not unpacked, so that the module reads no others."""
_USTAR = b"ustar\0", b"ustar  \0"
_END, _END_64, _LOCATOR_64 = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
_DOCUMENT_PARTS = ("[Content_Types].xml", "mimetype", "META-INF/MANIFEST.MF", "META-INF/container.xml")


def archive_kind(head: bytes) -> str:
    """The kind of an archive, by its first bytes; "" for none."""
    if head.startswith((b"PK\x03\x04", _END)):
        return ZIP
    if head.startswith(_USTAR, 257):  # with its NUL: "mustard" may stand there too
        return TAR
    return TAR if len(head) >= 512 and head[0] and _has_tar_checksum(head[:512]) else ""


def archive_members(
    stream: IO[bytes], kind: str, name: str, part: range | None = None
) -> Iterator[tuple[str, IO[bytes]]]:
    """The files of an archive in their order: the name of each, and its bytes, to be read before the next is asked for.

    Args:
        stream: the archive; a zip is read at any place of it.
        kind: `ZIP` or `TAR`.
        name: the name of the archive in messages.
        part: which files of a zip are wanted; None for all.

    Raises:
        SourceError: the archive is encrypted, has too many files, or is a document of an office program.
        Exception: it is damaged; read it in `archive_errors`, which makes that one sentence.
    """
    return _zip_members(stream, name, part) if kind == ZIP else _tar_members(stream)


def is_left_out(path: str) -> bool:
    """Whether a file of a folder or an archive is hidden, or is a list of files that the system made.

    >>> is_left_out("texts/.git/config"), is_left_out("__MACOSX/a.txt"), is_left_out("../a.txt")
    (True, True, False)
    """
    parts = path.replace("\\", "/").split("/")
    return any((part.startswith(".") and part not in (".", "..")) or part == "__MACOSX" for part in parts)


def sizes_in_zip(stream: IO[bytes], name: str) -> list[int]:
    """The sizes of the files in a zip as they are packed, also of those that are not read.

    Raises:
        SourceError: as `archive_members`.
    """
    with _opened_zip(stream, name) as archive:
        return [info.compress_size for info in archive.infolist()]


def _opened_zip(stream: IO[bytes], name: str) -> zipfile.ZipFile:
    size = _directory_bytes(stream)
    if size > MAX_DIRECTORY_BYTES:
        raise SourceError(
            f"{name} has too many files (their list takes {size >> 20:,} MB, and {MAX_DIRECTORY_BYTES >> 20} MB are "
            "read): unpack it, and open the folder"
        )
    return zipfile.ZipFile(stream)


def _zip_members(stream: IO[bytes], name: str, part: range | None) -> Iterator[tuple[str, IO[bytes]]]:
    with _opened_zip(stream, name) as archive:
        infos = archive.infolist()
        if any(info.filename in _DOCUMENT_PARTS for info in infos[:100]):
            raise SourceError(
                f"{name} is a document or a program, not text: choose a plain text file, or export its text"
            )
        for info in infos if part is None else infos[part.start : part.stop]:
            if info.is_dir() or is_left_out(info.filename):
                continue
            if info.flag_bits & 1:
                raise SourceError(f"{name} is encrypted: unpack it with its password, and open the files")
            with _opened_member(archive, info, name) as member:
                yield info.filename, cast("IO[bytes]", _WithHead(member))


def _opened_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> IO[bytes]:
    """A file in a zip, unpacked faster if it can be, and never much more of it at once than is asked for."""
    if info.compress_type in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        return cast("IO[bytes]", _InParts(archive, info, name))
    member: Any = archive.open(info)
    if info.compress_type == zipfile.ZIP_DEFLATED and (faster := isal("isal_zlib")) is not None:
        member._decompressor = faster.decompressobj(-zlib.MAX_WBITS)
    return cast("IO[bytes]", member)


def _tar_members(stream: IO[bytes]) -> Iterator[tuple[str, IO[bytes]]]:
    with tarfile.open(fileobj=stream, mode="r:") as archive:
        while (info := archive.next()) is not None:
            # The list of all files would grow with the archive.
            archive.members = []  # type: ignore[attr-defined]
            if not info.isreg() or is_left_out(info.name):
                continue
            member = archive.extractfile(info)
            if member is None:
                continue
            if info.size <= _IN_MEMORY_BYTES:
                # To go back in a packed archive is to unpack it again from the beginning.
                with io.BytesIO(member.read()) as content:
                    if content.getbuffer().nbytes != info.size:
                        raise tarfile.ReadError("unexpected end of data")
                    yield info.name, content
            else:
                yield info.name, cast("IO[bytes]", _WithHead(member))
        # The module takes a damaged header for the end.
        stream.seek(archive.offset)
        if stream.read(tarfile.BLOCKSIZE).strip(b"\0"):
            raise tarfile.ReadError("damaged header")


class _InParts(ByteStream):
    """A file in a zip of which the module reads as many packed bytes at once as bytes are asked for: only few are."""

    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> None:
        super().__init__()
        self._archive, self._info, self._name = archive, info, name
        self._member = self._opened()

    def close(self) -> None:
        self._member.close()
        super().close()

    def _opened(self) -> Any:
        member: Any = self._archive.open(self._info)
        # Of zlib alone the module asks for no more than it needs.
        member._decompressor = _AsZlib(self._info.compress_type, self._name)
        member._compress_type, member.MIN_READ_SIZE = zipfile.ZIP_DEFLATED, PACKED_BYTES
        return member

    def _next_bytes(self, size: int) -> bytes:
        parts, n_left = list[bytes](), size
        while n_left and (data := self._member.read(min(n_left, PACKED_BYTES))):
            parts.append(data)
            n_left -= len(data)
        return b"".join(parts)

    def _go_to(self, place: int) -> None:
        if place < self._place:
            self._member.close()
            self._member, self._place = self._opened(), 0
        while self._place < place and (data := self._next_bytes(min(1 << 20, place - self._place))):
            self._place += len(data)


class _AsZlib:
    """Unpacks bzip2 or LZMA of a zip with the interface of zlib: two kilobytes may become two gigabytes.

    Args:
        method: how it is packed, as a zip says it.
        name: the name of the zip in messages.

    Attributes:
        unconsumed_tail: what stands for packed bytes that were read and not unpacked, so that no others are read.
    """

    def __init__(self, method: int, name: str) -> None:
        self._name = name
        self._unpacker: Any = None if method == zipfile.ZIP_LZMA else bz2.BZ2Decompressor()
        self._head = b""
        self.unconsumed_tail = b""

    @property
    def eof(self) -> bool:
        """Whether its end has been reached."""
        return self._unpacker is not None and self._unpacker.eof

    def decompress(self, data: bytes, most: int) -> bytes:
        """At most so many of the next unpacked bytes; `data` is `unconsumed_tail`, or what follows."""
        if self._unpacker is None:
            self._head += data
            if len(self._head) < _LZMA_HEAD_BYTES:
                return b""
            self._unpacker, data = self._lzma(self._head), self._head[_LZMA_HEAD_BYTES:]
        try:
            unpacked: bytes = self._unpacker.decompress(b"" if data is _WAITING else data, most)
        except OSError as error:
            raise zipfile.BadZipFile(str(error)) from None
        self.unconsumed_tail = b"" if self._unpacker.needs_input or self._unpacker.eof else _WAITING
        return unpacked

    def flush(self) -> bytes:
        """Nothing is left at the end."""
        return b""

    def _lzma(self, head: bytes) -> lzma.LZMADecompressor:
        properties, n_bytes = head[4], int.from_bytes(head[5:_LZMA_HEAD_BYTES], "little")
        if n_bytes > MOST_DICTIONARY_BYTES:
            raise needs_memory(self._name, "in another way")
        pb, lp = divmod(properties // 9, 5)
        about = {"id": lzma.FILTER_LZMA1, "dict_size": n_bytes, "lc": properties % 9, "lp": lp, "pb": pb}
        return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[about])


class _WithHead(ByteStream):
    """A file in an archive, whose beginning is kept, so that it is examined without going back."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__()
        self._stream = stream
        self._head = stream.read(_HEAD_BYTES)

    def _next_bytes(self, size: int) -> bytes:
        if self._place < len(self._head):
            return self._head[self._place : self._place + size]
        if self._stream.tell() != self._place:
            self._stream.seek(self._place)
        return self._stream.read(size)

    def _size_bytes(self) -> int:
        return self._stream.seek(0, io.SEEK_END)


def spooled(stream: IO[bytes]) -> IO[bytes]:
    """A copy of a stream that can be read at any place, in memory while it is small."""
    spool = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES)  # noqa: SIM115
    while data := stream.read(1 << 20):
        spool.write(data)
    spool.seek(0)
    return cast("IO[bytes]", spool)


def _directory_bytes(stream: IO[bytes]) -> int:
    """The size of the list of files at the end of a zip; 0 if there is none, which reading it reports."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - (1 << 16) - 22 - 20))
    tail = stream.read(1 << 17)
    stream.seek(0)
    place = tail.rfind(_END)
    if place < 0 or len(tail) < place + 22:
        return 0
    (found,) = struct.unpack_from("<L", tail, place + 12)
    if found == 0xFFFFFFFF and place >= 20 and tail[place - 20 : place - 16] == _LOCATOR_64:
        (where,) = struct.unpack_from("<Q", tail, place - 12)
        if where < size:
            stream.seek(where)
            record = stream.read(56)
            stream.seek(0)
            if record.startswith(_END_64) and len(record) == 56:
                (found,) = struct.unpack_from("<Q", record, 40)
    return int(found)


def _has_tar_checksum(block: bytes) -> bool:
    """Whether a block has the checksum of a tar header; old archives have no other mark."""
    try:
        stated = int(block[148:156].strip(b" \0") or b"x", 8)
    except ValueError:
        return False
    return stated == sum(block[:148]) + 8 * 32 + sum(block[156:])


@contextlib.contextmanager
def archive_errors(kind: str, name: str) -> Iterator[None]:
    """Makes errors of reading an archive one sentence."""
    try:
        yield
    except (zipfile.BadZipFile, tarfile.TarError, NotImplementedError, struct.error) as error:
        reason = str(error)[:100]
        read = f"read as {kind}" if kind else "unpacked"
        raise SourceError(f"{name} cannot be {read} ({reason}): make it again from the original") from None
    except RuntimeError as error:
        if "ncrypt" not in str(error) and "password" not in str(error):
            raise
        raise SourceError(f"{name} is encrypted: unpack it with its password, and open the files") from None
