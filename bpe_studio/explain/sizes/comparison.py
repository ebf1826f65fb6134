"""A comparison of sizes: one text, one run, several steps, and the content of each column and row.

It uses an `EditableText` of the run and no widgets. The tokens at a step are cached: while one size is dragged, only
that one is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from bpe_studio.explain.cut_text import CutText, difference_words, differences_of_size, token_tip
from bpe_studio.explain.sizes.measures import SizeMeasures, TextCounts, measure

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.editable_text import EditableText, TokenSpans
    from bpe_studio.engine.run import Run

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
        self._counts = TextCounts.of(text, run)
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
        return [measure(self.run, self._live, self._counts, step, k == current) for k, step in enumerate(steps)]

    def column(self, steps: Sequence[int], k: int, reference: int = 0) -> ColumnResult:
        """The content of the k-th column, compared with the reference column in words."""
        span, every, shared, against = (self._cut(s) for s in (steps[k], min(steps), max(steps), steps[reference]))
        cut_here, joined_here = differences_of_size(span.starts, every.starts, shared.starts)
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
        words = "the reference" if is_reference else difference_words(span.starts, against.starts)
        return ColumnResult(words, content)

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
