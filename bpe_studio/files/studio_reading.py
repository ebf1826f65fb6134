"""Reads a studio document as if a stranger had sent it; `studio.py` tells what one looks like.

Sizes are limited before anything is unpacked, and every name, number and length is checked. Whether the merges are
those that the corpus gives is not looked at here: who opens a document learns them again.
"""

from __future__ import annotations

import contextlib
import os
import zipfile
import zlib
from collections.abc import Generator, Iterator
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.config import MAX_VOCAB_SIZE, TrainingConfig
from bpe_studio.engine.corpus import Corpus
from bpe_studio.engine.word_table import Words
from bpe_studio.errors import ConfigError, TokenizerFormatError
from bpe_studio.files import studio_document as d
from bpe_studio.files.json_parts import checked, member, optional, parse_json
from bpe_studio.files.studio_document import StoredBranch, StoredBreakpoint, StoredSource, StudioDocument

ROOM_FOR_TOKENS = 1 << 62
_CHUNK = 1 << 20
_WORDS_AT_A_TIME = 1 << 13
_SHARDS = 256
_MOST = 2**53
_DAMAGES = (
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError,
    KeyError, IndexError, OverflowError,
)  # fmt: skip
"""What the zip library raises over a file that is damaged or made to confuse it."""

Steps = Generator[tuple[int, int], None, Any]


def read_document(path: str | os.PathLike[str]) -> Generator[tuple[int, int], None, StudioDocument]:
    """A document from its file; yields (bytes done, of how many) every few ms.

    Raises:
        TokenizerFormatError: there is none, it is damaged, or it holds what no document holds.
    """
    name = os.fspath(path)
    try:
        with open(path, "rb") as stream, _told(name):
            document: StudioDocument = yield from _document(stream, Path(path).parent)
            return document
    except FileNotFoundError:
        raise TokenizerFormatError(f"{name} does not exist: check the name, or choose another document") from None
    except ValueError:
        raise TokenizerFormatError(f"{name!r} cannot be the name of a file: choose another") from None
    except OSError as error:
        raise TokenizerFormatError(
            f"{name} cannot be read ({error.strerror or error}): choose another document"
        ) from error


def read_now(path: str | os.PathLike[str]) -> StudioDocument:
    """A document from its file, without a pause.

    Raises:
        TokenizerFormatError: as `read_document`.
    """
    work = read_document(path)
    while True:
        try:
            next(work)
        except StopIteration as stop:
            document: StudioDocument = stop.value
            return document


@contextlib.contextmanager
def _told(name: str) -> Iterator[None]:
    """Puts the file's name before what was found wrong in it."""
    try:
        yield
    except TokenizerFormatError as error:
        raise TokenizerFormatError(f"{name} cannot be opened as a studio document: {error}") from None
    except ConfigError as error:
        raise TokenizerFormatError(f"{name} cannot be opened as a studio document: {error}") from None
    except _DAMAGES as error:
        raise TokenizerFormatError(
            f"{name} is damaged or cut short ({str(error)[:200] or type(error).__name__}): copy or save it again"
        ) from None


def _document(stream: IO[bytes], folder: Path) -> Steps:
    size = os.fstat(stream.fileno()).st_size
    if size > d.MAX_FILE_BYTES:
        raise TokenizerFormatError(f"it is larger than {d.MAX_FILE_BYTES >> 30} GB, which none is: choose another file")
    with zipfile.ZipFile(stream) as archive:
        parts = _Parts(archive, size)
        main = yield from parts.read(d.MAIN_PART, d.MAX_MAIN_BYTES)
        values = checked(parse_json(bytes(main), d.MAIN_PART), dict, d.MAIN_PART)
        _check_version(values)
        about = member(values, "corpus", dict, d.MAIN_PART)
        base = TrainingConfig.from_dict(member(about, "config", dict, "the corpus"))
        corpus = yield from _corpus(parts, about, base)
        held_out = yield from _held_out(parts, values, base)
        branches: list[StoredBranch] = []
        for each in _list(values, "branches", d.MAX_BRANCHES):
            branches.append((yield from _branch(parts, each, base, branches)))
    return _put_together(values, about, corpus, tuple(branches), folder, held_out)


def _put_together(
    values: dict[str, Any],
    about: dict[str, Any],
    corpus: Corpus,
    branches: tuple[StoredBranch, ...],
    folder: Path,
    held_out: tuple[float, Corpus | None],
) -> StudioDocument:
    if not branches:
        raise TokenizerFormatError("it has no run")
    shown = _whole(values, "shown", MAX_VOCAB_SIZE)
    if all(branch.number != shown for branch in branches):
        raise TokenizerFormatError(f"it shows branch {shown:,}, which it does not have")
    view = values.get("view", {})
    fault = d.view_fault(view)
    if fault:
        raise TokenizerFormatError(f"its view cannot be used, as {fault}")
    steps = values.get("compared_steps", [])
    return StudioDocument(
        name=_text(about, "name"),
        corpus=corpus,
        branches=branches,
        sources=tuple(_source(each, folder) for each in _list(about, "sources", d.MAX_MARKS)),
        encoding=optional(about, "encoding", str, "the corpus"),
        notices=tuple(checked(each, str, "a notice") for each in _list(about, "notices", d.MAX_MARKS)),
        shown=shown,
        bookmarks=tuple(
            (_whole(each, "step", MAX_VOCAB_SIZE), _text(each, "name")[: d.MAX_NAME_CHARACTERS])
            for each in _list(values, "bookmarks", d.MAX_MARKS)
        ),
        breakpoints=tuple(_breakpoint(each) for each in _list(values, "breakpoints", d.MAX_BREAKPOINTS)),
        typed_text=member(values, "typed_text", str, d.MAIN_PART),
        compared_steps=tuple(
            _in_range(each, MAX_VOCAB_SIZE, "a compared step") for each in checked(steps, list, "'compared_steps'")
        ),
        view=view,
        held_out=held_out[1],
        held_out_share=held_out[0],
    )


class _Parts:
    """The parts of the file, each unpacked when it is asked for and never further than it may be long."""

    def __init__(self, archive: zipfile.ZipFile, size: int) -> None:
        self._archive = archive
        self._infos = {info.filename: info for info in archive.infolist()}
        if len(self._infos) < len(archive.infolist()):
            raise TokenizerFormatError("one of its parts stands in it twice")
        self._done = 0
        self._total = sum(info.file_size for info in self._infos.values())
        if self._total > max(d.FREELY_UNPACKED_BYTES, d.MAX_RATIO * size):
            raise TokenizerFormatError(
                f"it would unpack to {self._total:,} bytes from {size:,}, as no document does: do not trust it"
            )

    @property
    def progress(self) -> tuple[int, int]:
        """How many bytes are unpacked, of how many."""
        return self._done, self._total

    def read(self, name: str, most: int, exact: int | None = None) -> Generator[tuple[int, int], None, bytearray]:
        """The bytes of a part, in memory of its own that may be written to, as the kernels expect of arrays."""
        info = self._infos.get(name)
        if info is None:
            raise TokenizerFormatError(f"its part {name} is missing: copy or save it again")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise TokenizerFormatError(f"its part {name} is packed in a way that no document uses")
        if info.file_size > most or (exact is not None and info.file_size != exact):
            limit = f"{exact:,} are right" if exact is not None else f"at most {most:,} are right"
            raise TokenizerFormatError(f"its part {name} has {info.file_size:,} bytes, where {limit}")
        content = bytearray()
        with self._archive.open(info) as part:
            while chunk := part.read(_CHUNK):
                content += chunk
                self._done += len(chunk)
                yield self.progress
        if len(content) != info.file_size:
            raise TokenizerFormatError(f"its part {name} is cut short: copy or save it again")
        return content


def _check_version(values: dict[str, Any]) -> None:
    if values.get("format") != d.FORMAT_NAME:
        raise TokenizerFormatError("it does not say that it is one")
    version = _whole(values, "version", _MOST)
    if version != d.VERSION:
        raise TokenizerFormatError(
            f"it is of version {version:,} and this program reads version {d.VERSION}: open it with a newer BPE Studio"
        )


def _corpus(parts: _Parts, about: dict[str, Any], base: TrainingConfig, table: str = d.WORDS) -> Steps:
    n_words = _whole(about, "n_words", d.MAX_WORD_BYTES)
    words_part, lengths_part, counts_part = d.word_parts(table)
    blob = np.frombuffer((yield from parts.read(words_part, d.MAX_WORD_BYTES)), np.uint8)
    packed_lengths = yield from parts.read(lengths_part, d.MAX_WORD_BYTES, 4 * n_words)
    packed_counts = yield from parts.read(counts_part, d.MAX_WORD_BYTES, 8 * n_words)
    lengths = np.frombuffer(packed_lengths, "<u4").astype(np.int64)
    counts = np.frombuffer(packed_counts, "<i8").astype(np.int64)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    if int(offsets[-1]) != len(blob):
        raise TokenizerFormatError(f"its words end at byte {int(offsets[-1]):,} of {len(blob):,}")
    if n_words and (lengths.min() < 1 or counts.min() < 1 or counts.max() > _MOST):
        raise TokenizerFormatError(f"one of its words is empty, or its count is not from 1 to {_MOST:,}")
    if float(lengths.astype(np.float64) @ counts.astype(np.float64)) > ROOM_FOR_TOKENS / 4:
        raise TokenizerFormatError("its words are more than can be counted")
    for _ in _check_distinct(blob, offsets):
        yield parts.progress
    whitespace_words = about.get("n_whitespace_words")
    return Corpus(
        base,
        Words(blob, offsets, counts),
        size_bytes=_whole(about, "size_bytes", _MOST),
        n_characters=_whole(about, "n_characters", _MOST),
        n_whitespace_words=None if whitespace_words is None else _whole(about, "n_whitespace_words", _MOST),
        n_documents=_whole(about, "n_documents", _MOST),
        is_counted=member(about, "is_counted", bool, "the corpus"),
    )


def _held_out(parts: _Parts, values: dict[str, Any], base: TrainingConfig) -> Steps:
    """The share that was set aside and its words; 0 and None for nothing."""
    about = optional(values, "held_out", dict, d.MAIN_PART)
    if about is None:
        return 0.0, None
    share = about.get("share")
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share < 1:
        raise TokenizerFormatError(f"the share that it sets aside is {str(share)[:40]}, where one from 0 to 1 is right")
    return float(share), (yield from _corpus(parts, about, base, d.HELD_OUT_WORDS))


def _check_distinct(blob: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]) -> Iterator[None]:
    # Many small sets: a single one of a million words would hold the interpreter's lock for 0.1 s whenever it grows.
    shards: list[set[bytes]] = [set() for _ in range(_SHARDS)]
    content, n_words = blob.data, len(offsets) - 1
    for start in range(0, n_words, _WORDS_AT_A_TIME):
        ends = offsets[start : start + _WORDS_AT_A_TIME + 1].tolist()
        for begin, end in pairwise(ends):
            word = bytes(content[begin:end])
            shard = shards[hash(word) % _SHARDS]
            if word in shard:
                raise TokenizerFormatError("one of its words stands in its table twice")
            shard.add(word)
        yield
    while shards:
        shards.pop()
        yield


def _branch(parts: _Parts, value: object, base: TrainingConfig, before: list[StoredBranch]) -> Steps:
    values = checked(value, dict, "a branch")
    number, n_merges = _whole(values, "number", MAX_VOCAB_SIZE), _whole(values, "n_merges", MAX_VOCAB_SIZE)
    where = f"branch {number:,}"
    size = n_merges * d.MERGE_BYTES
    content = yield from parts.read(d.merges_part(number), size, size)
    columns, place = {}, 0
    for name, kind in d.MERGE_COLUMNS:
        columns[name] = np.frombuffer(content, kind, n_merges, place)
        place += n_merges * np.dtype(kind).itemsize
    if n_merges and (min(int(each.min()) for each in columns.values()) < 0 or columns["forced"].max() > 1):
        raise TokenizerFormatError(f"one of the merges of {where} has a number that is out of range")
    columns["forced"] = columns["forced"].astype(np.bool_)
    changes = member(values, "config", dict, where)
    branch = StoredBranch(
        number=number,
        name=_text(values, "name")[: d.MAX_NAME_CHARACTERS],
        parent=None if values.get("parent") is None else _whole(values, "parent", MAX_VOCAB_SIZE),
        override=_override(values.get("override")),
        config=TrainingConfig.from_dict({**base.to_dict(), **changes}) if changes else base,
        columns=columns,
        step=_whole(values, "step", n_merges),
        target=_whole(values, "target", _MOST),
        is_ended=member(values, "is_ended", bool, where),
        was_run=member(values, "was_run", bool, where),
    )
    _check_place(branch, before)
    return branch


def _check_place(branch: StoredBranch, before: list[StoredBranch]) -> None:
    """A branch stands behind the one that it came from, which reaches to where it begins."""
    where = f"branch {branch.number:,}"
    if any(each.number == branch.number for each in before):
        raise TokenizerFormatError(f"it has two of {where}")
    if not before:
        if branch.number or branch.parent is not None or branch.override is not None:
            raise TokenizerFormatError("its first branch is not the first run")
        return
    parent = next((each for each in before if each.number == branch.parent), None)
    if parent is None or branch.override is None:
        raise TokenizerFormatError(f"{where} does not tell what it came from")
    if branch.override.step > parent.n_merges:
        raise TokenizerFormatError(f"{where} begins behind the end of the one that it came from")


def _override(value: object) -> Any:
    if value is None:
        return None
    from bpe_studio.engine.plan import Override

    return Override.from_dict(checked(value, dict, "an override"))


def _breakpoint(value: object) -> StoredBreakpoint:
    values = checked(value, dict, "a breakpoint")
    question = member(values, "question", str, "a breakpoint")
    if question not in d.QUESTIONS:
        raise TokenizerFormatError(f"there is no breakpoint {question[:40]!r}")
    return StoredBreakpoint(
        question,
        member(values, "text", str, "a breakpoint"),
        _whole(values, "number", _MOST),
        member(values, "is_on", bool, "a breakpoint"),
    )


def _source(value: object, folder: Path) -> StoredSource:
    values = checked(value, dict, "a source")
    path, beside = optional(values, "path", str, "a source"), optional(values, "beside", str, "a source")
    return StoredSource(
        _text(values, "name"),
        member(values, "encoding", str, "a source"),
        _whole(values, "size_bytes", _MOST),
        None if path is None or "\0" in path else _found(Path(path), beside, folder),
    )


def _found(path: Path, beside: str | None, folder: Path) -> Path:
    """Where a file of the corpus is now: beside the document where both were moved, else where it was.

    Only the document's own folder is looked into: a path that a stranger wrote may be on a machine of theirs.
    """
    if beside:
        inside = PurePosixPath(beside)
        if not inside.is_absolute() and ".." not in inside.parts and not any(c in beside for c in "\0\\:"):
            moved = folder.absolute() / inside
            with contextlib.suppress(OSError):
                if moved.is_file():
                    return moved
    return path


def _list(values: dict[str, Any], key: str, most: int) -> list[Any]:
    found = member(values, key, list, d.MAIN_PART)
    if len(found) > most:
        raise TokenizerFormatError(f"its {key} are {len(found):,}, and {most:,} at most are right")
    return found


def _text(value: object, key: str) -> str:
    return member(checked(value, dict, f"what has {key!r}"), key, str, d.MAIN_PART)


def _whole(value: object, key: str, most: int) -> int:
    values = checked(value, dict, f"what has {key!r}")
    return _in_range(member(values, key, int, d.MAIN_PART), most, repr(key))


def _in_range(value: object, most: int, what: str) -> int:
    number = checked(value, int, what)
    if not 0 <= number <= most:
        raise TokenizerFormatError(f"{what} is {str(number)[:40]}, where 0 to {most:,} is right")
    return number
