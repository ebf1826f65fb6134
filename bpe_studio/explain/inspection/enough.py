"""Compares runs on samples of a corpus with the run on all of it, to find out how much text is
enough.

A part of the lines is held out. Samples of the other lines, each within the next, are trained on by
themselves: a run on a sample is exactly the run on a file with these lines. The choice of lines
depends only on their numbers.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np

from bpe_studio.engine.arrays import BoolArray, FloatArray
from bpe_studio.engine.config import TrainingConfig, checked_config
from bpe_studio.engine.counting.corpus import Corpus, CorpusBuilder
from bpe_studio.engine.encoding.corpus_tokens import tokens_in_corpus
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.file_access import file_access
from bpe_studio.engine.generators import relay, result_of
from bpe_studio.engine.progress_bar import ProgressBar
from bpe_studio.engine.run import Run
from bpe_studio.engine.training.trainer import Trainer
from bpe_studio.errors import CorpusError
from bpe_studio.explain.wording import percent
from bpe_studio.files.text.places import paths_of
from bpe_studio.files.text.reading import Reading
from bpe_studio.files.text.sources import Sources

SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
HELD_OUT = 0.05
ENOUGH = 0.01
"""A sample is enough if its run needs at most this share more tokens for the held-out text than the
run on everything.
"""
Piece = tuple[bytes, Sequence[int], float]
"""A piece of a text, the offsets at which documents end in it, and the share of the text that has
been read.
"""
_UNKNOWN = "[unknown]"
_READING = 0.25
"""The share of the time that reading takes, about."""


@dataclass(frozen=True)
class SampleRun:
    """The run on a sample.

    Attributes:
        share: the share of the lines that are not held out.
        n_bytes: the size of the sample.
        n_merges: the number of merges that were trained.
        overlap: the share of the tokens of the run on everything that this run has, too.
        tokens_per_byte: on the held-out text.
    """

    share: float
    n_bytes: int
    n_merges: int
    overlap: float
    tokens_per_byte: float


@dataclass(frozen=True)
class Enough:
    """The curve over the samples.

    Attributes:
        samples: by their size; the last one is everything that is not held out.
        n_held_out_bytes: the size of the held-out text.
    """

    samples: list[SampleRun]
    n_held_out_bytes: int

    def __repr__(self) -> str:
        return f"<Enough: {self.sentence}>"

    def _repr_html_(self) -> str:
        return file_access().html_of(self)

    @property
    def enough(self) -> SampleRun:
        """The smallest sample that is enough and whose larger samples are enough, too."""
        most = self.samples[-1].tokens_per_byte * (1 + ENOUGH)
        found = self.samples[-1]
        for sample in reversed(self.samples):
            if sample.tokens_per_byte > most:
                break
            found = sample
        return found

    def more_tokens(self, sample: SampleRun) -> float:
        """The share of tokens that the run on a sample needs more for the held-out text than the
        run on everything.
        """
        least = self.samples[-1].tokens_per_byte
        return sample.tokens_per_byte / least - 1 if least else 0.0

    @property
    def sentence(self) -> str:
        """The curve in a sentence."""
        found = self.enough
        last = self.samples[-1]
        if found is last:
            return (
                "All of this text is needed: with half of it, held-out text takes over"
                f" {percent(ENOUGH, 0)} more tokens. More text may help"
            )
        more = self.more_tokens(found)
        tokens = f"{percent(more, 1)} more" if more >= 0.0005 else "no more"
        return (
            f"{percent(found.share, 0)} of this text is enough: held-out text takes {tokens} tokens"
            f" than with all of it, and {percent(found.overlap, 0)} of the vocabulary is the same"
        )

    def as_json(self) -> dict[str, Any]:
        """The curve as the command prints it."""
        return {
            "n_held_out_bytes": self.n_held_out_bytes,
            "samples": [vars(sample) for sample in self.samples],
            "sentence": self.sentence,
        }


def enough(
    sources: Iterable[str | PathLike[str]] | str | PathLike[str],
    config: TrainingConfig,
    *,
    shares: Sequence[float] = SHARES,
    encoding: str | None = None,
    column: str | None = None,
    progress: bool = False,
) -> Enough:
    """Find out how much of a corpus is enough to train on.

    Args:
        sources: files, folders, patterns or addresses, or one of them.
        config: the options of every run.
        shares: the samples, each as a share of the text that is not held out; 1 is added.
        encoding: the encoding of the files; `None` to detect it for each.
        column: the column of records that holds the text; `None` to find it.
        progress: whether to show a progress bar.

    Raises:
        SourceError: a file cannot be read as text.
        CorpusError: the text has too few lines.
    """
    pieces = pieces_of(Sources(paths_of(sources), Reading(encoding, column)))
    job = measuring_enough(pieces, checked_config(config), shares)
    with ProgressBar("Training on samples", is_shown=progress) as bar:
        return result_of(job, lambda share: bar.update(share, 1))


def pieces_of(sources: Sources) -> Iterator[Piece]:
    """The text of files, piece by piece."""
    for source in sources:
        for content, ends, *_ in source.pieces():
            share = source.position_bytes / source.size_bytes if source.size_bytes else 0.0
            yield content, ends, share


def measuring_enough(
    pieces: Iterable[Piece], config: TrainingConfig, shares: Sequence[float] = SHARES
) -> Generator[float, None, Enough]:
    """`enough` as a job.

    Args:
        pieces: the text.
        config: the options of every run.
        shares: the samples.

    Yields:
        The share that is done.

    Raises:
        CorpusError: the text has too few lines.
    """
    shares = sorted({*shares, 1.0})
    if shares[0] <= 0 or shares[-1] > 1:
        raise CorpusError(
            f"A share of {shares[0]:g} cannot be trained on: choose shares above 0, up to 1"
        )
    config = config.unweighted
    builders = [CorpusBuilder(config) for _ in (0.0, *shares)]
    chooser = LineChooser()
    for content, ends, share_read in pieces:
        places = chooser.places(content, ends)
        for number, builder in enumerate(builders):
            part, part_ends = places.part(*_bounds(number, shares))
            for _ in builder.feed(part, part_ends):
                yield _READING * share_read
    held_out, *corpora = [builder.finish() for builder in builders]
    if not held_out.size_bytes or not corpora[0].size_bytes:
        raise CorpusError("This text has too few lines for samples of it: choose a longer text")
    runs: list[Run] = []
    measured: list[float] = []
    # A sample of twice the size takes less than twice the time.
    sizes = [corpus.size_bytes for corpus in corpora]
    efforts = np.sqrt(sizes)
    borders = _READING + (1 - _READING) * np.concatenate(
        [[0.0], np.cumsum(efforts) / efforts.sum()]
    )
    for corpus, low, high in zip(corpora, borders.tolist(), borders[1:].tolist(), strict=False):
        trainer = Trainer(corpus, config)
        yield from (low + (high - low) * share for share in trainer.to_the_end())
        runs.append(trainer.run_record)
        measured.append((yield from _tokens_per_byte(trainer.run_record, held_out, high)))
    vocabularies = []
    for run in runs:
        tokens = {merge.token for merge in run.merges}
        vocabularies.append(tokens)
    whole = vocabularies[-1]
    samples = [
        SampleRun(
            share,
            corpus.size_bytes,
            len(run.merges),
            len(tokens & whole) / max(1, len(whole)),
            tokens_per_byte,
        )
        for share, corpus, run, tokens, tokens_per_byte in zip(
            shares, corpora, runs, vocabularies, measured, strict=True
        )
    ]
    return Enough(samples, held_out.size_bytes)


def _bounds(number: int, shares: Sequence[float]) -> tuple[float, float]:
    """The range of the numbers of a builder's lines; builder 0 has those that are held out."""
    if number == 0:
        return 0.0, HELD_OUT
    return HELD_OUT, HELD_OUT + (1 - HELD_OUT) * shares[number - 1]


class LineChooser:
    """Gives each line of a text a number from 0 to 1 that looks random and depends only on the
    place of the line.

    Attributes:
        n_lines: the number of lines that have ended.
    """

    def __init__(self) -> None:
        self.n_lines = 0

    def places(self, content: bytes, ends: Sequence[int]) -> LinePlaces:
        """The lines of a piece; a line that goes on in the next piece keeps its number there."""
        contents = np.frombuffer(content, np.uint8)
        ended = np.union1d(np.flatnonzero(contents == 10) + 1, np.asarray(ends, np.int64))
        borders = np.union1d(ended, [0, len(content)])
        # A line that ends before the first character belongs to the piece before.
        first = self.n_lines + int(len(ended) > 0 and ended[0] == 0)
        self.n_lines += len(ended)
        return LinePlaces(content, ends, borders, _numbers(np.arange(len(borders) - 1) + first))


@dataclass(frozen=True)
class LinePlaces:
    """The lines of a piece of text, each with its number."""

    content: bytes
    ends: Sequence[int]
    borders: Any
    numbers: FloatArray

    def part(self, low: float, high: float) -> tuple[bytes, list[int]]:
        """The lines whose numbers are in a range, and the ends of documents in them."""
        is_in: BoolArray = (self.numbers >= low) & (self.numbers < high)
        taken = np.repeat(is_in, np.diff(self.borders))
        part = np.frombuffer(self.content, np.uint8)[taken].tobytes()
        before = np.concatenate([[0], np.cumsum(taken)])
        return part, before[np.asarray(self.ends, np.int64)].tolist()


def _numbers(lines: Any) -> FloatArray:
    """Numbers from 0 to 1 that look random (splitmix64)."""
    mixed = (lines.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ mixed >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ mixed >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    numbers: FloatArray = (mixed ^ mixed >> np.uint64(31)).astype(np.float64) / 2.0**64
    return numbers


def _tokens_per_byte(run: Run, held_out: Corpus, share: float) -> Generator[float, None, float]:
    model = run.tokenizer().model
    if model.unknown_id is None:
        # A character that a sample does not have is one token, as it is where the settings name an
        # unknown token.
        model = replace(model, tokens=(*model.tokens, _UNKNOWN), unknown_id=len(model.tokens))
    tokens = yield from relay(tokens_in_corpus(Tokenizer(model), held_out), lambda _: share)
    return int(tokens.sum()) / held_out.size_bytes
