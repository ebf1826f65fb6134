"""Padding, truncation and array types of a batch, with the names that Transformers uses.

It works on lists of ids and does not encode text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bpe_studio.errors import ConfigError


@dataclass(frozen=True)
class BatchOptions:
    """How the texts of a batch are brought to one length, as in Transformers.

    Attributes:
        padding: `True` or `"longest"`: pad to the longest text; `"max_length"`: pad to `max_length`; `False`: do not
            pad.
        truncation: `True` or `"longest_first"`: truncate to `max_length`; `False`: do not truncate; `None`: truncate if
            a `max_length` is given and nothing is padded.
        max_length: the length in tokens, special tokens included; `None` for the tokenizer's own limit.
        return_tensors: `None` for lists, `"np"` for numpy arrays, `"pt"` for torch tensors.
    """

    padding: bool | str = False
    truncation: bool | str | None = None
    max_length: int | None = None
    return_tensors: str | None = None

    def __post_init__(self) -> None:
        _one_of("padding", self.padding, (True, False, "longest", "max_length", "do_not_pad"))
        _one_of("truncation", self.truncation, (None, True, False, "longest_first", "only_first", "do_not_truncate"))
        _one_of("return_tensors", self.return_tensors, (None, "np", "pt"))
        if self.max_length is not None and (
            isinstance(self.max_length, bool) or not isinstance(self.max_length, int) or self.max_length < 0
        ):
            raise ConfigError(f"max_length is a number of tokens from 0 on, not {self.max_length!r}")

    @property
    def truncates(self) -> bool:
        """Whether texts are truncated."""
        if self.truncation is None:
            return self.max_length is not None and self.padding is False
        return self.truncation not in (False, "do_not_truncate")

    def width(self, lengths: Sequence[int]) -> int:
        """The length to which each text is padded, in tokens; 0 for no padding."""
        if self.padding in (False, "do_not_pad"):
            return 0
        if self.padding == "max_length":
            if self.max_length is None:
                raise ConfigError("Padding to max_length needs a max_length; give one, or pad to the longest text")
            return self.max_length
        return max(lengths, default=0)


def to_tensors(columns: dict[str, Any], kind: str | None) -> dict[str, Any]:
    """The columns of a batch as lists, numpy arrays (int64) or torch tensors.

    Raises:
        ConfigError: the texts differ in length, so that they cannot form an array; or torch is not installed.
    """
    if kind is None:
        return columns
    rows = columns["input_ids"]
    if rows and isinstance(rows[0], list) and len({len(row) for row in rows}) > 1:
        raise ConfigError("The texts have different numbers of tokens and cannot form an array; pass padding=True")
    arrays = {name: np.array(values, np.int64) for name, values in columns.items()}
    if kind == "np":
        return arrays
    try:
        import torch
    except ImportError:
        raise ConfigError(
            'return_tensors="pt" needs torch, which is not installed; install it or ask for "np"'
        ) from None
    return {name: torch.from_numpy(array) for name, array in arrays.items()}


def _one_of(option: str, value: object, allowed: tuple[object, ...]) -> None:
    if not any(value is choice or (isinstance(value, str) and value == choice) for choice in allowed):
        raise ConfigError(f"{option} cannot be {value!r}; choose one of {', '.join(map(repr, allowed))}")
