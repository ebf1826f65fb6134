"""Divides sources into tasks whose tables add up to exactly the table of the whole.

A task is some files, or a part of a large one. A file is divided only where a document ends for
certain: at the line ends of JSON lines, and of plain text where each line is a document. A part of
lines must be valid UTF-8; if one is not, the file is counted as a whole, because all of it decides
on the encoding.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.counter import Counter
from bpe_studio.errors import SourceError
from bpe_studio.files.records.broken_records import RecordCount
from bpe_studio.files.records.json_lines import read_json_lines
from bpe_studio.files.records.pieces import END, Piece
from bpe_studio.files.records.recognition import JSON_LINES
from bpe_studio.files.text.addresses import is_address
from bpe_studio.files.text.decoding import BLOCK_BYTES
from bpe_studio.files.text.places import places_of
from bpe_studio.files.text.reading import Reading
from bpe_studio.files.text.sources import Source, open_found, open_named

TASK_BYTES = 16 << 20
MOST_TASK_BYTES = 1 << 30
MANY_TASKS = 1000
"""The size of a task; it grows with the corpus, because tables are added up by one process, and
large ones share more of their pre-tokens."""
MOST_FILES = 1000
"""The most files of a task."""


@dataclass(frozen=True)
class Task:
    """The work that one worker does at a time.

    Attributes:
        paths: the files; one, if it is a part of it.
        reading: how they are read.
        is_found: whether they were found in a folder or by a pattern.
        size_bytes: the number of bytes that are read, for the progress.
        start: the start of the part, in bytes.
        end: the end of the part; `None` for whole files.
        kind: the kind of the records in the part; "" for plain text.
        number: the number of the file of which it is a part.
        state: the size and the time of the last change of the file of which it is a part; `None`
            for whole files.
    """

    paths: tuple[str, ...]
    reading: Reading
    is_found: bool = False
    size_bytes: int = 0
    start: int = 0
    end: int | None = None
    kind: str = ""
    number: int = 0
    state: tuple[int, int] | None = None

    def as_whole(self) -> Task:
        """The whole file of a part."""
        return replace(self, start=0, end=None)


@dataclass
class Outcome:
    """The result of a task.

    Attributes:
        counter: the table; `None` if the file can only be counted as a whole.
        notices: sentences about reading it.
        left_out: the reasons why files of a folder were left out.
        records: the records of a part.
    """

    counter: Counter | None
    notices: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    records: RecordCount = field(default_factory=RecordCount)


def plan(
    paths: Iterable[str | os.PathLike[str]], config: TrainingConfig, reading: Reading
) -> list[Task]:
    """The tasks that count some files, in the order of the text.

    Args:
        paths: files, folders, patterns or addresses.
        config: the options for splitting text.
        reading: how the files are read.

    Raises:
        SourceError: a file that was named cannot be read.
    """
    tasks: list[Task] = []
    few: list[str] = []
    n_bytes = 0

    def close(is_found: bool) -> None:
        nonlocal few, n_bytes
        if few:
            tasks.append(Task(tuple(few), reading, is_found, n_bytes, number=len(tasks)))
            few = []
            n_bytes = 0

    named = []
    total = 0
    for path in paths:
        places = [(place, _size_of(place.path)) for place in places_of(path)]
        named.append(places)
        total += sum(size for _, size in places)
    task_bytes = max(TASK_BYTES, min(MOST_TASK_BYTES, total // MANY_TASKS))
    for places in named:
        for place, size in places:
            if place.path == "-":
                raise SourceError(
                    "Other processes cannot read standard input: give a file instead of -"
                )
            source = None if place.is_found else open_named(place.path, reading, [])
            if size > 2 * task_bytes:
                close(place.is_found)
                source = source or open_found(place.path, reading, [])
                number = len(tasks)
                if source is not None:
                    tasks += _parts(source, config, size, task_bytes, number)
                if len(tasks) == number:
                    tasks.append(Task((place.path,), reading, place.is_found, size, number=number))
                continue
            few.append(place.path)
            n_bytes += size
            if n_bytes >= task_bytes or len(few) == MOST_FILES:
                close(place.is_found)
        close(places[-1][0].is_found)
    return tasks


def run_task(task: Task, config: TrainingConfig) -> Outcome:
    """Counts a task; called in a worker.

    Raises:
        SourceError: a file cannot be read, or was changed since it was divided into parts.
    """
    outcome = _outcome_of(task, config)
    if task.state is not None and task.state != _state(task.paths[0]):
        raise SourceError(
            f"{task.paths[0]} changed while it was being read: count it again when nothing writes"
            " to it"
        )
    return outcome


def _outcome_of(task: Task, config: TrainingConfig) -> Outcome:
    counter = Counter(config)
    outcome = Outcome(counter)
    if task.end is not None:
        counter.begin_source(task.paths[0])
        try:
            for content, ends, *_ in _pieces_of_part(task, outcome.records):
                for _ in counter.feed(content, ends):
                    pass
        except UnicodeDecodeError:
            return Outcome(None)
        if not task.start:
            counter.add_sources([os.path.basename(task.paths[0])])
        return outcome
    open_file = open_found if task.is_found else open_named
    for path in task.paths:
        source = open_file(path, task.reading, outcome.left_out)
        if source is None:
            continue
        counter.begin_source(path)
        for content, ends, *_ in source.pieces():
            for _ in counter.feed(content, ends):
                pass
        counter.add_sources([source.name])
        outcome.notices += source.notices
    return outcome


def _size_of(path: str) -> int:
    try:
        return 0 if is_address(path) else os.stat(path).st_size
    except OSError:
        return 0


def _state(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


def _parts(
    source: Source, config: TrainingConfig, size: int, task_bytes: int, number: int
) -> list[Task]:
    """The parts of a large file; none if it can only be counted as a whole."""
    is_plain = not source.kind and config.documents == "line"
    if (
        source.packings
        or source.encoding != "utf-8"
        or source.is_chosen
        or not os.path.isfile(source.path)
    ):
        return []
    if not is_plain and source.kind != JSON_LINES:
        return []
    reading = source.reading
    if source.kind == JSON_LINES:
        column = source.column()
        if column is None:
            return []  # reading it as a whole says what is wrong
        reading = replace(reading, column=column)
    places = [0, *_line_starts(source.path, size, task_bytes), size]
    state = _state(source.path)
    return [
        Task((source.path,), reading, False, end - start, start, end, source.kind, number, state)
        for start, end in zip(places, places[1:], strict=False)
    ]


def _line_starts(path: str, size: int, task_bytes: int) -> Iterator[int]:
    """The start of the first line in each part of a file.

    A part in which no line begins soon is left together with the one before.
    """
    with open(path, "rb") as stream:
        for place in range(task_bytes, size - task_bytes // 2, task_bytes):
            stream.seek(place)
            found = stream.read(min(BLOCK_BYTES, task_bytes // 2)).find(b"\n")
            if found >= 0:
                yield place + found + 1


def _pieces_of_part(task: Task, records: RecordCount) -> Iterator[Piece]:
    contents = _contents_of_part(task)
    if task.kind == JSON_LINES:
        name = os.path.basename(task.paths[0])
        yield from read_json_lines(contents, task.reading.column, name, records, is_later=True)
        return
    yield from map(Piece, contents)
    yield END


def _contents_of_part(task: Task) -> Iterator[bytes]:
    """The lines of a part, as UTF-8.

    Raises:
        UnicodeDecodeError: they are not UTF-8.
    """
    assert task.end is not None
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    with open(task.paths[0], "rb") as stream:
        is_marked = not task.start and stream.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8
        place = len(codecs.BOM_UTF8) if is_marked else task.start
        stream.seek(place)
        while place < task.end:
            data = stream.read(min(BLOCK_BYTES, task.end - place))
            if not data:
                raise SourceError(
                    f"{task.paths[0]} changed while it was being read: count it again"
                )
            place += len(data)
            pending = decoder.getstate()[0]
            if pending or not data.isascii():
                decoder.decode(data)
                data = pending + data
                data = data[: len(data) - len(decoder.getstate()[0])]
            yield data
        decoder.decode(b"", True)
