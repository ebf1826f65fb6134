"""The length of each token of a run and the scripts at its ends, for tie rules and piece rules.

The merge loop keeps the same facts for itself (`kernels/merging.py`, `name_token`); here they are
computed from the merges, for a trainer that continues from a step and for questions about earlier
steps. A row has the order of `kernels/buffers.py`: length in symbols, in characters, first script,
last script; 0 is no script, -1 is that of a symbol which no merge takes, and other scripts only
count in the sentencepiece split. The prefix of a continuing symbol does not count as a character,
because it is not part of longer tokens.
"""

from __future__ import annotations

import threading

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.text.alphabet import CONTINUING, Alphabet
from bpe_studio.engine.text.unicode_scripts import script_of
from bpe_studio.engine.training.merge_log import MergeColumns

ALONE = -1
"""The script of a symbol that no merge takes."""
DIGITS = frozenset("0123456789０１２３４５６７８９")
"""What SentencePiece takes for digits."""


class TokenFacts:
    """A row of facts for each token of a run.

    It grows with the run, and several threads may read it.
    """

    def __init__(self, alphabet: Alphabet, config: TrainingConfig, columns: MergeColumns) -> None:
        prefix = config.continuing or ""
        names = [
            name.removeprefix(prefix) if code & CONTINUING else name
            for name, code in zip(alphabet.names, alphabet.codes.tolist(), strict=True)
        ]
        scripts = [0] * len(names)
        if config.split == "sentencepiece":
            scripts = [0 if name == "▁" else script_of(name[0]) for name in names]
            if config.split_digits:
                scripts = [
                    ALONE if name in DIGITS else script
                    for name, script in zip(names, scripts, strict=True)
                ]
        scripts = [
            script if is_text else ALONE
            for script, is_text in zip(scripts, alphabet.is_text.tolist(), strict=True)
        ]
        self._columns = columns
        self._lists = ([1] * len(names), [len(name) for name in names], scripts, list(scripts))
        self._rows = np.array(self._lists, np.int32).T.copy()
        self._n_alphabet = len(names)
        self._lock = threading.Lock()

    def rows(self, n_merges: int) -> npt.NDArray[np.int32]:
        """(alphabet + n_merges, 4) int32, a row for each token."""
        end = self._n_alphabet + n_merges
        with self._lock:
            if len(self._rows) < end:
                self._extend(len(self._rows) - self._n_alphabet, n_merges)
            return self._rows[:end]

    def _extend(self, first: int, end: int) -> None:
        lengths, characters, firsts, lasts = self._lists
        left = self._columns.left[first:end].tolist()
        right = self._columns.right[first:end].tolist()
        for a, c in zip(left, right, strict=True):
            lengths.append(lengths[a] + lengths[c])
            characters.append(characters[a] + characters[c])
            firsts.append(firsts[a] or firsts[c])
            lasts.append(lasts[c] or lasts[a])
        at = self._n_alphabet + first
        new = np.array([column[at:] for column in self._lists], np.int32).T
        self._rows = np.concatenate([self._rows, new])
