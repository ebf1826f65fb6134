"""Templates, truncation and padding of a batch, with the names and results of Transformers.

It works on encoded texts and does not encode text; `input_rows.py` holds the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, product, repeat
from operator import sub
from typing import Any

from bpe_studio.engine.arguments import each_text, shown
from bpe_studio.engine.encoding.encoded_texts import EncodedTexts
from bpe_studio.engine.encoding.input_rows import (
    IDS,
    MASK,
    PLACES,
    SPECIAL,
    TOKENS,
    TYPES,
    WORDS,
    InputRows,
    Lists,
)
from bpe_studio.engine.encoding.tokenizer_model import Part
from bpe_studio.errors import ArgumentError, ConfigError

Words = list[str]
"""The words of a text, each of which is encoded by itself."""
LONGEST_FIRST = "longest_first"
ONLY_FIRST = "only_first"
ONLY_SECOND = "only_second"
_NO_TRUNCATION = "do_not_truncate"
_NO_PADDING = "do_not_pad"
_SIDES = ("right", "left")


@dataclass(frozen=True)
class BatchOptions:
    """The options that bring the texts of a batch to one length, as in Transformers.

    Attributes:
        padding: `True` or `"longest"`: pad to the longest text; `"max_length"`: pad to
            `max_length`; `False`: do not pad. Without a length, nothing is padded to it.
        truncation: `True` or `"longest_first"`: truncate to `max_length`, of two texts the longer
            one first; `"only_first"` or `"only_second"`: truncate that one of two; `False`: do not
            truncate; `None`: truncate if a `max_length` is given and nothing is padded.
        max_length: the length in tokens, special tokens included; `None` for the tokenizer's own
            limit.
        return_tensors: `None` for lists, `"np"` for numpy arrays, `"pt"` for torch tensors, for
            which all rows have to have one length.
        stride: the number of tokens by which each part that is cut off overlaps the part before it.
        pad_to_multiple_of: pad to a multiple of this number of tokens.
        padding_side: where to pad, "right" or "left"; `None` for the tokenizer's own.
        truncation_side: where to cut off; `None` for the tokenizer's own.
        keeps_rest: whether what is cut off follows as further rows.
    """

    padding: bool | str = False
    truncation: bool | str | None = None
    max_length: int | None = None
    return_tensors: str | None = None
    stride: int = 0
    pad_to_multiple_of: int | None = None
    padding_side: str | None = None
    truncation_side: str | None = None
    keeps_rest: bool = False

    def __post_init__(self) -> None:
        _one_of("padding", self.padding, (True, False, "longest", "max_length", _NO_PADDING))
        strategies = (LONGEST_FIRST, ONLY_FIRST, ONLY_SECOND, _NO_TRUNCATION)
        _one_of("truncation", self.truncation, (None, True, False, *strategies))
        _one_of("return_tensors", self.return_tensors, (None, "np", "pt"))
        _one_of("padding_side", self.padding_side, (None, *_SIDES))
        _one_of("truncation_side", self.truncation_side, (None, *_SIDES))
        _from("max_length", self.max_length, 0)
        _from("stride", self.stride, 0)
        if self.stride is None:
            raise ConfigError("stride is a number of tokens from 0 on, not None")
        _from("pad_to_multiple_of", self.pad_to_multiple_of, 1)
        multiple = self.pad_to_multiple_of
        length = self.max_length
        if self.truncates and self.pads and multiple and length is not None and length % multiple:
            raise ConfigError(
                f"max_length {length} is not a multiple of pad_to_multiple_of {multiple}: texts"
                " cannot be truncated and padded to both"
            )

    @property
    def truncates(self) -> bool:
        """Whether texts are truncated."""
        if self.truncation is None:
            return self.max_length is not None and self.padding is False
        return self.truncation not in (False, _NO_TRUNCATION)

    @property
    def strategy(self) -> str:
        """`LONGEST_FIRST`, or the text that is truncated."""
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
            raise ConfigError(
                f"The stride {self.stride} is more than the {room} tokens of a text: make it"
                " smaller"
            )

    def width(self, lengths: Sequence[int]) -> int:
        """The length to which each text is padded, in tokens; 0 for no padding."""
        if not self.pads:
            return 0
        fixed = self.max_length if self.padding == "max_length" else None
        multiple = self.pad_to_multiple_of or 1
        width = max(lengths, default=0) if fixed is None else fixed
        return -(-width // multiple) * multiple


def word_tuples(
    words: Sequence[str] | Sequence[Sequence[str]],
    second: Sequence[str] | Sequence[Sequence[str]] | None,
) -> tuple[list[tuple[Words, ...]], bool]:
    """The words of each text, or of each pair of texts, in a call of a tokenizer, and whether there
    are several.

    Raises:
        ArgumentError: they are not words.
        ConfigError: the numbers of first and second texts differ.
    """
    texts, are_many = _words_of_each(words)
    if second is None:
        return [(text,) for text in texts], are_many
    others, are_others_many = _words_of_each(second)
    if len(texts) != len(others) or are_many != are_others_many:
        raise ConfigError(
            "The numbers of first and second texts differ: give the words of one of each, or of as"
            " many of each"
        )
    return list(zip(texts, others, strict=True)), are_many


def _words_of_each(words: object) -> tuple[list[Words], bool]:
    if not isinstance(words, list | tuple):
        raise ArgumentError(
            f"{shown(words)} is no list of words, which is_split_into_words=True needs: give a list"
            " of str, or a list of them for each text"
        )
    are_many = bool(words) and isinstance(words[0], list | tuple)
    texts = words if are_many else [words]
    return [list(each_text(text)) for text in texts], are_many


def text_tuples(
    text: str | Sequence[str | Sequence[str]],
    second: str | Sequence[str] | Sequence[Sequence[str]] | None,
) -> list[tuple[str, ...]]:
    """Each text, or each pair of texts, in a call of a tokenizer.

    Raises:
        ArgumentError: they are not texts.
        ConfigError: the numbers of first and second texts differ.
    """
    if isinstance(text, str):
        if second is not None and not isinstance(second, str):
            raise ConfigError(
                "There is one first text, but several second ones: give one of each, or a list of"
                " each"
            )
        if not second:
            return [(text,)]
        return [(text, second)]
    if not isinstance(text, Sequence):
        # Transformers refuses arrays and columns of tables, too.
        raise ArgumentError(
            f"{shown(text)} is neither a text nor several: give a str, or a list of str"
        )
    if isinstance(second, str):
        raise ConfigError(
            "There are several first texts, but one second one: give one of each, or a list of each"
        )
    if second is not None and len(text) != len(second):
        raise ConfigError(
            f"There are {len(text)} first texts, but {len(second)} second ones: give as many of"
            " each"
        )
    if second is None:
        return list(map(_texts_of, text))
    return list(map(_texts_of, zip(text, second, strict=True)))


def _texts_of(one: object) -> tuple[str, ...]:
    if isinstance(one, str):
        return (one,)
    match one:
        case [str() as first, str() as second]:
            return first, second
    raise ArgumentError(
        f"{shown(one)} is neither a text nor a pair of texts: give a list of str, or of pairs"
    )


def input_rows(
    encoded: EncodedTexts,
    tokens: Callable[[], list[str]],
    sizes: Sequence[int],
    templates: Mapping[int, Sequence[Part]],
    id_of: Callable[[str], int | None],
    options: BatchOptions,
    words: Sequence[int] | None = None,
) -> InputRows:
    """The rows of inputs of one text or two, truncated, with the special tokens of a template.

    Each part that is cut off is a further row of its input, as in Transformers: of two texts, each
    part of the first is combined with each of the second.

    Args:
        encoded: the texts of all inputs, without special tokens around them.
        tokens: makes the names of their tokens.
        sizes: the number of texts of each input, 1 or 2.
        templates: the parts of an input of one text, and of two.
        id_of: the id of a special token in it.
        options: how long a row may be, and whether what is cut off is wanted.
        words: the number of the word of each token, if the texts were given as words.

    Raises:
        ConfigError: the text to truncate is too short for that, or parts would overlap by more than
            their length.
    """
    # The special tokens are appended to the tokens of all texts; each row is joined from pieces.
    parts = chain.from_iterable(templates.values())
    names = list(dict.fromkeys(name for name, _ in parts if isinstance(name, str)))
    ids = [_known(id_of(name), name) for name in names]
    places = {name: place for place, name in enumerate(names, len(encoded.ids))}
    offsets = encoded.offsets.tolist()
    starts: list[int] = []
    stops: list[int] = []
    types: list[int] = []
    special: list[int] = []
    numbers: list[int] = []
    bounds = [0]
    first = 0
    for number, size in enumerate(sizes):
        lengths = [offsets[place + 1] - offsets[place] for place in range(first, first + size)]
        for windows in _windows(lengths, templates[size], options):
            for name, type_id in templates[size]:
                if isinstance(name, str):
                    start = places[name]
                    stop = places[name] + 1
                    kind = type_id
                else:
                    start, stop, part = windows[name]
                    start = offsets[first + name] + start
                    stop = offsets[first + name] + stop
                    # Transformers gives the type ids of the template to what is kept, but not to
                    # what is cut off.
                    kind = name if part else type_id
                starts.append(start)
                stops.append(stop)
                types.append(kind)
                special.append(int(isinstance(name, str)))
            bounds.append(len(starts))
            numbers.append(number)
        first += size
    rows = [slice(first, last) for first, last in pairwise(bounds)]

    pieces = list(map(slice, starts, stops))
    lengths = list(map(sub, stops, starts))

    def joined(tokens: list[Any]) -> Lists:
        cut = [tokens[piece] for piece in pieces]
        return [list(chain.from_iterable(cut[row])) for row in rows]

    def repeated(values: list[int]) -> Lists:
        cut = list(map(repeat, values, lengths))
        return [list(chain.from_iterable(cut[row])) for row in rows]

    sums = [sum(lengths[row]) for row in rows]
    columns: dict[str, Callable[[], Lists]] = {
        IDS: lambda: joined(encoded.ids.tolist() + ids),
        TYPES: lambda: repeated(types),
        MASK: lambda: [[1] * length for length in sums],
        SPECIAL: lambda: repeated(special),
        PLACES: lambda: joined(
            [*zip(*encoded.char_offsets.T.tolist(), strict=True), *[(0, 0)] * len(ids)]
        ),
        TOKENS: lambda: joined(tokens() + names),
    }
    if words is not None:
        columns[WORDS] = lambda: joined([*words, *[None] * len(ids)])
    return InputRows(sums, numbers, columns)


_Windows = Sequence[tuple[int, int, int]]
"""The part of each text that is in a row: its first token, its end, and 0 if it is kept."""


def _known(number: int | None, name: str) -> int:
    if number is None:
        raise ConfigError(
            f"The special token {name!r} that belongs around a text is not in the vocabulary"
        )
    return number


def _windows(
    lengths: list[int], template: Sequence[Part], options: BatchOptions
) -> Iterable[_Windows]:
    """The parts of an input's texts that are in each of its rows; the first row is what is kept."""
    limit = options.max_length
    if options.truncates and limit is not None:
        room = limit - sum(isinstance(name, str) for name, _ in template)
        # Transformers does not truncate at all if the special tokens alone exceed the length.
        if sum(lengths) > room >= 0:
            kept = _kept(lengths, room, options)
            parts = [
                _cut(length, most, options) for length, most in zip(lengths, kept, strict=True)
            ]
            order = [name for name, _ in template if isinstance(name, int)]
            return _combined(parts, order, options)
    return [[(0, length, 0) for length in lengths]]


def _kept(lengths: list[int], room: int, options: BatchOptions) -> list[int]:
    """The number of tokens of each text that are kept, as many together as there is room for."""
    if not room:
        return [0] * len(lengths)
    excess = sum(lengths) - room
    if options.strategy == LONGEST_FIRST:
        if len(lengths) == 1:
            return [room]
        shorter, longer = sorted(lengths)
        longer = shorter if shorter > room else max(shorter, room - shorter)
        if shorter + longer > room:
            shorter = room // 2
            longer = room - room // 2
        return [shorter, longer] if lengths[0] <= lengths[1] else [longer, shorter]
    number = int(options.strategy == ONLY_SECOND)
    if number >= len(lengths):
        raise ConfigError(
            "There is no second text to truncate: give two texts, or truncate the first"
        )
    if lengths[number] <= excess:
        raise ConfigError(
            f"The {('first', 'second')[number]} text has {lengths[number]} tokens, and {excess}"
            " would have to be cut off it: truncate the longest first, or give a larger max_length"
        )
    kept = list(lengths)
    kept[number] -= excess
    return kept


def _cut(length: int, most: int, options: BatchOptions) -> list[tuple[int, int, int]]:
    """The parts of a text, of at most `most` tokens each, from the side that is kept."""
    if most >= length:
        return [(0, length, 0)]
    if not most:
        return [(0, 0, 0), (0, length, 1)]
    if options.stride >= most:
        raise ConfigError(
            f"The stride {options.stride} is too large for a text of {most} tokens: make it smaller"
        )
    firsts = range(0, max(1, length - options.stride), most - options.stride)
    if not options.keeps_rest:
        firsts = firsts[:1]
    parts = [(first, min(first + most, length)) for first in firsts]
    if options.truncation_side == "left":
        parts = [(length - stop, length - start) for start, stop in parts]
    return [(*part, place) for place, part in enumerate(parts)]


def _combined(
    parts: Sequence[Sequence[tuple[int, int, int]]], order: Sequence[int], options: BatchOptions
) -> Iterator[_Windows]:
    """The parts of one text or of two that make a row each; what is kept of both comes first.

    Args:
        parts: the parts of each text.
        order: the order of the texts in a row.
        options: whether what is cut off is wanted.
    """
    yield [some[0] for some in parts]
    if not options.keeps_rest:
        return
    if len(parts) == 1:
        yield from ([part] for part in parts[0][1:])
        return
    first, second = order
    for pair in (
        *product(parts[first][1:], parts[second]),
        *product(parts[first][:1], parts[second][1:]),
    ):
        if first == 0:
            yield pair
        else:
            yield pair[::-1]


_MOST = 1 << 128
"""More than the number that Transformers writes for no limit."""


def _one_of(option: str, value: object, allowed: tuple[object, ...]) -> None:
    # 1 equals True, and is no choice.
    if not isinstance(value, (str, bool, type(None))) or value not in allowed:
        raise ConfigError(
            f"{option} cannot be {shown(value)}; choose one of {', '.join(map(repr, allowed))}"
        )


def _from(option: str, value: object, least: int) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= _MOST:
        raise ConfigError(f"{option} is a number of tokens from {least} on, not {shown(value)}")
