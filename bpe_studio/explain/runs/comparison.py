"""How two runs differ: all results of the engine for two runs, and sentences about them.

The answer is an immutable record that widgets show; nothing here paints, and only the segmenters of the runs are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from bpe_studio.explain.cut_text import CutText, differences, token_tip
from bpe_studio.explain.names import display_name, display_token, override_text
from bpe_studio.explain.runs.divergence import DivergenceWording, describe_divergence
from bpe_studio.explain.settings import SettingDifference, settings_that_differ
from bpe_studio.explain.sizes.comparison import MOST_DRAWN
from bpe_studio.explain.wording import number, percent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bpe_studio.engine.analysis.run_difference import RunDifference
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.encoding.editable_text import TokenSpans
    from bpe_studio.engine.encoding.segmentation import Segmenter
    from bpe_studio.engine.encoding.tokenizer import Tokenizer
    from bpe_studio.engine.run import Run

    BoolArray = NDArray[np.bool_]

NOTHING = "–"
MOST_SAID = 2


@dataclass(frozen=True, eq=False)
class Side:
    """One of the two runs.

    Attributes:
        number: the number of the run entry.
        name: its name.
        run: the run.
        config: its settings.
    """

    number: int
    name: str
    run: Run
    config: TrainingConfig


@dataclass(frozen=True, eq=False)
class OwnTokens:
    """The tokens that only one of the two runs or tokenizers has, the most frequent first.

    Attributes:
        run: the run that has them; None for a tokenizer.
        tokens: (n,) int64, internal ids of the run, or ids of the tokenizer.
        uses: (n,) int64, how often each occurs in the corpus at the step.
        tokenizer: the tokenizer that has them; None for a run.
    """

    run: Run | None
    tokens: NDArray[np.int64]
    uses: NDArray[np.int64]
    tokenizer: Tokenizer | None = None

    def name(self, token: int) -> str:
        """The display name of a token."""
        if self.run is not None:
            return display_name(self.run, token)
        return display_token(self.content(token))

    def content(self, token: int) -> bytes:
        """The bytes that a token stands for."""
        if self.run is not None:
            return self.run.token_content(token)
        assert self.tokenizer is not None
        return self.tokenizer.content(token)

    def written(self, token: int) -> str:
        """A token as logs and files write it."""
        if self.run is not None:
            return self.run.token_name(token)
        assert self.tokenizer is not None
        return self.tokenizer.tokens[token]


@dataclass(frozen=True, eq=False)
class CutSide:
    """The typed text as one of the two runs cuts it.

    Attributes:
        content: what is painted.
        is_own: (n,) bool, whether the other run cuts a token differently.
        n_tokens: tokens of the whole text.
    """

    content: CutText
    is_own: BoolArray
    n_tokens: int


@dataclass(frozen=True, eq=False)
class RunComparison:
    """The comparison of two runs, each at a step.

    Attributes:
        sides: the two runs.
        steps: how many merges of each apply.
        settings: the differences of their settings and overrides.
        found: the difference that the engine found.
        own: the tokens that only one of them has.
        text: the text that both encode.
        cut: the text as each cuts it; empty without a text.
        is_excerpt: whether the text is the beginning of the corpus, because nothing is typed.
        divergence: where and why they diverge, in words; None if they do not.
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
    """Compares runs; segmenters are kept from one comparison to the next."""

    _segmenters: dict[int, Segmenter] = field(default_factory=dict)

    def compare(
        self, sides: tuple[Side, Side], steps: tuple[int, int], text: str, *, is_excerpt: bool = False
    ) -> RunComparison:
        """Compare two runs; slow on large ones, so call it outside the window's thread.

        Args:
            sides: the two runs.
            steps: how many merges of each apply.
            text: the text that both encode; "" for none.
            is_excerpt: whether it is the beginning of the corpus, because nothing is typed.
        """
        from bpe_studio.engine.analysis.divergence import explain_divergence
        from bpe_studio.engine.analysis.run_difference import compare_runs

        a, b = sides
        found = compare_runs(a.run, b.run, *steps)
        for side in sides:
            side.run.find_token("")  # no token has this name: index all names here, outside the window's thread
        own = (_own_tokens(a.run, found.only_a, steps[0]), _own_tokens(b.run, found.only_b, steps[1]))
        cut = self._cut(sides, steps, text) if text else ()
        divergence = explain_divergence(a.run, b.run, *steps) if found.rank is not None else None
        words = None
        if divergence is not None:
            words = describe_divergence(divergence, (a.run, b.run), (_begun(a), _begun(b)))
        return RunComparison(sides, steps, what_differs(a, b), found, own, text, cut, is_excerpt, words)

    def forget(self) -> None:
        """Drop the segmenters of the compared runs."""
        self._segmenters = {}

    def _cut(self, sides: tuple[Side, Side], steps: tuple[int, int], text: str) -> tuple[CutSide, ...]:
        from bpe_studio.engine.encoding.editable_text import EditableText

        # The runs' own segmenters belong to the window's thread. Each keeps its columns, whose id is therefore its own.
        known = self._segmenters
        segmenters = {
            id(side.run.columns): known.get(id(side.run.columns)) or side.run.new_segmenter() for side in sides
        }
        self._segmenters = segmenters
        lives = []
        for side in sides:
            live = EditableText(segmenters[id(side.run.columns)])
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
                run=side.run,
                ids=span.ids,
            )
            cut.append(CutSide(content, _is_own(span, spans[1 - k]), int(lives[k].n_tokens(steps[k]))))
        return tuple(cut)


def what_differs(a: Side, b: Side) -> tuple[SettingDifference, ...]:
    """The differences of the settings of two runs, then the overrides that only one of them has."""
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
    """Its settings at the start: a later change of the tie rule is listed as an override."""
    return side.config.replace(ties=side.run.plan.ties)


def _own_tokens(run: Run, found: Sequence[object], step: int) -> OwnTokens:
    import numpy as np

    tokens = np.array([each.token for each in found], np.int64)  # type: ignore[attr-defined]
    uses = run.token_counts_at(step)[tokens]
    order = np.lexsort((tokens, -uses))
    return OwnTokens(run, tokens[order], uses[order])


def _is_own(span: TokenSpans, other: TokenSpans) -> BoolArray:
    """Whether a token begins or ends where no token of the other does."""
    import numpy as np

    pairs = set(zip(other.starts.tolist(), other.ends.tolist(), strict=True))
    own = [place not in pairs for place in zip(span.starts.tolist(), span.ends.tolist(), strict=True)]
    return np.array(own, bool)


def cost_words(difference: RunComparison) -> str:
    """The cost in tokens: "A needs 7,149 corpus tokens more than B (+0.060 %)"."""
    found = difference.found
    more = found.n_tokens_a - found.n_tokens_b
    if not more:
        return "Both need the same number of tokens for the corpus"
    share = percent(abs(more) / found.n_tokens_b) if found.n_tokens_b else "–"
    words, sign = ("more", "+") if more > 0 else ("fewer", "−")
    tokens = f"{number(abs(more))} corpus token{'s' * (abs(more) != 1)}"
    return f"A needs {tokens} {words} than B ({sign}{share})"


def shares_words(difference: RunComparison) -> str:
    """How many tokens only one has and both have: "2 only in A, 2 only in B, 40 in both (of 42)"."""
    found = difference.found
    n_a, n_b, n_both = len(found.only_a), len(found.only_b), found.n_common
    sizes = number(n_a + n_both), number(n_b + n_both)
    of = f"of {sizes[0]}" if n_a == n_b else f"of {sizes[0]} and {sizes[1]}"
    return f"{number(n_a)} only in A, {number(n_b)} only in B, {number(n_both)} in both ({of})"


def differs_words(settings: Sequence[SettingDifference]) -> str:
    """The differences of the settings in one line: "split: gpt2 in A, cl100k in B"."""
    said = [f"{each.name.lower()}: {each.a} in A, {each.b} in B" for each in settings[:MOST_SAID]]
    if len(settings) > MOST_SAID:
        said.append(f"and {len(settings) - MOST_SAID} more")
    return "; ".join(said)
