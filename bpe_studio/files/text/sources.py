"""Opens the files of a corpus, whatever they are packed in, and reads them piece by piece.

A file is unpacked (`packing`), an archive is read file by file (`archives`), and records give their
texts (`files/records`), so that each combination is possible. The kind of a file is recognized by
its first bytes, then by its name. `places` finds the files of a folder, a pattern or an address.

Text is returned as it is in the file: no line break is translated and nothing is trimmed, except
for a byte-order mark. Invalid bytes in UTF-8 become lone surrogates (`surrogateescape`), so that
none is lost. The engine splits and counts the text. `encodings` judges the bytes and `decoding`
turns them into text.
"""

from __future__ import annotations

import codecs
import io
import os
import stat
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import IO, cast

from bpe_studio.errors import SourceError
from bpe_studio.files.records import recognition
from bpe_studio.files.records.arrow_tables import read_table
from bpe_studio.files.records.broken_records import RecordCount
from bpe_studio.files.records.first_rows import Column, columns_of_text, holds_numbers
from bpe_studio.files.records.json_lines import read_json_array, read_json_lines
from bpe_studio.files.records.pieces import END, NOTHING, Piece, documents_of
from bpe_studio.files.records.separated_values import read_separated_values
from bpe_studio.files.records.text_columns import TEXT_COLUMNS
from bpe_studio.files.text import encodings, remote
from bpe_studio.files.text.addresses import address_of, is_address
from bpe_studio.files.text.archives import (
    TAR,
    ZIP,
    archive_errors,
    archive_kind,
    archive_members,
    spooled,
)
from bpe_studio.files.text.decoding import BLOCK_BYTES, SAMPLE_BYTES, Reader, not_text
from bpe_studio.files.text.packing import (
    MOST_LAYERS,
    Limited,
    TooLargeError,
    most_unpacked,
    packing_of,
    refuse_too_much,
    unpacked,
    unpacking_errors,
)
from bpe_studio.files.text.places import Place, places_of
from bpe_studio.files.text.reading import DEFAULT_READING, Reading
from bpe_studio.files.text.regular_files import is_regular, open_regular, unreadable

_SPOOL_BYTES = 64 << 20
_TYPED_CHARACTERS = 1 << 18
_LONG_RECORD_BYTES = 8 << 20
_NO_TEXT_CODECS = frozenset(
    {"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"}
)
TABLES = (recognition.PARQUET, recognition.ARROW_FILE, recognition.ARROW_STREAM)
_MOST_NAMED = 3


@dataclass
class Source:
    """A file whose first bytes have been examined, ready to be read in pieces.

    Attributes:
        path: as it was given; "-" is standard input.
        name: its name in messages and lists.
        encoding: the encoding as far as it is known; certain once all pieces are read.
        size_bytes: the size of the file; 0 if it is not known before reading.
        reading: the user's choices.
        mark_bytes: the length of its byte-order mark.
        is_chosen: whether the user has chosen the encoding.
        position_bytes: the bytes of the file that have been read, out of `size_bytes`.
        unpacked_bytes: the same bytes, unpacked.
        notices: sentences for the user; complete once all pieces are read.
        kind: the kind of its records, or of archive; "" for plain text.
        column_read: the column of its records that was read as the text; "" before, and for plain
            text.
        records: the count of its records, once all are read.
        packings: its packings, the outermost first.
        guess: a notice about its kind, which was guessed; or "".
        columns: its columns, as far as its first records tell; none for plain text, Parquet and
            Arrow.
        columns_kind: the kind of the records with these columns, even if it is read as plain text.
        opened: opens the file each time that it is read; `None` to open the path.
        spool: the bytes of a pipe, or of a file in an archive.
        rest: the pipe, until it has been read to its end.
        is_member: whether it is a file in an archive.
    """

    path: str
    name: str
    encoding: str
    size_bytes: int
    reading: Reading = DEFAULT_READING
    mark_bytes: int = 0
    is_chosen: bool = False
    position_bytes: int = 0
    unpacked_bytes: int = 0
    notices: list[str] = field(default_factory=list)
    kind: str = ""
    column_read: str = ""
    records: RecordCount = field(default_factory=RecordCount)
    packings: tuple[str, ...] = ()
    guess: str = ""
    columns: tuple[Column, ...] = field(default=(), repr=False)
    columns_kind: str = ""
    opened: Callable[[], IO[bytes]] | None = field(default=None, repr=False)
    spool: IO[bytes] | None = field(default=None, repr=False)
    rest: IO[bytes] | None = field(default=None, repr=False)
    is_member: bool = False

    @property
    def has_records(self) -> bool:
        """Whether it may hold several texts."""
        return bool(self.kind)

    @property
    def form(self) -> str:
        """The form of its content, such as "JSON lines in gzip"."""
        kind = self.kind.removeprefix("a ").removeprefix("an ") or "plain text"
        return " in ".join([kind, *reversed(self.packings)])

    def column(self) -> str | None:
        """The column of JSON lines that holds the text, chosen or found; `None` if the first
        records do not tell.
        """
        with self.opened_stream() as stream:
            head = stream.read(SAMPLE_BYTES)[self.mark_bytes :].decode("utf-8", "replace")
        return recognition.column_of_lines(head, self.reading.column)

    @contextmanager
    def opened_stream(self) -> Iterator[IO[bytes]]:
        """The unpacked bytes, to look at them.

        Raises:
            SourceError: the file cannot be read any more, or is damaged.
        """
        with self._errors(), self._open() as raw:
            yield self._unpacked(raw)

    def contents(self) -> Iterator[bytes]:
        """The text as UTF-8 in pieces, lone surrogates as three bytes; never divided inside a
        character.

        Raises:
            SourceError: as `pieces`.
        """
        for piece in self.pieces():
            yield piece.content

    def documents(self) -> Iterator[str]:
        """Each document as a whole.

        Raises:
            SourceError: as `pieces`.
        """
        for parts in documents_of(self.pieces()):
            yield b"".join(parts).decode("utf-8", "surrogatepass")

    def pieces(self) -> Iterator[Piece]:
        """The text in pieces of about a megabyte, with the ends of documents; the last piece ends a
        document.

        A file of plain text is one document, and so is each record of a file that holds records,
        and each file of an archive. It yields empty pieces while bytes are only examined, so that
        the caller can stop at any time.

        Raises:
            SourceError: the file cannot be read any more, has changed, is binary, is damaged, has
                no such column, or has bytes that are invalid in the encoding.
        """
        self.position_bytes = 0
        self.unpacked_bytes = 0
        self.notices = [self.guess] if self.guess else []
        with self._errors():
            yield from self._unspooled()
            with self._open() as raw:
                known = self._state(raw)
                stream = self._unpacked(raw)
                for piece in self._pieces(stream):
                    if self.kind or self.packings:
                        self.position_bytes = raw.tell()
                    yield piece
                self.unpacked_bytes = stream.tell()
                if known != self._state(raw):
                    raise SourceError(
                        f"{self.name} changed while it was being read: read it again when nothing"
                        " writes to it"
                    )

    def _pieces(self, stream: IO[bytes]) -> Iterator[Piece]:
        if self.kind in (ZIP, TAR):
            yield from self._archive(stream)
            return
        if self.kind in TABLES:
            count = RecordCount()
            n_bytes = 0
            with self.at_any_place(stream) as table:
                is_packed = bool(self.packings) or self.is_member
                n_stored = self.size_bytes if is_packed else table.seek(0, io.SEEK_END)
                most = most_unpacked(n_stored)
                refuse = partial(refuse_too_much, most=most, name=self.name)
                column = self.reading.column
                for piece in read_table(table, self.kind, column, self.name, count, refuse):
                    # A text that is stored once may be that of a thousand rows.
                    n_bytes += len(piece.content)
                    refuse(n_bytes)
                    yield piece
            self._note(count)
            return
        stream.seek(self.mark_bytes)
        contents = Reader(self, stream).contents()
        if not self.kind:
            yield from map(Piece, contents)
            yield END
            return
        count = RecordCount()
        if self.kind == recognition.JSON_LINES:
            yield from read_json_lines(contents, self.reading.column, self.name, count)
        elif self.kind == recognition.JSON_ARRAY:
            yield from read_json_array(contents, self.reading.column, self.name, count)
        else:
            yield from read_separated_values(
                contents, self.kind, self.reading.column, self.name, count
            )
        self._note(count)

    def _note(self, count: RecordCount) -> None:
        self.column_read = count.column
        self.records = count
        self.notices += count.notices(self.name)

    @contextmanager
    def at_any_place(self, stream: IO[bytes]) -> Iterator[IO[bytes]]:
        """The stream, or a copy of it in a temporary file if it can only be read from the
        beginning.
        """
        is_free = not (self.packings or self.is_member) and _reads_anywhere(stream)
        stream.seek(0)
        if is_free:
            yield stream
            return
        with spooled(stream) as found:
            yield found

    def _archive(self, stream: IO[bytes]) -> Iterator[Piece]:
        """The texts of the files in an archive, one after the other."""
        left_out: list[str] = []
        notices: list[str] = []
        n_read = 0
        n_bytes = 0
        opened = self.at_any_place(stream) if self.kind == ZIP else nullcontext(stream)
        with opened as archive:
            for path, member in archive_members(archive, self.kind, self.name):
                try:
                    source = open_member(self, path, member, n_bytes)
                except TooLargeError:
                    raise
                except SourceError as error:
                    left_out.append(str(error))
                    yield NOTHING
                    continue
                if source is None:
                    continue
                for piece in source.pieces():
                    yield piece._replace(member=path)
                n_read += 1
                n_bytes += source.unpacked_bytes
                notices += source.notices
                self.encoding = source.encoding
                self.column_read = source.column_read
        if not n_read:
            why = f" ({left_out[0]})" if left_out else ""
            raise SourceError(f"{self.name} contains no text file{why}: choose another")
        self.notices += _first_ones(notices, f"of the files in {self.name}")
        self.notices += left_out_notice(left_out, self.name)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            with archive_errors(self.kind, self.name), unpacking_errors(self.name, self.packings):
                yield
        except OSError as error:
            raise unreadable(self.name, error) from error

    @contextmanager
    def _open(self) -> Iterator[IO[bytes]]:
        if self.spool is not None:
            self.spool.seek(0)
            yield self.spool  # which stays open, so that a pipe's text can be read again
            return
        if self.opened is None:
            with open(self.path, "rb") as stream:
                yield stream
        else:
            with self.opened() as stream:
                yield stream

    def _unpacked(self, raw: IO[bytes]) -> IO[bytes]:
        stream = raw
        for packing in self.packings:
            stream = unpacked(stream, packing, self.name)
        if not self.packings:
            return stream
        return cast("IO[bytes]", Limited(stream, most_unpacked(self.size_bytes), self.name))

    def _state(self, stream: IO[bytes]) -> tuple[int, int] | None:
        """The size and the time of the last change of an open file; `None` if it is not a file."""
        if self.spool is not None:
            return None
        try:
            status = os.fstat(stream.fileno())
        except (OSError, AttributeError):
            return None
        return status.st_size, status.st_mtime_ns

    def _unspooled(self) -> Iterator[Piece]:
        """Moves the rest of a pipe into the spool."""
        if self.spool is None or self.rest is None:
            return
        self.spool.seek(0, io.SEEK_END)
        while data := self.rest.read(BLOCK_BYTES):
            self.spool.write(data)
            yield NOTHING
        if self.rest is not getattr(sys.stdin, "buffer", None):
            self.rest.close()
        self.rest = None
        self.size_bytes = self.spool.tell()


class TypedText(Source):
    """A text that is in no file, to be read again as a file is.

    Args:
        name: its name in messages.
        text: the text; lone surrogates stand for stray bytes.
    """

    def __init__(self, name: str, text: str) -> None:
        super().__init__(name, name, "utf-8", len(text.encode("utf-8", "surrogatepass")))
        self._text = text

    def pieces(self) -> Iterator[Piece]:
        """The text in pieces, as one document."""
        self.position_bytes = 0
        for start in range(0, len(self._text), _TYPED_CHARACTERS):
            content = self._text[start : start + _TYPED_CHARACTERS].encode("utf-8", "surrogatepass")
            self.position_bytes += len(content)
            yield Piece(content)
        yield END


class Sources:
    """The files that a user has named, with those of folders, patterns and addresses, to be read in
    order.

    Files that were named are examined at once, so that a mistyped name at the end is an error
    before anything is read. Those of a folder are examined when it is their turn, and left out if
    they are empty or not text. An empty one that was named is left out, too, if there are others,
    and `notices` says so.

    Args:
        paths: files, folders, patterns or addresses; "-" is standard input.
        reading: how they are read.

    Attributes:
        notices: sentences for the user about files that were left out; complete once all are read.
        n_read: the number of files that have been read or are being read.

    Raises:
        SourceError: a file cannot be read as text, or there is none.
    """

    def __init__(
        self, paths: Iterable[str | os.PathLike[str]], reading: Reading = DEFAULT_READING
    ) -> None:
        self.notices: list[str] = []
        self.n_read = 0
        self._reading = reading
        self._waiting: list[Place | Source] = []
        self._left_out: list[str] = []
        for path in paths:
            for place in places_of(path):
                waiting: Place | Source | None = place
                if not place.is_found:
                    waiting = open_named(place.path, reading, self._left_out)
                if waiting is not None:
                    self._waiting.append(waiting)
        if not self._waiting and len(self._left_out) == 1:
            raise SourceError(f"{self._left_out[0]}: choose a file that contains text")

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def paths(self) -> list[str]:
        """The path of each file, even of one in a folder that may turn out not to be text."""
        return [waiting.path for waiting in self._waiting]

    def __iter__(self) -> Iterator[Source]:
        left_out = self._left_out[:]
        for waiting in self._waiting:
            if isinstance(waiting, Source):
                source: Source | None = waiting
            else:
                source = open_found(waiting.path, self._reading, left_out)
            if source is not None:
                self.n_read += 1
                yield source
        if not self.n_read:
            why = f" ({left_out[0]})" if left_out else ""
            raise SourceError(f"None of these files contains text{why}: choose others")
        self.notices += left_out_notice(left_out, "the corpus")


def open_named(
    path: str, reading: Reading, left_out: list[str], opened: Callable[[], IO[bytes]] | None = None
) -> Source | None:
    """A file that was named among others, as `open_source`; `None` if it is empty.

    Args:
        path: the file or its address.
        reading: how it is read.
        left_out: receives the reason if it is empty.
        opened: as in `open_source`.

    Raises:
        SourceError: it cannot be read as text.
    """
    source = _unexamined(path, reading, opened)
    if _examined(source):
        return source
    left_out.append(_empty(source))
    return None


def open_found(path: str, reading: Reading, left_out: list[str]) -> Source | None:
    """A file that was found in a folder, as `open_source`; `None` if it is empty, or not a regular
    file with text.

    Args:
        path: the file or its address.
        reading: how it is read.
        left_out: receives the reason why it is not text.

    Raises:
        SourceError: it cannot be read.
    """
    if not is_address(path) and os.path.lexists(path) and not is_regular(path):
        left_out.append(f"{path} is a pipe, a device or a link to nothing, not a file")
        return None
    source = _unexamined(path, reading, None)
    try:
        return source if _examined(source) else None
    except SourceError as error:
        if isinstance(error.__cause__, OSError):
            raise
        left_out.append(str(error))
        return None


def open_member(archive: Source, path: str, member: IO[bytes], n_before: int = 0) -> Source | None:
    """A file in an archive, as `open_source`; `None` if it is empty.

    Args:
        archive: the archive.
        path: the name of the file in it.
        member: its bytes.
        n_before: the bytes that the files before it were unpacked to.

    Raises:
        SourceError: it is not text.
    """
    most = most_unpacked(archive.size_bytes) - n_before
    part = cast("IO[bytes]", Limited(member, most, archive.name))
    source = Source(path, f"{path} in {archive.name}", "utf-8", 0, archive.reading, is_member=True)
    source.spool = part
    return source if _examine(source, part) else None


def left_out_notice(left_out: list[str], where: str) -> list[str]:
    """The notice about files that hold no text, with the reasons of the first of them."""
    if not left_out:
        return []
    files = "1 file"
    were = "was"
    if len(left_out) > 1:
        files = f"{len(left_out):,} files"
        were = "were"
    more = f"; and {len(left_out) - _MOST_NAMED:,} more" if len(left_out) > _MOST_NAMED else ""
    return [
        f"{files} of {where} could not be read as text and {were} skipped:"
        f" {'; '.join(left_out[:_MOST_NAMED])}{more}."
    ]


def _first_ones(notices: list[str], where: str) -> list[str]:
    more = len(notices) - _MOST_NAMED
    if more <= 0:
        return notices
    return [*notices[:_MOST_NAMED], f"{more:,} more notices like this {where}."]


def _reads_anywhere(stream: IO[bytes]) -> bool:
    """Whether a stream can be read at any place.

    Only an attempt tells whether a server sends a file from there.
    """
    try:
        stream.seek(min(2 * BLOCK_BYTES, stream.seek(0, io.SEEK_END) // 2))
        stream.read(1)
        stream.seek(0, io.SEEK_END)
    except io.UnsupportedOperation:
        return False
    return True


def open_source(
    path: str | os.PathLike[str],
    opened: Callable[[], IO[bytes]] | None = None,
    reading: Reading = DEFAULT_READING,
) -> Source:
    """Examines the first bytes of a file, and makes it ready to be read in pieces.

    Args:
        path: the file or its address; "-" is standard input.
        opened: opens the file each time that it is read; `None` to open the path, which may be a
            pipe.
        reading: how it is read.

    Raises:
        SourceError: the file is missing, a folder, unreadable, empty or binary, or there is no such
            encoding.
    """
    source = _unexamined(os.fspath(path), reading, opened)
    if not _examined(source):
        raise SourceError(f"{_empty(source)}: choose a file that contains text")
    return source


def opening_of(path: str | os.PathLike[str]) -> Callable[[], IO[bytes]]:
    """A function that opens a regular file, or the file at the address that a path stands for."""
    address = address_of(path)
    return partial(open_regular, path) if address is None else partial(remote.open_address, address)


def _empty(source: Source) -> str:
    if source.mark_bytes:
        return f"{source.name} is empty but for a byte-order mark"
    return f"{source.name} is empty"


def encoding_named(name: str) -> str:
    """Python's name of a text encoding.

    Raises:
        SourceError: there is no text encoding of that name.

    >>> encoding_named("Windows-1252")
    'cp1252'
    """
    try:
        info = codecs.lookup(name.strip())
    except (LookupError, ValueError, AttributeError):
        info = None
    if info is None or not getattr(info, "_is_text_encoding", True) or info.name in _NO_TEXT_CODECS:
        raise SourceError(
            f"There is no text encoding {name!r}: choose one such as utf-8, utf-16, cp1252 or"
            " gb18030"
        )
    return info.name


def _unexamined(path: str, reading: Reading, opened: Callable[[], IO[bytes]] | None) -> Source:
    """A source that can be opened, of which nothing has been read but the beginning of a pipe."""
    if reading.encoding is not None:
        encoding_named(reading.encoding)
    try:
        if path == "-":
            return _from_pipe("standard input", path, standard_input(), reading)
        if opened is None and is_address(path):
            opened = partial(remote.open_address, path)
        if opened is None:
            try:
                status = os.stat(path)
            except ValueError:
                raise SourceError(
                    f"{path!r} cannot be the name of a file: choose another"
                ) from None
            if stat.S_ISDIR(status.st_mode):
                raise SourceError(f"{path} is a folder: choose the text files in it")
            if not stat.S_ISREG(status.st_mode):
                return _from_pipe(path, path, open(path, "rb"), reading)
            opened = partial(cast("Callable[[str, str], IO[bytes]]", open), path, "rb")
    except OSError as error:
        raise unreadable(path, error) from error
    return Source(path, os.path.basename(path) or path, "utf-8", 0, reading, opened=opened)


def _from_pipe(name: str, path: str, pipe: IO[bytes], reading: Reading) -> Source:
    """A source that cannot be read twice: its bytes are stored, in memory while they are few."""
    source = Source(path, name, "utf-8", 0, reading, rest=pipe)
    source.spool = cast("IO[bytes]", tempfile.SpooledTemporaryFile(max_size=_SPOOL_BYTES))  # noqa: SIM115
    source.spool.write(pipe.read(SAMPLE_BYTES))
    weakref.finalize(source, source.spool.close)
    return source


def _examined(source: Source) -> bool:
    """Examines the first bytes of a source; returns whether there is any text."""
    try:
        with source._open() as stream:
            source.size_bytes = (source._state(stream) or (0, 0))[0]
            return _examine(source, stream)
    except OSError as error:
        raise unreadable(source.path, error) from error


def _examine(source: Source, raw: IO[bytes]) -> bool:
    """Finds out what a file is by its first bytes, then by its name; returns whether there is any
    text.

    Raises:
        SourceError: it is binary, or damaged.
    """
    stream = raw
    head = raw.read(SAMPLE_BYTES)
    while len(source.packings) < MOST_LAYERS and (packing := packing_of(head)):
        source.packings += (packing,)
        raw.seek(0)
        with unpacking_errors(source.path, source.packings):
            stream = source._unpacked(raw)
            head = stream.read(SAMPLE_BYTES)
    if packing_of(head):
        raise SourceError(f"{source.name} is packed more than {MOST_LAYERS} times: unpack it first")
    if not head:
        return False
    reading = source.reading
    if not reading.is_plain:
        source.kind = recognition.binary_kind(head) or archive_kind(head)
    if source.kind in (ZIP, TAR) and source.is_member:
        raise SourceError(f"{source.name} is {source.kind} inside an archive: unpack it first")
    if source.kind:
        return True
    if reading.encoding is not None:
        source.is_chosen = True
        source.encoding = encoding_named(reading.encoding)
    else:
        _find_encoding(source, head)
        if len(head) == source.mark_bytes:
            return False
    if not reading.is_plain:
        source.kind = _kind_of_text(source, head, stream)
    return True


def _kind_of_text(source: Source, head: bytes, stream: IO[bytes]) -> str:
    """The kind of records in a text; "" for plain text."""
    is_whole = len(head) < SAMPLE_BYTES
    text = _beginning(source, head)
    if not is_whole and recognition.needs_more(text):
        text = _beginning(source, head + stream.read(_LONG_RECORD_BYTES))
    reading = source.reading
    kind = recognition.text_kind(text, is_whole, source.path, reading.column)
    records = kind or recognition.objects_of(text, is_whole)[0]
    columns: tuple[Column, ...] = ()
    if records:
        columns = columns_of_text(text, is_whole, records, reading.column)
    source.columns_kind = records
    source.columns = columns
    wanted = TEXT_COLUMNS if reading.column is None else (reading.column,)
    has_text = not columns or any(each.is_text and each.name in wanted for each in columns)
    if not has_text and (reading.is_lenient or not kind):
        *others, last = TEXT_COLUMNS
        names = f"{', '.join(others)} or {last}" if reading.column is None else repr(reading.column)
        source.guess = f"{source.name} has no column named {names}, so it was read as plain text."
        return ""
    if reading.column is not None:
        if not kind:
            source.guess = f"{source.name} is plain text without columns, and all of it was read."
        elif kind in (recognition.CSV, recognition.TSV):
            texts = {
                each.name: each.name != reading.column or not holds_numbers(each)
                for each in columns
            }
            recognition.text_column(texts or {reading.column: True}, reading.column, source.name)
    elif not kind and recognition.is_other_json(text):
        source.guess = (
            f"{source.name} looks like JSON, but is neither an array of objects nor has one on each"
            " line, so it was read as plain text."
        )
    return kind


def _beginning(source: Source, head: bytes) -> str:
    return head[source.mark_bytes :].decode(source.encoding, "replace").removeprefix("\ufeff")


def standard_input() -> IO[bytes]:
    """Standard input as bytes.

    Raises:
        SourceError: it is closed.
    """
    if sys.stdin is None:
        raise SourceError("Standard input is closed: give a file instead of -")
    buffer = getattr(sys.stdin, "buffer", None)
    if buffer is None:
        return io.BytesIO(sys.stdin.read().encode())
    try:
        # A stream of its own: a thread that still waits for Python's own one would crash the
        # process as it ends.
        return open(buffer.fileno(), "rb", closefd=False)
    except OSError:
        return cast("IO[bytes]", buffer)


def _find_encoding(source: Source, head: bytes) -> None:
    """Settles what the first bytes can settle: a mark, or a binary file."""
    marked, source.mark_bytes = encodings.mark_of(head)
    if marked:
        source.encoding = marked
        return
    magic = encodings.magic_name(head)
    if magic:
        raise SourceError(
            f"{source.name} is {magic}, not text: choose a plain text file, or export its text"
            " first"
        )
    if encodings.looks_binary(head, is_utf8=encodings.is_utf8_so_far(head)):
        raise not_text(source.name)
