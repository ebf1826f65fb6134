"""The interface to the library that defines a tokenizer, and its errors as ours."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, Protocol, runtime_checkable

from bpe_studio.engine.arguments import as_ids, as_text
from bpe_studio.engine.encoding.batching import BatchOptions, Words
from bpe_studio.engine.encoding.input_rows import InputRows
from bpe_studio.engine.encoding.tokenizer_model import Encoding, Part
from bpe_studio.engine.presets import SUPERWORDS
from bpe_studio.errors import BpeError, VocabularyError
from bpe_studio.files.third_party.borders import Cutting

_DIGITS_ALONE = [
    [r"\p{N}+", r"(?=(\d{3})+(?!\d))"],
    [r"\p{N}+", r"(?=([0-9]{3})+(?![0-9]))"],
]
"""The split of the published models of SuperBPE, and what llama.cpp makes of it."""
HALF_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair, which no library takes; it counts as U+FFFD."""


@dataclass(frozen=True)
class Pieces:
    """A text, cut into pieces that no merge crosses, and those into initial symbols.

    Attributes:
        symbols: the id of each initial symbol, from left to right. An id without a token is that of
            a character which only larger tokens hold.
        offsets: (start, end) of each symbol in the text, in code points.
        firsts: the index of the first symbol of each piece.
        wholes: the token that takes each piece whole once a merge has made it; `None` for none.
    """

    symbols: list[int]
    offsets: list[tuple[int, int]]
    firsts: list[int]
    wholes: list[int | None]

    def bounds(self) -> Iterator[tuple[int, int]]:
        """The first symbol and the end of each piece."""
        return pairwise([*self.firsts, len(self.symbols)])


class NewMerge(NamedTuple):
    """A merge that is added to those of a file.

    Attributes:
        left, right: the ids of the tokens that it joins.
        made: the id of the new token.
        name: the new token, as the file writes it.
    """

    left: int
    right: int
    made: int
    name: str


def joins_words(library: Library) -> bool:
    """Whether it cuts text by a published split of superwords: that of the trainer, or that of
    models, which cuts digits alone.
    """
    cutting = library.settings.get("pre_tokenizer") or {}
    if json.dumps(SUPERWORDS) in json.dumps(cutting):
        return True
    *splits, last = cutting.get("pretokenizers") or [{}]
    patterns = [part.get("pattern", {}).get("Regex") for part in splits]
    return patterns in _DIGITS_ALONE and last.get("use_regex") is False


class Library(Protocol):
    """A tokenizer, run by the library that defines it.

    Attributes:
        name: the name of the library.
        kind: the type of the model.
        checksum: the checksum of the content of the file.
        special_ids: the id of each special token.
        added_ids: the id of each token that is found in a text first.
        unknown_id: the id of the unknown token; `None` if there is none.
        finds_special: whether special tokens can be found in a text.
        fused: the unknown token of which several side by side become one; `None` for none.
        has_prefix: whether a prefix is put before a text, and again after an added token.
        takes_whole_pieces: whether a piece that is a token is taken whole, whatever its merges make
            of it.
        prefixes_parts: whether `ids_of` puts a prefix before a part that begins at `cuts_before`.
        most_characters: the longest text for one call; a longer one would take some GB of memory.
        units: "bytes" if the names of tokens write text as GPT-2's stand-ins, or "characters".
        prefix_is_space: whether the prefix of a text is the character that it writes for a space.
        continuing: the beginning of the names of tokens that continue a word; `None` for none.
    """

    name: str
    kind: str
    checksum: bytes
    special_ids: Mapping[str, int]
    added_ids: Mapping[str, int]
    unknown_id: int | None
    finds_special: bool
    fused: int | None
    has_prefix: bool
    takes_whole_pieces: bool
    prefixes_parts: bool
    most_characters: int
    units: str
    prefix_is_space: bool
    continuing: str | None

    @property
    def tokens(self) -> Mapping[int, str]:
        """The tokens by id."""

    @property
    def unmerged(self) -> Mapping[int, Sequence[int]]:
        """The ids that a symbol without a token becomes if no merge takes it, by its id."""

    @property
    def hidden(self) -> Mapping[int, str]:
        """The name of each such symbol."""

    @property
    def added_flags(self) -> Mapping[str, Mapping[str, bool]]:
        """The flags by which each added token is found in a text, where the file says them."""

    @property
    def scores(self) -> Mapping[int, float | str]:
        """The score of each token, where the file has scores; the kind of an unusual token."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings that decide the ids besides the vocabulary and the merges, by name."""

    @property
    def cuts_before(self) -> str:
        """The white space before which a text can be cut after a letter, so that each part has the
        pieces that it has in the text; see `borders`.
        """

    def encode(self, text: str, *, add_special_tokens: bool, recognize_special: bool) -> Encoding:
        """The tokens of a text."""

    def ids(self, text: str, *, recognize_special: bool) -> list[int]:
        """The ids of a text, without special tokens around it."""

    def template(self, n_texts: int) -> Sequence[Part]:
        """The parts of an input of one text, or of two."""

    def ids_of(self, texts: Sequence[str], *, recognize_special: bool) -> list[list[int]]:
        """The ids of each of several texts, without special tokens around them."""

    def cutting(self) -> Cutting | None:
        """The settings by which our engine cuts a text into pieces that keep their tokens; `None`
        if they are not known.
        """

    def symbols_of(self, char: str) -> Sequence[int]:
        """The initial symbols of a character inside a text; only if `units` is "characters".

        Raises:
            VocabularyError: no token stands for it.
        """

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool) -> str:
        """The text of token ids, each of which is in `tokens`."""

    def is_open(self, number: int) -> bool:
        """Whether the text of a token may change with the token that follows."""

    def id_of(self, token: str) -> int | None:
        """The id of a token; `None` if there is no such token."""

    def content(self, number: int) -> bytes:
        """The bytes that a token, which is in `tokens`, stands for inside a text."""

    def normalized(self, text: str) -> str:
        """The normalized text, without its prefix."""

    def stages(self, text: str) -> tuple[str, list[str]]:
        """The normalized text with its prefix, and the pieces that the model gets, as text."""

    def pieces(self, text: str, *, recognize_special: bool, begins_text: bool = True) -> Pieces:
        """The pieces of a text; only of a tokenizer with merges.

        Args:
            text: the text.
            recognize_special: whether the text of a special token becomes that token.
            begins_text: whether it begins a text; `False` for a part that begins where a text can
                be cut (`cuts_before`).
        """

    def ids_and_pieces_of(
        self, texts: Sequence[str], *, recognize_special: bool
    ) -> list[tuple[Sequence[int], Sequence[int]]]:
        """The ids of each of several texts, and for each id the number of its piece."""

    def unmergeable(self) -> Iterable[int]:
        """The ids of the tokens that do not stand for their names; nothing merges with them."""

    def with_merges(self, merges: Sequence[NewMerge]) -> Any:
        """The content of the file with further merges, each of which makes a new token."""

    def without(self, gone: Collection[int], number: Callable[[int], int]) -> Any:
        """The content of the file without some tokens and the merges that name them.

        Args:
            gone: the ids of the tokens.
            number: gives the new id of each other token.
        """


@runtime_checkable
class LibraryWithInputs(Protocol):
    """A library that truncates texts and puts special tokens around them."""

    def inputs(
        self,
        texts: Sequence[Sequence[str | Words]],
        options: BatchOptions,
        *,
        add_special_tokens: bool,
        recognize_special: bool,
    ) -> InputRows:
        """The truncated input of each text or pair of texts, followed by the rest that was cut
        off if the options ask for it; not padded.
        """


@runtime_checkable
class LibraryWithAdded(Protocol):
    """A library that can have any added tokens."""

    def with_added(self, names: Sequence[str], are_special: bool) -> tuple[Any, int]:
        """The content of the file with further added tokens, and the number that the library
        counts as new.
        """


@runtime_checkable
class LibraryWithRanks(Protocol):
    """A library whose tokens may be ranks of tiktoken."""

    def byte_ranks(self) -> Mapping[int, str]:
        """The tokens that are not added, by id, as byte stand-ins.

        Raises:
            SaveError: they are not ranks.
        """


@contextlib.contextmanager
def errors_of(library: str, kind: type[BpeError], what: str) -> Iterator[None]:
    """Turns any error of a library, a panic of native code included, into one sentence.

    Args:
        library: its name.
        kind: the error to raise.
        what: the failure, as the beginning of the sentence.
    """
    try:
        yield
    except (BpeError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        # A panic of native code is not an `Exception`.
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise kind(f"{what}: {library} says {lines[0][:200]!r}") from None


def as_valid_text(text: str | bytes) -> str:
    """The text, if it can be written as UTF-8: libraries accept no other.

    Raises:
        VocabularyError: it cannot.
    """
    try:
        if isinstance(text, bytes):
            return text.decode("utf-8")
        as_text(text).encode("utf-8")
    except UnicodeDecodeError as error:
        raise VocabularyError(
            f"The byte {error.start:,} of the text is not valid UTF-8, and this tokenizer encodes"
            " only text: replace it by U+FFFD first"
        ) from None
    except UnicodeEncodeError as error:
        raise VocabularyError(
            f"The character {error.start:,} of the text is half of a surrogate pair, which cannot"
            " be encoded: remove it"
        ) from None
    return text


def check_ids(ids: Iterable[int], tokens: Mapping[int, str]) -> list[int]:
    """The ids as a list, if each has a token.

    Raises:
        VocabularyError: one has none.
    """
    found, distinct = as_ids(ids)
    wrong = next((number for number in distinct if number not in tokens), None)
    if wrong is not None:
        raise VocabularyError(
            f"There is no token with id {wrong}; ids go from {min(tokens)} to {max(tokens):,}"
        )
    return found
