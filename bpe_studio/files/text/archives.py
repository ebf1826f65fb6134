"""Reads the files in a zip or tar archive one after the other; nothing is extracted to the disk
under a name.

An archive is not trusted: the names of its files are shown and never opened, sizes and numbers are
limits to check, and what it unpacks to is bounded.
"""

from __future__ import annotations

import contextlib
import io
import os
import struct
import tarfile
import tempfile
import zipfile
from collections.abc import Collection, Iterator
from typing import IO, cast

from bpe_studio.errors import SourceError
from bpe_studio.files.text.byte_stream import ByteStream

ZIP = "a zip archive"
TAR = "a tar archive"
_IN_MEMORY_BYTES = 64 << 20
_HEAD_BYTES = 1 << 20
_USTAR = b"ustar\0", b"ustar  \0"
_END = b"PK\x05\x06"
_DOCUMENT_PARTS = (
    "[Content_Types].xml",
    "mimetype",
    "META-INF/MANIFEST.MF",
    "META-INF/container.xml",
)


def archive_kind(head: bytes) -> str:
    """The kind of an archive, by its first bytes; "" for none."""
    if head.startswith((b"PK\x03\x04", _END)):
        return ZIP
    # The mark has a NUL: "mustard" may stand there, too.
    return TAR if head.startswith(_USTAR, 257) else ""


def archive_members(stream: IO[bytes], kind: str, name: str) -> Iterator[tuple[str, IO[bytes]]]:
    """The files of an archive in their order: the name of each, and its bytes, to be read before
    the next is asked for.

    Args:
        stream: the archive; a zip is read at any place of it.
        kind: `ZIP` or `TAR`.
        name: the name of the archive in messages.

    Raises:
        SourceError: the archive is encrypted, or is a document of an office program.
        Exception: it is damaged; read it in `archive_errors`, which makes that one sentence.
    """
    return _zip_members(stream, name) if kind == ZIP else _tar_members(stream)


def is_left_out(path: str) -> bool:
    """Whether a file of a folder or an archive is hidden, or is a list of files that the system
    made.

    >>> is_left_out("texts/.git/config"), is_left_out("__MACOSX/a.txt"), is_left_out("../a.txt")
    (True, True, False)
    """
    parts = path.replace("\\", "/").split("/")
    is_hidden = any(part.startswith(".") and part not in (".", "..") for part in parts)
    return is_hidden or "__MACOSX" in parts


def names_to_read(names: Collection[str]) -> list[str]:
    """The files of a folder that are read, sorted: those that are not hidden; of a saved data set,
    its Arrow files.

    >>> names_to_read(["b.txt", "a.txt", ".git"])
    ['a.txt', 'b.txt']
    >>> names_to_read(["state.json", "dataset_info.json", "data-00000-of-00001.arrow", "cache-1.arrow"])
    ['data-00000-of-00001.arrow']
    """  # noqa: E501
    found = [name for name in names if not is_left_out(name)]
    if "dataset_dict.json" in names or {"state.json", "dataset_info.json"} <= set(names):
        tables = [name for name in found if name.endswith(".arrow")]
        found = [name for name in tables if not name.startswith("cache-")]
    return sorted(found)


def _opened_zip(stream: IO[bytes]) -> zipfile.ZipFile:
    archive = zipfile.ZipFile(stream)
    if sum(info.compress_size for info in archive.infolist()) > stream.seek(0, os.SEEK_END):
        raise zipfile.BadZipFile("its files overlap")
    return archive


def _zip_members(stream: IO[bytes], name: str) -> Iterator[tuple[str, IO[bytes]]]:
    with _opened_zip(stream) as archive:
        infos = archive.infolist()
        if any(info.filename in _DOCUMENT_PARTS for info in infos[:100]):
            raise SourceError(
                f"{name} is a document or a program, not text: choose a plain text file, or export"
                " its text"
            )
        for info in infos:
            if info.is_dir() or is_left_out(info.filename):
                continue
            if info.flag_bits & 1:
                raise SourceError(
                    f"{name} is encrypted: unpack it with its password, then open the files"
                )
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                # The module unpacks other methods without a limit: two kilobytes may become two
                # gigabytes.
                raise SourceError(
                    f"{name} uses an unsupported compression method: unpack it, or zip its files"
                    " again"
                )
            with archive.open(info) as member:
                yield info.filename, cast("IO[bytes]", _WithHead(member))


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


@contextlib.contextmanager
def archive_errors(kind: str, name: str) -> Iterator[None]:
    """Makes errors of reading an archive one sentence."""
    try:
        yield
    except (zipfile.BadZipFile, tarfile.TarError, NotImplementedError, struct.error) as error:
        reason = str(error)[:100]
        read = f"read as {kind}" if kind else "unpacked"
        raise SourceError(
            f"{name} cannot be {read} ({reason}): create it again from the original"
        ) from None
    except RuntimeError as error:
        if "ncrypt" not in str(error) and "password" not in str(error):
            raise
        raise SourceError(
            f"{name} is encrypted: unpack it with its password, then open the files"
        ) from None
