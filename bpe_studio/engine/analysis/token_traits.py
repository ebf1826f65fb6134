"""The length and the script of each token of a run, and whether it is whole characters.

None of these traits depends on the step. Those of a token follow from those of its two parts,
unless one of these is part of a character; only such a token is looked at byte by byte.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.arrays import Int32Array
from bpe_studio.engine.text.unicode_scripts import joined_script, script_of_text

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run


@dataclass(frozen=True)
class Traits:
    """The traits of the first t tokens of a run, by their internal ids.

    Attributes:
        n_bytes: (t,) int32, the number of bytes of each, without marks.
        n_characters: (t,) int32, the number of its whole characters.
        is_partial: (t,) bool, whether its bytes are not valid UTF-8 by themselves: it begins or
            ends inside a character.
        scripts: (t,) int32, the number of its script in `SCRIPTS`.
    """

    n_bytes: Int32Array
    n_characters: Int32Array
    is_partial: npt.NDArray[np.bool_]
    scripts: Int32Array


class TokenTraits:
    """The traits of a run's tokens, found once each; several threads may ask."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._lock = threading.Lock()
        # One list of numbers for each trait: with a tuple for each token, the garbage collector
        # would look through all of them.
        self._n_bytes: list[int] = []
        self._n_characters: list[int] = []
        self._is_partial: list[bool] = []
        self._scripts: list[int] = []

    def first(self, n: int) -> Traits:
        """The traits of the first n tokens.

        Args:
            n: at most the alphabet and all merges.
        """
        with self._lock:
            if not self._n_bytes:
                for content in self._run.alphabet.contents:
                    self._add(content)
            self._learn(n)
            return Traits(
                np.array(self._n_bytes[:n], np.int32),
                np.array(self._n_characters[:n], np.int32),
                np.array(self._is_partial[:n], np.bool_),
                np.array(self._scripts[:n], np.int32),
            )

    def _learn(self, n: int) -> None:
        run = self._run
        sizes = self._n_bytes
        lengths = self._n_characters
        is_partial = self._is_partial
        scripts = self._scripts
        first = run.rank_of(len(sizes))
        ranks = slice(first, run.rank_of(n))
        lefts = run.columns.left[ranks].tolist()
        rights = run.columns.right[ranks].tolist()
        for rank, (a, b) in enumerate(zip(lefts, rights, strict=True), first):
            if is_partial[a] or is_partial[b]:
                self._add(run.token_content(run.token_of(rank)))
            else:
                sizes.append(sizes[a] + sizes[b])
                lengths.append(lengths[a] + lengths[b])
                is_partial.append(False)
                scripts.append(joined_script(scripts[a], scripts[b]))

    def _add(self, content: bytes) -> None:
        """Add a token by its bytes."""
        try:
            text = content.decode()
            is_partial = False
        except UnicodeDecodeError:
            text = content.decode(errors="ignore")
            is_partial = True
        self._n_bytes.append(len(content))
        self._n_characters.append(len(text))
        self._is_partial.append(is_partial)
        self._scripts.append(script_of_text(text))
