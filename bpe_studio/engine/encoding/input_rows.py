"""The rows of a batch of model input; a column is made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bpe_studio.engine.encoding.tokenizer_model import Encoding
from bpe_studio.errors import ConfigError

if TYPE_CHECKING:
    import numpy.typing as npt

IDS = "input_ids"
TYPES = "token_type_ids"
MASK = "attention_mask"
SPECIAL = "special_tokens_mask"
PLACES = "offset_mapping"
TOKENS = "tokens"
WORDS = "word_ids"
"""The columns, with the names of Transformers; `TOKENS` has the tokens as text, and `WORDS` the
numbers of the words that were given instead of texts.
"""
_OF_PADDING = {TYPES: 0, MASK: 0, SPECIAL: 1, PLACES: (0, 0), WORDS: None}
Lists = list[list[Any]]


class InputRows:
    """Rows of model input.

    Attributes:
        lengths: the number of tokens of each row.
        numbers: for each row, the number of the input that it belongs to.
        columns: makes each column: a list for each row.
    """

    def __init__(
        self,
        lengths: Sequence[int],
        numbers: Sequence[int],
        columns: Mapping[str, Callable[[], Lists]],
    ) -> None:
        self.lengths = lengths
        self.numbers = numbers
        self.columns = columns

    @classmethod
    def of_library(
        cls, inputs: Sequence[Sequence[Any]], columns: Mapping[str, Callable[[Any], list[Any]]]
    ) -> InputRows:
        """Rows that a library has made.

        Args:
            inputs: the rows of each input.
            columns: takes each column from a row.
        """
        rows: list[Any] = []
        numbers: list[int] = []
        for number, some in enumerate(inputs):
            rows += some
            numbers += [number] * len(some)

        def made(take: Callable[[Any], list[Any]]) -> Lists:
            return list(map(take, rows))

        return cls(
            list(map(len, rows)),
            numbers,
            {name: partial(made, take) for name, take in columns.items()},
        )

    def array(self, name: str) -> npt.NDArray[Any]:
        """(rows, tokens, ...) int64, a column.

        If the rows differ in length, (rows,) arrays, as in Transformers.
        """
        rows = self.columns[name]()
        if len(set(self.lengths)) < 2:
            return np.array(rows, np.int64)
        found = np.empty(len(rows), object)
        for number, row in enumerate(rows):
            found[number] = np.array(row, np.int64)
        return found

    def padded(self, width: int, side: str, number: int, token: str) -> InputRows:
        """The same rows, each filled up to a length.

        Args:
            width: the length.
            side: where they are filled up, "right" or "left".
            number: the id of the token that fills them up.
            token: that token.
        """
        values = {**_OF_PADDING, IDS: number, TOKENS: token}

        def filled(name: str) -> Lists:
            value = [values[name]]
            rows = self.columns[name]()
            if side == "left":
                return [value * (width - len(row)) + row for row in rows]
            return [row + value * (width - len(row)) for row in rows]

        lengths = [max(length, width) for length in self.lengths]
        return InputRows(
            lengths, self.numbers, {name: partial(filled, name) for name in self.columns}
        )

    def encodings(self) -> list[Encoding]:
        """Each row as an encoding."""
        columns = (self.columns[name]() for name in (IDS, TOKENS, PLACES, MASK, TYPES, SPECIAL))
        return [Encoding(*row) for row in zip(*columns, strict=True)]


def as_tensors(arrays: dict[str, npt.NDArray[Any]], kind: str) -> dict[str, Any]:
    """Arrays as they are ("np"), or as tensors of torch ("pt").

    Raises:
        ConfigError: torch is not installed, or has no tensor for rows of different lengths.
    """
    if kind == "np":
        return arrays
    try:
        import torch
    except ImportError:
        raise ConfigError(
            'return_tensors="pt" needs torch, which is not installed; install it or ask for "np"'
        ) from None
    if any(array.dtype == object for array in arrays.values()):
        raise ConfigError(
            "The texts have different numbers of tokens and cannot form a tensor; pass padding=True"
        )
    return {name: torch.from_numpy(array) for name, array in arrays.items()}
