"""The job that checks whether files have the text of a document: regular files of the same size and checksum.

It is started only for files that the user has allowed (`text_access.py`). A document of an early version, or of the
command line, has no checksum; then the text is split and counted as the document says, and must give its words.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bpe_studio.errors import BpeError, SourceError
from bpe_studio.explain.names import visible_path
from bpe_studio.files.text.regular_files import fingerprint, open_regular, unreadable
from bpe_studio.workspace.corpus.reading import Countdown, count_request
from bpe_studio.workspace.document_text import CheckedText, DocumentText, TextFile
from bpe_studio.workspace.excerpt import beginning_of
from bpe_studio.workspace.state import OpeningRequest, Progress

if TYPE_CHECKING:
    from bpe_studio.engine.counting.corpus import Corpus
    from bpe_studio.files.document.records import StoredSource
    from bpe_studio.workspace.backend import Backend

OPEN_IT = "choose the file that has the text, or open that file by itself"


def check_text(
    backend: Backend, text: DocumentText, chosen: Sequence[Path] = ()
) -> Generator[Progress, None, CheckedText]:
    """Reads the files of a document, and compares their text with what the document says of it.

    Args:
        backend: the files layer.
        text: the text of the document.
        chosen: files that the user has chosen instead; empty for those that the document names.

    Raises:
        SourceError: they do not exist, are not regular files, or have another text; the message says what differs.
    """
    if chosen:
        return (yield from _check(backend, text, in_order(text.document.sources, chosen)))
    places = text.places
    if not places:
        raise SourceError("The document does not say where its text is: open the text by itself")
    # All were moved together with the document, or none.
    attempts = dict.fromkeys((tuple(each[0] for each in places), tuple(each[-1] for each in places)))
    problem: BpeError | None = None
    for paths in attempts:
        try:
            return (yield from _check(backend, text, paths))
        except SourceError as error:
            problem = error if problem is None or isinstance(problem.__cause__, FileNotFoundError) else problem
    assert problem is not None
    raise problem


def in_order(sources: Sequence[StoredSource], chosen: Sequence[Path]) -> tuple[Path, ...]:
    """Chosen files in the order of the sources, by their names; those of other names take the remaining places.

    Raises:
        SourceError: there are more of them, or fewer.
    """
    if len(chosen) != len(sources):
        wanted = "1 file" if len(sources) == 1 else f"{len(sources):,} files"
        raise SourceError(f"The text was read from {wanted}, and {len(chosen):,} were chosen: choose as many")
    left = list(chosen)
    found: list[Path | None] = []
    for source in sources:
        same = next((path for path in left if path.name == source.name), None)
        found.append(same)
        if same is not None:
            left.remove(same)
    return tuple(left.pop(0) if path is None else path for path in found)


def _check(backend: Backend, text: DocumentText, paths: Sequence[Path]) -> Generator[Progress, None, CheckedText]:
    document = text.document
    files = [_identified(path, source) for path, source in zip(paths, document.sources, strict=True)]
    done, total, checksum, beginning = 0, sum(source.size_bytes for source in document.sources), 0, ""
    countdown = Countdown()
    for file, source in zip(files, document.sources, strict=True):
        reading = backend.checked_source(file, document.reading)
        for content in reading.contents():
            checksum = zlib.crc32(content, checksum)
            beginning = beginning or beginning_of(content)
            now = done + min(source.size_bytes, reading.position_bytes)
            yield Progress(f"Checking {file.path.name}", now, total, "bytes", countdown.seconds_left(now, total))
        done += source.size_bytes
    if document.checksum is None:
        request = OpeningRequest(document.name, tuple(paths), document.reading, held_out=document.held_out_share)
        info = yield from count_request(backend, request, document.corpus.config)
        is_same = info.checksum == checksum and _has_words(info.corpus, document.corpus)
    else:
        is_same = checksum == document.checksum
    if not is_same:
        what = f"{_shown(paths[0])} has" if len(paths) == 1 else f"{_shown(paths[0])} and the other files have"
        raise SourceError(f"{what} the right size, but not the text of the document (checksum): {OPEN_IT}")
    for file in files:
        try:
            file.open().close()
        except OSError as error:
            raise unreadable(_shown(file.path), error) from error
    return CheckedText(tuple(files), checksum, beginning)


def _identified(path: Path, source: StoredSource) -> TextFile:
    """A file of the size that the document gives."""
    try:
        with open_regular(path) as stream:
            known = fingerprint(stream)
    except OSError as error:
        raise unreadable(_shown(path), error) from error
    n_bytes = known[2]
    if n_bytes != source.size_bytes:
        raise SourceError(
            f"{_shown(path)} has {n_bytes:,} bytes, and the text of the document has {source.size_bytes:,}: {OPEN_IT}"
        )
    return TextFile(path, known)


def _shown(path: Path) -> str:
    return visible_path(os.fspath(path))


def _has_words(one: Corpus, other: Corpus) -> bool:
    arrays = ((getattr(one, name), getattr(other, name)) for name in ("blob", "offsets", "counts"))
    return all(np.array_equal(a, b) for a, b in arrays)
