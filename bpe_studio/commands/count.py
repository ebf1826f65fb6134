"""Counts the pre-tokens of files, and writes them as lines of pre-token, TAB, count, or as a
Parquet table.

You can count parts of a corpus on several machines. Then concatenate the tables or put them in one
folder, and train from them with `bpe-studio train --counts`. The header of each table says how its
text was cut. Training refuses a table that was cut differently.

Example:
    bpe-studio count corpus.txt -o counts.tsv --preset cl100k
"""

from __future__ import annotations

import argparse
import re
from typing import Any

from bpe_studio.commands import options as shared
from bpe_studio.commands.output import ProgressBar, say, write_result
from bpe_studio.commands.reading import read_corpus
from bpe_studio.commands.saving import check_place
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.counter import Counter
from bpe_studio.errors import CorpusError
from bpe_studio.explain.wording import json_line, plural
from bpe_studio.files.counts.counting import count_tasks
from bpe_studio.files.counts.files import save_counter
from bpe_studio.files.counts.tasks import plan
from bpe_studio.files.counts.tsv import tsv_parts
from bpe_studio.files.extras import needed

TIMEOUT_S = 10
"""The time that a scheduler may take to answer."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("files", metavar="FILE", nargs="+", help=shared.FILE_HELP)
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        required=True,
        help=(
            'The file to write: Parquet if its name ends in .parquet, otherwise TSV; "-" is'
            " standard output"
        ),
    )
    parser.add_argument(
        "--dask",
        metavar="tcp://HOST:PORT",
        help="Count on a Dask cluster; its workers must find the files under the same names",
    )
    shared.add_summary_option(parser)
    shared.add_input_options(parser)
    shared.add_cut_options(parser)


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Counts the pre-tokens and writes the file."""
    config: TrainingConfig = shared.config_from(options)
    shared.check_summary(parser, options.json, options.output)
    check_place(options.output)
    if options.dask is not None:
        counter = _counted_by_dask(options, config)
    else:
        corpus, sources = read_corpus(options.files, config, shared.reading_from(options))
        counter = Counter.of(corpus)
        names = [source.name for source in sources]
        counter.add_sources(names)
    if options.output == "-":
        for part in tsv_parts(counter):
            write_result(part)
        return
    save_counter(counter, options.output)
    first, *second = counter.tables()
    n_distinct = len(first.counts)
    n_words = int(first.counts.sum())
    summary = {"output": options.output, "n_distinct": n_distinct, "n_words": n_words}
    said = f"{plural(n_distinct, 'distinct pre-token')} ({n_words:,} in all)"
    for pieces in second:
        n_distinct = len(pieces.counts)
        n_pieces = int(pieces.counts.sum())
        summary |= {"n_distinct_pieces": n_distinct, "n_pieces": n_pieces}
        said += f" and {plural(n_distinct, 'distinct piece')} of the coarser split"
        said += f" ({n_pieces:,} in all)"
    if options.json:
        write_result(json_line(summary))
    say(f"Wrote {said} to {options.output}")


def _counted_by_dask(options: argparse.Namespace, config: TrainingConfig) -> Counter:
    """The table, counted on a cluster."""
    client = _client(options.dask)
    try:
        tasks = plan(options.files, config, shared.reading_from(options))
        with ProgressBar("Counting") as bar:
            counter = count_tasks(tasks, config, client.get_executor(), bar.update)
        for notice in counter.notices:
            say(notice)
        return counter
    finally:
        client.close()


def _client(address: str) -> Any:
    if not re.search(r":\d+/?$", address):
        raise CorpusError(
            f"{address} is not the address of a Dask scheduler: write tcp://HOST:PORT"
        )
    distributed = needed("distributed", "--dask counts on a Dask cluster")
    try:
        return distributed.Client(address, timeout=TIMEOUT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = str(error).partition("\n")[0][:200]
        raise CorpusError(
            f"No Dask scheduler answers at {address} ({reason}): check the address"
        ) from None
