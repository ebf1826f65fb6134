"""The one place that decides from which files the text of a corpus may be read: every reader asks `text_files`.

Files that the user has chosen may be read. Those that a studio document names may be read once the user has allowed it
and a check has found the text of the document in them; `document_text.py` says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_studio.workspace.document_text import TextFile

if TYPE_CHECKING:
    from bpe_studio.files.document.records import StoredSource
    from bpe_studio.workspace.state import CorpusInfo, OpeningRequest

ALLOW_FIRST = "allow reading its files in the panel Corpus, or open the text itself"


def text_files(request: OpeningRequest) -> tuple[TextFile, ...]:
    """The files that the text of a corpus may be read from, in order; empty if none may, or it is in no file."""
    stored = request.stored
    if stored is None or request.inside is not None:
        return tuple(TextFile(path) for path in request.paths)
    return () if stored.checked is None else stored.checked.files


def has_text(request: OpeningRequest) -> bool:
    """Whether the text of a corpus can be read."""
    stored = request.stored
    if request.text is not None or stored is None or request.inside is not None:
        return request.text is not None or bool(request.paths)
    return stored.checked is not None and bool(stored.checked.files)


def awaits_permission(request: OpeningRequest) -> bool:
    """Whether the text of a corpus could be read if the user allowed it, or as soon as it is checked."""
    return not has_text(request) and request.stored is not None and bool(request.stored.places)


def why_no_text(info: CorpusInfo | None) -> str:
    """Why the text of a corpus cannot be read, as a phrase, or ""."""
    if info is None:
        return "open a text first"
    if has_text(info.request):
        return ""
    if awaits_permission(info.request):
        return f"it is not in the document; {ALLOW_FIRST}"
    return "the text of the corpus is not available, only its words and their counts"


def checksum_of(info: CorpusInfo) -> int | None:
    """The checksum of the text of a corpus; None if it is not known."""
    stored = info.request.stored
    if info.checksum is None and stored is not None and stored.checked is not None:
        return stored.checked.checksum
    return info.checksum


def stored_sources(info: CorpusInfo) -> tuple[StoredSource, ...]:
    """The files of a corpus as a document names them."""
    from bpe_studio.files.document.records import StoredSource, as_stored
    from bpe_studio.files.text.addresses import address_of

    if info.request.stored is not None:
        return info.request.stored.sources
    # Only files of this machine: a document must not make a program fetch anything.
    paths: Sequence[Path | None] = [None if address_of(path) else path for path in info.request.paths]
    if len(paths) != len(info.sources):
        paths = (None,) * len(info.sources)
    return as_stored(
        [
            StoredSource(each.name, each.encoding, each.size_bytes, path, form=each.form, column=each.column)
            for each, path in zip(info.sources, paths, strict=True)
        ]
    )
