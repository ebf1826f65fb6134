"""The text of an open studio document that is not inside it: the files it was read from, and whether they may be read.

A path in a document is not permission: whoever wrote the document chose it, and it may name any file of this computer,
a pipe, or a server. Nothing looks at such a path (not even whether it exists) before the user who
opened the document has seen it in full and allowed it; and then the text counts only if it is the text of the document,
by size and checksum (`corpus/text_check.py`). What is read afterwards is what was checked: each time the file is opened
it must have the fingerprint that it had then. Links are followed, since what they lead to must be that text as well.
`corpus/text_files.py` is the one place that hands out files to read.

A permission is remembered by `permission_key`: a digest over the paths, sizes and encodings of the files, how they are
read, the checksum of the text, and all counted words of the document. The document of another author has the permission
only if it names the same files and already contains the words of exactly this text, so that it gains nothing.
The document's own place is not part of it, so that the permission is kept when the user moves or renames it. It is
remembered for documents whose files the user has allowed, and for those that they saved of a text that they opened
themselves; saving a document of which they have not allowed the files allows nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from bpe_studio.errors import SourceError

if TYPE_CHECKING:
    from bpe_studio.files.document.records import StoredSource, StudioDocument
    from bpe_studio.files.text.regular_files import Fingerprint


class TextFile(NamedTuple):
    """A file that may be read.

    Attributes:
        path: where it is.
        known: its fingerprint when it was checked; None for a file that the user opened, which may change.
    """

    path: Path
    known: Fingerprint | None = None

    def open(self) -> IO[bytes]:
        """The file, open for reading.

        Raises:
            SourceError: it is not a regular file, or has changed since it was checked.
            OSError: it does not exist, or cannot be read.
        """
        from bpe_studio.files.text.addresses import address_of
        from bpe_studio.files.text.regular_files import fingerprint, open_regular
        from bpe_studio.files.text.remote import open_address

        address = address_of(self.path) if self.known is None else None
        if address is not None:
            return open_address(address)
        stream = open_regular(self.path)
        if self.known is not None and fingerprint(stream) != self.known:
            stream.close()
            raise SourceError(
                f"{self.path.name} has changed since it was checked: open the document again to check it again"
            )
        return stream


@dataclass(frozen=True)
class CheckedText:
    """The files in which a check found the text of a document.

    Attributes:
        files: the files, in order.
        checksum: the checksum of their text.
        beginning: the beginning of the text.
    """

    files: tuple[TextFile, ...]
    checksum: int
    beginning: str


class DocumentText:
    """The text of an open document: the files it was read from, and whether the user allows reading them.

    All corpora of the document share one, so that a permission covers all of them, also after an undo.

    Attributes:
        document: the document as it was read.
        key: identifies what a permission covers.
        is_allowed: whether the user has allowed reading its files.
        checked: the files once the check has found the text in them; None before.
        problem: why it has not, in one sentence, or "".
    """

    def __init__(self, document: StudioDocument) -> None:
        self.document = document
        self.key = permission_key(document)
        self.is_allowed = False
        self.checked: CheckedText | None = None
        self.problem = ""

    @property
    def places(self) -> tuple[tuple[Path, ...], ...]:
        """The possible paths of each file; empty if they are not known for all of them."""
        places = tuple(source.places for source in self.document.sources)
        return places if all(places) else ()

    @property
    def sources(self) -> tuple[StoredSource, ...]:
        """The files as a saved document names them."""
        if self.checked is None:
            return self.document.sources
        pairs = zip(self.document.sources, self.checked.files, strict=True)
        return tuple(replace(source, path=file.path.absolute(), beside=None) for source, file in pairs)


def permission_key(document: StudioDocument) -> str:
    """The key by which the permission to read the files of a document is remembered; see above."""
    digest = hashlib.sha256()
    reading = document.reading
    chosen = [[reading.column, reading.is_plain]] if reading.column is not None or reading.is_plain else []
    sources = [
        (each.name, each.encoding, each.size_bytes, each.path and os.fspath(each.path.absolute()))
        for each in document.sources
    ]
    digest.update(json.dumps([1, document.checksum, document.reading.encoding, sources, *chosen]).encode("ascii"))
    for array in (document.corpus.blob, document.corpus.offsets, document.corpus.counts):
        digest.update(array.data)
    return digest.hexdigest()
