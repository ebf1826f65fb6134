"""Putting a comparison together: one text, one run, several steps, and what each column and row shows.

It asks the run's live text and knows no widgets but the record that the painted text takes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from bpe_studio.gui.compare_model import SizeMeasures, TextCounts, difference_words, differences, measure
from bpe_studio.gui.compare_text import CutText
from bpe_studio.gui.token_names import display_name

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.engine.segmentation import LiveText, TokenSpans

MOST_DRAWN = 4000


@dataclass(frozen=True, eq=False)
class ColumnResult:
    """What one column shows: its row of the table, how it differs in words, and the painted text."""

    measures: SizeMeasures
    words: str
    content: CutText


class Comparison:
    """A text encoded once for a run; it follows the run as it grows."""

    def __init__(self, run: Run, text: str) -> None:
        self.run = run
        self.text = text
        self._live: LiveText = run.live(text)
        self._counts = TextCounts.of(text, run)

    @property
    def n_drawn(self) -> int:
        """How many characters are drawn; the measures are of all of them."""
        return min(len(self.text), MOST_DRAWN)

    def at(self, steps: Sequence[int], current: int) -> list[ColumnResult]:
        """Compare the text at these steps.

        Args:
            steps: one for each column.
            current: which of the columns shows the step of the window.
        """
        spans = [self._live.tokens(step, 0, self.n_drawn) for step in steps]
        contested = differences([span.starts for span in spans])
        results = []
        for k, (step, span) in enumerate(zip(steps, spans, strict=True)):
            cut_here, joined_here = contested[k]
            content = CutText(
                text=self.text[: self.n_drawn],
                starts=span.starts,
                ends=span.ends,
                is_unknown=span.ids < 0,
                tip=self._tip(span, step),
                cut_here=cut_here,
                joined_here=joined_here,
            )
            measures = measure(self.run, self._live, self._counts, step, k == current)
            words = difference_words(span.starts, spans[0].starts) if k else "the others are compared with this"
            results.append(ColumnResult(measures, words, content))
        return results

    def _tip(self, span: TokenSpans, step: int) -> Callable[[int], str]:
        return partial(token_tip, self.run, span, step)


def token_tip(run: Run, span: TokenSpans, step: int, k: int) -> str:
    """What is said about the k-th token of a text that is cut at a step."""
    token = int(span.ids[k])
    if token < 0:
        return "Not in the alphabet of this run: unknown"
    made = "in the alphabet" if token < run.n_alphabet else f"made by merge {token - run.n_alphabet:,}"
    return f"{display_name(run, token)}\nid {run.external_id(token, step):,}, {made}"
