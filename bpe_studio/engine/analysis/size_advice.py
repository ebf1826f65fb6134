"""What helps to choose a vocabulary size: where the curve of tokens bends, what a size saves, and what it costs.

All of it reads a curve of tokens against sizes (`size_curves.py`), but for the largest vocabulary that a corpus can
reach: that is learned, to the end, by a trainer that no one else has.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.arrays import Int64Array
from bpe_studio.engine.config import MAX_VOCAB_SIZE, TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.run import Run
from bpe_studio.engine.training.trainer import Trainer

Axis = Literal["log", "linear"]
SLICE_S = 0.02
_STRAIGHT = 1e-9


@dataclass(frozen=True)
class Saving:
    """What further merges save.

    Attributes:
        steps: (k,) int64, the step at which each stretch of merges ends.
        saved: (k,) int64, how many tokens fewer there are at its end than at its beginning.
    """

    steps: Int64Array
    saved: Int64Array


@dataclass(frozen=True)
class EmbeddingCost:
    """What a vocabulary costs a model.

    Attributes:
        parameters: the numbers in its embedding table, and in the output table where that is another.
        size_bytes: the memory that they take.
    """

    parameters: int
    size_bytes: int


@dataclass(frozen=True)
class Reach:
    """The largest vocabulary that a corpus can reach.

    Attributes:
        n_merges: how many merges can be learned.
        vocab_size: the alphabet, these and the special tokens.
        reason: why there are no more, as a phrase.
    """

    n_merges: int
    vocab_size: int
    reason: str


def knee(vocab_sizes: npt.ArrayLike, n_tokens: npt.ArrayLike, axis: Axis = "log") -> int | None:
    """Where the curve of tokens against vocabulary size bends most.

    The knee is the point that lies farthest below the straight line from the curve's first point to its last. Up to it
    each step along the axis saves more than the average step does, and from it on less: a step is a doubling of the
    vocabulary where sizes are taken by their logarithm, and a further token where they are taken as they are. It
    depends on where the curve ends: that of a longer run lies farther on.

    Args:
        vocab_sizes: (k,) strictly rising, from 1 on.
        n_tokens: (k,) tokens at each.
        axis: how the sizes are taken.

    Returns:
        The place of the knee, the first of equals, which is the step where the sizes are those of all steps; `None`
        where no point lies below that line.

    Source: Satopää et al. 2011, "Finding a 'Kneedle' in a Haystack", its points of maximum difference.

    >>> knee([256, 512, 1024, 2048], [100, 60, 55, 50])
    1
    """
    sizes, tokens = np.asarray(vocab_sizes, np.float64), np.asarray(n_tokens, np.float64)
    if len(sizes) < 3 or tokens[0] == tokens[-1]:
        return None
    places = np.log(sizes) if axis == "log" else sizes
    along = (places - places[0]) / (places[-1] - places[0])
    below = (tokens[0] - tokens) / (tokens[0] - tokens[-1]) - along
    place = int(below.argmax())
    # What is only rounded off is no bend.
    return place if below[place] > _STRAIGHT else None


def saved_per_thousand(n_tokens: Int64Array, per: int = 1000) -> Saving:
    """How many tokens each further thousand merges save.

    Args:
        n_tokens: (n_merges + 1,) tokens at every step.
        per: how many merges are a stretch; what is left behind the last whole one is left out.
    """
    at_ends = np.asarray(n_tokens, np.int64)[::per]
    return Saving(np.arange(1, len(at_ends), dtype=np.int64) * per, at_ends[:-1] - at_ends[1:])


def embedding_cost(vocab_size: int, width: int, tied: bool = True, bytes_per_number: int = 2) -> EmbeddingCost:
    """What a vocabulary costs a model of a width.

    Args:
        vocab_size: all tokens, special ones too.
        width: the numbers that the model has for each.
        tied: whether the table that reads tokens also writes them; else there are two.
        bytes_per_number: 2 for bfloat16, 4 for float32.

    >>> embedding_cost(32_768, 768)
    EmbeddingCost(parameters=25165824, size_bytes=50331648)
    """
    parameters = vocab_size * width * (1 if tied else 2)
    return EmbeddingCost(parameters, parameters * bytes_per_number)


def largest_vocabulary(source: Run | Corpus, config: TrainingConfig | None = None) -> Generator[int, None, Reach]:
    """Learn to the end; yields the number of merges so far about every 20 ms.

    Args:
        source: a run, which is continued from where it is and is not changed; or a corpus.
        config: the options for a corpus; a run has its own. Their target does not hold, everything else does.

    Raises:
        ConfigError: the corpus was cut with another split.
    """
    trainer = _trainer_of(source, config)
    del source
    try:
        run = trainer.run_record
        for _ in trainer.prepare():
            yield len(run.columns)
        while not trainer.finished:
            trainer.advance(MAX_VOCAB_SIZE, SLICE_S)
            yield len(run.columns)
        n_merges = len(run.columns)
        return Reach(n_merges, run.vocab_size_at(n_merges), trainer.stop_reason)
    finally:
        # Its buffers are most of the memory, and whoever holds this generator would hold them too.
        trainer.release()


def _trainer_of(source: Run | Corpus, config: TrainingConfig | None) -> Trainer:
    if isinstance(source, Run):
        most = MAX_VOCAB_SIZE - source.n_alphabet - len(source.config.all_special)
        return Trainer.from_run(source, len(source.columns), source.plan, target=most)
    config = config or source.config
    return Trainer(source, config.replace(vocab_size=MAX_VOCAB_SIZE, merges=None))
