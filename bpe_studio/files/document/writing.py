"""Makes the bytes of a studio document; `studio.py` describes the format.

It works as a generator, so that a caller can cancel it, and writes nothing to disk. Equal documents
give equal bytes.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bpe_studio._version import __version__
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.counting.source_weights import short_names
from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.engine.generators import result_of
from bpe_studio.errors import SaveError
from bpe_studio.files.document import records as d
from bpe_studio.files.document.records import StoredBranch, StoredSource, StudioDocument
from bpe_studio.files.document.seed_tokenizer import about_tokenizer, contents
from bpe_studio.files.own_marks import MIMETYPE, MIMETYPE_PART

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.engine.training.trainer import Trainer
    from bpe_studio.files.text.reading import Reading
    from bpe_studio.files.text.sources import Source

_CHUNK = 1 << 20
_EPOCH = (1980, 1, 1, 0, 0, 0)


def pack_in_steps(document: StudioDocument) -> Generator[tuple[int, int], None, bytes]:
    """The bytes of a document; yields (bytes done, bytes in all) every few milliseconds.

    Args:
        document: the document.

    Raises:
        SaveError: the document exceeds a limit of the format.
    """
    parts = _parts(document)
    total = sum(map(len, parts.values()))
    data = yield from _zipped(parts, zipfile.ZIP_DEFLATED)
    if total > max(d.FREELY_UNPACKED_BYTES, d.MAX_RATIO * len(data)):
        data = yield from _zipped(parts, zipfile.ZIP_STORED)
    if len(data) > d.MAX_FILE_BYTES:
        raise SaveError(
            f"The document was not saved: it is larger than {d.MAX_FILE_BYTES >> 30} GB; use less"
            " text"
        )
    return data


def pack(document: StudioDocument) -> bytes:
    """The bytes of a document, made at once.

    Raises:
        SaveError: the document exceeds a limit of the format.
    """
    return result_of(pack_in_steps(document))


def document_of(
    trainer: Trainer,
    name: str,
    sources: Sequence[Source],
    reading: Reading,
    side_run: tuple[str, Run, int] | None = None,
    typed_text: str = "",
) -> StudioDocument:
    """A run and the words that it was trained on as a studio document.

    Args:
        trainer: the trainer of the run.
        name: the name of the corpus in the window.
        sources: the corpus files.
        reading: how the files were read.
        side_run: the name of another run over the same words, the run, and the step at which both
            are shown.
        typed_text: the typed text.
    """
    run = trainer.run_record
    n_merges = len(run.merges)
    is_ended = trainer.finished and n_merges < trainer.target
    columns = d.stored_columns(run.columns, n_merges)
    step = n_merges if side_run is None else min(side_run[2], n_merges)
    branches = [
        StoredBranch(
            0, "Main run", None, None, run.config, columns, step, trainer.target, is_ended, True
        )
    ]
    if side_run is not None:
        side_name, other, _ = side_run
        n_other = len(other.merges)
        columns = d.stored_columns(other.columns, n_other)
        step = min(step, n_other)
        branches.append(
            StoredBranch(
                1, side_name, None, None, other.config, columns, step, n_other, was_run=True
            )
        )
    stored = d.as_stored(
        [
            StoredSource(
                source.name,
                source.encoding,
                source.size_bytes or source.position_bytes,
                form=source.form,
                column=source.column_read,
            )
            for source in sources
        ]
    )
    return StudioDocument(name, run.corpus, tuple(branches), stored, reading, typed_text=typed_text)


def _zipped(
    parts: Mapping[str, memoryview], method: int
) -> Generator[tuple[int, int], None, bytes]:
    done = 0
    total = sum(map(len, parts.values()))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in parts.items():
            info = zipfile.ZipInfo(name, _EPOCH)
            # The first part is uncompressed at a fixed offset, which identifies the format.
            info.compress_type = zipfile.ZIP_STORED if name == MIMETYPE_PART else method
            if name == MIMETYPE_PART:
                archive.writestr(info, bytes(content))
                continue
            with archive.open(info, "w", force_zip64=len(content) >= 1 << 31) as part:
                for start in range(0, len(content), _CHUNK):
                    done += part.write(content[start : start + _CHUNK])
                    yield done, total
    return stream.getvalue()


def _parts(document: StudioDocument) -> dict[str, memoryview]:
    _check_limits(document)
    parts = {
        MIMETYPE_PART: memoryview(MIMETYPE),
        d.MAIN_PART: memoryview(_main_part(document)),
    }
    for table, corpus in _tables_of(document).items():
        parts |= _words(table, corpus)
    for branch in document.branches:
        columns = [_raw(branch.columns[name], kind) for name, kind in d.MERGE_COLUMNS]
        parts[d.merges_part(branch.number)] = memoryview(b"".join(columns))
    for number, model in _tokenizers_of(document).items():
        for part, content in zip(d.tokenizer_parts(number), contents(model), strict=True):
            parts[part] = memoryview(content)
    return parts


def _check_limits(document: StudioDocument) -> None:
    """Refuses a document that would not be opened again.

    Raises:
        SaveError: it exceeds a limit of the format.
    """
    tables = _tables_of(document)
    n_bytes = sum(len(corpus.blob) for corpus in tables.values())
    if n_bytes > d.MAX_WORD_BYTES:
        raise SaveError(
            f"The document was not saved: its words take {n_bytes:,} bytes, and the limit is"
            f" {d.MAX_WORD_BYTES:,}; use less text, choose a split with shorter words, or remove"
            " runs with other splits"
        )
    if len(document.branches) > d.MAX_BRANCHES:
        raise SaveError(
            f"The document was not saved: it has {len(document.branches):,} branches, and the limit"
            f" is {d.MAX_BRANCHES:,}; remove some"
        )
    if fault := document.fault_of_runs():
        raise SaveError(f"The document was not saved: {fault}; remove some runs")


def _tables_of(document: StudioDocument) -> dict[str, Corpus]:
    """The tables of words by their names; the branches of a side run share its tables."""
    tables = {d.WORDS: document.corpus}
    if document.held_out is not None:
        tables[d.HELD_OUT_WORDS] = document.held_out
    for branch in document.branches:
        if branch.is_side_run and branch.corpus is not None:
            tables[d.own_words(branch.number)] = branch.corpus
            if branch.held_out is not None:
                tables[d.own_held_out(branch.number)] = branch.held_out
    for name, corpus in list(tables.items()):
        if d.has_files(corpus):
            for number, source in enumerate(corpus.sources.values()):
                tables[d.file_words(name, number)] = source
    for name, corpus in list(tables.items()):
        if corpus.first is not None:
            tables[d.first_words(name)] = corpus.first
    return tables


def _tokenizers_of(document: StudioDocument) -> dict[int, TokenizerModel]:
    """The tokenizers that runs begin with, by the number of the run; its branches share them."""
    return {
        branch.number: branch.tokenizer
        for branch in document.branches
        if branch.parent is None and branch.tokenizer is not None
    }


def _words(table: str, corpus: Corpus) -> dict[str, memoryview]:
    words, lengths, counts = d.word_parts(table)
    return {
        words: _raw(corpus.blob, "|u1"),
        lengths: _raw(np.diff(corpus.offsets), "<u4"),
        counts: _raw(corpus.counts, "<i8"),
    }


def _raw(values: npt.NDArray[Any], kind: str) -> memoryview:
    """The bytes of an array of another dtype."""
    array = np.ascontiguousarray(values, np.dtype(kind))
    return array.view(np.uint8).data if len(array) else memoryview(b"")


def _main_part(document: StudioDocument) -> bytes:
    """Everything but the long arrays, as JSON.

    Raises:
        SaveError: it exceeds a limit, or the view is not JSON.
    """
    base = document.corpus.config
    version = d.VERSION
    if _tokenizers_of(document):
        version = d.VERSION_WITH_TOKENIZERS
    elif any(each.is_side_run for each in document.branches):
        version = d.VERSION_WITH_RUNS_BESIDE
    fault = d.view_fault(document.view)
    if fault:
        raise SaveError(
            "The document was not saved: the state of the window cannot be written, because"
            f" {fault}"
        )
    values = {
        "format": d.FORMAT_NAME,
        "version": version,
        "written_by": __version__,
        "holds_text": document.holds_text,
        "corpus": {
            "name": document.name,
            "config": base.to_dict(),
            **_about(document.corpus),
            "encoding": document.reading.encoding,
            "column": document.reading.column,
            "is_plain": document.reading.is_plain,
            "sources": [_source(source) for source in document.sources],
            "notices": list(document.notices),
        },
        "branches": [_branch(branch, base) for branch in document.branches],
        "shown": document.shown,
        "bookmarks": [{"step": step, "name": name} for step, name in document.bookmarks],
        "breakpoints": [
            {"question": one.question, "text": one.text, "number": one.number, "is_on": one.is_on}
            for one in document.breakpoints
        ],
        "typed_text": document.typed_text,
        "compared_steps": list(document.compared_steps),
        "view": dict(document.view),
    }
    if document.held_out is not None:
        values["held_out"] = {"share": document.held_out_share, **_measures(document.held_out)}
    # Characters are escaped: only so can JSON hold the lone surrogates of stray bytes. In small
    # steps, because json.dumps holds the interpreter's lock: for 46 ms where 50,000 merges are
    # forced.
    data = "".join(json.JSONEncoder(allow_nan=False).iterencode(values)).encode("ascii")
    if len(data) > d.MAX_MAIN_BYTES:
        raise SaveError(
            f"The document was not saved: typed text and settings take {len(data):,} bytes, and the"
            f" limit is {d.MAX_MAIN_BYTES:,}; shorten the typed text"
        )
    return data


def _about(corpus: Corpus) -> dict[str, Any]:
    """The measures of a corpus, and those of its files; a document does not say where they are,
    except for the folders that its weights name.
    """
    values = _measures(corpus)
    if d.has_files(corpus):
        patterns = [pattern for pattern, _ in corpus.config.file_weights]
        names = short_names(corpus.sources, patterns)
        files = zip(names, corpus.sources.items(), strict=True)
        values["files"] = [
            {"name": name, "repetitions": corpus.repetitions[path], **_measures(source)}
            for name, (path, source) in files
        ]
    return values


def _measures(corpus: Corpus) -> dict[str, Any]:
    first = {} if corpus.first is None else {"first": _measures(corpus.first)}
    return first | {
        "n_words": len(corpus),
        "size_bytes": corpus.size_bytes,
        "n_characters": corpus.n_characters,
        "n_whitespace_words": corpus.n_whitespace_words,
        "n_documents": corpus.n_documents,
        "is_counted": corpus.is_counted,
    }


def _branch(branch: StoredBranch, base: TrainingConfig) -> dict[str, Any]:
    common = base.to_dict()
    own = branch.config.to_dict()
    override = None if branch.override is None else branch.override.to_dict()
    values = {
        "number": branch.number,
        "name": branch.name,
        "parent": branch.parent,
        "override": override,
        "config": {
            name: own.get(name) for name in {**common, **own} if common.get(name) != own.get(name)
        },
        "n_merges": branch.n_merges,
        "step": branch.step,
        "target": branch.target,
        "is_ended": branch.is_ended,
        "was_run": branch.was_run,
    }
    if branch.is_side_run and branch.corpus is not None:
        own = {"config": branch.corpus.config.to_dict(), **_about(branch.corpus)}
        aside = {} if branch.held_out is None else {"held_out": _measures(branch.held_out)}
        values["corpus"] = own | aside
    if branch.parent is None and branch.tokenizer is not None:
        values["tokenizer"] = about_tokenizer(branch.tokenizer)
    return values


def _source(source: StoredSource) -> dict[str, Any]:
    values: dict[str, Any] = {
        "name": source.name,
        "encoding": source.encoding,
        "size_bytes": source.size_bytes,
    }
    if source.form:
        values |= {"form": source.form, "column": source.column}
    return values
