"""Templates, truncation, padding and array types of a batch, with the names and results of Transformers.

It works on encodings and does not encode text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from bpe_studio.engine.arguments import shown
from bpe_studio.engine.encoding.tokenizer_model import Encoding, Part
from bpe_studio.errors import ArgumentError, ConfigError

LONGEST_FIRST, ONLY_FIRST, ONLY_SECOND = "longest_first", "only_first", "only_second"
_NO_TRUNCATION, _NO_PADDING = "do_not_truncate", "do_not_pad"
_SIDES = ("right", "left")
Pad = tuple[int, str]
"""The id and the name of the token that fills up a batch."""


@dataclass(frozen=True)
class BatchOptions:
    """How the texts of a batch are brought to one length, as in Transformers.

    Attributes:
        padding: `True` or `"longest"`: pad to the longest text; `"max_length"`: pad to `max_length`; `False`: do not
            pad. Without a length, nothing is padded to it.
        truncation: `True` or `"longest_first"`: truncate to `max_length`, of two texts the longer one first;
            `"only_first"` or `"only_second"`: truncate that one of two; `False`: do not truncate; `None`: truncate if a
            `max_length` is given and nothing is padded.
        max_length: the length in tokens, special tokens included; `None` for the tokenizer's own limit.
        return_tensors: `None` for lists, `"np"` for numpy arrays, `"pt"` for torch tensors.
        stride: by how many tokens each part of a text that was cut off overlaps the part before it.
        pad_to_multiple_of: pad to a multiple of this number of tokens.
        padding_side: where to pad, "right" or "left"; `None` for the tokenizer's own.
        truncation_side: where to cut off; `None` for the tokenizer's own.
    """

    padding: bool | str = False
    truncation: bool | str | None = None
    max_length: int | None = None
    return_tensors: str | None = None
    stride: int = 0
    pad_to_multiple_of: int | None = None
    padding_side: str | None = None
    truncation_side: str | None = None

    def __post_init__(self) -> None:
        _one_of("padding", self.padding, (True, False, "longest", "max_length", _NO_PADDING))
        strategies = (LONGEST_FIRST, ONLY_FIRST, ONLY_SECOND, _NO_TRUNCATION)
        _one_of("truncation", self.truncation, (None, True, False, *strategies))
        _one_of("return_tensors", self.return_tensors, (None, "np", "pt"))
        _one_of("padding_side", self.padding_side, (None, *_SIDES))
        _one_of("truncation_side", self.truncation_side, (None, *_SIDES))
        _from("max_length", self.max_length, 0)
        _from("stride", self.stride, 0)
        _from("pad_to_multiple_of", self.pad_to_multiple_of, 1)
        multiple, length = self.pad_to_multiple_of, self.max_length
        if self.truncates and self.pads and multiple and length is not None and length % multiple:
            raise ConfigError(
                f"max_length {length} is not a multiple of pad_to_multiple_of {multiple}: texts cannot be truncated "
                "and padded to both"
            )

    @property
    def truncates(self) -> bool:
        """Whether texts are truncated."""
        if self.truncation is None:
            return self.max_length is not None and self.padding is False
        return self.truncation not in (False, _NO_TRUNCATION)

    @property
    def strategy(self) -> str:
        """What is truncated."""
        return self.truncation if isinstance(self.truncation, str) else LONGEST_FIRST

    @property
    def pads(self) -> bool:
        """Whether texts are padded."""
        return self.padding not in (False, _NO_PADDING)

    def check_stride(self, n_special: int) -> None:
        """Makes sure that parts do not overlap by more tokens than a text of an input can have.

        Args:
            n_special: the number of special tokens around one text.

        Raises:
            ConfigError: they do.
        """
        room = (self.max_length or 0) - n_special
        if self.truncates and self.max_length is not None and 0 <= room < self.stride:
            raise ConfigError(f"The stride {self.stride} is more than the {room} tokens of a text: make it smaller")

    def width(self, lengths: Sequence[int]) -> int:
        """The length to which each text is padded, in tokens; 0 for no padding."""
        if not self.pads:
            return 0
        fixed, multiple = self.max_length if self.padding == "max_length" else None, self.pad_to_multiple_of or 1
        width = max(lengths, default=0) if fixed is None else fixed
        return -(-width // multiple) * multiple


def text_tuples(text: str | Sequence[str | Sequence[str]], second: str | Sequence[str] | None) -> list[tuple[str, ...]]:
    """Each text, or each pair of texts, that a call of a tokenizer names.

    Raises:
        ConfigError: they are no texts, or the first and the second texts are not equally many.
    """
    if isinstance(text, str):
        if second is not None and not isinstance(second, str):
            raise ConfigError("There is one first text, but several second ones: give one of each, or a list of each")
        return [(text, second) if second else (text,)]
    if not isinstance(text, Sequence):
        raise ArgumentError(f"{shown(text)} is neither a text nor several: give a str, or a list of str")
    if isinstance(second, str):
        raise ConfigError("There are several first texts, but one second one: give one of each, or a list of each")
    if second is not None and len(text) != len(second):
        raise ConfigError(f"There are {len(text)} first texts, but {len(second)} second ones: give as many of each")
    found = []
    for one in text if second is None else zip(text, second, strict=True):
        texts = (one,) if isinstance(one, str) else tuple(one) if isinstance(one, list | tuple) else ()
        if not all(isinstance(part, str) for part in texts) or len(texts) != 2 - isinstance(one, str):
            raise ArgumentError(f"{shown(one)} is neither a text nor a pair of texts: give a list of str, or of pairs")
        found.append(texts)
    return found


def encoded_inputs(
    texts: Sequence[Encoding], template: Sequence[Part], id_of: Callable[[str], int | None], options: BatchOptions
) -> Iterator[Encoding]:
    """One input of a model: one text or two, truncated, with the special tokens of a template; then what was cut off.

    Each part that was cut off is an input, too, as in Transformers: of two texts, each part of the first is combined
    with each of the second.

    Args:
        texts: one text, or two, encoded without special tokens.
        template: the parts of the input.
        id_of: the id of a special token in it.
        options: how long it may be.

    Raises:
        ConfigError: what shall be truncated is too short for that, or parts would overlap more than they are long.
    """
    windows = _windows([len(text) for text in texts], sum(isinstance(name, str) for name, _ in template), options)
    order = [name for name, _ in template if isinstance(name, int)]
    for chosen in _combinations([len(windows[number]) for number in order]):
        pieces = []
        places = dict(zip(order, chosen, strict=True))
        for name, type_id in template:
            if isinstance(name, str):
                pieces.append(_Piece(Encoding([_known(id_of(name), name)], [name], [(0, 0)]), 0, 1, type_id, 1))
            else:
                # Transformers gives the type ids of the template to what is kept, but not to what is cut off.
                place = places[name]
                pieces.append(_Piece(texts[name], *windows[name][place], name if place else type_id, 0))
        yield _joined(pieces)


def padded(encoding: Encoding, width: int, pad: Pad, side: str) -> Encoding:
    """An input of a model, filled up to a length."""
    n_missing = width - len(encoding)
    if n_missing <= 0:
        return encoding
    number, name = pad

    def filled(values: list[Any], one: Any) -> list[Any]:
        return [one] * n_missing + values if side == "left" else values + [one] * n_missing

    return Encoding(
        filled(encoding.ids, number),
        lambda: filled(encoding.tokens, name),
        lambda: filled(encoding.offsets, (0, 0)),
        filled(encoding.attention_mask, 0),
        filled(encoding.token_type_ids, 0),
        filled(encoding.special_tokens_mask, 1),
    )


@dataclass(frozen=True)
class _Piece:
    """Some tokens of an encoding, their type id, and 1 if they are special tokens of a template."""

    encoding: Encoding
    start: int
    stop: int
    type_id: int
    is_special: int


def _known(number: int | None, name: str) -> int:
    if number is None:
        raise ConfigError(f"The special token {name!r} that belongs around a text is not in the vocabulary")
    return number


def _joined(pieces: Sequence[_Piece]) -> Encoding:
    if len(pieces) == 1 and pieces[0].type_id == 0 and len(pieces[0].encoding) == pieces[0].stop - pieces[0].start:
        return pieces[0].encoding
    lengths = [piece.stop - piece.start for piece in pieces]
    return Encoding(
        [number for piece in pieces for number in piece.encoding.ids[piece.start : piece.stop]],
        lambda: [token for piece in pieces for token in piece.encoding.tokens[piece.start : piece.stop]],
        lambda: [place for piece in pieces for place in piece.encoding.offsets[piece.start : piece.stop]],
        None,
        [piece.type_id for piece, n_tokens in zip(pieces, lengths, strict=True) for _ in range(n_tokens)],
        [piece.is_special for piece, n_tokens in zip(pieces, lengths, strict=True) for _ in range(n_tokens)],
    )


def _windows(lengths: list[int], n_special: int, options: BatchOptions) -> list[list[tuple[int, int]]]:
    """(start, stop) of each part of each text; the first is what is kept."""
    whole = [[(0, length)] for length in lengths]
    limit = options.max_length
    if not options.truncates or limit is None:
        return whole
    room = limit - n_special
    if sum(lengths) <= room or room < 0:
        # Transformers does not truncate at all if the special tokens alone exceed the length.
        return whole
    return [_cut(length, most, options) for length, most in zip(lengths, _kept(lengths, room, options), strict=True)]


def _kept(lengths: list[int], room: int, options: BatchOptions) -> list[int]:
    """How many tokens of each text are kept, so that all are as many as there is room for."""
    if not room:
        return [0] * len(lengths)
    excess = sum(lengths) - room
    if options.strategy == LONGEST_FIRST:
        if len(lengths) == 1:
            return [room]
        shorter, longer = sorted(lengths)
        longer = shorter if shorter > room else max(shorter, room - shorter)
        if shorter + longer > room:
            shorter, longer = room // 2, room - room // 2
        return [shorter, longer] if lengths[0] <= lengths[1] else [longer, shorter]
    number = int(options.strategy == ONLY_SECOND)
    if number >= len(lengths):
        raise ConfigError("There is no second text to truncate: give two texts, or truncate the first")
    if lengths[number] <= excess:
        raise ConfigError(
            f"The {('first', 'second')[number]} text has {lengths[number]} tokens, and {excess} would have to be cut "
            "off it: truncate the longest first, or give a larger max_length"
        )
    return [length - excess * (place == number) for place, length in enumerate(lengths)]


def _cut(length: int, most: int, options: BatchOptions) -> list[tuple[int, int]]:
    """The parts of a text, of at most so many tokens, from the side that is kept."""
    if most >= length:
        return [(0, length)]
    if not most:
        return [(0, 0), (0, length)]
    if options.stride >= most:
        raise ConfigError(f"The stride {options.stride} is too large for a text of {most} tokens: make it smaller")
    firsts = range(0, max(1, length - options.stride), most - options.stride)
    parts = [(first, min(first + most, length)) for first in firsts]
    return [(length - stop, length - start) for start, stop in parts] if options.truncation_side == "left" else parts


def _combinations(n_parts: list[int]) -> Iterator[tuple[int, ...]]:
    """The parts of one text or of two that make an input each; what is kept of both comes first."""
    if len(n_parts) == 1:
        yield from ((part,) for part in range(n_parts[0]))
        return
    first, second = n_parts
    yield 0, 0
    yield from product(range(1, first), range(second))
    yield from ((0, part) for part in range(1, second))


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


def _from(option: str, value: object, least: int) -> None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
        raise ConfigError(f"{option} is a number of tokens from {least} on, not {value!r}")
