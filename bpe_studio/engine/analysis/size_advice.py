"""Figures that help to choose a vocabulary size: the knee of the curve of tokens, and the savings
and costs of a size.

All of them are derived from a curve of tokens against sizes (`size_curves.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.arguments import as_number
from bpe_studio.engine.arrays import Int64Array
from bpe_studio.errors import ConfigError

Axis = Literal["log", "linear"]
_STRAIGHT = 1e-9


@dataclass(frozen=True)
class EmbeddingCost:
    """The cost of a vocabulary for a model.

    Attributes:
        parameters: the numbers in the input embedding table, and in the output table if it is
            another one.
        size_bytes: the memory that they need.
    """

    parameters: int
    size_bytes: int


@dataclass(frozen=True)
class ModelShape:
    """The shape of a transformer with feed-forward layers of four times its width.

    Source: Kaplan et al. 2020, "Scaling Laws for Neural Language Models", table 1; the output layer
        is added.

    Attributes:
        width: the size of a hidden state, d.
        layers: the number of layers, L.
        context: the number of tokens that attend to each other, c.
        tied: whether input and output embeddings share one table.

    Raises:
        ConfigError: a number is less than 1.

    >>> shape = ModelShape(768, 12, 1024)
    >>> shape.parameters(32_768), shape.flops_per_token(32_768)
    (110100480, 239075328)
    """

    width: int
    layers: int
    context: int
    tied: bool = True

    def __post_init__(self) -> None:
        for name in ("width", "layers", "context"):
            if as_number(getattr(self, name), f"The {name} of a model") < 1:
                raise ConfigError(f"The {name} of a model is at least 1")

    @property
    def _in_layers(self) -> int:
        return 12 * self.layers * self.width**2

    def parameters(self, vocab_size: int) -> int:
        """All parameters, embeddings included, with a vocabulary of a size."""
        n_tables = 1 if self.tied else 2
        return self._in_layers + n_tables * vocab_size * self.width

    def flops_per_token(self, vocab_size: int) -> int:
        """The operations of a forward pass for one token: 2 (12 L d² + V d) + 2 L c d."""
        attention = 2 * self.layers * self.context * self.width
        return 2 * (self._in_layers + vocab_size * self.width) + attention


def knee(vocab_sizes: npt.ArrayLike, n_tokens: npt.ArrayLike, axis: Axis = "log") -> int | None:
    """The knee of the curve of tokens against vocabulary size.

    The knee is the point farthest below the straight line between the curve's ends. Before it, each
    unit along the axis saves more than the average, and after it, less: a unit is a doubling of the
    vocabulary on a logarithmic axis, and one token on a linear one. The knee depends on where the
    curve ends: for a longer run it is farther on.

    Args:
        vocab_sizes: (k,) strictly rising, from 1 on.
        n_tokens: (k,) tokens at each size.
        axis: "log" or "linear", the scale of the sizes.

    Returns:
        The index of the knee, the first of equals, which is the step if the sizes are those of all
        steps; `None` if no point lies below that line.

    Source: Satopää et al. 2011, "Finding a 'Kneedle' in a Haystack", its points of maximum
        difference.

    >>> knee([256, 512, 1024, 2048], [100, 60, 55, 50])
    1
    """
    sizes = np.asarray(vocab_sizes, np.float64)
    tokens = np.asarray(n_tokens, np.float64)
    if len(sizes) < 3 or tokens[0] == tokens[-1]:
        return None
    places = np.log(sizes) if axis == "log" else sizes
    along = (places - places[0]) / (places[-1] - places[0])
    below = (tokens[0] - tokens) / (tokens[0] - tokens[-1]) - along
    place = int(below.argmax())
    # A difference within rounding error is not a knee.
    return place if below[place] > _STRAIGHT else None


def saved_per_thousand(n_tokens: Int64Array, per: int = 1000) -> Int64Array:
    """The tokens that each further thousand merges save.

    Args:
        n_tokens: (n_merges + 1,) tokens at every step.
        per: the number of merges of a range; an incomplete range at the end is left out.

    Returns:
        (k,) int64, the tokens that each range saves.
    """
    at_ends = np.asarray(n_tokens, np.int64)[::per]
    return at_ends[:-1] - at_ends[1:]


def embedding_cost(
    vocab_size: int, width: int, tied: bool = True, bytes_per_number: int = 2
) -> EmbeddingCost:
    """The cost of a vocabulary for a model of a given embedding width.

    Args:
        vocab_size: all tokens, special tokens included.
        width: the embedding width (hidden size).
        tied: whether input and output embeddings share one table; otherwise there are two.
        bytes_per_number: 2 for bfloat16, 4 for float32.

    >>> embedding_cost(32_768, 768)
    EmbeddingCost(parameters=25165824, size_bytes=50331648)
    """
    n_matrices = 1 if tied else 2
    parameters = vocab_size * width * n_matrices
    return EmbeddingCost(parameters, parameters * bytes_per_number)
