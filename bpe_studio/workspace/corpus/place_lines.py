"""The lines at the places of a finding, for the panel Lines: a job for `concordance_search.py`.

A place has a file, which may be in an archive; its record, if the file holds records; and a line
and a column, which are counted in the record if there is one.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bpe_studio.engine.analysis.concordance import Found
    from bpe_studio.explain.inspection.findings import Finding, Place
    from bpe_studio.files.records.pieces import Piece
    from bpe_studio.workspace.state import CorpusInfo

Document = tuple[str, int]
"""A document of a source: the name of the file in the archive, or "" without an archive; and the
number of the record, or 0 in plain text.
"""
_FIRST_WORD = re.compile(r"[^\S\n]*(\S{1,16})")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, eq=False)
class FoundPlaces:
    """Places of one kind, to show their lines.

    Attributes:
        title: the title of the finding.
        finding: its name.
        places: line and column of each place, from 1, in order; by the number of the file in the
            corpus, then by document.
        chosen: the file, document, line and column to show first.
    """

    title: str
    finding: str
    places: dict[int, dict[Document, tuple[tuple[int, int], ...]]]
    chosen: tuple[int, Document, tuple[int, int]]

    @property
    def n_places(self) -> int:
        """The number of places."""
        n_places = 0
        for documents in self.places.values():
            n_places += sum(map(len, documents.values()))
        return n_places


def found_places(info: CorpusInfo, finding: Finding, chosen: Place) -> FoundPlaces | None:
    """The places of a finding, by file and document; None if the chosen place is in no file of the
    corpus.
    """
    from bpe_studio.explain.inspection.findings import MEANINGS

    numbers = {info.request.name: 0}
    archives = dict[str, int]()
    if info.request.text is None:
        numbers = {str(path): number for number, path in enumerate(info.request.paths)}
        archives = {
            path: number
            for path, number in numbers.items()
            if "archive" in info.sources[number].form
        }

    def document_of(place: Place) -> tuple[int, Document] | None:
        if place.file in numbers:
            return numbers[place.file], ("", place.record)
        path = next((path for path in archives if place.file.startswith(f"{path}/")), None)
        if path is None:
            return None
        return archives[path], (place.file[len(path) + 1 :], place.record)

    where = document_of(chosen)
    if where is None:
        return None
    found: dict[int, dict[Document, set[tuple[int, int]]]] = {}
    for place in finding.places:
        at = document_of(place)
        if at is not None:
            number, document = at
            places = found.setdefault(number, {}).setdefault(document, set())
            places.add((place.line, place.column))
    ordered = {}
    for number, documents in sorted(found.items()):
        ordered[number] = {each: tuple(sorted(places)) for each, places in documents.items()}
    return FoundPlaces(
        MEANINGS[finding.name].title, finding.name, ordered, (*where, (chosen.line, chosen.column))
    )


def documents_at(
    pieces: Iterable[Piece], wanted: Container[Document]
) -> Iterator[tuple[Document, Iterable[bytes]]]:
    """The wanted documents of a source, each with its text in parts.

    Read the parts before you ask for the next document. After each piece of records there is a
    document that nobody wants, so that the caller can stop at any time.
    """
    for member, some in groupby(pieces, lambda piece: piece.member):
        if (member, 0) in wanted:
            yield (member, 0), (piece.content for piece in some)
            continue
        for piece in some:
            start = 0
            # A record is never divided.
            for end, record in zip(piece.ends, piece.records, strict=False):
                if (member, record) in wanted:
                    yield (member, record), (piece.content[start:end],)
                start = end
            yield ("", -1), ()


def lines_at(
    pieces: Iterable[str | bytes], places: Iterable[tuple[int, int]], finding: str = ""
) -> Iterator[Found | None]:
    """The lines at places of a text.

    Args:
        pieces: the text, in pieces of whole characters.
        places: line and column of each place, from 1, in order.
        finding: the name of the finding, which is marked there.

    Yields:
        An occurrence, or None after a part. The text is read only up to the last place.
    """
    from bpe_studio.engine.analysis.concordance import chunks

    wanted = deque(places)
    for chunk in chunks(pieces):
        yield None
        start = 0
        line = chunk.n_lines + 1
        last = chunk.n_lines + chunk.text.removesuffix("\n").count("\n") + 1
        while wanted and wanted[0][0] <= last:
            number, column = wanted.popleft()
            while line < number:
                start = chunk.text.find("\n", start) + 1
                line = line + 1
            first, end = _marked(finding, chunk.text[start:].partition("\n")[0], column - 1)
            found = chunk.found(start + first, start + end)
            yield replace(found, text=_SURROGATE.sub("\ufffd", found.text))
        if not wanted:
            return


def _marked(finding: str, text: str, place: int) -> tuple[int, int]:
    """The start and the end of the mark of a finding; of a whole line, the first word is marked."""
    from bpe_studio.explain.inspection.findings import OF_LINES, span_at

    if finding not in OF_LINES:
        return span_at(finding, text, place)
    # In a text without spaces, the mark is short enough to be shown in full.
    word = _FIRST_WORD.match(text, place)
    return word.span(1) if word else (place, min(place + 1, len(text)))
