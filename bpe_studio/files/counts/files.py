"""Saves a `Counter` in a file, and loads it: TSV or Parquet, alone, joined end to end, or a folder
of them.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from typing import IO

import numpy as np

from bpe_studio.engine.config import TrainingConfig, checked_config
from bpe_studio.engine.counting.corpus import MOST_SYMBOLS, n_symbols_about
from bpe_studio.engine.counting.counter import Counter, cut_difference
from bpe_studio.engine.counting.plain_counting import TextMeasures
from bpe_studio.engine.counting.source_weights import check_patterns
from bpe_studio.engine.counting.word_sum import WordSum
from bpe_studio.errors import CorpusError, SourceError
from bpe_studio.files.atomic_file import atomic_file
from bpe_studio.files.counts.head import Head, Rows, check_rows, stages_for
from bpe_studio.files.counts.parquet import read_parquet, write_parquet
from bpe_studio.files.counts.tsv import read_tsv, tsv_parts
from bpe_studio.files.text.decoding import SAMPLE_BYTES
from bpe_studio.files.text.encodings import is_utf8_so_far, looks_binary
from bpe_studio.files.text.places import paths_of
from bpe_studio.files.text.regular_files import open_regular, unreadable
from bpe_studio.files.text.sources import standard_input

NO_HEAD = "does not say how its text was cut; the current options are assumed"


def save_counter(counter: Counter, path: str | os.PathLike[str]) -> None:
    """Writes a counter, atomically: as Parquet if the path ends in .parquet, else as TSV.

    Raises:
        SaveError: it cannot be written.
    """
    path = os.fspath(path)
    with atomic_file(path) as stream:
        if path.lower().endswith(".parquet"):
            write_parquet(stream, counter, path)
        else:
            for part in tsv_parts(counter):
                stream.write(part)


def load_counter(path: str | os.PathLike[str], config: TrainingConfig | None = None) -> Counter:
    """A counter from a file, or the sum of those in a folder.

    Args:
        path: a file, a folder of such files, or "-" for standard input.
        config: the options that the text must have been cut with; `None` for those of the head.

    Raises:
        SourceError: it cannot be read, or was cut in another way.
        CorpusError: a pre-token contains a character that is not a byte stand-in, or there are too
            many.
        ConfigError: a weight fits none of the counts files.
    """
    (path,) = paths_of(path)
    if config is not None and checked_config(config).is_weighted:
        return _weighed(path, config)
    if os.path.isdir(path):
        return _loaded_folder(path, config)
    name = "standard input" if path == "-" else path
    with _opened(path, name) as stream:
        return _sum(_read(stream, config, name), config, name)


def _names_in(path: str) -> list[str]:
    """The counts files of a folder, at least one."""
    names = sorted(name for name in os.listdir(path) if name.lower().endswith((".parquet", ".tsv")))
    if not names:
        raise SourceError(
            f"{path} is a folder without counts files: give a folder with .parquet or .tsv files"
        )
    return names


def _weighed(path: str, config: TrainingConfig) -> Counter:
    """A counter to which each counts file is a file with a weight."""
    places = [path]
    if os.path.isdir(path):
        places = [os.path.join(path, name) for name in _names_in(path)]
    check_patterns(config, places)
    counter = Counter(config)
    for place in places:
        table = load_counter(place, config.unweighted)
        if table.measures is None and config.alpha != 1:
            raise SourceError(
                f"{place} does not say how much text it was counted from, which alpha compares:"
                " count again, or leave alpha out"
            )
        counter.merge(table.as_file(place))
    return counter


def _loaded_folder(path: str, config: TrainingConfig | None) -> Counter:
    names = _names_in(path)

    def parts() -> Iterator[Head | Rows]:
        by_head: dict[bool, str] = {}
        for name in names:
            place = os.path.join(path, name)
            with _opened(place, place) as stream:
                rows = _read(stream, config, place)
                first = next(rows, None)
                if first is None:
                    continue
                by_head.setdefault(isinstance(first, Head), name)
                if len(by_head) == 2:
                    raise SourceError(
                        f"{path} contains tables with a head ({by_head[True]}) and without one"
                        f" ({by_head[False]}), which may be cut differently: count the latter"
                        " again, or put them into another folder"
                    )
                yield first
                yield from rows

    return _sum(parts(), config, path)


@contextlib.contextmanager
def _opened(path: str, name: str) -> Iterator[IO[bytes]]:
    try:
        if path == "-":
            yield standard_input()
        else:
            with open_regular(path) as stream:
                yield stream
    except OSError as error:
        raise unreadable(name, error) from None


def _read(stream: IO[bytes], config: TrainingConfig | None, name: str) -> Iterator[Head | Rows]:
    head = stream.read(SAMPLE_BYTES)
    if not head:
        raise SourceError(f"{name} is empty; a counts file has a line for each pre-token")
    if head.startswith(b"PAR1") and stream.seekable():
        stream.seek(0)
        return read_parquet(stream, name)
    if looks_binary(head, is_utf8=is_utf8_so_far(head)):
        raise SourceError(
            f"{name} is a binary file; a counts file has a line of text for each pre-token"
        )
    return read_tsv(head, stream, config, name)


def _sum(parts: Iterable[Head | Rows], config: TrainingConfig | None, name: str) -> Counter:
    """The sum of the tables that follow each other in a file, each with its head or without."""
    tables = (WordSum(), WordSum())
    stages: tuple[int, ...] = (0, 1)
    heads: list[Head] = []
    n_rows = 0
    n_words = 0
    n_headless = 0
    n_symbols = 0
    for part in parts:
        if isinstance(part, Head):
            if heads:
                check_rows(heads[-1], n_rows, n_words, name)
            elif n_rows:
                n_headless = n_rows
                _check_stages(config, tables, name)
            if config is not None:
                stages = stages_for(part, config, name)
            elif heads and (different := cut_difference(part.config, heads[0].config)):
                raise SourceError(
                    f"{name} joins tables cut differently ({different}): count them with the same"
                    " options"
                )
            heads.append(part)
            n_rows = 0
            n_words = 0
            continue
        stage, words = part
        lengths = np.diff(words.offsets) + 1
        is_too_much = n_symbols_about(words.counts, lengths) > 2.0 * MOST_SYMBOLS
        if not is_too_much:
            n_symbols += int((words.counts * lengths).sum())
            n_words += int(words.counts.sum())
            n_rows += len(words.counts)
            if stage in stages:
                tables[stages.index(stage)].add(words)
        if is_too_much or n_symbols > MOST_SYMBOLS:
            raise CorpusError(
                f"The counts stand for more than {MOST_SYMBOLS:,} symbols, too many to add up;"
                " divide all of them by a number"
            )
    if heads:
        check_rows(heads[-1], n_rows, n_words, name)
    else:
        n_headless = n_rows
    found = config
    if found is None and heads:
        found = heads[0].config
    if found is None:
        raise SourceError(
            f"{name} does not say how its text was cut: give the options it was counted with"
        )
    if n_headless:
        _check_stages(found, tables, name)
    measures = _measures(heads) if not n_headless else None
    sums = [table.words() for table in tables[: len(found.stages)]]
    counter = Counter.from_tables(found, sums, measures)
    for head in heads:
        counter.add_sources(head.sources, head.n_sources)
    if n_headless:
        counter.notices.append(f"{name} {NO_HEAD}.")
    return counter


def _check_stages(
    config: TrainingConfig | None, tables: tuple[WordSum, WordSum], name: str
) -> None:
    """Refuses rows without a head if they lack the second table that superwords need."""
    if config is None or config.superwords_from is None or len(tables[1]):
        return
    raise SourceError(
        f"{name} has counts of one split, but superwords need those of a second one: count the"
        f" text again with superwords-from {config.superwords_from}, or drop superwords-from"
    )


def _measures(heads: list[Head]) -> TextMeasures | None:
    total = TextMeasures()
    for head in heads:
        if head.measures is None:
            return None
        total.add(head.measures)
    return total
