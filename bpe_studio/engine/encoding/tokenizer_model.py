"""The data of a tokenizer, which file formats read and write, and of an encoded text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from bpe_studio.engine.arguments import shown
from bpe_studio.engine.arrays import Int32Array, Int64Array
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.file_access import file_access
from bpe_studio.engine.text.alphabet import marks_of_symbol
from bpe_studio.engine.text.normalization import AlignedText, normalize, normalize_aligned

Part = tuple[str | int, int]
"""A part of one input of a model: the name of a special token, or 0 or 1 for a text; and its token
type id.
"""


class Kept(NamedTuple):
    """The parts of a tokenizer that the files written for it keep.

    Attributes:
        keeps: the parts, as a list for a sentence.
        drops: the parts that are left out, in the same way; "" for none.
    """

    keeps: str
    drops: str = ""

    @property
    def sentence(self) -> str:
        """Both as sentences."""
        if not self.drops:
            return f"Keeps {self.keeps}."
        return f"Keeps {self.keeps}. Leaves out: {self.drops}."


class OwnFiles(NamedTuple):
    """The files of a tokenizer that its library runs, as the library reads them.

    Attributes:
        format: the format that they are in.
        kept: what they keep of the tokenizer.
        content: makes the content that is written: a file, or the files of a folder by their names.
        remade: opens the tokenizer with other content of its main file, and a function that gives
            the new id of a token for its old one. `None` if the files can only be written.
    """

    format: str
    kept: Kept
    content: Callable[[], bytes | Mapping[str, str | bytes]]
    remade: Callable[[Any, Callable[[int], int]], Any] | None


class Template(NamedTuple):
    """The special tokens that are added around a text, or around two texts, on request.

    Attributes:
        before: the names of the special tokens before the text.
        after: the names of those after it.
        pair: the parts of two texts; `None` if the second follows the first, with the same tokens
            after it.
    """

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    pair: tuple[Part, ...] | None = None

    @classmethod
    def of(cls, config: TrainingConfig) -> Template | None:
        """The template of the options; `None` if it has no special token."""
        return cls(*config.around) if any(config.around) else None

    def parts(self, n_texts: int) -> tuple[Part, ...]:
        """The parts of one text, or of two."""
        single: tuple[Part, ...] = (
            *((name, 0) for name in self.before),
            (0, 0),
            *((name, 0) for name in self.after),
        )
        if n_texts == 1:
            return single
        if self.pair is not None:
            return self.pair
        return (*single, (1, 1), *((name, 1) for name in self.after))

    @property
    def names(self) -> list[str]:
        """The names of all special tokens in it, in the order of the parts."""
        parts = self.parts(1) + self.parts(2)
        return list(dict.fromkeys(name for name, _ in parts if isinstance(name, str)))


ChatTemplate = str | tuple[tuple[str, str], ...]
PAD_TOKENS = ("[PAD]", "<pad>", "<PAD>", "<|pad|>")
"""The special tokens that, by their names, fill up a batch."""


class TwoStages(NamedTuple):
    """The training of a tokenizer with superwords.

    Attributes:
        config: the options of both stages.
        n_first: the number of merges of the first stage.
    """

    config: TrainingConfig
    n_first: int


@dataclass(frozen=True)
class TokenizerModel:
    """A tokenizer as data.

    Attributes:
        config: units, normalization, split and marks; training options are not used.
        tokens: (n,) the tokens by id, in the spelling of logs (byte units: GPT-2's stand-ins);
            special tokens as text.
        merges: (left id, right id, new id) in rank order.
        special_ids: the id of each special token by its text.
        unknown_id: the id for what is outside the alphabet; `None` if that is an error.
        template: the special tokens added on request; `None` for none.
        pad_token: the special token that fills up a batch; `None` if there is none.
        model_max_length: the maximum length of the model in tokens; `None` if it is not known.
        padding_side: where a batch is filled up, "right" or "left".
        truncation_side: where a text that is too long is cut off.
        finals: the id that a token becomes together with a word-end mark that is a symbol of its
            own, if no merge takes the mark: then the mark is not a token. Empty if it is one.
        splits_special: whether the text of a special token is text like any other, unless a call
            says otherwise. Tokenizers that differ in this alone are the same.
        input_names: the columns of model input, if a call does not name them; `None` if no file
            says it. Tokenizers that differ in this alone are the same.
        chat_template: the template, in Jinja, that makes one text of a model's messages; or the
            names and texts of several; or `None`. Tokenizers that differ in this alone are the
            same.
        settings: entries of its `tokenizer_config.json` that other programs have written, and that
            are written again. Tokenizers that differ in this alone are the same.
        two_stages: its training, if merges join words from some step on; `config` then cuts as the
            second stage. `None` if that is not known. Tokenizers that differ in this alone are the
            same.
    """

    config: TrainingConfig
    tokens: tuple[str, ...]
    merges: tuple[tuple[int, int, int], ...]
    special_ids: dict[str, int] = field(default_factory=dict)
    unknown_id: int | None = None
    template: Template | None = None
    pad_token: str | None = None
    model_max_length: int | None = None
    padding_side: str = "right"
    truncation_side: str = "right"
    finals: Mapping[int, int] = field(default_factory=dict)
    splits_special: bool = field(default=False, compare=False)
    input_names: tuple[str, ...] | None = field(default=None, compare=False)
    chat_template: ChatTemplate | None = field(default=None, compare=False)
    settings: Mapping[str, Any] = field(default_factory=dict, compare=False)
    two_stages: TwoStages | None = field(default=None, compare=False)

    @property
    def trained_by(self) -> TrainingConfig:
        """The options of its training, of both stages if there are two."""
        return self.config if self.two_stages is None else self.two_stages.config

    def special_of(self, role: str, usual: Sequence[str]) -> str | None:
        """The special token with a role, such as "bos_token": the one that was named later, the
        one that training named, or one with a usual name.
        """
        named = self.settings.get(role)
        if isinstance(named, str) and named in self.special_ids:
            return named
        names = getattr(self.config, role, None), *usual
        return next((name for name in names if name in self.special_ids), None)

    @property
    def misplaced_merge(self) -> int | None:
        """The rank of the first merge that uses a token which only a later merge makes; `None` if
        there is none.
        """
        order = self.merges_in_order()
        return next(
            (rank for rank in range(len(self.merges)) if order[rank : rank + 1] != [rank]), None
        )

    def merges_in_order(self) -> list[int]:
        """The ranks of the merges, each right after those that make its parts; without those that
        can never apply.
        """
        return apply_in_order(self.merges, self._without_merges({new for *_, new in self.merges}))

    def until(self, step: int) -> TokenizerModel:
        """The tokenizer after the first `step` merges, with only the tokens that it had then.

        Before merges join words, it cuts text as the first of two stages. The merges may be in any
        order (`textbook.encode_by_rank`). One that uses a token which none of these makes can never
        apply and is left out.
        """
        there, usable = self._until(step)
        numbers = {old: new for new, old in enumerate(sorted(there))}
        merges = (self.merges[rank] for rank in sorted(usable))
        unknown_id = None if self.unknown_id is None else numbers[self.unknown_id]
        config = self.config
        two_stages = self.two_stages
        if two_stages is not None and step < two_stages.n_first:
            config = two_stages.config.stages[0]
            two_stages = None
        return replace(
            self,
            config=config,
            two_stages=two_stages,
            tokens=tuple(self.tokens[old] for old in numbers),
            merges=tuple(
                (numbers[left], numbers[right], numbers[new]) for left, right, new in merges
            ),
            special_ids={name: numbers[number] for name, number in self.special_ids.items()},
            unknown_id=unknown_id,
            finals={
                numbers[token]: numbers[final]
                for token, final in self.finals.items()
                if token in numbers
            },
        )

    def numbers_until(self, step: int) -> set[int]:
        """The ids of the tokens that there are after the first `step` merges.

        `until` numbers them anew.
        """
        return self._until(step)[0]

    def _until(self, step: int) -> tuple[set[int], set[int]]:
        """The ids of the tokens that there are after the first `step` merges, and the ranks of
        those that apply.
        """
        there = self._without_merges({new for *_, new in self.merges} | set(self.finals.values()))
        usable = apply_in_order(self.merges[:step], there)
        finals = {final for token, final in self.finals.items() if token in there}
        return there | finals, set(usable)

    def _without_merges(self, made: set[int]) -> set[int]:
        """The tokens that are there before the first merge: symbols, and tokens with a meaning of
        their own.
        """
        from bpe_studio.engine.encoding.token_marks import TokenMarks  # which works with a model

        kept = {*self.special_ids.values(), self.unknown_id}
        around = [] if self.template is None else self.template.names
        marks = TokenMarks(self)

        def is_symbol(number: int) -> bool:
            # With a prefix or a mark, merges may spell the name of a symbol that they do not make.
            named = marks_of_symbol(self.tokens[number], self.config)
            return named is not None and named == marks.of(number)

        return {
            number
            for number, name in enumerate(self.tokens)
            if number not in made or number in kept or name in around or is_symbol(number)
        }

    def normalized_text(self, text: str) -> str:
        """The normalized text without places, which is many times faster."""
        return normalize(text, self.config.normalize)

    def normalized(self, text: str) -> AlignedText | None:
        """The normalized text with places in the given text; `None` if they are the same text."""
        return normalize_aligned(text, self.config.normalize) if self.config.normalize else None


def apply_in_order(merges: Sequence[tuple[int, int, int]], there: set[int]) -> list[int]:
    """The ranks of merges, each right after those that make its parts; without those that can never
    apply.

    Args:
        merges: (left, right, new) in rank order.
        there: the tokens before the first of them; those that they make are added.
    """
    order: list[int] = []
    waiting: dict[int, list[int]] = {}
    for rank in range(len(merges)):
        ready = [rank]
        while ready:
            now = ready.pop()
            left, right, new = merges[now]
            missing = next((part for part in (left, right) if part not in there), None)
            if missing is not None:
                waiting.setdefault(missing, []).append(now)
                continue
            order.append(now)
            there.add(new)
            ready += waiting.pop(new, ())
    return order


Offsets = list[tuple[int, int]]


def as_offset_array(offsets: Offsets | Int64Array) -> Int64Array:
    """(n, 2) int64, the places of tokens."""
    return np.asarray(offsets, np.int64).reshape(-1, 2)


class Encoding:
    """An encoded text; a column is made when it is first read.

    Args:
        ids: token ids.
        tokens: each token, or a function that makes them when they are first read.
        offsets: the places of the tokens, or a function that makes them when they are first read.
        attention_mask: `None` for 1 at each token.
        token_type_ids: `None` for 0 at each token.
        special_tokens_mask: `None` for 0 at each token.

    Attributes:
        text: the text, if all offsets point into one. It is shown, but neither compared nor
            pickled.
    """

    text: str | None = None

    def __init__(
        self,
        ids: Sequence[int] | Int32Array,
        tokens: list[str] | Callable[[], list[str]],
        offsets: Offsets | Callable[[], Offsets | Int64Array],
        attention_mask: list[int] | None = None,
        token_type_ids: list[int] | None = None,
        special_tokens_mask: list[int] | None = None,
    ) -> None:
        self._ids = ids
        self._tokens = tokens
        self._offsets = offsets
        self._attention_mask = attention_mask
        self._token_type_ids = token_type_ids
        self._special_tokens_mask = special_tokens_mask

    @cached_property
    def id_array(self) -> Int32Array:
        """(n,) int32, token ids."""
        return np.asarray(self._ids, np.int32)

    @cached_property
    def ids(self) -> list[int]:
        """Token ids."""
        return self._ids.tolist() if isinstance(self._ids, np.ndarray) else list(self._ids)

    @cached_property
    def tokens(self) -> list[str]:
        """Each token, in the spelling of logs."""
        return self._tokens() if callable(self._tokens) else self._tokens

    @cached_property
    def offsets(self) -> Offsets:
        """(start, end) of each token in the given text, in code points.

        A token that holds part of a character covers that character; tokens without text have start
        = end.
        """
        places = self._places
        return places if isinstance(places, list) else list(zip(*places.T.tolist(), strict=True))

    @cached_property
    def offset_array(self) -> Int64Array:
        """(n, 2) int64, `offsets` as an array, which takes a tenth of the memory."""
        return as_offset_array(self._places)

    @cached_property
    def _places(self) -> Offsets | Int64Array:
        return self._offsets() if callable(self._offsets) else self._offsets

    @cached_property
    def attention_mask(self) -> list[int]:
        """1 for tokens, 0 for padding."""
        return [1] * len(self) if self._attention_mask is None else self._attention_mask

    @cached_property
    def token_type_ids(self) -> list[int]:
        """The number of the text that each token belongs to: all 0 for one text."""
        return [0] * len(self) if self._token_type_ids is None else self._token_type_ids

    @cached_property
    def special_tokens_mask(self) -> list[int]:
        """1 for tokens that a template or padding added, 0 for those of a text."""
        return [0] * len(self) if self._special_tokens_mask is None else self._special_tokens_mask

    def __len__(self) -> int:
        return len(self._ids)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Encoding) and self._columns() == other._columns()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"Encoding(ids={shown(self.ids)}, tokens={shown(self.tokens)},"
            f" offsets={shown(self.offsets)})"
        )

    def _repr_html_(self) -> str:
        return file_access().html_of(self)

    def __reduce__(self) -> tuple[type[Encoding], tuple[Any, ...]]:
        return Encoding, self._columns()

    def _columns(self) -> tuple[Any, ...]:
        masks = self.attention_mask, self.token_type_ids, self.special_tokens_mask
        return self.ids, self.tokens, self.offsets, *masks
