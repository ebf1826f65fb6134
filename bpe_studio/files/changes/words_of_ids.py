"""The ids that a library gives for texts, as the words of a run, whose symbols are the tokens.

Inside the pieces of a library, ids are symbols like any others. A tokenizer of characters may have
no split and still keep to words, or take digits one by one, because it was trained so. Its tokens
show that: two merge only if it has tokens in which characters of the same kinds are side by side,
and few tokens have a character before a space. That depends on the two alone, so the counts in such
words are those of merges in texts.

Tokens that replace characters (bytes, the unknown one) and special tokens merge with nothing.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import chain

import numpy as np

from bpe_studio.engine.arrays import BoolArray, Int32Array
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.presets import WORD_START
from bpe_studio.engine.run import Run
from bpe_studio.engine.text.alphabet import Alphabet
from bpe_studio.engine.training.corpus_array import laid_out
from bpe_studio.files.formats.tokenizer_file import config_as_read
from bpe_studio.files.third_party.native_library import Library, NewMerge, joins_words

_KINDS = {" ": 0, WORD_START: 0, "\n": 1, "\u200c": 3, "\u200d": 3}
_N_KINDS = 6
_LEAST_SHARE = 1 / 1000
"""Up to this share of a vocabulary are exceptions, such as `<2mass>` if digits are taken one by
one.
"""


class WordsOfIds:
    """The ids of texts, cut into words.

    Args:
        library: encodes the texts.
        finds_special: whether it finds special tokens in them.

    Attributes:
        n_tokens: the number of ids.
    """

    def __init__(self, library: Library, *, finds_special: bool) -> None:
        self._library = library
        self._finds_special = finds_special
        self._ids = np.array(sorted(library.tokens), np.int64)
        self._names = [library.tokens[number] for number in self._ids.tolist()]
        self._symbols = np.full(self._ids[-1] + 1, -1, np.int32)
        self._symbols[self._ids] = np.arange(len(self._ids))
        self._symbols[list(library.unmergeable())] = -1
        has_words = library.units == "bytes" or library.continuing is not None
        self._borders = None if has_words else _Borders(self._names, self._symbols[self._ids] >= 0)
        self._counts: Counter[bytes] = Counter()
        self.n_tokens = 0

    def add(self, texts: Sequence[str]) -> None:
        """Count the words of some texts."""
        found = self._library.ids_and_pieces_of(texts, recognize_special=self._finds_special)
        sizes = [len(ids) for ids, _ in found]
        n = sum(sizes)
        self.n_tokens += n
        every_id = chain.from_iterable(ids for ids, _ in found)
        every_piece = chain.from_iterable(pieces for _, pieces in found)
        symbols = self._symbols[np.fromiter(every_id, np.int64, n)]
        pieces = np.fromiter(every_piece, np.int64, n)
        begins = np.ones(n + 1, np.bool_)
        begins[1:-1] = (pieces[1:] != pieces[:-1]) | self._are_apart(symbols[:-1], symbols[1:])
        begins[np.cumsum(sizes)] = True
        bounds = np.flatnonzero(begins)
        is_long = np.diff(bounds) > 1
        raw = symbols.tobytes()
        size = symbols.itemsize
        starts = (bounds[:-1][is_long] * size).tolist()
        stops = (bounds[1:][is_long] * size).tolist()
        self._counts.update(raw[start:stop] for start, stop in zip(starts, stops, strict=True))

    def run(self, n_merges: int) -> Run:
        """The words as a run without merges, whose alphabet is all tokens."""
        prefix = self._library.continuing
        split = "superwords" if joins_words(self._library) else "none"
        config = config_as_read(
            units=self._library.units, split=split, continuing=prefix, merges=n_merges
        )
        contents = [self._library.content(number) for number in self._ids.tolist()]
        alphabet = Alphabet.of_tokens(config, self._names, contents)
        words = np.frombuffer(b"".join(self._counts), np.int32)
        n_symbols = [len(word) // 4 for word in self._counts]
        lengths = np.array(n_symbols, np.int64)
        weights = np.fromiter(self._counts.values(), np.int64, len(self._counts))
        return Run(
            Corpus.from_counts({}, config), config, laid_out(alphabet, words, lengths, weights)
        )

    def merges_of(self, run: Run) -> list[NewMerge]:
        """The merges of a run that continues from here, by ids."""
        first = int(self._ids[-1]) + 1
        ids = [*self._ids.tolist(), *range(first, first + len(run.columns))]
        return [
            NewMerge(ids[left], ids[right], ids[number], run.token_name(number))
            for number, left, right in zip(
                range(run.token_of(0), len(ids)),
                run.columns.left.tolist(),
                run.columns.right.tolist(),
                strict=False,
            )
        ]

    def _are_apart(self, left: Int32Array, right: Int32Array) -> BoolArray:
        """Whether tokens are not merged with those after them."""
        apart: BoolArray = (left < 0) | (right < 0)
        return apart if self._borders is None else apart | self._borders.are_between(left, right)


class _Borders:
    """The places at which a tokenizer of characters joins nothing, as its tokens show.

    Args:
        names: its tokens.
        are_merged: (n,) bool, whether each stands for its characters.

    >>> borders = _Borders(["a", "1", "_a", "ab"], np.ones(4, np.bool_))
    >>> borders.are_between(np.array([0, 0, 1]), np.array([0, 2, 1])).tolist()
    [False, True, True]
    """

    def __init__(self, names: Sequence[str], are_merged: BoolArray) -> None:
        points = np.frombuffer(
            "\0".join([*names, ""]).encode("utf-32-le", "surrogatepass"), np.uint32
        )
        known, places = np.unique(points, return_inverse=True)
        known_kinds = [_kind_of(chr(point)) for point in known.tolist()]
        kinds = np.array(known_kinds, np.int8)[places]
        lengths = [len(name) + 1 for name in names]
        ends = np.cumsum(lengths) - 1
        starts = np.concatenate([[0], ends[:-1] + 1])
        self._firsts = kinds[starts]
        self._lasts = kinds[np.maximum(ends - 1, starts)]
        is_merged = np.repeat(are_merged, ends - starts + 1)[:-1]
        is_merged[ends[:-1]] = False
        is_merged[ends[:-1] - 1] = False
        pairs = kinds[:-1][is_merged] * _N_KINDS + kinds[1:][is_merged]
        counts = np.bincount(pairs, minlength=_N_KINDS**2).reshape(_N_KINDS, _N_KINDS)
        self._are_joined = counts > len(names) * _LEAST_SHARE

    def are_between(self, left: Int32Array, right: Int32Array) -> BoolArray:
        """Whether each of some tokens and the one after it do not merge."""
        found: BoolArray = ~self._are_joined[self._lasts[left], self._firsts[right]]
        return found


def _kind_of(char: str) -> int:
    """The kind of a character: a space, a line end, other white space and controls, a letter, a
    digit, a symbol.
    """
    if char in _KINDS:
        return _KINDS[char]
    category = unicodedata.category(char)[0]
    kind = {"M": "L", "C": "Z", "S": "P"}.get(category, category)
    return 2 + "ZLNP".find(kind)
