"""Reads the files of a corpus, with a progress bar, and reports anything that the reader had to
guess or leave out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from bpe_studio.commands.output import ProgressBar, say
from bpe_studio.engine import warm_up
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import FAST_CHARACTERS, Corpus, CorpusBuilder
from bpe_studio.engine.counting.source_weights import check_patterns
from bpe_studio.engine.kernels import loader
from bpe_studio.files.text.reading import Reading
from bpe_studio.files.text.record_texts import texts_by_value
from bpe_studio.files.text.sources import Source, Sources


def read_corpus(
    paths: Sequence[str], config: TrainingConfig, reading: Reading
) -> tuple[Corpus, list[Source]]:
    """The corpus of several files, each with one document or more, and the files.

    Raises:
        SourceError: a file cannot be read as text; the message names it.
        ConfigError: a weight matches no file.
        PatternError: the split's regular expression is not valid or takes too long.
    """
    builder = CorpusBuilder(config)
    files = Sources(paths, reading)
    check_patterns(config, files.paths)
    sources = []
    for source in _with_notices(files):
        sources.append(source)
        builder.begin_source(source.path)
        if source.size_bytes > FAST_CHARACTERS and not loader.is_on_disk():
            warm_up.begin()  # for this text if it is large, otherwise for the next one
        with ProgressBar(f"Reading {source.name}") as bar:
            if (
                loader.is_worth_compiling(source.size_bytes, FAST_CHARACTERS)
                and not loader.is_on_disk()
            ):
                get_ready = partial(warm_up.wait_for, "counting")
                for _ in loader.compile_in_thread("counting", get_ready):
                    bar.update(0, source.size_bytes)
            for content, ends, *_ in source.pieces():
                for _ in builder.feed(content, ends):
                    bar.update(source.position_bytes, source.size_bytes)
    return builder.finish(), sources


def read_texts(paths: Sequence[str], reading: Reading) -> Iterator[str]:
    """The documents of several files: one for a file of plain text, and one for each record.

    Raises:
        SourceError: a file cannot be read as text; the message names it.
    """
    for source in _with_notices(Sources(paths, reading)):
        yield from source.documents()


def read_one(path: str | None, reading: Reading) -> Iterator[str]:
    """The documents of a file, or of standard input for "-" and `None`.

    Standard input is the text itself, even if it looks like records.
    """
    if path in (None, "-") and reading.column is None:
        reading = replace(reading, is_plain=True)
    return read_texts([path or "-"], reading)


def read_texts_by_file(paths: Sequence[str], reading: Reading) -> Iterator[tuple[str, str]]:
    """The name of the file and the text of each document."""
    for source in _with_notices(Sources(paths, reading)):
        for text in source.documents():
            yield source.name, text


def read_texts_by_column(
    paths: Sequence[str], reading: Reading, column: str
) -> Iterator[tuple[str, str]]:
    """The value of a column and the text of each record; the value is "" if the record has none.

    Raises:
        SourceError: a file has no such column, or is plain text.
    """
    others = iter(Sources(paths, replace(reading, column=column)))
    for source in _with_notices(Sources(paths, reading)):
        yield from texts_by_value(source, next(others))


def _with_notices(sources: Sources) -> Iterator[Source]:
    for source in sources:
        yield source
        for notice in source.notices:
            say(notice)
    for notice in sources.notices:
        say(notice)
