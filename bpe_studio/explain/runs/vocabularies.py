"""Two vocabularies side by side, of which at least one is a tokenizer's: the tokens that only one has, and the cuts.

Tokens are compared by the bytes that they stand for. There are no merges to compare, so there is no divergence.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bpe_studio.explain.cut_text import differences
from bpe_studio.explain.runs.comparison import CutSide, OwnTokens
from bpe_studio.explain.sizes.measures import TextCounts
from bpe_studio.explain.sizes.others import Other, OtherRun, OthersCounter, OtherTokenizer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bpe_studio.explain.sizes.others import OtherResult


@dataclass(frozen=True, eq=False)
class VocabularyComparison:
    """The comparison of two vocabularies.

    Attributes:
        others: the two, each a run at its last step or a tokenizer.
        own: the tokens that only one of them has.
        n_shared: how many tokens of each the other has too.
        text: the text that both encode.
        cut: the text as each cuts it; empty without a text, or where one cannot encode it.
        is_excerpt: whether the text is the beginning of the corpus, because nothing is typed.
    """

    others: tuple[Other, Other]
    own: tuple[OwnTokens, OwnTokens]
    n_shared: tuple[int, int]
    text: str
    cut: tuple[CutSide, ...]
    is_excerpt: bool


@dataclass
class VocabularyComparer:
    """Compares vocabularies; slow on large ones, so call it in the thread pool."""

    _counter: OthersCounter = field(default_factory=OthersCounter)

    def compare(self, others: tuple[Other, Other], text: str, *, is_excerpt: bool) -> VocabularyComparison:
        """Compare two vocabularies.

        Args:
            others: the two.
            text: the text that both encode; "" for none.
            is_excerpt: whether it is the beginning of the corpus.
        """
        contents = [_contents(other) for other in others]
        own, shared = [], []
        for k, other in enumerate(others):
            there = set(contents[1 - k].values())
            tokens = [token for token, content in contents[k].items() if content not in there]
            own.append(_own_tokens(other, tokens))
            shared.append(len(contents[k]) - len(tokens))
        cut: tuple[CutSide, ...] = ()
        if text:
            counts = TextCounts(len(text.encode("utf-8", "surrogatepass")), len(text), len(text.split()), 0)
            cut = _cut(self._counter.measure(others, text, counts, 1))
        return VocabularyComparison(others, (own[0], own[1]), (shared[0], shared[1]), text, cut, is_excerpt)


def _contents(other: Other) -> dict[int, bytes]:
    """The content of each token, without special tokens."""
    if isinstance(other, OtherTokenizer):
        special = set(other.tokenizer.special_ids.values())
        return {token: other.tokenizer.content(token) for token in other.tokenizer.tokens if token not in special}
    return {token: other.run.token_content(token) for token in range(other.run.n_alphabet + other.step)}


def _own_tokens(other: Other, found: list[int]) -> OwnTokens:
    import numpy as np

    tokens = np.array(found, np.int64)
    if isinstance(other, OtherRun):
        uses = other.run.token_counts_at(other.step)[tokens]
    else:
        counts = np.zeros(int(tokens.max(initial=0)) + 1, np.int64)
        known = counts if other.counts is None else other.counts[: len(counts)]
        counts[: len(known)] = known
        uses = counts[tokens]
    order = np.lexsort((tokens, -uses))
    run, tokenizer = (other.run, None) if isinstance(other, OtherRun) else (None, other.tokenizer)
    return OwnTokens(run, tokens[order], uses[order], tokenizer)


def _cut(results: list[OtherResult]) -> tuple[CutSide, ...]:
    contents = [result.content for result in results]
    if any(content is None for content in contents):
        return ()
    known = [content for content in contents if content is not None]
    contested = differences([content.starts for content in known])
    cut = []
    for k, (content, result) in enumerate(zip(known, results, strict=True)):
        marked = replace(content, cut_here=contested[k][0], joined_here=contested[k][1])
        is_own = _is_own(content.starts, content.ends, known[1 - k].starts, known[1 - k].ends)
        cut.append(CutSide(marked, is_own, result.row.n_tokens or 0))
    return tuple(cut)


def _is_own(
    starts: NDArray[np.float64], ends: NDArray[np.float64], other_starts: NDArray[np.float64],
    other_ends: NDArray[np.float64],
) -> NDArray[np.bool_]:  # fmt: skip
    import numpy as np

    pairs = set(zip(other_starts.tolist(), other_ends.tolist(), strict=True))
    return np.array([place not in pairs for place in zip(starts.tolist(), ends.tolist(), strict=True)], bool)
