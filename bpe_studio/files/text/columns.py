"""Finds the columns of a corpus's records if it is not certain which of them holds the text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bpe_studio.errors import SourceError
from bpe_studio.files.records.first_rows import MOST_COLUMNS, Column, best_column, columns_of_table
from bpe_studio.files.text.addresses import is_address
from bpe_studio.files.text.archives import TAR, ZIP, archive_members
from bpe_studio.files.text.places import places_of
from bpe_studio.files.text.reading import Reading
from bpe_studio.files.text.regular_files import is_regular
from bpe_studio.files.text.sources import TABLES, Source, open_found, open_member

MOST_FILES = 20
"""The most files of a corpus that are looked at."""


@dataclass(frozen=True)
class ColumnChoice:
    """Columns of which a person has to choose the one with the text.

    Attributes:
        name: the name of the file that has them.
        form: the form of its content, such as "JSON lines in gzip".
        columns: its columns, with the first rows.
        best: the number of the column that is probably the text; -1 for none.
        can_be_plain: whether the file can be read as plain text, too.
    """

    name: str
    form: str
    columns: tuple[Column, ...]
    best: int
    can_be_plain: bool


def column_choice(paths: Iterable[str | Path], reading: Reading) -> Iterator[ColumnChoice | None]:
    """Looks at the first files of a corpus; yields `None` between them, and at the end the choice,
    if there is one to make.

    A file that cannot be read is passed over: reading it says what is wrong.
    """
    n_files = 0
    for path in paths:
        for place in places_of(path):
            yield None
            if not (is_address(place.path) or is_regular(place.path)):
                continue
            try:
                source = open_found(place.path, reading, [])
                choice = None if source is None else _choice_of(source)
            except SourceError:
                continue
            if choice is not None:
                yield choice
                return
            n_files += 1
            if n_files == MOST_FILES:
                return


def _choice_of(source: Source) -> ColumnChoice | None:
    """The choice to make for a file; `None` if it is plain text, or its column is certain."""
    kind = source.columns_kind
    columns = source.columns
    if source.kind in (ZIP, TAR, *TABLES):
        kind = source.kind
        with source.opened_stream() as stream, source.at_any_place(stream) as content:
            if kind in TABLES:
                columns = columns_of_table(content, kind, source.name)
            else:
                return _choice_in_archive(source, content)
    columns = columns[:MOST_COLUMNS]
    best, is_certain = best_column(columns)
    if is_certain or best < 0:
        return None
    source.kind = kind
    return ColumnChoice(source.name, source.form, columns, best, kind not in TABLES)


def _choice_in_archive(archive: Source, content: IO[bytes]) -> ColumnChoice | None:
    """The choice to make for the first file in an archive that is a text."""
    for path, member in archive_members(content, archive.kind, archive.name):
        try:
            part = open_member(archive, path, member)
        except SourceError:
            continue
        if part is not None:
            return _choice_of(part)
    return None
