"""A finished tokenizer: text to ids and back.

It works with a `TokenizerModel`, which comes from a run or from a file of this program. A
third-party tokenizer is a `Tokenizer`, too, with the same attributes and methods:
`files/third_party/tokenizer.py`. Code that works with any tokenizer uses these and not `model`. It
does not train; `segmentation.py` encodes typed text with a run that is still training.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import accumulate, chain, pairwise
from math import ceil
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from bpe_studio.engine.arguments import (
    as_ids,
    as_number,
    as_path,
    as_text,
    each_text,
    expect,
    shown,
)
from bpe_studio.engine.arrays import Int32Array, Int64Array
from bpe_studio.engine.encoding.batch_encoding import BatchEncoding
from bpe_studio.engine.encoding.batching import (
    BatchOptions,
    Words,
    input_rows,
    text_tuples,
    word_tuples,
)
from bpe_studio.engine.encoding.encoded_texts import EncodedTexts
from bpe_studio.engine.encoding.gap_closing import are_worth_kernels
from bpe_studio.engine.encoding.input_rows import (
    IDS,
    MASK,
    PLACES,
    SPECIAL,
    TYPES,
    WORDS,
    InputRows,
    as_tensors,
)
from bpe_studio.engine.encoding.pre_token_encoder import PreTokenEncoder
from bpe_studio.engine.encoding.text_stream import text_stream
from bpe_studio.engine.encoding.token_marks import TokenMarks
from bpe_studio.engine.encoding.tokenizer_model import (
    ChatTemplate,
    Encoding,
    OwnFiles,
    Part,
    Template,
    TokenizerModel,
    as_offset_array,
)
from bpe_studio.engine.file_access import file_access
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.presets import BETWEEN
from bpe_studio.engine.text.alphabet import FALLBACK_NAMES, from_stand_ins
from bpe_studio.engine.text.pretokenization import spans
from bpe_studio.engine.text.special_text import specials_pattern
from bpe_studio.engine.text.timed_matches import TimeBudget
from bpe_studio.errors import ArgumentError, ConfigError, SaveError, VocabularyError

if TYPE_CHECKING:
    import re
    from random import Random

    import numpy.typing as npt

    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.encoding.bulk_tokenizer import BulkTokenizer
    from bpe_studio.engine.option_types import FormatName

__all__ = ["Encoding", "Template", "Tokenizer", "TokenizerModel"]

_PICKLED = ("_model", "_dropout", "notices", "left_files", "guessed_split", "roles", "folder")
"""The attributes that are pickled; all others follow from them."""
_SAID_OF_FILES = ("notices", "left_files", "guessed_split", "roles")
_ROLES_TO_NAME = ("bos_token", "eos_token", "pad_token", "sep_token", "cls_token", "mask_token")


class Tokenizer:
    """Encodes text as token ids, and decodes ids.

    >>> from bpe_studio import Corpus, TrainingConfig, train
    >>> config = TrainingConfig.preset("gpt2", merges=2)
    >>> tokenizer = train(Corpus.from_text("hug hugs", config), config).tokenizer()
    >>> tokenizer.encode("a hug").tokens
    ['a', 'Ġ', 'hug']
    >>> tokenizer.decode(tokenizer.encode("a hug").ids)
    'a hug'
    """

    kind = "BPE"
    """The kind of model; one without merges is of another kind."""

    notices: tuple[str, ...] = ()
    """Sentences for the user about how its file was read."""

    left_files: tuple[str, ...] = ()
    """Parts of its files that no format of ours holds, each as a phrase."""

    roles: Mapping[str, str] | None = None
    """The special tokens by role, such as "bos_token", if its files name them."""

    folder = ""
    """The folder of a `tokenizer.json` that it was opened from, which Transformers opens, too.

    Empty for none.
    """

    guessed_split = ""
    """The split, if it was guessed because the tokenizer's file does not say it; else empty."""

    encodes_lines = False
    """Whether it is for lines of words alone, in which spaces are the only white space and special
    tokens are text.
    """

    why_no_merges = ""
    """A sentence that says why there are no steps to show; empty if there are merges."""

    def __init__(self, model: TokenizerModel) -> None:
        self._prepare(model)

    def _prepare(self, model: TokenizerModel, dropout: tuple[float, Random] | None = None) -> None:
        self._model = model
        self._dropout = dropout
        self._batches: TokenizerModel | Any = model  # what says how it makes batches
        self._ids = dict(
            zip(reversed(model.tokens), reversed(range(len(model.tokens))), strict=True)
        )
        self._ids.update(model.special_ids)
        self._specials = {number: name for name, number in model.special_ids.items()}
        self._marks = TokenMarks(model)
        self._pieces = PreTokenEncoder(model, self._ids, self._marks, *dropout or ())

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name in _PICKLED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._prepare(self._model, self._dropout)

    @cached_property
    def _bulk(self) -> BulkTokenizer | None:
        """Encodes large texts; `None` if they have to be encoded as small ones, which need none of
        its modules.
        """
        from bpe_studio.engine.encoding.bulk_tokenizer import BulkTokenizer

        if self._dropout is not None or not BulkTokenizer.is_possible(self._model):
            return None
        return BulkTokenizer(self._model)

    @property
    def model(self) -> TokenizerModel:
        """The tokenizer as data, which formats write and training continues from.

        Raises:
            SaveError: what another program's tokenizer does cannot be written in this form.
        """
        return self._model

    @property
    def config(self) -> TrainingConfig:
        """The options that cut text as it does, to count or train on texts in the same way; for a
        tokenizer that was trained here, all options of its training.

        Raises:
            ConfigError: no options of ours cut text as it does.
        """
        try:
            return self.model.config
        except SaveError as error:
            raise ConfigError(f"No options of BPE Studio cut text as this one: {error}") from None

    @property
    def chat_template(self) -> ChatTemplate | None:
        """The template that makes one text of messages; or the names and texts of several; or
        `None`.

        It can be set, and is saved with the tokenizer.

        Raises:
            ArgumentError: the value is not text.
            ConfigError: it is not a template of messages.
        """
        return self._model.chat_template

    @chat_template.setter
    def chat_template(self, template: ChatTemplate | None) -> None:
        file_access().check_chat_template(template)
        self._model = replace(self._model, chat_template=template)

    @property
    def own_files(self) -> OwnFiles | None:
        """The files of a tokenizer that its library runs, if they can be written as they are."""
        return None

    def byte_ranks(self) -> Mapping[int, str] | None:
        """The tokens by id as byte stand-ins, without added ones, if the tokenizer joins any two
        that spell a third, the one of lowest id first.

        `None` for a tokenizer of ours, whose model has the merges.

        Raises:
            SaveError: it joins tokens in another way.
        """
        return None

    @property
    def own_format(self) -> str | None:
        """The format of `own_files`; `None` if there are none."""
        return None if self.own_files is None else self.own_files.format

    @cached_property
    def tokens(self) -> Mapping[int, str]:
        """The tokens by id, as a file writes them, from the lowest id.

        The ids of other programs may have gaps.
        """
        return dict(enumerate(self._model.tokens))

    @property
    def special_ids(self) -> Mapping[str, int]:
        """The id of each special token."""
        return self._model.special_ids

    @property
    def added_ids(self) -> Mapping[str, int]:
        """The id of each added token: it is found in the text before anything else is done, and no
        merge touches it.
        """
        return self._model.special_ids

    @property
    def unknown_id(self) -> int | None:
        """The id of the unknown token; `None` if there is none."""
        return self._model.unknown_id

    @property
    def model_max_length(self) -> int | None:
        """The maximum length of the model in tokens; `None` if it is not known."""
        return self._batches.model_max_length

    @property
    def splits_special(self) -> bool:
        """Whether the text of a special token is text like any other, unless a call says it."""
        return self._batches.splits_special

    def finds_special(self, recognize_special: bool | None = None) -> bool:
        """Whether a call finds special tokens in a text: as it says, or for `None`, as the
        tokenizer's files say.
        """
        return not self.splits_special if recognize_special is None else recognize_special

    @property
    def padding_side(self) -> str:
        """The side on which a batch is filled up, "right" or "left", unless a call says it."""
        return self._batches.padding_side

    @property
    def truncation_side(self) -> str:
        """The side on which a text that is too long is cut off, unless a call says it."""
        return self._batches.truncation_side

    @property
    def input_names(self) -> tuple[str, ...] | None:
        """The columns of model input, such as "attention_mask", unless a call names them; `None`
        for all.
        """
        return self._batches.input_names

    @property
    def merges(self) -> Sequence[tuple[int, int, int]]:
        """The merges, (left id, right id, new id), in rank order."""
        return self._model.merges

    @property
    def vocab_size(self) -> int:
        """The number of tokens: alphabet, merges and special tokens."""
        return len(self._model.tokens)

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {self.kind}: {len(self):,} tokens, {self.n_merges:,} merges>"
        )

    def _repr_html_(self) -> str:
        return file_access().html_of(self)

    def __len__(self) -> int:
        return self.vocab_size

    def get_vocab(self) -> dict[str, int]:
        """The id of each token, as a file writes it, with special tokens."""
        return {name: number for number, name in reversed(list(self.tokens.items()))}

    @property
    def n_merges(self) -> int:
        """The number of merges, which is the last step."""
        return len(self._model.merges)

    @property
    def pad_id(self) -> int:
        """The id of the token that fills up a batch.

        Raises:
            VocabularyError: the tokenizer names no such token.
        """
        number = None if self.pad_token is None else self.id_of(self.pad_token)
        if number is None:
            raise VocabularyError(
                "Padding needs a padding token, and the tokenizer names none: name one with"
                ' add_special_tokens({"pad_token": "[PAD]"}), or train with pad_token="[PAD]"'
            )
        return number

    def encode(
        self,
        text: str | bytes,
        *,
        step: int | None = None,
        add_special_tokens: bool = False,
        recognize_special: bool | None = None,
    ) -> Encoding:
        """The tokens of a text.

        Args:
            text: the text; with byte units, bytes need not be valid UTF-8.
            step: how many merges apply; `None` for all.
            add_special_tokens: whether to put the template's special tokens around the text.
            recognize_special: whether the text of a special token becomes that token, and is not
                text like any other; `None`: yes, unless the tokenizer's files say otherwise.

        Raises:
            VocabularyError: a character is outside the alphabet and there is no unknown token.
            PatternError: the split's own expression takes too long on this text.
        """
        text = as_text(text)
        found = self._encoded([text], self._limit(step), self.finds_special(recognize_special))
        ids = found.ids
        before: Sequence[int] = ()
        after: Sequence[int] = ()
        mask = None
        if add_special_tokens:
            before, after = self.around
            ids = np.concatenate([np.array(before, np.int32), ids, np.array(after, np.int32)])
            mask = [1] * len(before) + [0] * len(found.ids) + [1] * len(after)
        around = ((len(before), len(after)), (0, 0))
        encoding = Encoding(
            ids,
            lambda: self.convert_ids_to_tokens(ids.tolist()),
            lambda: np.pad(found.char_offsets, around),
            special_tokens_mask=mask,
        )
        encoding.text = text
        return encoding

    def encode_ids(
        self,
        text: str | bytes,
        *,
        step: int | None = None,
        recognize_special: bool | None = None,
        dtype: npt.DTypeLike | None = None,
    ) -> npt.NDArray[Any]:
        """The ids of a text as an array, as `encode` gives them; a large text is encoded by several
        threads.

        Args:
            text: the text.
            step: how many merges apply; `None` for all.
            recognize_special: as in `encode`.
            dtype: the type of the array, such as `np.uint16`; `None` for int32.

        Returns:
            (n,) int32, or of that type.

        Raises:
            VocabularyError: a character is outside the alphabet and there is no unknown token.
            PatternError: the split's own expression takes too long on this text.
        """
        found = self.encode(text, step=step, recognize_special=recognize_special).id_array
        return found if dtype is None else found.astype(self._type_for_ids(dtype), copy=False)

    def _type_for_ids(self, dtype: npt.DTypeLike) -> np.dtype[Any]:
        """A type of arrays, if it can hold every id."""
        try:
            found = np.dtype(dtype)
            limit = np.iinfo(found).max
        except (TypeError, ValueError):
            raise ArgumentError(
                f"{shown(dtype)} is no type of whole numbers: give one of numpy, such as np.uint16"
            ) from None
        last = self._last_id
        if last > limit:
            raise ConfigError(
                f"{found} holds numbers up to {limit:,}, and the last token has the id {last:,}:"
                f" give {np.min_scalar_type(last)}"
            )
        return found

    @cached_property
    def _last_id(self) -> int:
        return max(self.tokens, default=0)

    @overload
    def encode_many(
        self,
        texts: Iterable[str],
        *,
        as_arrays: Literal[False] = False,
        recognize_special: bool | None = None,
    ) -> list[list[int]]: ...

    @overload
    def encode_many(
        self,
        texts: Iterable[str],
        *,
        as_arrays: Literal[True],
        recognize_special: bool | None = None,
        dtype: npt.DTypeLike | None = None,
    ) -> EncodedTexts: ...

    def encode_many(
        self,
        texts: Iterable[str],
        *,
        as_arrays: bool = False,
        recognize_special: bool | None = None,
        dtype: npt.DTypeLike | None = None,
    ) -> list[list[int]] | EncodedTexts:
        """The ids of each of several texts, as `encode` gives them.

        All texts are encoded in one pass, by several threads if there is enough text.

        Args:
            texts: the texts.
            recognize_special: as in `encode`.
            as_arrays: whether to return two arrays, which is faster than a list for each text:
                `ids`, those of all texts end to end, and `offsets`, the start of each text's ids.
            dtype: the type of the array of ids, as in `encode_ids`.

        Raises:
            VocabularyError: a text cannot be encoded.
            ConfigError: the type cannot hold every id.

        >>> from bpe_studio import Corpus, TrainingConfig, train
        >>> config = TrainingConfig.preset("gpt2", merges=2)
        >>> tokenizer = train(Corpus.from_text("hug hugs", config), config).tokenizer()
        >>> tokenizer.encode_many(["hug", "", "hugs"])
        [[258], [], [258, 83]]
        >>> found = tokenizer.encode_many(["hug", "", "hugs"], as_arrays=True)
        >>> found.ids.tolist(), found.offsets.tolist(), found[2].tolist()
        ([258, 258, 83], [0, 1, 1, 3], [258, 83])
        """
        found = self._encoded(list(each_text(texts)), NEVER, self.finds_special(recognize_special))
        if not as_arrays:
            return found.tolist()
        return found if dtype is None else found.astype(self._type_for_ids(dtype))

    def single_ids(self, texts: Sequence[str]) -> Int32Array:
        """The token that each of many texts becomes, if it is encoded by itself.

        Returns:
            (n,) int32; -1 for a text that becomes several tokens, or none, or that cannot be
            encoded.
        """
        texts = list(each_text(texts))
        try:
            found = self.encode_many(texts, as_arrays=True)
        except VocabularyError:
            return np.array([self._single_id(text) for text in texts], np.int32)
        is_single = np.diff(found.offsets) == 1
        ids = np.full(len(texts), -1, np.int32)
        ids[is_single] = found.ids[found.offsets[:-1][is_single]]
        return ids

    def _single_id(self, text: str) -> int:
        try:
            ids = self.encode_ids(text)
        except VocabularyError:
            return -1
        return int(ids[0]) if len(ids) == 1 else -1

    def normalized_text(self, text: str) -> str:
        """The text after normalization."""
        return self._model.normalized_text(as_text(text))

    def stages(self, text: str) -> tuple[str, list[str]]:
        """A text before the merges: normalized, and cut into pre-tokens.

        Raises:
            VocabularyError: the text cannot be encoded.
        """
        source = self.normalized_text(text)
        return source, list(self._pre_tokens(source))

    def gap_ranks(
        self, text: str | bytes, *, recognize_special: bool | None = None
    ) -> list[Int32Array]:
        """For each pre-token of a text: (symbols - 1,) int32, the rank of the merge that closes
        each gap.

        `NEVER` where no merge closes the gap, and -1 between unknown characters that form one
        token. A special token in the text, if it is recognized as in `encode`, has an empty array
        of its own. If the merges are in order, cutting at every gap whose rank is at least k gives
        the segmentation after k merges.

        Raises:
            VocabularyError: there are no merges, or the text cannot be encoded.
        """
        text = as_text(text)
        if not self.finds_special(recognize_special) or self._special_in([text]) is None:
            return self._ranks_between_specials(text)
        found = list[Int32Array]()
        for _, part, special in self._parts(text):
            if special is None:
                found += self._ranks_between_specials(part)
            else:
                found.append(np.zeros(0, np.int32))
        return found

    def _ranks_between_specials(self, text: str) -> list[Int32Array]:
        source = self._model.normalized_text(text)
        return [
            np.array(self._pieces.gap_ranks(piece), np.int32) for piece in self._pre_tokens(source)
        ]

    def _pre_tokens(self, source: str) -> Iterator[str]:
        config = self._model.config
        for start, end in spans(source, config.cutting, budget=TimeBudget()):
            yield config.word_start + source[start:end]

    def tokenize(
        self, text: str, *, step: int | None = None, recognize_special: bool | None = None
    ) -> list[str]:
        """The tokens of a text, in the spelling of logs."""
        return self.encode(text, step=step, recognize_special=recognize_special).tokens

    def id_of(self, token: str) -> int | None:
        """The id of a token, as a file writes it; `None` if there is no such token."""
        return self._ids.get(as_text(token))

    def content(self, number: int) -> bytes:
        """The bytes that a token stands for inside a text.

        Raises:
            VocabularyError: there is no token with this id.
        """
        if not 0 <= as_number(number, "A token id") < len(self._model.tokens):
            raise VocabularyError(
                f"There is no token with id {number}; ids go from 0 to"
                f" {len(self._model.tokens) - 1:,}"
            )
        special = self._specials.get(number)
        if special is None:
            return self._content(number)
        return special.encode("utf-8", "surrogatepass")

    @cached_property
    def around(self) -> tuple[list[int], list[int]]:
        """The ids of the special tokens that are added before and after a text on request."""
        names = [name for name, _ in self.template(1)]
        place = names.index(0)
        before = [self.id_of(str(name)) for name in names[:place]]
        after = [self.id_of(str(name)) for name in names[place + 1 :]]
        return [number for number in before if number is not None], [
            number for number in after if number is not None
        ]

    def decode_bytes(self, ids: Iterable[int], *, skip_special_tokens: bool = False) -> bytes:
        """The UTF-8 bytes of token ids; with byte units they need not be valid UTF-8.

        Raises:
            VocabularyError: an id is not in the vocabulary.
        """
        # A long text has each of its tokens many times.
        ids, distinct = as_ids(ids)
        contents = {number: self.content(number) for number in distinct}
        if skip_special_tokens:
            contents |= dict.fromkeys(contents.keys() & self._specials.keys(), b"")
        config = self._model.config
        if config.units == "items":
            texts = map(contents.__getitem__, ids)
            return BETWEEN.encode().join(filter(None, texts))
        joined = b"".join(map(contents.__getitem__, ids))
        if config.word_start and config.units == "bytes":
            # The mark has three bytes, which may be in several tokens.
            joined = joined.replace(config.word_start.encode(), b" ")
        if config.word_start and joined.startswith(b" "):
            return joined[1:]
        if config.word_end is not None and config.drops_text:
            return joined.removesuffix(b" ")
        if config.continuing is not None and config.drops_text:
            return joined.removeprefix(b" ")
        return joined

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = False) -> str:
        """The text of token ids; bytes that are not valid UTF-8 become U+FFFD.

        Raises:
            VocabularyError: an id is not in the vocabulary.
        """
        return self.decode_bytes(ids, skip_special_tokens=skip_special_tokens).decode(
            "utf-8", "replace"
        )

    def decode_stream(self, ids: Iterable[int], skip_special_tokens: bool = False) -> Iterator[str]:
        """The text of token ids that come one by one, such as those that a model generates.

        Args:
            ids: token ids; a generator, too.
            skip_special_tokens: as in `decode`.

        Yields:
            The next part of the text, never empty, as soon as its characters are complete and
            nothing that follows can change them. Joined, the parts are what `decode` gives for all
            ids.

        Raises:
            ArgumentError: an item is not an id.
            VocabularyError: an id is not in the vocabulary.

        >>> from bpe_studio import Corpus, TrainingConfig, train
        >>> config = TrainingConfig.preset("gpt2", merges=2)
        >>> tokenizer = train(Corpus.from_text("hug hugs", config), config).tokenizer()
        >>> list(tokenizer.decode_stream(tokenizer.encode("hugs: 🤗").ids))
        ['hug', 's', ':', ' ', '🤗']
        """
        decode = partial(self.decode, skip_special_tokens=skip_special_tokens)
        return text_stream(ids, decode, lambda number: False)

    def batch_decode(
        self, batch: Iterable[Iterable[int]], skip_special_tokens: bool = False
    ) -> list[str]:
        """The texts of several lists of token ids, or of the rows of an array.

        Raises:
            VocabularyError: an id is not in the vocabulary.
        """
        expect(batch, Iterable, "give a list of lists of token ids")
        return [self.decode(ids, skip_special_tokens) for ids in batch]

    def convert_tokens_to_ids(self, tokens: str | Sequence[str]) -> Any:
        """The id of each token; for other texts, the id of the unknown token.

        Raises:
            VocabularyError: a text is not a token, and there is no unknown token.
        """
        if not isinstance(tokens, str):
            return [self.convert_tokens_to_ids(token) for token in each_text(tokens)]
        number = self.id_of(tokens)
        if number is None:
            number = self.unknown_id
        if number is None:
            raise VocabularyError(
                f"{tokens!r} is not a token of this tokenizer; `tokenize` gives the tokens of a"
                " text"
            )
        return number

    def convert_ids_to_tokens(self, ids: int | Sequence[int]) -> Any:
        """The token of each id, in the spelling of logs.

        Raises:
            VocabularyError: an id is not in the vocabulary.
        """
        if isinstance(ids, int):
            return self.convert_ids_to_tokens([ids])[0]
        ids, distinct = as_ids(ids)
        if ids and not 0 <= min(distinct) <= max(distinct) < len(self._model.tokens):
            wrong = next(number for number in distinct if not 0 <= number < len(self._model.tokens))
            raise VocabularyError(
                f"There is no token with id {wrong}; ids go from 0 to"
                f" {len(self._model.tokens) - 1:,}"
            )
        return list(map(self._model.tokens.__getitem__, ids))

    def __call__(
        self,
        text: str | Sequence[str | Sequence[str]],
        text_pair: str | Sequence[str] | Sequence[Sequence[str]] | None = None,
        *,
        is_split_into_words: bool = False,
        padding: bool | str = False,
        truncation: bool | str | None = None,
        max_length: int | None = None,
        stride: int = 0,
        pad_to_multiple_of: int | None = None,
        padding_side: str | None = None,
        truncation_side: str | None = None,
        add_special_tokens: bool = True,
        split_special_tokens: bool | None = None,
        return_tensors: str | None = None,
        return_token_type_ids: bool | None = None,
        return_attention_mask: bool | None = None,
        return_overflowing_tokens: bool = False,
        return_special_tokens_mask: bool = False,
        return_offsets_mapping: bool = False,
        return_length: bool = False,
    ) -> BatchEncoding:
        """Encodes one text or several, or pairs of texts, as model input, with the names and
        meanings of Transformers.

        Args:
            text: a text, several texts, or several pairs of texts.
            text_pair: the second text, or that of each.
            is_split_into_words: whether each text is given as a list of words. Each word is encoded
                as a text by itself, even if it has spaces, and its tokens have its number in
                `word_ids()` and their offsets in it.
            padding: see `BatchOptions`, as for the six that follow.
            truncation: which texts to truncate.
            max_length: the length in tokens.
            stride: the number of tokens by which each part that is cut off overlaps the one before.
            pad_to_multiple_of: pad to a multiple of this number of tokens.
            padding_side: where to pad.
            truncation_side: where to cut off.
            add_special_tokens: whether to put the template's special tokens around the texts.
            split_special_tokens: the opposite of `recognize_special` in `encode`.
            return_tensors: `None` for lists, `"np"` or `"pt"` for arrays.
            return_token_type_ids: whether to return them; `None`: as `input_names` says.
            return_attention_mask: whether to return it; `None`: as `input_names` says.
            return_overflowing_tokens: whether what was cut off follows as further rows; then
                `overflow_to_sample_mapping` has the number of the text for each row.
            return_special_tokens_mask: whether to return it, 1 for tokens of the template and of
                padding.
            return_offsets_mapping: whether to return `offset_mapping`, (start, end) in the text of
                each token.
            return_length: whether to return `length`, the number of tokens of each row.

        Returns:
            A dict with attributes: `input_ids`, and usually `attention_mask`. They are lists for
            one text, lists of lists for several, or arrays of shape (texts, tokens) if
            `return_tensors` is given. The tokenizer of a run also returns `token_type_ids`; that of
            a folder returns what `AutoTokenizer` of Transformers returns for it.

        Raises:
            ConfigError: there is no such option, or the texts do not match.
            VocabularyError: a text cannot be encoded, or there is nothing to pad with.
        """
        options = BatchOptions(
            padding,
            truncation,
            max_length,
            return_tensors,
            stride,
            pad_to_multiple_of,
            padding_side,
            truncation_side,
            return_overflowing_tokens,
        )
        texts: Sequence[Sequence[str | Words]]
        if is_split_into_words:
            texts, are_many = word_tuples(text, text_pair)
        else:
            texts = text_tuples(text, text_pair)
            are_many = not isinstance(text, str)
        recognizes = None if split_special_tokens is None else not split_special_tokens
        rows = self.inputs(
            texts, options, add_special_tokens=add_special_tokens, recognize_special=recognizes
        )
        words = rows.columns[WORDS]() if is_split_into_words else None
        asked = {
            IDS: True,
            TYPES: self._returns(TYPES, return_token_type_ids),
            MASK: self._returns(MASK, return_attention_mask),
            SPECIAL: return_special_tokens_mask,
            PLACES: return_offsets_mapping,
        }
        further: dict[str, Sequence[int]] = {"length": rows.lengths} if return_length else {}
        if return_overflowing_tokens:
            further["overflow_to_sample_mapping"] = rows.numbers
        names = [name for name, is_asked in asked.items() if is_asked]
        if return_tensors is not None:
            arrays = {name: rows.array(name) for name in names}
            arrays |= {name: np.array(values) for name, values in further.items()}
            return BatchEncoding(as_tensors(arrays, return_tensors), words)
        columns = {name: rows.columns[name]() for name in names}
        if not are_many and not return_overflowing_tokens:
            columns = {name: values[0] for name, values in columns.items()}
        return BatchEncoding({**columns, **further}, words)

    def _returns(self, name: str, is_asked: bool | None) -> bool:
        if is_asked is not None:
            return is_asked
        return self.input_names is None or name in self.input_names

    def apply_chat_template(
        self,
        conversation: Sequence[Any],
        tools: Sequence[Mapping[str, Any]] | None = None,
        documents: Sequence[Mapping[str, Any]] | None = None,
        chat_template: str | None = None,
        *,
        add_generation_prompt: bool = False,
        continue_final_message: bool | str = False,
        tokenize: bool = True,
        sanitize_control_tokens: bool = False,
        padding: bool | str = False,
        truncation: bool | str = False,
        max_length: int | None = None,
        return_tensors: str | None = None,
        return_dict: bool = True,
        return_assistant_tokens_mask: bool = False,
        tokenizer_kwargs: Mapping[str, Any] | None = None,
        **variables: Any,
    ) -> Any:
        """Encodes the messages of a chat, or of several, as model input, with the names and
        meanings of Transformers.

        The template runs in Jinja's sandbox in a process of its own, with limits on time and
        memory.

        Args:
            conversation: messages, such as `{"role": "user", "content": "Hello"}`; or a list of
                messages for each chat.
            tools: the JSON schemas of tools that the model may call.
            documents: texts that the model may use.
            chat_template: a template, or the name of one; `None` for the tokenizer's own.
            add_generation_prompt: whether the text ends with the beginning of an answer.
            continue_final_message: whether the text ends with the last message, for the model to
                continue; or the key of that message with which it ends.
            tokenize: whether to encode the text, which otherwise is returned.
            sanitize_control_tokens: not supported.
            padding: as in a call, like the three that follow.
            truncation: which texts to truncate.
            max_length: the length in tokens.
            return_tensors: `None` for lists, `"np"` or `"pt"` for arrays.
            return_dict: whether to return all columns of model input, and not the ids alone.
            return_assistant_tokens_mask: not supported.
            tokenizer_kwargs: further arguments of a call.
            variables: further variables of the template.

        Returns:
            What a call returns for the texts, or its `input_ids`, or the texts; for several chats,
            a list.

        Raises:
            ArgumentError: a message, a tool or a document is of another type.
            ConfigError: there is no template; it refuses the chat, fails, or needs too much time or
                memory; or an argument is not supported.
            VocabularyError: a text cannot be encoded, or there is nothing to pad with.
        """
        if sanitize_control_tokens or return_assistant_tokens_mask:
            raise ConfigError(
                "sanitize_control_tokens and return_assistant_tokens_mask are not supported"
            )
        if add_generation_prompt and continue_final_message:
            raise ConfigError(
                "add_generation_prompt begins another message than that of continue_final_message"
            )
        asked = {
            "tools": tools,
            "documents": documents,
            "add_generation_prompt": add_generation_prompt,
        }
        texts = file_access().chat_texts(
            self, conversation, asked | variables, chat_template, continue_final_message
        )
        if not tokenize:
            return texts
        found = self(
            texts,
            padding=padding,
            truncation=truncation,
            max_length=max_length,
            return_tensors=return_tensors,
            add_special_tokens=False,
            **tokenizer_kwargs or {},
        )
        return found if return_dict else found[IDS]

    def inputs(
        self,
        texts: Sequence[Sequence[str | Words]],
        options: BatchOptions,
        *,
        add_special_tokens: bool = True,
        recognize_special: bool | None = None,
    ) -> InputRows:
        """The model input of each text or pair of texts, followed by what was cut off; all padded
        to one length.

        Args:
            texts: one text or two for each input, or the words of each.
            options: padding and truncation.
            add_special_tokens: whether to put the template's special tokens around the texts.
            recognize_special: as in `encode`.

        Raises:
            ConfigError: the options do not fit the texts.
            VocabularyError: a text cannot be encoded, or there is nothing to pad with.
        """
        changes: dict[str, Any] = {
            "padding_side": options.padding_side or self.padding_side,
            "truncation_side": options.truncation_side or self.truncation_side,
        }
        if options.max_length is None and (options.truncates or options.padding == "max_length"):
            changes["max_length"] = self.model_max_length
            if options.padding == "max_length" and self.model_max_length is None:
                changes["padding"] = False  # as in Transformers
        options = replace(options, **changes)
        rows = self._inputs(
            texts, options, add_special_tokens, self.finds_special(recognize_special)
        )
        if not options.pads:
            return rows
        pad_id = self.pad_id
        kept = [
            length
            for length, (a, b) in zip(rows.lengths, pairwise([-1, *rows.numbers]), strict=True)
            if a < b
        ]
        return rows.padded(
            options.width(kept),
            options.padding_side or "right",
            pad_id,
            self.convert_ids_to_tokens(pad_id),
        )

    @property
    def hides_first_split(self) -> bool:
        """Whether its merges join words, and it is not known from which step on."""
        return self._model.config.limits_words and self._model.two_stages is None

    def at(self, step: int) -> Tokenizer:
        """The tokenizer after `step` merges, with only the tokens that it had then.

        Where merges are out of order, those whose parts are not there yet are left out; see
        `TokenizerModel.until`.

        Raises:
            VocabularyError: there are fewer merges.
        """
        self._limit(step)
        return Tokenizer(self._model.until(step))

    def with_dropout(self, dropout: float, seed: int | None = None) -> Tokenizer:
        """The same tokenizer with merges that are dropped at random, as `tokenizers` does it:
        BPE-dropout.

        Each text is then encoded differently each time; `decode` gives it back all the same.

        Args:
            dropout: the probability with which a merge is dropped each time that it has its turn,
                from 0 to 1.
            seed: with the same seed, the same calls give the same tokens; with `None`, they give
                others each time.

        Raises:
            ConfigError: `dropout` is not a probability.
            SaveError: only its own library can run the tokenizer.

        >>> from bpe_studio import Corpus, TrainingConfig, train
        >>> config = TrainingConfig.preset("textbook", merges=9)
        >>> tokenizer = train(Corpus.from_text("hug hugs", config), config).tokenizer()
        >>> tokenizer.with_dropout(1.0).tokenize("hug")
        ['h', 'u', 'g']
        """
        if (
            isinstance(dropout, bool)
            or not isinstance(dropout, int | float)
            or not 0 <= dropout <= 1
        ):
            raise ConfigError(f"Dropout is a probability from 0 to 1, such as 0.1, not {dropout!r}")
        from random import Random

        tokenizer = Tokenizer.__new__(Tokenizer)
        tokenizer._prepare(self.model, (dropout, Random(seed)))
        return tokenizer

    def add_tokens(self, new_tokens: str | Iterable[str], special_tokens: bool = False) -> int:
        """Adds tokens to this tokenizer, as in Transformers: each is found in a text before
        anything else is done, and gets the next id.

        Args:
            new_tokens: the text of each; one that is an added token already is left out.
            special_tokens: whether they are special, so that `decode` can skip them. The added
                tokens of a tokenizer that is trained here always are.

        Returns:
            The number of tokens that were added.

        Raises:
            ConfigError: the tokenizer cannot have such tokens.
            VocabularyError: a merge makes one of them.

        >>> from bpe_studio import Corpus, TrainingConfig, train
        >>> config = TrainingConfig.preset("gpt2", merges=2)
        >>> tokenizer = train(Corpus.from_text("hug hugs", config), config).tokenizer()
        >>> tokenizer.add_tokens(["<|user|>", "<|model|>"], special_tokens=True)
        2
        >>> tokenizer.tokenize("<|user|>hug")
        ['<|user|>', 'hug']
        """
        if isinstance(new_tokens, Mapping):
            raise ArgumentError(
                f"{shown(new_tokens)} is not a list of texts: add_special_tokens adds tokens by"
                " their roles"
            )
        given = [new_tokens] if isinstance(new_tokens, str) else list(each_text(new_tokens))
        for text in given:
            if any("\ud800" <= char <= "\udfff" for char in text):
                raise ArgumentError(f"{shown(text)} has half of a character: give whole ones")
        changed, n_added = self._with_added(list(dict.fromkeys(given)), special_tokens)
        said = {name: value for name, value in vars(self).items() if name in _SAID_OF_FILES}
        vars(self).clear()
        vars(self).update(vars(changed) | said)
        return n_added

    def add_special_tokens(self, special_tokens: Mapping[str, str]) -> int:
        """Names special tokens by role, as in Transformers; those that are not there yet are added.

        Args:
            special_tokens: the text for each role: "bos_token", "eos_token", "pad_token",
                "sep_token", "cls_token" or "mask_token".

        Returns:
            How many were added.

        Raises:
            ArgumentError: a text is empty, or not a text.
            ConfigError: there is no such role, or the tokenizer cannot have such tokens.
            VocabularyError: a merge makes one of them.

        >>> from bpe_studio import Corpus, TrainingConfig, train
        >>> config = TrainingConfig.preset("gpt2", merges=2)
        >>> tokenizer = train(Corpus.from_text("hug hugs", config), config).tokenizer()
        >>> tokenizer.add_special_tokens({"eos_token": "<|endoftext|>", "pad_token": "<pad>"})
        1
        >>> tokenizer(["hug", "hugs"], padding=True).input_ids
        [[258, 259], [258, 83]]
        """
        hint = 'give the text for each role, such as {"pad_token": "<p>"}'
        if not isinstance(special_tokens, Mapping):
            raise ArgumentError(f"{shown(special_tokens)} is not a dict: {hint}")
        for role, text in special_tokens.items():
            if role not in _ROLES_TO_NAME:
                raise ConfigError(
                    f"There is no role {shown(role)}. Choose one of {', '.join(_ROLES_TO_NAME)}, or"
                    " add special tokens without a role with add_tokens"
                )
            if not isinstance(text, str) or not text:
                raise ArgumentError(f"{shown(text)} is not the text of a token: {hint}")
        n_added = self.add_tokens(special_tokens.values(), special_tokens=True)
        self._name_roles(special_tokens)
        if self.roles is not None:
            self.roles = {**self.roles, **special_tokens}
        return n_added

    def _name_roles(self, names: Mapping[str, str]) -> None:
        """Gives special tokens their roles."""
        model = self._model
        self._model = self._batches = replace(
            model,
            settings={**model.settings, **names},
            pad_token=names.get("pad_token", model.pad_token),
        )

    def _with_added(self, names: Sequence[str], are_special: bool) -> tuple[Tokenizer, int]:
        """The tokenizer with further added tokens, and the number of those that are new."""
        known = {"", *self.added_ids}
        names = [name for name in names if name not in known]
        if not are_special:
            raise ConfigError(
                "All added tokens of this tokenizer are special: add them with special_tokens=True"
            )
        taken = next((name for name in names if name in self._ids), None)
        if taken is not None:
            raise VocabularyError(
                f"{taken!r} is a token already, and not a special one: choose another text"
            )
        model = self._model
        ids = {name: number for number, name in enumerate(names, len(model.tokens))}
        changed = Tokenizer.__new__(Tokenizer)
        changed._prepare(
            replace(
                model, tokens=(*model.tokens, *names), special_ids={**model.special_ids, **ids}
            ),
            self._dropout,
        )
        return changed, len(names)

    def save(self, path: str | PathLike[str], format: FormatName = "huggingface") -> None:
        """Write the tokenizer to disk; `bpe_studio.load` reads it back.

        Raises:
            SaveError: the format cannot hold this tokenizer exactly, or the file cannot be written.
        """
        file_access().save_tokenizer(self, as_path(path), format)

    def _inputs(
        self,
        texts: Sequence[Sequence[str | Words]],
        options: BatchOptions,
        add_special_tokens: bool,
        recognize_special: bool,
    ) -> InputRows:
        """The input of each text or pair of texts, and what was cut off, not yet padded."""
        options.check_stride(len(self.template(1)) - 1)
        each = list(chain.from_iterable(texts))
        word_lists = [words for words in each if isinstance(words, list)]
        words = None
        if word_lists:
            all_words = list(chain.from_iterable(word_lists))
            of_words = self._encoded(all_words, NEVER, recognize_special)
            sizes = list(map(len, word_lists))
            encoded = of_words.grouped(sizes)
            numbers = list(chain.from_iterable(map(range, sizes)))
            words = np.repeat(numbers, np.diff(of_words.offsets)).tolist()
        else:
            whole = [text for text in each if isinstance(text, str)]
            encoded = self._encoded(whole, NEVER, recognize_special)
        sizes = list(map(len, texts))
        templates = {size: self.template(size) for size in set(sizes)}
        if not add_special_tokens:
            for size, parts in templates.items():
                templates[size] = [part for part in parts if isinstance(part[0], int)]
        return input_rows(
            encoded,
            lambda: self.convert_ids_to_tokens(encoded.ids.tolist()),
            sizes,
            templates,
            self.id_of,
            options,
            words,
        )

    def template(self, n_texts: int) -> Sequence[Part]:
        """The parts of an input of one text, or of two: the names of special tokens, and the
        numbers of the texts.
        """
        return (self._model.template or Template()).parts(n_texts)

    @property
    def pad_token(self) -> str | None:
        """The token that fills up a batch; `None` if none is named."""
        return self._batches.pad_token

    def _limit(self, step: int | None) -> int:
        if step is None:
            return NEVER
        if not 0 <= as_number(step, "A step") <= self.n_merges:
            raise VocabularyError(
                f"There is no step {step:,}; the tokenizer's steps go from 0 to {self.n_merges:,}"
            )
        return step

    @cached_property
    def _special_pattern(self) -> Any:
        return specials_pattern(self._model.special_ids) if self._model.special_ids else None

    def _special_in(self, texts: Sequence[str]) -> re.Pattern[str] | None:
        """An expression for special tokens; `None` if no text holds any."""
        pattern: re.Pattern[str] | None = self._special_pattern
        return None if pattern is None or pattern.search("".join(texts)) is None else pattern

    def _encoded(self, texts: list[str], limit: int, recognize_special: bool) -> EncodedTexts:
        """The ids and places of several texts."""
        if not recognize_special or self._special_in(texts) is None:
            return self._encoded_as_text(texts, limit)
        parts = []
        for number, text in enumerate(texts):
            parts += [(number, *part) for part in self._parts(text)]
        found = self._encoded_as_text(
            [part for _, _, part, special in parts if special is None], limit
        )
        encoded = iter(found)
        pieces = []
        for *_, special in parts:
            ids = next(encoded) if special is None else np.array([special], np.int32)
            pieces.append(ids)

        def char_offsets() -> Int64Array:
            found_places = iter(np.split(found.char_offsets, found.offsets[1:-1]))
            places = []
            for _, begin, part, special in parts:
                inside = next(found_places) if special is None else np.array([[0, len(part)]])
                places.append(inside + begin)
            return np.concatenate(places)

        sizes = [0] * len(texts)
        for (number, *_), piece in zip(parts, pieces, strict=True):
            sizes[number] += len(piece)
        offsets = np.array(list(accumulate(sizes, initial=0)), np.int64)
        return EncodedTexts(np.concatenate(pieces), offsets, char_offsets)

    def _parts(self, text: str) -> Iterator[tuple[int, str, int | None]]:
        """The text between special tokens, and the special tokens: (start, text, id of the special
        token or None).
        """
        begin = 0
        for match in self._special_pattern.finditer(text):
            if match.start() > begin:
                yield begin, text[begin : match.start()], None
            yield match.start(), match.group(), self._model.special_ids[match.group()]
            begin = match.end()
        if begin < len(text):
            yield begin, text[begin:], None

    def _encoded_as_text(self, texts: list[str], limit: int) -> EncodedTexts:
        """The ids and places of several texts in which special tokens are text."""
        if not are_worth_kernels(texts) or self._bulk is None:
            return self._encoded_by_words(texts, limit)
        found = self._bulk.ids(texts, limit)
        if found is not None:
            ids, ends = found
            return EncodedTexts(
                ids, np.concatenate(([0], ends)), lambda: self._places(texts, limit, ids, ends)
            )
        if len(texts) < 2:
            return self._encoded_by_words(texts, limit)
        # The kernels can encode nearly all texts; halving finds those that they cannot.
        middle = len(texts) // 2
        return EncodedTexts.joined(
            [self._encoded_as_text(half, limit) for half in (texts[:middle], texts[middle:])]
        )

    def _places(
        self, texts: list[str], limit: int, ids: Int32Array, ends: Int64Array
    ) -> Int64Array:
        assert self._bulk is not None
        places = self._bulk.places(texts, ids, ends)
        return self._encoded_by_words(texts, limit).char_offsets if places is None else places

    def _encoded_by_words(self, texts: list[str], limit: int) -> EncodedTexts:
        """The ids and places of several texts, encoded pre-token by pre-token."""
        config = self._model.config
        cut = self._pieces.cut
        mark = config.word_start
        ids: list[int] = []
        # One list for all texts: millions of small ones would keep the garbage collector busy.
        starts: list[int] = []
        places: list[list[tuple[float, float]]] = []
        offsets = [0]
        bounds = [0]
        for text in texts:
            source = self._model.normalized_text(text)
            for start, end in spans(source, config.cutting, budget=TimeBudget()):
                found, where = cut(mark + source[start:end], limit)
                ids += found
                starts.append(start)
                places.append(where)
            offsets.append(len(ids))
            bounds.append(len(starts))

        def char_offsets() -> Int64Array:
            found: list[tuple[int, int]] = []
            for text, (first, last) in zip(texts, pairwise(bounds), strict=True):
                found += self._in_text(
                    text, zip(starts[first:last], places[first:last], strict=True)
                )
            return as_offset_array(found)

        return EncodedTexts(ids, offsets, char_offsets)

    def _in_text(
        self, text: str, words: Iterable[tuple[int, list[tuple[float, float]]]]
    ) -> Iterator[tuple[int, int]]:
        """The places of tokens in a text, from those in the pre-tokens of the normalized text."""
        places: list[tuple[float, float]] = []
        for start, where in words:
            places += [(start + a, start + b) for a, b in where]
        aligned = self._model.normalized(text)
        if aligned is not None:
            back = aligned.starts
            places = [(_to_source(back, int(a)), _to_source(back, ceil(b))) for a, b in places]
        return ((int(a), ceil(b)) for a, b in places)

    def _content(self, number: int) -> bytes:
        """The bytes of a token; a mark at a word's end or start becomes the space that the split
        dropped.
        """
        config = self._model.config
        name = self._model.tokens[number]
        if config.byte_fallback and name in FALLBACK_NAMES:
            return bytes([int(name[3:5], 16)])
        if config.units == "items":
            return name.encode("utf-8", "surrogatepass")
        space = b" " if config.drops_text else b""
        before = b""
        after = b""
        is_continuing, is_ending = self._marks.of(number) if self._marks.has_any else (False, False)
        if is_continuing:
            name = name.removeprefix(config.continuing or "")
        elif config.continuing is not None and config.word_end is None:
            before = space
        if is_ending:
            name = name.removesuffix(config.word_end or "")
            after = space
        if config.units == "bytes":
            content = from_stand_ins(name)
        else:
            content = name.encode("utf-8", "surrogatepass")
        if config.word_start:
            content = content.replace(config.word_start.encode(), b" ")
        return before + content + after


def _to_source(starts: Any, place: float) -> float:
    """A place in the normalized text as a place in the source."""
    whole = min(int(place), len(starts) - 1)
    following = starts[min(whole + 1, len(starts) - 1)]
    return float(starts[whole] + (place - whole) * (following - starts[whole]))
