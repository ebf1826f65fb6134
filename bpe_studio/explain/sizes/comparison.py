"""A comparison of sizes: one text, one run, several steps, and the content of each column and row.

It uses an `EditableText` of the run and no widgets. The tokens at a step are cached: while one size is dragged, only
that one is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from bpe_studio.explain.cut_text import CutText, difference_words, differences_of_size, token_tip
from bpe_studio.explain.sizes.measures import SizeMeasures, TextCounts, measure

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.editable_text import EditableText, TokenSpans
    from bpe_studio.engine.run import Run
    from bpe_studio.explain.cut_text import FloatArray

MOST_DRAWN = 4000
MOST_KEPT = 64


@dataclass(frozen=True, eq=False)
class ColumnResult:
    """The content of one column: how it differs, in words, and the painted text."""

    words: str
    content: CutText


class Comparison:
    """A text, encoded once for a run; it follows the run as it grows."""

    def __init__(self, run: Run, text: str) -> None:
        self.run = run
        self.text = text
        self._live: EditableText = run.live(text)
        self.counts = TextCounts.of(text, run)
        self._spans: dict[int, TokenSpans] = {}

    @property
    def n_drawn(self) -> int:
        """How many characters are painted; the measures are of the whole text."""
        return min(len(self.text), MOST_DRAWN)

    def measures(self, steps: Sequence[int], current: int) -> list[SizeMeasures]:
        """A row for each step.

        Args:
            steps: one per row.
            current: the row that shows the step of the window.
        """
        return [measure(self.run, self._live, self.counts, step, k == current) for k, step in enumerate(steps)]

    def column(
        self, steps: Sequence[int], k: int, reference: int = 0, others: Sequence[FloatArray] = ()
    ) -> ColumnResult:
        """The content of the k-th column, compared with the reference column in words.

        Args:
            steps: the step of each size.
            k: which one.
            reference: the reference, counted through the sizes and then the others.
            others: the starts of the tokens in the columns of other runs and tokenizers.
        """
        span = self._cut(steps[k])
        every, shared = self._ends(steps, others)
        against = self.starts(steps, reference, others)
        cut_here, joined_here = differences_of_size(span.starts, every, shared)
        content = CutText(
            text=self.text[: self.n_drawn],
            starts=span.starts,
            ends=span.ends,
            is_unknown=span.ids < 0,
            tip=self._tip(span, steps[k]),
            cut_here=cut_here,
            joined_here=joined_here,
            run=self.run,
            ids=span.ids,
        )
        is_reference = k == reference
        words = "the reference" if is_reference else difference_words(span.starts, against)
        return ColumnResult(words, content)

    def other_column(
        self, steps: Sequence[int], k: int, reference: int, others: Sequence[FloatArray], content: CutText
    ) -> ColumnResult:
        """The content of the k-th column of the others; the arguments are as for `column`."""
        every, shared = self._ends(steps, others)
        cut_here, joined_here = differences_of_size(others[k], every, shared)
        is_reference = len(steps) + k == reference
        words = "the reference" if is_reference else difference_words(others[k], self.starts(steps, reference, others))
        return ColumnResult(words, replace(content, cut_here=cut_here, joined_here=joined_here))

    def starts(self, steps: Sequence[int], k: int, others: Sequence[FloatArray] = ()) -> FloatArray:
        """The starts of the tokens in a column, counted through the sizes and then the others."""
        return self._cut(steps[k]).starts if k < len(steps) else others[k - len(steps)]

    def _ends(self, steps: Sequence[int], others: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray]:
        """The starts that any column has, and those that all have."""
        import numpy as np

        every, shared = self._cut(min(steps)).starts, self._cut(max(steps)).starts
        for other in others:
            every, shared = np.union1d(every, other), np.intersect1d(shared, other)
        return every, shared

    def _cut(self, step: int) -> TokenSpans:
        span = self._spans.pop(step, None)
        if span is None:
            span = self._live.tokens(step, 0, self.n_drawn)
            while len(self._spans) >= MOST_KEPT:
                del self._spans[next(iter(self._spans))]
        self._spans[step] = span  # at the end: the least recently used entry is dropped first
        return span

    def _tip(self, span: TokenSpans, step: int) -> Callable[[int], str]:
        return partial(token_tip, self.run, span, step)
