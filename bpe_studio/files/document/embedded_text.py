"""The text of the corpus inside a studio document, if the user asked to store it there.

    corpus/text/about.json    is_pasted: whether it was in no file; texts: name and size_bytes of
                              each, in order
    corpus/text/N             the bytes of text N as they are in its file, compressed or not; pasted
                              text is UTF-8

These parts come after the others (`writing.py`), which are the same with and without them. The
texts are extracted into a folder of their own, under sanitized names. The number of texts and their
stated sizes are checked before anything is extracted from an untrusted document, and no more than
the stated size is extracted.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import zipfile
import zlib
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from bpe_studio.engine.generators import result_of
from bpe_studio.errors import SaveError, SourceError, TokenizerFormatError
from bpe_studio.files.document import records as d
from bpe_studio.files.document.reading import document_errors
from bpe_studio.files.document.word_tables import DocumentArchive
from bpe_studio.files.json_parts import checked, member, parse_json
from bpe_studio.files.private_folder import open_private
from bpe_studio.files.text.reading import LENIENT_READING, Reading
from bpe_studio.files.text.regular_files import open_regular
from bpe_studio.files.text.sources import open_source

ABOUT_PART = "corpus/text/about.json"
MAX_TEXT_BYTES = 16 << 30
MAX_PASTED_BYTES = 1 << 30
"""The most pasted text, which is held in memory."""
MAX_TEXTS = 10_000
_MAX_ABOUT_BYTES = 32 << 20
"""Enough for as many files as there may be, with names of the greatest length and every character
escaped.
"""
_CHUNK = 1 << 20
_EPOCH = (1980, 1, 1, 0, 0, 0)
_FORBIDDEN = '\\/:*?"<>|'
_DEVICES = {
    "CON",
    "PRN",
    "AUX",
    "NUL",
    *(f"COM{number}" for number in range(10)),
    *(f"LPT{number}" for number in range(10)),
}
"""The names of devices on Windows, whatever the suffix."""


@dataclass(frozen=True)
class TextPart:
    """One text of a corpus.

    Attributes:
        name: the name of its file.
        size_bytes: its size, which must be the size of the file.
        opened: opens the file, or the pasted text as UTF-8.
        is_pasted: whether it was in no file.
    """

    name: str
    size_bytes: int
    opened: Callable[[], IO[bytes]]
    is_pasted: bool = False


@dataclass(frozen=True)
class TextInside:
    """The texts that were found in a document.

    Attributes:
        paths: the extracted files, in order.
        text: the pasted text; `None` if the texts are files.
        size_bytes: the size of all texts together.
    """

    paths: tuple[Path, ...] = ()
    text: str | None = None
    size_bytes: int = 0


def write_with_texts(
    stream: IO[bytes],
    data: bytes,
    texts: Sequence[TextPart],
    reading: Reading = LENIENT_READING,
    checksum: int | None = None,
) -> Generator[tuple[int, int], None, None]:
    """Writes a document and its texts, one block at a time; yields (bytes done, bytes in all).

    The texts are read again from the document that was written, so that the checksum is that of
    what is in it, whatever became of the files meanwhile.

    Args:
        stream: an empty file, readable and seekable.
        data: the document without texts.
        texts: the texts to add.
        reading: how the files were read.
        checksum: the CRC-32 of the text of the files as it was read; `None` if unknown.

    Raises:
        SaveError: a file is missing, is not a regular file or has changed, or the texts exceed the
            limits of a document.
    """
    total = sum(text.size_bytes for text in texts)
    if total > MAX_TEXT_BYTES or len(texts) > MAX_TEXTS:
        raise SaveError(
            f"The document was not saved: its text takes {total:,} bytes in {len(texts):,} files,"
            f" and the limit is {MAX_TEXT_BYTES:,} bytes in {MAX_TEXTS:,} files; save it without"
            " the text"
        )
    if total > MAX_PASTED_BYTES and all(text.is_pasted for text in texts):
        raise SaveError(
            f"The document was not saved: the pasted text takes {total:,} bytes, and the limit is "
            f"{MAX_PASTED_BYTES:,}; save it without the text, or open the text from a file"
        )
    yield from _write(stream, data, texts, total)
    with zipfile.ZipFile(stream) as archive:
        n_bytes = sum(info.file_size for info in archive.infolist())
    if n_bytes > max(d.FREELY_UNPACKED_BYTES, d.MAX_RATIO * stream.seek(0, os.SEEK_END)):
        # `DocumentArchive` refuses this compression ratio: store the text uncompressed.
        yield from _write(stream, data, texts, total, zipfile.ZIP_STORED)
    if checksum is not None and not any(text.is_pasted for text in texts):
        yield from _compare(stream, texts, reading, checksum, total)
    if stream.seek(0, os.SEEK_END) > d.MAX_FILE_BYTES:
        raise SaveError(
            f"The document was not saved: with its text it is larger than {d.MAX_FILE_BYTES >> 30}"
            " GB; save it without"
        )


def _write(
    stream: IO[bytes],
    data: bytes,
    texts: Sequence[TextPart],
    total: int,
    method: int = zipfile.ZIP_DEFLATED,
) -> Generator[tuple[int, int], None, None]:
    stream.seek(0)
    stream.truncate()
    stream.write(data)
    done = 0
    with zipfile.ZipFile(stream, "a") as archive:
        archive.writestr(zipfile.ZipInfo(ABOUT_PART, _EPOCH), _about_part(texts))
        for number, text in enumerate(texts):
            info = zipfile.ZipInfo(text_part(number), _EPOCH)
            info.compress_type = method
            with archive.open(info, "w", force_zip64=True) as part, _opened(text) as content:
                written = 0
                # One byte more than there should be tells that a file has grown, and is enough of
                # it.
                while chunk := content.read(min(_CHUNK, text.size_bytes + 1 - written)):
                    part.write(chunk)
                    written += len(chunk)
                    yield done + written, total
            if written != text.size_bytes:
                raise _changed(text.name)
            done += written


def _about_part(texts: Sequence[TextPart]) -> str:
    """The part that says which texts are in a document."""
    about = {
        "is_pasted": all(text.is_pasted for text in texts),
        "texts": [{"name": text.name, "size_bytes": text.size_bytes} for text in texts],
    }
    return json.dumps(about)


def text_part(number: int) -> str:
    """The name of the part with a text."""
    return f"corpus/text/{number}"


def read_texts(path: Path, folder: Path) -> Generator[tuple[int, int], None, TextInside | None]:
    """Extracts the files of a document's texts into a folder; `None` if the document holds no text.

    Args:
        path: the document.
        folder: an empty folder.

    Raises:
        TokenizerFormatError: the texts are not as the document describes them.
        OSError: the folder is not writable, or there is not enough space for the texts.
    """
    with (
        open_regular(path) as stream,
        document_errors(os.fspath(path)),
        zipfile.ZipFile(stream) as archive,
    ):
        parts = DocumentArchive(archive, os.fstat(stream.fileno()).st_size)
        if ABOUT_PART not in parts:
            return None
        listed = bytes(result_of(parts.read(ABOUT_PART, _MAX_ABOUT_BYTES)))
        about = checked(parse_json(listed, ABOUT_PART), dict, ABOUT_PART)
        texts = member(about, "texts", list, ABOUT_PART)
        is_pasted = member(about, "is_pasted", bool, ABOUT_PART)
        sizes = [_size(each) for each in texts]
        total = sum(sizes)
        if (
            total > MAX_TEXT_BYTES
            or not 1 <= len(texts) <= MAX_TEXTS
            or (is_pasted and len(texts) != 1)
        ):
            raise TokenizerFormatError(
                f"it claims to contain {len(texts):,} texts of {total:,} bytes"
            )
        if total > shutil.disk_usage(folder).free:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if is_pasted:
            content = result_of(parts.read(text_part(0), MAX_PASTED_BYTES, total))
            return TextInside((), content.decode("utf-8", "surrogatepass"), total)
        done = 0
        paths = []
        for number, (each, size) in enumerate(zip(texts, sizes, strict=True)):
            place = folder / str(number)
            place.mkdir()
            paths.append(place / plain_name(member(each, "name", str, ABOUT_PART), number))
            with os.fdopen(open_private(os.fspath(paths[-1])), "wb") as file:
                for chunk in parts.chunks(text_part(number), MAX_TEXT_BYTES, size):
                    done += file.write(chunk)
                    yield done, total
        return TextInside(tuple(paths), None, total)


def plain_name(name: str, number: int) -> str:
    """A file name without a path and without the name of a device, whoever wrote it.

    >>> plain_name("../../etc/passwd", 0), plain_name("..", 1), plain_name("nul.txt", 2), plain_name("war.txt", 3)
    ('passwd', 'text-2', 'text-3', 'war.txt')
    """  # noqa: E501
    last = name.replace("\\", "/").rpartition("/")[2]
    kept = "".join(char for char in last if char.isprintable() and char not in _FORBIDDEN)
    kept = kept.strip(" .")
    is_device = kept.partition(".")[0].rstrip().upper() in _DEVICES
    return f"text-{number + 1}" if not kept or is_device else kept[-80:]


def _size(value: object) -> int:
    size: Any = member(checked(value, dict, ABOUT_PART), "size_bytes", int, ABOUT_PART)
    if not 0 <= size <= MAX_TEXT_BYTES:
        raise TokenizerFormatError(f"one of its texts says that it has {str(size)[:40]} bytes")
    return int(size)


def _opened(text: TextPart) -> IO[bytes]:
    try:
        return text.opened()
    except SourceError as error:
        raise SaveError(f"The document was not saved with its text: {error}") from None
    except OSError:
        raise _changed(text.name) from None


def _compare(
    stream: IO[bytes], texts: Sequence[TextPart], reading: Reading, expected: int, total: int
) -> Generator[tuple[int, int], None, None]:
    """Compares the checksum of the texts in a document with the one that they had when they were
    opened.
    """
    checksum = 0
    name = texts[0].name
    if len(texts) > 1:
        name = f"one of {name} and {len(texts) - 1:,} more"
    changed = _changed(name)
    with zipfile.ZipFile(stream) as archive:
        try:
            for number, text in enumerate(texts):
                opened = cast("Callable[[], IO[bytes]]", partial(archive.open, text_part(number)))
                source = open_source(text.name, opened=opened, reading=reading)
                for content in source.contents():
                    checksum = zlib.crc32(content, checksum)
                    yield total, total
        except SourceError:
            raise changed from None
    if checksum != expected:
        raise changed


def _changed(name: str) -> SaveError:
    return SaveError(
        f"The document was not saved: {name} no longer exists, or has changed since it was opened; "
        "open it again, or save the document without its text"
    )
