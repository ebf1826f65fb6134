"""The text of an open studio document that is not inside it: the files it was read from, and whether they may be read.

A path that is written in a document is not permission: whoever wrote the document chose it, and it may name any file of
this computer, a pipe, or a server. Nothing looks at such a path (not even whether it exists) before the person who
opened the document has seen it in full and allowed it; and then the text counts only if it is the text of the document,
by size and checksum (`corpus/text_check.py`). What is read afterwards is what was checked: each time the file is opened
it must have the fingerprint that it had then. Links are followed, since what they lead to must be that text as well.
`corpus/text_files.py` is the one place that hands out files to read.

A permission is remembered by `permission_key`: a digest over the paths, sizes and encodings of the files, the checksum
of the text, and all counted words of the document. A document of somebody else has the permission only if it names the
same files and already contains the words of just this text, so that there is nothing in them that it could gain.
The document's own place is not part of it, so that the permission is kept when a person moves or renames it. It is
remembered for documents whose files a person has allowed, and for those that they saved of a text that they opened
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
        known: its fingerprint when it was checked; None for a file that a person opened, which may change.
    """

    path: Path
    known: Fingerprint | None = None

    def open(self) -> IO[bytes]:
        """The file, open for reading.

        Raises:
            SourceError: it is no regular file, or is not the one that was checked any more.
            OSError: it is missing, or may not be read.
        """
        from bpe_studio.files.text.regular_files import fingerprint, open_regular

        stream = open_regular(self.path)
        if self.known is not None and fingerprint(stream) != self.known:
            stream.close()
            raise SourceError(
                f"{self.path.name} has changed since it was checked: open the document again to check it again"
            )
        return stream


@dataclass(frozen=True)
class CheckedText:
    """The files that were found to hold the text of a document.

    Attributes:
        files: the files, in order.
        checksum: of their text.
        beginning: the beginning of the text.
    """

    files: tuple[TextFile, ...]
    checksum: int
    beginning: str


class DocumentText:
    """The text of an open document, as far as it is known: what it was read from, and what a person allows.

    Every corpus of the document refers to the same one, so that a permission holds for all of them, and after an undo.

    Attributes:
        document: the document as it was read.
        key: identifies what a permission is for.
        is_allowed: whether the person allows that its files are read.
        checked: the files once they are found to hold the text; None before.
        problem: why they do not hold it, in one sentence, or "".
    """

    def __init__(self, document: StudioDocument) -> None:
        self.document = document
        self.key = permission_key(document)
        self.is_allowed = False
        self.checked: CheckedText | None = None
        self.problem = ""

    @property
    def places(self) -> tuple[tuple[Path, ...], ...]:
        """Where each file may be; empty where that is not known of all of them."""
        places = tuple(source.places for source in self.document.sources)
        return places if all(places) else ()

    @property
    def sources(self) -> tuple[StoredSource, ...]:
        """What a document that is saved says of the files."""
        if self.checked is None:
            return self.document.sources
        pairs = zip(self.document.sources, self.checked.files, strict=True)
        return tuple(replace(source, path=file.path.absolute(), beside=None) for source, file in pairs)


def permission_key(document: StudioDocument) -> str:
    """What the permission to read the files of a document is remembered by; see above."""
    digest = hashlib.sha256()
    sources = [
        (each.name, each.encoding, each.size_bytes, each.path and os.fspath(each.path.absolute()))
        for each in document.sources
    ]
    digest.update(json.dumps([1, document.checksum, document.encoding, sources]).encode("ascii"))
    for array in (document.corpus.blob, document.corpus.offsets, document.corpus.counts):
        digest.update(array.data)
    return digest.hexdigest()
