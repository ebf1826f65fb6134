"""The length of each token of a run and its piece class, for tie rules and piece rules.

The merge loop keeps the same facts for itself (`kernels/merging.py`, `name_token`); here they are
computed from the merges, for a trainer that continues from a step and for questions about earlier
steps. A row has the order of `kernels/buffers.py`: length in symbols, in characters, piece class.
The prefix of a continuing symbol does not count as a character, because it is not part of longer
tokens.
"""

from __future__ import annotations

import threading

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.training.corpus_array import CorpusArray
from bpe_studio.engine.training.merge_log import MergeColumns
from bpe_studio.engine.training.piece_rules import PieceTable, symbols_of


class TokenFacts:
    """A row of facts for each token of a run.

    It grows with the run, and several threads may read it.

    Attributes:
        pieces: the table of piece classes.
    """

    def __init__(self, layout: CorpusArray, config: TrainingConfig, columns: MergeColumns) -> None:
        symbols = symbols_of(layout.alphabet, config)
        self.pieces = PieceTable.of(layout, config)
        self._joins = self.pieces.joins.tolist()
        self._columns = columns
        ones = [1] * len(symbols)
        n_characters = [len(symbol.name) for symbol in symbols]
        if config.units == "items":
            n_characters = ones
        self._lists = (
            ones[:],
            n_characters,
            self.pieces.of_symbols.tolist(),
        )
        self._rows = np.array(self._lists, np.int32).T.copy()
        self._n_symbols = len(symbols)
        self._lock = threading.Lock()

    def rows(self, n_merges: int) -> npt.NDArray[np.int32]:
        """(alphabet + n_merges, 3) int32, a row for each token."""
        end = self._n_symbols + n_merges
        with self._lock:
            if len(self._rows) < end:
                self._extend(len(self._rows) - self._n_symbols, n_merges)
            return self._rows[:end]

    def _extend(self, first: int, end: int) -> None:
        lengths, characters, classes = self._lists
        left = self._columns.left[first:end].tolist()
        right = self._columns.right[first:end].tolist()
        for a, c in zip(left, right, strict=True):
            lengths.append(lengths[a] + lengths[c])
            characters.append(characters[a] + characters[c])
            joined = self._joins[classes[a]][classes[c]]
            if joined == self.pieces.made:
                joined = self.pieces.settled(joined, self._content(a) + self._content(c))
            classes.append(joined)
        at = len(self._rows)
        new = np.array([column[at:] for column in self._lists], np.int32).T
        self._rows = np.concatenate([self._rows, new])

    def _content(self, token: int) -> bytes:
        """The bytes of a part of a character."""
        if token < self._n_symbols:
            return self.pieces.contents[token]
        rank = token - self._n_symbols
        left = int(self._columns.left[rank])
        right = int(self._columns.right[rank])
        return self._content(left) + self._content(right)
