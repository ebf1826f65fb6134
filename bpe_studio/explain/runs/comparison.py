"""How two runs differ: asked of the engine in one go, and put into words.

The answer is a frozen record that widgets show; nothing here paints, and nothing is kept but what cuts the typed text.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from bpe_studio.explain.cut_text import CutText, differences, token_tip
from bpe_studio.explain.names import override_text
from bpe_studio.explain.runs.divergence import DivergenceWording, describe_divergence
from bpe_studio.explain.settings import SettingDifference, settings_that_differ
from bpe_studio.explain.sizes.comparison import MOST_DRAWN
from bpe_studio.explain.wording import number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bpe_studio.engine.analysis.run_difference import RunDifference
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.encoding.editable_text import TokenSpans
    from bpe_studio.engine.encoding.segmentation import Segmenter
    from bpe_studio.engine.run import Run

    BoolArray = NDArray[np.bool_]

NOTHING = "–"
MOST_SAID = 2


@dataclass(frozen=True, eq=False)
class Side:
    """One of the two.

    Attributes:
        number: which run it is.
        name: what it is called.
        run: its run.
        config: its settings.
    """

    number: int
    name: str
    run: Run
    config: TrainingConfig


@dataclass(frozen=True, eq=False)
class OwnTokens:
    """The tokens that one of the two alone has, the most used first.

    Attributes:
        run: the run that they are of.
        tokens: (n,) int64, internal ids.
        uses: (n,) int64, how often each occurs in the corpus at the step.
    """

    run: Run
    tokens: NDArray[np.int64]
    uses: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CutSide:
    """The typed text under one of the two.

    Attributes:
        content: what is painted.
        is_own: (n,) bool, which tokens the other does not cut so.
        n_tokens: tokens of the whole text.
    """

    content: CutText
    is_own: BoolArray
    n_tokens: int


@dataclass(frozen=True, eq=False)
class RunComparison:
    """All that is said about two runs, each at a step.

    Attributes:
        sides: the two.
        steps: how many merges of each apply.
        settings: what differs in their settings and overrides.
        found: what the engine found.
        own: the tokens that each alone has.
        text: the text that both cut.
        cut: how each cuts it; empty where there is no text.
        is_excerpt: whether the text is the beginning of the corpus, as nothing is typed.
        divergence: where and why they diverge, in words; None where they do not.
    """

    sides: tuple[Side, Side]
    steps: tuple[int, int]
    settings: tuple[SettingDifference, ...]
    found: RunDifference
    own: tuple[OwnTokens, OwnTokens]
    text: str
    cut: tuple[CutSide, ...]
    is_excerpt: bool = False
    divergence: DivergenceWording | None = None

    @property
    def step(self) -> int:
        """How many merges of A apply."""
        return self.steps[0]

    @property
    def are_same(self) -> bool:
        """Whether no merge differs up to the step."""
        return self.found.rank is None


@dataclass
class Comparer:
    """Compares runs, one question at a time; what cuts their texts is kept for the next question."""

    _segmenters: dict[int, Segmenter] = field(default_factory=dict)

    def compare(
        self, sides: tuple[Side, Side], steps: tuple[int, int], text: str, *, is_excerpt: bool = False
    ) -> RunComparison:
        """Compare two runs; slow on large ones, so call it outside the window's thread.

        Args:
            sides: the two.
            steps: how many merges of each apply.
            text: the text that both cut; "" for none.
            is_excerpt: whether it is the beginning of the corpus, as nothing is typed.
        """
        from bpe_studio.engine.analysis.divergence import explain_divergence
        from bpe_studio.engine.analysis.run_difference import compare_runs

        a, b = sides
        found = compare_runs(a.run, b.run, *steps)
        for side in sides:
            side.run.find_token("")  # no token has that name, so all are indexed here and not in the window's thread
        own = (_own_tokens(a.run, found.only_a, steps[0]), _own_tokens(b.run, found.only_b, steps[1]))
        cut = self._cut(sides, steps, text) if text else ()
        divergence = explain_divergence(a.run, b.run, *steps) if found.rank is not None else None
        words = None
        if divergence is not None:
            words = describe_divergence(divergence, (a.run, b.run), (_begun(a), _begun(b)))
        return RunComparison(sides, steps, what_differs(a, b), found, own, text, cut, is_excerpt, words)

    def forget(self) -> None:
        """Let go of the runs that were compared."""
        self._segmenters = {}

    def _cut(self, sides: tuple[Side, Side], steps: tuple[int, int], text: str) -> tuple[CutSide, ...]:
        from bpe_studio.engine.encoding.editable_text import EditableText
        from bpe_studio.engine.encoding.segmentation import Segmenter

        # The runs' own are the window's thread's.
        known = self._segmenters
        segmenters = {id(side.run): known.get(id(side.run)) or Segmenter(side.run) for side in sides}
        self._segmenters = segmenters
        lives = []
        for side in sides:
            live = EditableText(segmenters[id(side.run)])
            live.set_text(text)
            lives.append(live)
        n_drawn = min(len(text), MOST_DRAWN)
        spans = [live.tokens(step, 0, n_drawn) for live, step in zip(lives, steps, strict=True)]
        contested = differences([span.starts for span in spans])
        cut = []
        for k, (side, span) in enumerate(zip(sides, spans, strict=True)):
            content = CutText(
                text=text[:n_drawn],
                starts=span.starts,
                ends=span.ends,
                is_unknown=span.ids < 0,
                tip=partial(token_tip, side.run, span, steps[k]),
                cut_here=contested[k][0],
                joined_here=contested[k][1],
            )
            cut.append(CutSide(content, _is_own(span, spans[1 - k]), int(lives[k].n_tokens(steps[k]))))
        return tuple(cut)


def what_differs(a: Side, b: Side) -> tuple[SettingDifference, ...]:
    """What differs in the settings of two runs, and then the overrides of each alone."""
    settings = settings_that_differ(_begun(a), _begun(b))
    both = a.run.overrides, b.run.overrides
    overrides = [[each for each in own if each not in other] for own, other in (both, both[::-1])]
    if not any(overrides):
        return settings
    said = [
        "; ".join(f"{override_text(each, side.config)} from step {number(each.step)}" for each in own)
        for side, own in zip((a, b), overrides, strict=True)
    ]
    return (*settings, SettingDifference("overrides", "Overrides", *(text or NOTHING for text in said)))


def _begun(side: Side) -> TrainingConfig:
    """Its settings as they hold at the start: a rule that was changed at a step is listed with the step."""
    return side.config.replace(ties=side.run.plan.ties)


def _own_tokens(run: Run, found: Sequence[object], step: int) -> OwnTokens:
    import numpy as np

    tokens = np.array([each.token for each in found], np.int64)  # type: ignore[attr-defined]
    uses = run.token_counts_at(step)[tokens]
    order = np.lexsort((tokens, -uses))
    return OwnTokens(run, tokens[order], uses[order])


def _is_own(span: TokenSpans, other: TokenSpans) -> BoolArray:
    """Which tokens begin or end where no token of the other does."""
    import numpy as np

    pairs = set(zip(other.starts.tolist(), other.ends.tolist(), strict=True))
    own = [place not in pairs for place in zip(span.starts.tolist(), span.ends.tolist(), strict=True)]
    return np.array(own, bool)


def cost_words(difference: RunComparison) -> str:
    """The cost in tokens: "A needs 7,149 corpus tokens more than B (+0.06%)"."""
    found = difference.found
    more = found.n_tokens_a - found.n_tokens_b
    if not more:
        return "Both need the same number of tokens for the corpus"
    share = _percent(abs(more) / found.n_tokens_b) if found.n_tokens_b else "–"
    words, sign = ("more", "+") if more > 0 else ("fewer", "−")
    tokens = f"{number(abs(more))} corpus token{'s' * (abs(more) != 1)}"
    return f"A needs {tokens} {words} than B ({sign}{share})"


def _percent(share: float) -> str:
    """A share with two digits that say something: "38%", "1.2%", "0.06%", "0.0012%"."""
    percent = 100 * share
    digits = 0 if percent >= 10 else 1 - math.floor(math.log10(percent)) if percent else 0
    return f"{percent:.{digits}f}%"


def shares_words(difference: RunComparison) -> str:
    """How many tokens each alone has and both have: "2 only in A, 2 only in B, 40 in both (of 42)"."""
    found = difference.found
    n_a, n_b, n_both = len(found.only_a), len(found.only_b), found.n_common
    sizes = number(n_a + n_both), number(n_b + n_both)
    of = f"of {sizes[0]}" if n_a == n_b else f"of {sizes[0]} and {sizes[1]}"
    return f"{number(n_a)} only in A, {number(n_b)} only in B, {number(n_both)} in both ({of})"


def differs_words(settings: Sequence[SettingDifference]) -> str:
    """What differs in the settings, in one line: "split: gpt2 in A, cl100k in B"."""
    said = [f"{each.name.lower()}: {each.a} in A, {each.b} in B" for each in settings[:MOST_SAID]]
    if len(settings) > MOST_SAID:
        said.append(f"and {len(settings) - MOST_SAID} more")
    return "; ".join(said)
