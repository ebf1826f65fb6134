"""A tokenizer that another program made: its library gives ids and text, its merges give steps and
gap ranks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bpe_studio.engine.arguments import as_number, as_text
from bpe_studio.engine.arrays import Int32Array
from bpe_studio.engine.encoding.batching import BatchOptions, Words
from bpe_studio.engine.encoding.encoded_texts import EncodedTexts
from bpe_studio.engine.encoding.input_rows import InputRows
from bpe_studio.engine.encoding.text_stream import text_stream
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.encoding.tokenizer_model import (
    ChatTemplate,
    Encoding,
    OwnFiles,
    Part,
    TokenizerModel,
)
from bpe_studio.engine.file_access import file_access
from bpe_studio.errors import ConfigError, SaveError, TokenizerFormatError, VocabularyError
from bpe_studio.files.formats.huggingface.folder import (
    Batch,
    in_batches,
    with_chat_template,
    with_roles,
)
from bpe_studio.files.third_party.native_library import (
    Library,
    LibraryWithAdded,
    LibraryWithInputs,
    LibraryWithRanks,
    Pieces,
    as_valid_text,
    check_ids,
    joins_words,
)
from bpe_studio.files.third_party.piece_merges import OrderedMerges, PieceMerges

if TYPE_CHECKING:
    import numpy.typing as npt

_CLEANED_UP = (
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
)


def cleaned_up(text: str) -> str:
    """A decoded text without the spaces before English punctuation, for
    `clean_up_tokenization_spaces`.
    """
    for spaced, joined in _CLEANED_UP:
        text = text.replace(spaced, joined)
    return text


_MAY_GO_ON = "".join(spaced[:-1] for spaced, _ in _CLEANED_UP)
"""The characters after which more of a text that `cleaned_up` replaces may follow."""


def cleaned_up_parts(parts: Iterable[str]) -> Iterator[str]:
    """The parts of a text that comes in parts, cleaned up as `cleaned_up` does it."""
    held = ""
    for part in parts:
        held += part
        done = held.rstrip(_MAY_GO_ON)
        if done:
            yield cleaned_up(done)
            held = held[len(done) :]
    if held:
        yield cleaned_up(held)


class Steps(NamedTuple):
    """The merges of a tokenizer.

    Attributes:
        merges: the merges; `None` if there are none, or if they do not give the library's ids.
        why_not: the reason for that, as a sentence; empty if there are merges.
    """

    merges: PieceMerges | None
    why_not: str = ""

    @classmethod
    def of(cls, read: Callable[[], PieceMerges]) -> Steps:
        """The merges that a function reads; if it cannot, it says why."""
        try:
            return cls(read())
        except TokenizerFormatError as error:
            return cls(None, str(error))


class ThirdPartyTokenizer(Tokenizer):
    """Encodes and decodes like the library that defines the tokenizer, and shows the tokens at any
    step.

    Attributes:
        native: the library, which does what comes before and after the merges.
        kind: the type of its model: BPE, Unigram, WordPiece, ...
        says_batches: whether its files have settings of batches.

    Args:
        library: the library.
        read_steps: reads and checks its merges, when they are first asked for.
        model_of: returns the tokenizer as our data, or raises an error that says why it cannot.
        batch: the settings of batches; `None` if no file has any.
        own_files: its files, if they can be written again as they are.
        chat_template: the template that makes one text of messages; `None` for none.
    """

    def __init__(
        self,
        library: Library,
        read_steps: Callable[[], Steps],
        *,
        model_of: Callable[[], TokenizerModel] | None = None,
        batch: Batch | None = None,
        own_files: OwnFiles | None = None,
        chat_template: ChatTemplate | None = None,
    ) -> None:
        self.native = library
        self.kind = library.kind
        self._read_steps = read_steps
        self.encodes_lines = not library.finds_special
        self._model_of = model_of
        self._why_no_model = ""
        self.says_batches = batch is not None
        self._batches: Batch = batch or Batch(splits_special=not library.finds_special)
        self._own_files = own_files
        self._chat_template = chat_template
        self._step: int | None = None

    @property
    def chat_template(self) -> ChatTemplate | None:
        """The template that makes one text of messages, as in `Tokenizer.chat_template`."""
        return self._chat_template

    @chat_template.setter
    def chat_template(self, template: ChatTemplate | None) -> None:
        file_access().check_chat_template(template)
        self._chat_template = template
        if self._own_files is not None:
            self._own_files = with_chat_template(self._own_files, template)
        vars(self).pop("model", None)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    @cached_property
    def _steps(self) -> Steps:
        return self._read_steps()

    @property
    def piece_merges(self) -> PieceMerges | None:
        """The merges; `None` if there are none, or if they do not give the library's ids."""
        return self._steps.merges

    @property
    def why_no_merges(self) -> str:  # type: ignore[override]
        """The reason why there are no merges, as a sentence; empty if there are."""
        return self._steps.why_not

    @cached_property
    def model(self) -> TokenizerModel:
        """The tokenizer as data.

        Raises:
            SaveError: it cannot be written in our form.
        """
        if self._model_of is None:
            raise SaveError(
                f"A tokenizer of {self.native.name} of the type {self.kind} cannot be written in"
                " this form"
            )
        if self._why_no_model:
            raise SaveError(self._why_no_model)
        try:
            model = self._model_of()
        except SaveError as error:
            # For a large vocabulary, it takes seconds to find this out.
            self._why_no_model = str(error)
            raise
        model = replace(in_batches(model, self._batches), chat_template=self._chat_template)
        if self._step is None:
            return model
        limit: int | None = self._step
        if isinstance(self.piece_merges, OrderedMerges):
            limit = self.piece_merges.limit_of(self._step)
        if limit is None:
            raise SaveError(
                f"Step {self._step:,} cannot be encoded: some merges before it need a later one;"
                " choose another step"
            )
        return model.until(limit)

    @property
    def hides_first_split(self) -> bool:
        """Whether its merges join words, from a step on that no file says."""
        return joins_words(self.native)

    @property
    def own_files(self) -> OwnFiles | None:
        """Its files; `None` if they cannot be written again, or if it has stopped at a step."""
        return None if self.is_stopped else self._own_files

    def byte_ranks(self) -> Mapping[int, str] | None:
        """The tokens that are not added, by id, as ranks of tiktoken; `None` if `model` has to say
        whether they are.

        Raises:
            SaveError: they are not.
        """
        if self.is_stopped or not isinstance(self.native, LibraryWithRanks):
            return None
        return self.native.byte_ranks()

    @cached_property
    def tokens(self) -> Mapping[int, str]:
        """The tokens by id, from the lowest id; ids may have gaps."""
        if self._step is None:
            return self.native.tokens
        missing = self._the_merges().missing_at(self._step)
        return {
            number: name for number, name in self.native.tokens.items() if number not in missing
        }

    @property
    def special_ids(self) -> Mapping[str, int]:
        """The id of each special token."""
        return self.native.special_ids

    @property
    def added_ids(self) -> Mapping[str, int]:
        """The id of each added token."""
        return self.native.added_ids

    @property
    def unknown_id(self) -> int | None:
        """The id of the unknown token; `None` if there is none."""
        return self.native.unknown_id

    @property
    def merges(self) -> Sequence[tuple[int, int, int]]:
        """The merges as (left id, right id, new id), in rank order; empty if `why_no_merges` says
        why.
        """
        if self.piece_merges is None:
            return ()
        made = self.piece_merges.made[: self._step]
        return [
            (left, right, new)
            for (left, right), new in zip(self.piece_merges.pairs, made, strict=False)
        ]

    @property
    def vocab_size(self) -> int:
        """The number of tokens, with special tokens."""
        return len(self.tokens)

    @property
    def is_stopped(self) -> bool:
        """Whether it has stopped at a step: its library does not know a tokenizer after fewer
        merges.
        """
        return self._step is not None

    @property
    def n_merges(self) -> int:
        """The number of merges, which is the last step; 0 for a tokenizer without merges."""
        if self._step is not None:
            return self._step
        return 0 if self.piece_merges is None else len(self.piece_merges)

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
            text: the text; bytes must be valid UTF-8.
            step: the number of merges that apply; `None` for all, by the library alone.
            add_special_tokens: whether to put the template's special tokens around the text.
            recognize_special: whether the text of a special token becomes that token, instead of
                text like any other; `None` for yes, unless its files say otherwise.

        Raises:
            VocabularyError: the text cannot be encoded, or there is no such step.
        """
        text = as_valid_text(text)
        finds = self.finds_special(recognize_special)
        step = self._step if step is None else step
        if step is None:
            whole = self.native.encode(
                text, add_special_tokens=add_special_tokens, recognize_special=finds
            )
            whole.text = text
            return whole
        limit = self._limit(step)
        pieces = self.native.pieces(text, recognize_special=finds)
        ids, begins = self._merged(pieces, limit)
        places = pieces.offsets
        offsets = [
            (places[first][0], places[max(first, end - 1)][1])
            for first, end in pairwise([*begins, len(places)])
        ]
        before, after = self.around if add_special_tokens else ([], [])
        ids = [*before, *ids, *after]
        offsets = [(0, 0)] * len(before) + offsets + [(0, 0)] * len(after)
        names = self.native.tokens
        n_inside = len(ids) - len(before) - len(after)
        mask = [1] * len(before) + [0] * n_inside + [1] * len(after)
        tokens = [names[number] for number in ids]
        found = Encoding(ids, tokens, offsets, special_tokens_mask=mask)
        found.text = text
        return found

    def encode_ids(
        self,
        text: str | bytes,
        *,
        step: int | None = None,
        recognize_special: bool | None = None,
        dtype: npt.DTypeLike | None = None,
    ) -> npt.NDArray[Any]:
        """(n,) int32 or another type, the ids of a text, without special tokens around it.

        Raises:
            VocabularyError: as for `encode`.
            ConfigError: the type cannot hold every id.
        """
        text = as_valid_text(text)
        finds = self.finds_special(recognize_special)
        step = self._step if step is None else step
        type_of_ids = np.dtype(np.int32) if dtype is None else self._type_for_ids(dtype)
        if step is None:
            return np.array(self.native.ids(text, recognize_special=finds), type_of_ids)
        limit = self._limit(step)
        pieces = self.native.pieces(text, recognize_special=finds)
        return np.array(self._merged(pieces, limit)[0], type_of_ids)

    def _encoded(self, texts: list[str], limit: int, recognize_special: bool) -> EncodedTexts:
        if self._step is not None:
            encodings = [self.encode(text, recognize_special=recognize_special) for text in texts]
            return EncodedTexts.of_encodings(encodings)
        texts = list(map(as_valid_text, texts))
        each = (
            self.encode(text, recognize_special=recognize_special).offset_array for text in texts
        )
        return EncodedTexts.of_lists(
            self.native.ids_of(texts, recognize_special=recognize_special),
            lambda: np.concatenate([np.zeros((0, 2), np.int64), *each]),
        )

    def gap_ranks(
        self, text: str | bytes, *, recognize_special: bool | None = None
    ) -> list[Int32Array]:
        """The gap ranks of each piece of a text, without that of its first symbol.

        A gap rank of -1 is inside a piece that is taken whole at every step. If merges are not in
        order (`PieceMerges.are_in_order`), only `encode` gives the tokens at a step.

        Raises:
            VocabularyError: there are no merges, or the text cannot be encoded.
        """
        merges = self._the_merges()
        pieces = self.native.pieces(
            as_valid_text(text), recognize_special=self.finds_special(recognize_special)
        )
        found = []
        for (first, end), whole in zip(pieces.bounds(), pieces.wholes, strict=True):
            ranks = np.array(merges.gap_ranks(pieces.symbols[first:end]), np.int32)
            if whole is not None:
                ranks = np.minimum(ranks, np.int32(merges.rank_of(whole)))
            found.append(ranks)
        return found

    def normalized_text(self, text: str) -> str:
        """The normalized text, without the prefix that normalization puts before a text."""
        return self.native.normalized(as_text(text))

    def stages(self, text: str) -> tuple[str, list[str]]:
        """The stages of a text before the library's model: the normalized text, and its pieces."""
        return self.native.stages(as_valid_text(text))

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = False) -> str:
        """The text of token ids, as the library decodes them.

        Raises:
            VocabularyError: an id is not in the vocabulary.
        """
        text = self._decoded(ids, skip_special_tokens)
        return cleaned_up(text) if self._batches.cleans_up else text

    def _decoded(self, ids: Iterable[int], skip_special_tokens: bool) -> str:
        return self.native.decode(
            check_ids(ids, self.tokens), skip_special_tokens=skip_special_tokens
        )

    def decode_stream(self, ids: Iterable[int], skip_special_tokens: bool = False) -> Iterator[str]:
        """The text of token ids that come one by one, as in `Tokenizer.decode_stream`.

        A byte of a byte fallback waits for the token after it, which decides its text. If the
        library decodes in a way that is not known here, all text comes at the end.
        """
        decode = partial(self._decoded, skip_special_tokens=skip_special_tokens)
        left_out = set(self.special_ids.values()) if skip_special_tokens else set()

        def is_open(number: int) -> bool:
            return number in left_out or self.native.is_open(number)

        parts = text_stream(ids, decode, is_open)
        return cleaned_up_parts(parts) if self._batches.cleans_up else parts

    def decode_bytes(self, ids: Iterable[int], *, skip_special_tokens: bool = False) -> bytes:
        """The text of token ids as UTF-8; as the library decodes to text, invalid bytes become
        U+FFFD.

        Raises:
            VocabularyError: an id is not in the vocabulary.
        """
        return self.decode(ids, skip_special_tokens).encode()

    def id_of(self, token: str) -> int | None:
        """The id of a token, as the file writes it; `None` if there is no such token."""
        number = self.native.id_of(as_text(token))
        return number if number in self.tokens else None

    def content(self, number: int) -> bytes:
        """The bytes that a token stands for inside a text.

        Raises:
            VocabularyError: there is no token with this id.
        """
        return self.native.content(check_ids([number], self.tokens)[0])

    def convert_ids_to_tokens(self, ids: int | Sequence[int]) -> Any:
        """The token of each id, as the file writes it.

        Raises:
            VocabularyError: an id is not in the vocabulary.
        """
        if isinstance(ids, int):
            return self.convert_ids_to_tokens([ids])[0]
        return [self.tokens[number] for number in check_ids(ids, self.tokens)]

    def template(self, n_texts: int) -> Sequence[Part]:
        """The parts of an input of one text, or of two: the names of special tokens, and the
        numbers of the texts.
        """
        return self.native.template(n_texts)

    def in_order(self) -> ThirdPartyTokenizer:
        """The tokenizer with its steps in an order in which each merge uses only tokens that are
        there before it.

        It is this one if its merges are in order already, or if there is no such order.
        """
        ordered = None if self.piece_merges is None else self.piece_merges.in_order()
        if ordered is None or ordered is self.piece_merges:
            return self
        found = copy(self)
        found._steps = Steps(ordered)
        return found

    def at(self, step: int) -> ThirdPartyTokenizer:
        """The tokenizer after `step` merges, with only the tokens that it had then.

        Raises:
            VocabularyError: there are fewer merges.
        """
        if step == self.n_merges:
            return self
        stopped = copy(self)
        stopped._step = self._limit(step)
        stopped.folder = ""
        for name in ("model", "tokens", "_last_id"):
            stopped.__dict__.pop(name, None)
        return stopped

    def _with_added(self, names: Sequence[str], are_special: bool) -> tuple[Tokenizer, int]:
        files = self.own_files
        library = self.native
        if files is None or files.remade is None or not isinstance(library, LibraryWithAdded):
            raise ConfigError(
                "Tokens are added to a tokenizer.json only: save this tokenizer in the Hugging Face"
                " format, load that and add them to it"
            )
        content, n_added = library.with_added(names, are_special)
        return files.remade(content, int), n_added

    def _name_roles(self, names: Mapping[str, str]) -> None:
        assert self._own_files is not None  # as tokens can be added
        self._own_files = with_roles(self._own_files, names)
        self._batches = self._batches._replace(pad_token=names.get("pad_token", self.pad_token))
        vars(self).pop("model", None)

    def _inputs(
        self,
        texts: Sequence[Sequence[str | Words]],
        options: BatchOptions,
        add_special_tokens: bool,
        recognize_special: bool,
    ) -> InputRows:
        if self._step is None and isinstance(self.native, LibraryWithInputs):
            texts = [list(map(_valid, each)) for each in texts]
            return self.native.inputs(
                texts,
                options,
                add_special_tokens=add_special_tokens,
                recognize_special=recognize_special,
            )
        return super()._inputs(texts, options, add_special_tokens, recognize_special)

    def _the_merges(self) -> PieceMerges:
        if self.piece_merges is None:
            raise VocabularyError(self.why_no_merges)
        return self.piece_merges

    def _limit(self, step: int | None) -> int:
        n_merges = len(self._the_merges())
        number = as_number(step, "A step")
        if not 0 <= number <= min(n_merges, self.n_merges):
            raise VocabularyError(
                f"There is no step {number:,}; the tokenizer's steps go from 0 to {self.n_merges:,}"
            )
        return number

    def _merged(self, pieces: Pieces, limit: int) -> tuple[list[int], list[int]]:
        """The ids of a text's tokens if merges below a rank apply, and the first symbol of each."""
        merges = self._the_merges()
        library = self.native
        ids: list[int] = []
        begins: list[int] = []
        for (first, end), whole in zip(pieces.bounds(), pieces.wholes, strict=True):
            if whole is not None and merges.rank_of(whole) < limit:
                found = [whole]
                places = [0]
            else:
                found, places = merges.tokens(pieces.symbols[first:end], limit)
            for number, place in zip(found, places, strict=True):
                for one in library.unmerged.get(number, (number,)):
                    if not (one == library.fused and ids and ids[-1] == one):
                        ids.append(one)
                        begins.append(first + place)
        return ids, begins


def _valid(text: str | Words) -> str | Words:
    return list(map(as_valid_text, text)) if isinstance(text, list) else as_valid_text(text)
