"""Reads a studio document, as untrusted input; `studio.py` describes the format.

Sizes are limited before anything is decompressed, and every name, number and length is checked.
This module does not check whether the merges are those that the corpus gives: the workspace trains
them again when it opens a document.
"""

from __future__ import annotations

import contextlib
import os
import zipfile
import zlib
from collections.abc import Generator, Iterator
from typing import IO, Any

import numpy as np

from bpe_studio.engine.config import MAX_VOCAB_SIZE, TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.generators import result_of
from bpe_studio.errors import ConfigError, SourceError, TokenizerFormatError
from bpe_studio.files.document import records as d
from bpe_studio.files.document.records import (
    StoredBranch,
    StoredBreakpoint,
    StoredSource,
    StudioDocument,
)
from bpe_studio.files.document.seed_tokenizer import read_tokenizer
from bpe_studio.files.document.word_tables import (
    MOST,
    DocumentArchive,
    Steps,
    in_range,
    read_corpus,
    read_held_out,
    whole,
    whole_or_none,
)
from bpe_studio.files.json_parts import checked, member, optional, parse_json
from bpe_studio.files.text.reading import Reading
from bpe_studio.files.text.regular_files import open_regular

_DAMAGES = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    KeyError,
    IndexError,
    OverflowError,
)
"""The errors that `zipfile` raises for a file that is damaged or crafted."""


def read_document(path: str | os.PathLike[str]) -> Generator[tuple[int, int], None, StudioDocument]:
    """Reads a document from its file; yields (bytes done, bytes in all) every few milliseconds.

    Raises:
        TokenizerFormatError: the file does not exist, is damaged, or holds values that a document
            cannot have.
    """
    name = os.fspath(path)
    try:
        with open_regular(path) as stream, document_errors(name):
            document: StudioDocument = yield from _document(stream)
            return document
    except FileNotFoundError:
        raise TokenizerFormatError(
            f"{name} does not exist: check the name, or choose another document"
        ) from None
    except SourceError as error:
        raise TokenizerFormatError(str(error)) from None
    except OSError as error:
        raise TokenizerFormatError(
            f"{name} cannot be read ({error.strerror or error}): choose another document"
        ) from error


def read_now(path: str | os.PathLike[str]) -> StudioDocument:
    """Reads a document from its file at once.

    Raises:
        TokenizerFormatError: as `read_document`.
    """
    return result_of(read_document(path))


@contextlib.contextmanager
def document_errors(name: str) -> Iterator[None]:
    """Adds the file's name to the message of an error that was found in it."""
    try:
        yield
    except (TokenizerFormatError, ConfigError) as error:
        raise TokenizerFormatError(
            f"{name} cannot be opened as a studio document: {error}"
        ) from None
    except _DAMAGES as error:
        raise TokenizerFormatError(
            f"{name} is damaged or cut short ({str(error)[:200] or type(error).__name__}): copy or"
            " save it again"
        ) from None


def _document(stream: IO[bytes]) -> Steps:
    size = os.fstat(stream.fileno()).st_size
    if size > d.MAX_FILE_BYTES:
        raise TokenizerFormatError(
            f"it is larger than {d.MAX_FILE_BYTES >> 30} GB, the limit for documents"
        )
    with zipfile.ZipFile(stream) as archive:
        parts = DocumentArchive(archive, size)
        main = yield from parts.read(d.MAIN_PART, d.MAX_MAIN_BYTES)
        values = checked(parse_json(bytes(main), d.MAIN_PART), dict, d.MAIN_PART)
        _check_version(values)
        about = member(values, "corpus", dict, d.MAIN_PART)
        corpus = yield from read_corpus(parts, about)
        held_out = yield from read_held_out(parts, values, corpus.config)
        branches: list[StoredBranch] = []
        for each in _list(values, "branches", d.MAX_BRANCHES):
            branches.append((yield from _branch(parts, each, corpus.config, branches)))
    document = _checked_document(values, about, corpus, tuple(branches), held_out)
    if fault := document.fault_of_runs():
        raise TokenizerFormatError(f"{fault}: it may be malicious")
    return document


def _checked_document(
    values: dict[str, Any],
    about: dict[str, Any],
    corpus: Corpus,
    branches: tuple[StoredBranch, ...],
    held_out: tuple[float, Corpus | None],
) -> StudioDocument:
    if not branches:
        raise TokenizerFormatError("it has no run")
    shown = whole(values, "shown", MAX_VOCAB_SIZE)
    if all(branch.number != shown for branch in branches):
        raise TokenizerFormatError(f"it shows branch {shown:,}, which does not exist")
    view = values.get("view", {})
    fault = d.view_fault(view)
    if fault:
        raise TokenizerFormatError(f"its view cannot be used, because {fault}")
    steps = values.get("compared_steps", [])
    return StudioDocument(
        name=_text(about, "name"),
        corpus=corpus,
        branches=branches,
        sources=tuple(_source(each) for each in _list(about, "sources", d.MAX_MARKS)),
        reading=Reading(
            optional(about, "encoding", str, "the corpus"),
            optional(about, "column", str, "the corpus"),
            bool(optional(about, "is_plain", bool, "the corpus")),
            is_lenient=True,
        ),
        notices=tuple(
            checked(each, str, "a notice") for each in _list(about, "notices", d.MAX_MARKS)
        ),
        shown=shown,
        bookmarks=tuple(
            (whole(each, "step", MAX_VOCAB_SIZE), _text(each, "name")[: d.MAX_NAME_CHARACTERS])
            for each in _list(values, "bookmarks", d.MAX_MARKS)
        ),
        breakpoints=tuple(
            _breakpoint(each) for each in _list(values, "breakpoints", d.MAX_BREAKPOINTS)
        ),
        typed_text=member(values, "typed_text", str, d.MAIN_PART),
        compared_steps=tuple(
            in_range(each, MAX_VOCAB_SIZE, "a compared step")
            for each in checked(steps, list, "'compared_steps'")
        ),
        view=view,
        held_out=held_out[1],
        held_out_share=held_out[0],
    )


def _check_version(values: dict[str, Any]) -> None:
    if values.get("format") != d.FORMAT_NAME:
        raise TokenizerFormatError("it does not say so")
    version = whole(values, "version", MOST)
    if not d.VERSION <= version <= d.VERSION_WITH_TOKENIZERS:
        raise TokenizerFormatError(
            f"it is of version {version:,} and this program reads version {d.VERSION} to "
            f"{d.VERSION_WITH_TOKENIZERS}: open it with a newer BPE Studio"
        )


def _branch(
    parts: DocumentArchive, value: object, base: TrainingConfig, before: list[StoredBranch]
) -> Steps:
    values = checked(value, dict, "a branch")
    number = whole(values, "number", MAX_VOCAB_SIZE)
    n_merges = whole(values, "n_merges", MAX_VOCAB_SIZE)
    where = f"branch {number:,}"
    size = n_merges * d.MERGE_BYTES
    content = yield from parts.read(d.merges_part(number), size, size)
    columns = {}
    place = 0
    for name, kind in d.MERGE_COLUMNS:
        columns[name] = np.frombuffer(content, kind, n_merges, place)
        place += n_merges * np.dtype(kind).itemsize
    if n_merges and (
        min(int(each.min()) for each in columns.values()) < 0 or columns["forced"].max() > 1
    ):
        raise TokenizerFormatError(
            f"one of the merges of {where} has a number that is out of range"
        )
    columns["forced"] = columns["forced"].astype(np.bool_)
    changes = member(values, "config", dict, where)
    parent = whole_or_none(values, "parent", MAX_VOCAB_SIZE)
    corpus, held_out = next(
        ((each.corpus, each.held_out) for each in before if each.number == parent), (None, None)
    )
    about = optional(values, "corpus", dict, where)
    if about is not None:
        if parent is not None or not before:
            raise TokenizerFormatError(f"{where} has its own words, but is not a side run")
        corpus = yield from read_corpus(parts, about, d.own_words(number))
        aside = optional(about, "held_out", dict, where)
        if aside is not None:
            held_out = yield from read_corpus(parts, aside, d.own_held_out(number), corpus.config)
    tokenizer = None
    seed = optional(values, "tokenizer", dict, where)
    if seed is not None:
        if parent is not None:
            raise TokenizerFormatError(f"{where} has its own tokenizer, but also a parent")
        tokenizer = yield from read_tokenizer(parts, seed, number)
        if n_merges < len(tokenizer.merges):
            raise TokenizerFormatError(
                f"{where} has fewer merges than the tokenizer that it begins with"
            )
    branch = StoredBranch(
        number=number,
        name=_text(values, "name")[: d.MAX_NAME_CHARACTERS],
        parent=parent,
        override=_override(values.get("override")),
        config=_changed_config(base, changes),
        columns=columns,
        step=whole(values, "step", n_merges),
        target=whole(values, "target", MOST),
        is_ended=member(values, "is_ended", bool, where),
        was_run=member(values, "was_run", bool, where),
        corpus=corpus,
        held_out=held_out,
        tokenizer=tokenizer,
    )
    _check_place(branch, before)
    return branch


def _changed_config(base: TrainingConfig, changes: dict[str, Any]) -> TrainingConfig:
    if not changes:
        return base
    return TrainingConfig.from_dict({**base.to_dict(), **changes})


def _check_place(branch: StoredBranch, before: list[StoredBranch]) -> None:
    """Checks that the parent of a branch comes before it and has at least as many merges as the two
    share.
    """
    where = f"branch {branch.number:,}"
    if any(each.number == branch.number for each in before):
        raise TokenizerFormatError(f"it has two of {where}")
    if not before:
        if branch.number or branch.parent is not None or branch.override is not None:
            raise TokenizerFormatError("its first branch is not the main run")
        return
    if branch.is_side_run and branch.override is None:
        return
    parent = next((each for each in before if each.number == branch.parent), None)
    if parent is None or branch.override is None:
        raise TokenizerFormatError(f"{where} has no parent")
    if branch.override.step > parent.n_merges:
        raise TokenizerFormatError(f"{where} begins after the end of its parent")


def _override(value: object) -> Any:
    if value is None:
        return None
    from bpe_studio.engine.training.overrides import Override

    return Override.from_dict(checked(value, dict, "an override"))


def _breakpoint(value: object) -> StoredBreakpoint:
    values = checked(value, dict, "a breakpoint")
    question = member(values, "question", str, "a breakpoint")
    if question not in d.QUESTIONS:
        raise TokenizerFormatError(f"there is no breakpoint {question[:40]!r}")
    return StoredBreakpoint(
        question,
        member(values, "text", str, "a breakpoint"),
        whole(values, "number", MOST),
        member(values, "is_on", bool, "a breakpoint"),
    )


def _source(value: object) -> StoredSource:
    values = checked(value, dict, "a source")
    return StoredSource(
        _text(values, "name"),
        member(values, "encoding", str, "a source"),
        whole(values, "size_bytes", MOST),
        optional(values, "form", str, "a source") or "",
        optional(values, "column", str, "a source") or "",
    )


def _list(values: dict[str, Any], key: str, most: int) -> list[Any]:
    found = member(values, key, list, d.MAIN_PART)
    if len(found) > most:
        raise TokenizerFormatError(f"it has {len(found):,} {key}, and the limit is {most:,}")
    return found


def _text(value: object, key: str) -> str:
    return member(checked(value, dict, f"what has {key!r}"), key, str, d.MAIN_PART)
