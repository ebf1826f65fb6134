"""The difference between two subjects: the tokens that only one of them has, and for two runs where
they diverge, and why.

Runs are compared by their merges (`engine/analysis/run_difference.py`), tokenizers by the bytes of
their tokens. The answer is a record that widgets show. It takes long on large vocabularies, so
compute it in the thread pool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bpe_studio.errors import BpeError
from bpe_studio.explain.comparison.divergence import DivergenceWording, describe_divergence
from bpe_studio.explain.comparison.subjects import RunAt, Subject
from bpe_studio.explain.names import override_text, short_name
from bpe_studio.explain.settings import SettingDifference, settings_that_differ
from bpe_studio.explain.wording import merge_name, number, percent, plural

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bpe_studio.engine.analysis.run_difference import RunDifference
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.run import Run
    from bpe_studio.engine.training.merge_log import Merge

    IntArray = NDArray[np.int64]

NOTHING = "–"
VOCABULARY = "vocabulary"


@dataclass(frozen=True, eq=False)
class OwnTokens:
    """The tokens that only one of two subjects has, the most frequent first.

    Attributes:
        subject: the subject.
        tokens: (n,) int64.
        uses: (n,) int64, the count of each in the corpus; None if it is not counted.
        n_all: the number of all tokens of the subject.
    """

    subject: Subject
    tokens: IntArray
    uses: IntArray | None
    n_all: int


@dataclass(frozen=True, eq=False)
class Difference:
    """The comparison of two subjects, A and B.

    Attributes:
        sides: the two, at the steps at which they are compared.
        own: for each, the tokens that the other one does not have.
        found: the difference of two runs; None with a tokenizer.
        settings: the differences of the settings and overrides of two runs.
        divergence: where and why two runs diverge, in words; None if they do not.
        said: sentences about the parts that differ; empty if one of the two is no tokenizer.
    """

    sides: tuple[Subject, Subject]
    own: tuple[OwnTokens, OwnTokens]
    found: RunDifference | None = None
    settings: tuple[SettingDifference, ...] = ()
    divergence: DivergenceWording | None = None
    said: tuple[str, ...] = ()

    @property
    def rank(self) -> int | None:
        """The rank of the first merge that differs.

        None if none does, for two sizes of a run, and with a tokenizer.
        """
        is_one_run = self.sides[0].run is self.sides[1].run
        return None if self.found is None or is_one_run else self.found.rank


def same_size(a: Subject, b: Subject) -> tuple[Subject, Subject]:
    """Two runs at steps at which their vocabularies are equally large: the larger one goes back.

    Both stay if one is a tokenizer, if they are steps of one run, or if the vocabulary of one is
    smaller than the alphabet of the other.
    """
    if not isinstance(a, RunAt) or not isinstance(b, RunAt) or a.run is b.run:
        return a, b
    size = min(a.vocab_size, b.vocab_size)
    steps = [size - int(each.run.vocab_size_at(0)) for each in (a, b)]
    return (a.at(steps[0]), b.at(steps[1])) if min(steps) >= 0 else (a, b)


def compare(a: Subject, b: Subject) -> Difference:
    """Compare two subjects; slow on large ones, so call it outside the window's thread."""
    if not isinstance(a, RunAt) or not isinstance(b, RunAt):
        return _by_content(a, b)
    from bpe_studio.engine.analysis.divergence import explain_divergence
    from bpe_studio.engine.analysis.run_difference import compare_runs

    found = compare_runs(a.run, b.run, a.step, b.step)
    for side in (a, b):
        # No token has this name: index all names here, outside the window's thread.
        side.run.find_token("")
    only_a = [each.token for each in found.only_a]
    only_b = [each.token for each in found.only_b]
    own = (_own_tokens(a, only_a, found.n_common), _own_tokens(b, only_b, found.n_common))
    words = None
    if found.rank is not None and a.run is not b.run:
        divergence = explain_divergence(a.run, b.run, found)
        if divergence is not None:
            words = describe_divergence(divergence, (a.run, b.run), (_begun(a), _begun(b)))
    return Difference((a, b), own, found, settings_of_both(a, b), words, _said(a, b))


def _contents(side: Subject) -> list[tuple[int, bytes]]:
    return [(token, side.content(token)) for token in side.tokens().tolist()]


def _by_content(a: Subject, b: Subject) -> Difference:
    contents = [_contents(a), _contents(b)]
    own = []
    for side, mine, other in zip((a, b), contents, contents[::-1], strict=True):
        there = {content for _, content in other}
        found = [token for token, content in mine if content not in there]
        own.append(_own_tokens(side, found, len(mine) - len(found)))
    return Difference((a, b), (own[0], own[1]), said=_said(a, b))


def _said(a: Subject, b: Subject) -> tuple[str, ...]:
    from bpe_studio.explain.tokenizer_diff.own_parts import own_parts
    from bpe_studio.explain.tokenizer_diff.pair import TokenizerPair
    from bpe_studio.explain.tokenizer_diff.sentences import what_differs

    try:
        pair = TokenizerPair(a.as_tokenizer(), b.as_tokenizer())
    except BpeError:
        return ()
    return tuple(what_differs(pair, own_parts(pair)))


def _own_tokens(subject: Subject, found: Sequence[int], n_common: int) -> OwnTokens:
    import numpy as np

    tokens = np.array(found, np.int64)
    counts = subject.counts()
    n_all = n_common + len(tokens)
    if counts is None:
        return OwnTokens(subject, np.sort(tokens), None, n_all)
    uses = counts[np.searchsorted(subject.tokens(), tokens)]
    order = np.lexsort((tokens, -uses))
    return OwnTokens(subject, tokens[order], uses[order], n_all)


def settings_of_both(a: RunAt, b: RunAt) -> tuple[SettingDifference, ...]:
    """The differences of the settings of two runs, then the overrides that only one of them has."""
    settings = settings_that_differ(_begun(a), _begun(b))
    said_a = _own_overrides(a, b)
    said_b = _own_overrides(b, a)
    if said_a == said_b == NOTHING:
        return settings
    return (*settings, SettingDifference("overrides", "Overrides", said_a, said_b))


def _own_overrides(side: RunAt, other: RunAt) -> str:
    """The overrides of one run that the other does not have."""
    said = [
        f"{override_text(each, side.settings)} from step {number(each.step)}"
        for each in side.run.overrides
        if each not in other.run.overrides
    ]
    return "; ".join(said) or NOTHING


def _begun(side: RunAt) -> TrainingConfig:
    """The settings of a run at its start; a later change of the tie rule is an override."""
    return side.settings.replace(ties=side.run.plan.ties)


def cost_words(difference: Difference) -> str:
    """The cost in tokens: "A needs 7,149 more tokens than B for the corpus (+0.060 %)".

    "" without a corpus, and if the files have different weights: the tokens are not comparable.
    """
    found = difference.found
    if found is None or any(side.n_corpus_tokens is None for side in difference.sides):
        return ""
    one, other = difference.sides
    if not have_same_weights(one.run, other.run):
        return ""
    more = found.n_tokens_a - found.n_tokens_b
    if not more:
        return "Both need the same number of tokens for the corpus"
    share = percent(abs(more) / found.n_tokens_b) if found.n_tokens_b else "–"
    words, sign = ("more", "+") if more > 0 else ("fewer", "−")
    tokens = plural(abs(more), f"{words} token")
    return f"A needs {tokens} than B for the corpus ({sign}{share})"


def facts(difference: Difference) -> tuple[SettingDifference, ...]:
    """Facts about both, a line each: the merges at which two runs diverge, the vocabularies, and
    the tokens of the corpus, if one of them has a corpus.
    """
    sides = difference.sides
    found = difference.found
    rank = difference.rank
    rows = []
    if found is not None and rank is not None:
        merges = found.merge_a, found.merge_b
        pairs = [_pair(side, merge) for side, merge in zip(sides, merges, strict=True)]
        counts = [_count(side, merge) for side, merge in zip(sides, merges, strict=True)]
        rows = [
            SettingDifference("merge", merge_name(rank), *pairs),
            SettingDifference("count", "its count", *counts),
        ]
    vocabularies = [number(side.vocab_size) for side in sides]
    rows.append(SettingDifference(VOCABULARY, "vocabulary", *vocabularies))
    n_tokens = [side.n_corpus_tokens for side in sides]
    if n_tokens == [None, None]:
        return tuple(rows)
    sizes = _sizes(difference)
    tokens = [NOTHING, NOTHING]
    per_token = [NOTHING, NOTHING]
    for place, n in enumerate(n_tokens):
        if n is not None:
            tokens[place] = number(n)
        if sizes[place] and n:
            per_token[place] = number(sizes[place] / n, 3)
    return (
        *rows,
        SettingDifference("tokens", "corpus tokens", *tokens),
        SettingDifference("bytes", "bytes per token", *per_token),
    )


def have_same_weights(one: Run | None, other: Run | None) -> bool:
    """Whether the tokens of the corpus are comparable: each file has the same weight in both."""
    if one is None or other is None:
        return True
    config = one.corpus.config
    same = other.corpus.config
    return (config.weight, config.alpha) == (same.weight, same.alpha)


def _sizes(difference: Difference) -> list[int]:
    """The bytes of the corpus of each side; a tokenizer is measured on that of the other side."""
    of_runs = [int(side.run.corpus.size_bytes) for side in difference.sides if side.run is not None]
    return of_runs if len(of_runs) == 2 else 2 * (of_runs or [0])


def _count(side: Subject, merge: Merge | None) -> str:
    """The count of a pair when it was merged, as text."""
    return NOTHING if merge is None or side.n_corpus_tokens is None else number(merge.count)


def _pair(side: Subject, merge: Merge | None) -> str:
    """The text of a pair: "␣t + h"."""
    if merge is None or side.run is None:
        return NOTHING
    columns = side.run.columns
    left = short_name(side.run, int(columns.left[merge.rank]), 16)
    right = short_name(side.run, int(columns.right[merge.rank]), 16)
    return f"{left} + {right}"
