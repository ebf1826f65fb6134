"""Whether the text of a corpus can be read, and its files as a document lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bpe_studio.files.document.records import StoredSource
    from bpe_studio.workspace.state import CorpusInfo, OpeningRequest

NO_TEXT = "open a text first"
LOCATE_FIRST = "the document holds its words and counts only; choose File > Locate text"


def has_text(request: OpeningRequest) -> bool:
    """Whether the text of a corpus can be read."""
    return request.text is not None or bool(request.paths)


def why_no_text(info: CorpusInfo | None) -> str:
    """Why the text of a corpus cannot be read, as a phrase, or ""."""
    if info is None:
        return NO_TEXT
    if has_text(info.request):
        return ""
    if info.lacks_text:
        return LOCATE_FIRST
    if not info.has_words:
        return "this tokenizer was opened without its text"
    return "the text of the corpus is not available, only its words and their counts"


def stored_sources(info: CorpusInfo) -> tuple[StoredSource, ...]:
    """The texts of a corpus as a document lists them."""
    from bpe_studio.files.document.records import StoredSource, as_stored

    sources = [
        StoredSource(each.name, each.encoding, each.size_bytes, form=each.form, column=each.column)
        for each in info.sources
    ]
    return as_stored(sources)
