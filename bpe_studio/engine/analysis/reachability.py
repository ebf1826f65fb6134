"""Which tokens encoding never gives for their own text: an earlier merge takes a part of it, or the split cuts it.

It does not depend on the step: a token that its own symbols become when it is made, they become at each later step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.presets import PATTERNS
from bpe_studio.engine.text.normalization import normalize
from bpe_studio.engine.text.pretokenization import compile_split, spans
from bpe_studio.engine.text.timed_matches import TimeBudget
from bpe_studio.errors import PatternError

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

_SYMBOL = np.dtype(np.int32)


class Reachability:
    """Which tokens of a run their own text is encoded as; those of merges that are added are found when asked for."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._symbols: list[bytes] = []
        self._is_reachable: npt.NDArray[np.bool_] = np.zeros(0, np.bool_)

    def first(self, n: int) -> npt.NDArray[np.bool_]:
        """(n,) whether encoding the text of each of the first n tokens gives just that token.

        A token with a mark, such as the end of a word, is encoded as that part of a word. A token that is part of a
        character has no text; it counts as reachable where its bytes become it.

        Args:
            n: at most the alphabet and all merges.
        """
        known = len(self._is_reachable)
        if n > known:
            self._is_reachable = np.append(self._is_reachable, self._found(known, n))
        return self._is_reachable[:n]

    def _found(self, known: int, n: int) -> npt.NDArray[np.bool_]:
        run, symbols = self._run, self._symbols
        n_alphabet = run.n_alphabet
        if not symbols:
            symbols += [np.array([token], _SYMBOL).tobytes() for token in range(n_alphabet)]
        first = len(symbols) - n_alphabet
        parts = (side[first : n - n_alphabet].tolist() for side in (run.columns.left, run.columns.right))
        for a, b in zip(*parts, strict=True):
            symbols.append(symbols[a] + symbols[b])
        wanted = symbols[known:n]
        bounds = np.cumsum([0, *map(len, wanted)]).astype(np.int64) // _SYMBOL.itemsize
        gaps = run.new_segmenter().close_symbols(np.frombuffer(b"".join(wanted), _SYMBOL), bounds)
        gaps[bounds[:-1]] = -1
        # The last merge that is applied to a whole token is the one that makes it.
        ranks = np.arange(known, n) - n_alphabet
        is_made: npt.NDArray[np.bool_] = np.maximum.reduceat(gaps, bounds[:-1]) == np.maximum(ranks, -1)
        return is_made & self._are_pieces(known, n)

    def _are_pieces(self, known: int, n: int) -> npt.NDArray[np.bool_]:
        """(n - known,) whether the split leaves each token whole, and normalization as it is."""
        run, config = self._run, self._run.config
        found = np.ones(n - known, np.bool_)
        if config.cutting in ("none", "sentencepiece") and not config.normalize:
            return found  # the marks of words decide, of which a token is a part
        budget = TimeBudget()
        for place, token in enumerate(range(known, n)):
            try:
                text = run.token_content(token).decode()
            except UnicodeDecodeError:
                continue
            if not text:
                continue  # a mark alone
            if config.normalize and normalize(text, config.normalize) != text:
                found[place] = False
            elif config.cutting in ("none", "sentencepiece"):
                continue
            elif config.cutting in PATTERNS:
                match = compile_split(config.cutting).match(text)
                found[place] = match is not None and match.end() == len(text)
            else:
                try:
                    found[place] = next(spans(text, config.cutting, budget=budget), None) == (0, len(text))
                except PatternError:
                    continue  # too slow to say
        return found
