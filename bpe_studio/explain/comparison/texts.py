"""A text as each subject cuts it, and the cuts that differ.

The text is encoded once with the open run. The tokens at a step are kept, so that dragging one size
computes only that one. The cuts of other subjects are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bpe_studio.explain.comparison.measures import TextSize
from bpe_studio.explain.comparison.subjects import MOST_DRAWN, drawn_at
from bpe_studio.explain.cut_text import CutText

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.editable_text import EditableText
    from bpe_studio.engine.run import Run
    from bpe_studio.explain.cut_text import FloatArray

MOST_KEPT = 64


class ComparedText:
    """A text, encoded once for a run; it follows the run as it grows.

    It belongs to the window's thread.
    """

    def __init__(self, run: Run, text: str) -> None:
        self.run = run
        self.text = text
        self.size = TextSize.of(text)
        self._live: EditableText = run.live(text)
        self._cuts: dict[int, CutText] = {}

    @property
    def n_drawn(self) -> int:
        """The number of characters that are drawn; the measures are of the whole text."""
        return min(len(self.text), MOST_DRAWN)

    def n_tokens(self, step: int) -> int:
        """The number of tokens of the whole text at a step."""
        return int(self._live.n_tokens(step))

    def cut(self, step: int) -> CutText:
        """The text as it is cut at a step, without marks."""
        found = self._cuts.pop(step, None)
        if found is None:
            found = drawn_at(self.run, self._live, step)
            while len(self._cuts) >= MOST_KEPT:
                del self._cuts[next(iter(self._cuts))]
        self._cuts[step] = found  # at the end: the least recently used entry is dropped first
        return found


class CutDifferences:
    """The cuts that not all columns share.

    A later step of a run only closes gaps that are open at an earlier one. So you need to give only
    the smallest and the largest of several sizes.

    Args:
        cuts: the text as each column cuts it; None for a column that cannot encode it.
    """

    def __init__(self, cuts: Sequence[CutText | None]) -> None:
        import numpy as np

        starts = [cut.starts for cut in cuts if cut is not None]
        self._every: FloatArray = np.unique(np.concatenate(starts)) if starts else np.zeros(0)
        self._shared: FloatArray = self._every
        for each in starts:
            self._shared = np.intersect1d(self._shared, each)

    def marked(self, cut: CutText) -> CutText:
        """A column with marks at the places that it cuts and another does not, and the reverse."""
        import numpy as np

        here = np.setdiff1d(cut.starts, self._shared)
        joined = np.setdiff1d(self._every, cut.starts)
        return replace(cut, cut_here=here, joined_here=joined)
