"""A third-party tokenizer as a run without words, for the window: its merges, its tokens, and any
text at any step.

The library cuts a text into pieces, the same at every step, and these are its words
(`Segmenter.pieces_of`). A tokenizer without merges is a run without merges, and the tokens of a
text are those of its library.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from bpe_studio.engine.arrays import Int32Array, Int64Array
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.encoding.segmentation import Segmenter, Word
from bpe_studio.engine.encoding.text_gaps import TextGaps
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.run import Run
from bpe_studio.engine.text.alphabet import Alphabet
from bpe_studio.engine.training.corpus_array import CorpusArray
from bpe_studio.engine.training.overrides import Plan
from bpe_studio.errors import SaveError, TrainingError
from bpe_studio.files.formats.tokenizer_file import config_as_read
from bpe_studio.files.third_party.borders import last_border, next_border
from bpe_studio.files.third_party.native_library import HALF_SURROGATE
from bpe_studio.files.third_party.piece_merges import PieceMerges
from bpe_studio.files.third_party.tokenizer import ThirdPartyTokenizer

_MAX_CACHED = 200_000


class OpenedRun(Run):
    """The merges of a third-party tokenizer, with internal ids: first those of the tokens that no
    merge makes, then one for each merge.

    Args:
        tokenizer: the tokenizer.
        saved: the counts of its last merges, if they were trained on a text: the number of tokens
            that each saves there.
    """

    is_own = False

    def __init__(self, tokenizer: ThirdPartyTokenizer, saved: Sequence[int] = ()) -> None:
        tokenizer = tokenizer.in_order()
        library = tokenizer.native
        merges = _shown_merges(tokenizer)
        self.why_no_merges = tokenizer.why_no_merges
        if merges is None and not self.why_no_merges:
            self.why_no_merges = (
                "There are no steps to show, because some merges use tokens that only later merges"
                " make, and several make the same token; the command encode --step can use them"
            )
        made = [] if merges is None else merges.made
        first = set(made)
        symbols = [number for number in library.tokens if number not in first]
        hidden = list(library.hidden)
        names = [*(library.tokens[number] for number in symbols), *library.hidden.values()]
        contents = [
            *map(library.content, symbols),
            *(name.encode() for name in library.hidden.values()),
        ]
        config = config_as_read(units=library.units, split="none", merges=len(made))
        self._all_names = [*names, *(library.tokens[number] for number in made)]
        super().__init__(Corpus.from_counts({}, config), config, _layout(config, names, contents))
        self._tokenizer = tokenizer
        # A symbol without a token has no id of its own; alone, it becomes other tokens.
        alone = [library.unmerged[number][0] for number in hidden]
        self._external = np.array([*symbols, *alone, *made], np.int64)
        self.internal: dict[int, int] = {}
        for place, number in enumerate([*symbols, *hidden, *made]):
            self.internal.setdefault(number, place)
        pairs = [] if merges is None else merges.pairs
        left = [self.internal[number] for number, _ in pairs]
        right = [self.internal[number] for _, number in pairs]
        none = np.zeros(len(made), np.int64)
        self.n_seed = len(made)
        self.extend(
            left=left, right=right, count=none, tied=none + 1, n_tokens=none, forced=none + 1
        )
        if len(saved) and made:
            self.columns.count[-len(saved) :] = saved

    def _given_names(self) -> Sequence[str]:
        return self._all_names

    def external_id(self, token: int, step: int | None = None) -> int:
        """The id of a token, as in the file."""
        return int(self._external[token])

    def external_ids(self, step: int) -> Int64Array:
        """(alphabet + step,) int64, the ids of all tokens, as in the file."""
        return self._external[: self.token_of(step)]

    def added_tokens(self) -> Int64Array:
        """(k,) int64, the internal ids of the added tokens."""
        added = [self.internal[number] for number in self._tokenizer.added_ids.values()]
        return np.array(added, np.int64)

    def tokenizer(self, step: int | None = None) -> ThirdPartyTokenizer:
        """The tokenizer after `step` merges; `None` for all of them."""
        if step is None or step == len(self.columns):
            return self._tokenizer
        return self._tokenizer.at(step)

    def new_segmenter(self) -> Segmenter:
        """A segmenter with the pieces of the library, for any text."""
        return PieceSegmenter(self, self._tokenizer)

    def until(self, step: int, plan: Plan) -> Run:
        """Raises an error: there is no text to train on.

        Raises:
            TrainingError: always.
        """
        raise TrainingError(
            "This tokenizer comes from another program and has no text to train on: open a text"
        )

    def check_stored(self) -> None:
        """Raises an error: a document has only runs that can be trained again.

        Raises:
            SaveError: always.
        """
        raise SaveError(
            "A studio document cannot contain a tokenizer of another program: open its own files"
            " instead"
        )


class PieceSegmenter(Segmenter):
    """Encodes texts that a library cuts into pieces."""

    def __init__(self, run: OpenedRun, tokenizer: ThirdPartyTokenizer) -> None:
        super().__init__(run.config, run.alphabet, run.columns)
        self._tokenizer = tokenizer
        self.recognizes_special = tokenizer.finds_special()
        self._merges = _shown_merges(tokenizer)
        self._internal = run.internal
        self._known: dict[tuple[int, ...], list[int]] = {}
        self.n_merges = len(run.columns)

    def refresh(self) -> bool:
        """Does nothing and returns False: the merges of a file do not grow."""
        return False

    def pieces_of(
        self, text: str, begins_text: bool = True
    ) -> tuple[list[tuple[int, int]], list[Word]]:
        """The pieces of a text as (start, end) in code points, and their words.

        Half of a surrogate pair, with which a part of a corpus may begin and which no library
        takes, counts as U+FFFD.
        """
        library = self._tokenizer.native
        merges = self._merges
        text = HALF_SURROGATE.sub("\ufffd", text)
        if merges is None:
            return self._tokens_of(text)
        pieces = library.pieces(
            text, recognize_special=self.recognizes_special, begins_text=begins_text
        )
        found: list[tuple[int, int]] = []
        words: list[Word] = []
        before: int | None = None
        for (first, end), whole in zip(pieces.bounds(), pieces.wholes, strict=True):
            symbols = pieces.symbols[first:end]
            offsets = pieces.offsets[first:end]
            rank = None if whole is None else merges.rank_of(whole)
            if whole is not None and rank == -1:
                symbols = [whole]
                offsets = [(offsets[0][0], offsets[-1][1])]
            gaps = [NEVER, *self._gap_ranks(symbols)] if symbols else []
            if rank is not None and rank >= 0:
                gaps[1:] = [min(rank, gap) for gap in gaps[1:]]
            if library.unmerged or library.fused is not None:
                symbols, gaps, offsets = self._spread(symbols, gaps, offsets, before)
                before = symbols[-1] if symbols else before
            if symbols:
                found.append((offsets[0][0], offsets[-1][1]))
                words.append(self._word(symbols, gaps, offsets))
        return found, words

    def separate_part(self, text: str, start: int, end: int) -> tuple[int, int] | None:
        """The (start, end) of the words around an edit; `None` if the library would not give such a
        part the pieces that it has in the text.
        """
        library = self._tokenizer.native
        if (
            library.fused is not None
            or not library.cuts_before
            or (self._merges is None and library.has_prefix)
        ):
            return None
        begin = last_border(text, library.cuts_before, start)
        stop = next_border(text, library.cuts_before, end)
        # After an added token, the library puts its prefix again.
        if library.has_prefix and any(name in text[begin:stop] for name in library.added_ids):
            return None
        return begin, stop

    def word(self, piece: str) -> Word:
        """The pieces of a text as one word; no gap between two of them is ever closed."""
        found, words = self.pieces_of(piece)
        if not words:
            return Word(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(1))
        places = [word.places[:-1] + begin for (begin, _), word in zip(found, words, strict=True)]
        symbols = [word.symbols for word in words]
        gaps = [word.gaps for word in words]
        return Word(
            np.concatenate(symbols),
            np.concatenate(gaps),
            np.concatenate([*places, [float(found[-1][1])]]),
        )

    def words(self, pieces: list[str]) -> list[Word]:
        """Each of several texts as one word."""
        return [self.word(piece) for piece in pieces]

    def text_gaps(self, text: str) -> TextGaps:
        """The symbols and gap ranks of a text."""
        word = self.word(text)
        return TextGaps(word.symbols, word.gaps, len(self.alphabet))

    def gap_ranks(self, text: str) -> list[Int32Array]:
        """The gap ranks of each piece of a text, without its first symbol."""
        return [word.gaps[1:] for word in self.pieces_of(text)[1]]

    def piece(self, text: str, start: int, end: int) -> str:
        """The piece from `start` to `end` of a text."""
        return text[start:end]

    def _tokens_of(self, text: str) -> tuple[list[tuple[int, int]], list[Word]]:
        encoding = self._tokenizer.encode(text, recognize_special=self.recognizes_special)
        words = [
            self._word([number], [NEVER], [span])
            for number, span in zip(encoding.ids, encoding.offsets, strict=True)
        ]
        return list(encoding.offsets), words

    def _gap_ranks(self, symbols: Sequence[int]) -> list[int]:
        key = tuple(symbols)
        gaps = self._known.get(key)
        if gaps is None:
            assert self._merges is not None
            if len(self._known) >= _MAX_CACHED:
                self._known.clear()
            gaps = self._merges.gap_ranks(symbols)
            self._known[key] = gaps
        return gaps

    def _spread(
        self,
        symbols: list[int],
        gaps: list[int],
        offsets: list[tuple[int, int]],
        before: int | None,
    ) -> tuple[list[int], list[int], list[tuple[int, int]]]:
        """The symbols, gaps and offsets of a piece, with others for each symbol that has no token
        and that no merge takes, and with one for unknown ones side by side.
        """
        library = self._tokenizer.native
        new_symbols: list[int] = []
        new_gaps: list[int] = []
        new_offsets: list[tuple[int, int]] = []
        for place, (symbol, gap, span) in enumerate(zip(symbols, gaps, offsets, strict=True)):
            becomes: Sequence[int] = (symbol,)
            if gap == NEVER and (place + 1 == len(gaps) or gaps[place + 1] == NEVER):
                becomes = library.unmerged.get(symbol, becomes)
            for one in becomes:
                is_fused = one == library.fused and before == one
                if is_fused and new_offsets:
                    new_offsets[-1] = (new_offsets[-1][0], span[1])
                    continue
                new_symbols.append(one)
                new_gaps.append(gap)
                new_offsets.append(span)
                before = one
        return new_symbols, new_gaps, new_offsets

    def _word(
        self, symbols: Sequence[int], gaps: Sequence[int], offsets: Sequence[tuple[int, int]]
    ) -> Word:
        """The word of library ids; symbols that are parts of one character share its place."""
        begin = offsets[0][0]
        places: list[float] = []
        bounds = [
            place for place, span in enumerate(offsets) if not place or span != offsets[place - 1]
        ]
        for first, end in pairwise([*bounds, len(offsets)]):
            start, stop = offsets[first]
            places += [
                start - begin + (stop - start) * k / (end - first) for k in range(end - first)
            ]
        places.append(float(offsets[-1][1] - begin))
        internal = [self._internal[number] for number in symbols]
        return Word(
            np.array(internal, np.int32),
            np.array(gaps, np.int32),
            np.array(places),
        )


def _shown_merges(tokenizer: ThirdPartyTokenizer) -> PieceMerges | None:
    """The merges if gap ranks give the tokens at any step, otherwise `None`."""
    merges = tokenizer.piece_merges
    return merges if merges is not None and merges.are_in_order else None


def _layout(config: TrainingConfig, names: Sequence[str], contents: Sequence[bytes]) -> CorpusArray:
    """The corpus of such a run: no words, and an alphabet of any tokens."""
    alphabet = Alphabet.of_tokens(config, names, contents)
    return CorpusArray(
        alphabet, np.full(1, -1, np.int32), np.ones(1, np.int64), np.zeros(0, np.int64)
    )
