"""Measures of a text at many sizes of a run, for the whole text and for its groups: scripts, files,
or the values of a column.

The measures are those of the command `measure` (`explain/group_measures.py`). A text is encoded
once for all sizes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bpe_studio.engine.encoding.editable_text import EditableText
from bpe_studio.engine.text.cleaning import WITHOUT_SPACES
from bpe_studio.engine.token_statistics import SHANNON, efficiency
from bpe_studio.explain.group_measures import ALL, COMMON, GroupMeasures, Row
from bpe_studio.explain.inspection.enough import LineChooser
from bpe_studio.explain.wording import number, percent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bpe_studio.engine.run import Run
    from bpe_studio.explain.comparison.subjects import ComparedTokenizer

    FloatArray = NDArray[np.float64]
    IntArray = NDArray[np.int64]

N_SIZES = 12
MOST_BYTES = 4_000_000
"""Of a longer text, a sample of this size is measured: lines from all over it."""
MOST_GROUPS = 8
"""If there are more groups, as many of the dearest as of the cheapest are kept."""


class Measure(NamedTuple):
    """A measure of a text.

    Attributes:
        key: its name in a row of `GroupMeasures`.
        title: its title in the window.
        is_share: whether it is written in percent.
        is_of_words: whether it measures words, which are separated by white space.
        is_sum: whether the groups add up to the whole text; on its scale, they would look alike.
        of_run: its name for `Run.measure`, which gives it at every step; "" if that does not.
    """

    key: str
    title: str
    is_share: bool = False
    is_of_words: bool = False
    is_sum: bool = False
    of_run: str = ""


MEASURES = (
    Measure("n_tokens", "Tokens", is_sum=True, of_run="n_tokens"),
    Measure("bytes_per_token", "Bytes per token", of_run="bytes_per_token"),
    Measure("chars_per_token", "Characters per token"),
    Measure("fertility", "Tokens per word", is_of_words=True, of_run="fertility"),
    Measure("single_token_words", "Words of one token", is_share=True, is_of_words=True),
    Measure("renyi_2.5", "Rényi efficiency (order 2.5)", is_share=True, of_run="renyi"),
    Measure("shannon", "Shannon efficiency", is_share=True, of_run="shannon"),
    Measure("vocabulary_used", "Vocabulary used", is_share=True, of_run="vocabulary_used"),
    Measure("gini", "Gini coefficient"),
)
"""The measures of the command `measure`."""


@dataclass(frozen=True, eq=False)
class Line:
    """A curve.

    Attributes:
        name: the name of its text.
        sizes: (n,) int64, vocabulary sizes, rising.
        values: (n,) float64; nan if not known.
    """

    name: str
    sizes: IntArray
    values: FloatArray


@dataclass(frozen=True, eq=False)
class GroupCurves:
    """The measures of a text at some sizes of a run.

    Attributes:
        run: the run.
        by: the kind of its groups: "" for none, "script", "file" or "column:NAME".
        steps: the measured steps, rising.
        groups: for each group, the whole text first, a row for each step.
        share: the share of the text that was measured: lines from all over it.
        price: sentences about what the groups pay at the last step; empty if there is nothing to
            compare.
        n_left_out: the number of groups without rows, because there are too many.
    """

    run: Run
    by: str
    steps: tuple[int, ...]
    groups: dict[str, list[Row]]
    share: float = 1.0
    price: Sequence[str] = ()
    n_left_out: int = 0

    @property
    def remark(self) -> str:
        """A remark about the price: the size, the share of the text, and the groups left out."""
        said = f"The vocabulary has {number(self.run.vocab_size_at(self.steps[-1]))} tokens"
        if self.share < 1:
            said += f", and {percent(self.share)} of the text is measured, all over it"
        if self.n_left_out:
            said += (
                ". The curves are of the groups that pay most and least;"
                f" {number(self.n_left_out)} others are left out, and the command measure lists all"
            )
        return said

    def lines(self, measure: Measure) -> list[Line]:
        """The curve of the whole text, and of each group if there are several.

        Scripts that are written without spaces have no curve for a measure of words.
        """
        vocab_sizes = [self.run.vocab_size_at(step) for step in self.steps]
        sizes = np.array(vocab_sizes, np.int64)
        groups = self.groups if len(self.groups) != 2 else {ALL: self.groups[ALL]}
        names = {ALL: "all", COMMON: "signs, numbers", "": "no value"}
        lines = []
        for name, rows in groups.items():
            is_sum_of_all = measure.is_sum and name == ALL and len(groups) > 1
            if is_sum_of_all or (measure.is_of_words and name in WITHOUT_SPACES):
                continue
            values = [float(row[measure.key]) for row in rows]
            lines.append(Line(names.get(name, name), sizes, np.array(values)))
        return lines


def line_of_run(run: Run, n_merges: int, measure: Measure, name: str) -> Line:
    """A measure of the corpus of a run at each of its first `n_merges` steps.

    Some measures are slow, so call this in the thread pool.
    """
    values = run.measure(measure.of_run)[: n_merges + 1]
    return Line(name, run.vocab_size_at(0) + np.arange(len(values), dtype=np.int64), values)


def point_of_tokenizer(subject: ComparedTokenizer, run: Run, measure: Measure) -> Line | None:
    """A measure of the corpus of a run under a tokenizer, as a line of one point.

    None if the tokens of the corpus are not counted.
    """
    counts = subject.counts()
    if counts is None:
        return None
    n_tokens = subject.n_corpus_tokens or 0
    values = {
        "n_tokens": float(n_tokens),
        "bytes_per_token": (run.corpus.size_bytes or np.nan) / max(1, n_tokens),
        "fertility": n_tokens / (run.corpus.n_whitespace_words or np.nan),
        "renyi": efficiency(counts, 2.5),
        "shannon": efficiency(counts, SHANNON),
        "vocabulary_used": np.count_nonzero(counts) / max(1, len(counts)),
    }
    return Line(subject.name, np.array([subject.vocab_size]), np.array([values[measure.of_run]]))


def steps_to_measure(run: Run, n_merges: int) -> tuple[int, ...]:
    """Steps at which vocabulary sizes grow by the same factor, from the first merge to the last."""
    base = max(1, int(run.vocab_size_at(0)))
    sizes = np.geomspace(base, base + n_merges, N_SIZES)
    return tuple(
        sorted({min(n_merges, round(size) - base) for size in sizes.tolist()} | {0, n_merges})
    )


def measuring_groups(
    run: Run, n_merges: int, texts: Iterable[tuple[str, str]], by: str, share: float = 1.0
) -> Generator[int, None, GroupCurves]:
    """Measures texts at some sizes of a run.

    Args:
        run: the run.
        n_merges: the number of its merges.
        texts: each text with its group, which is ignored with groups by script.
        by: the kind of the groups, as in `GroupCurves`.
        share: the share of the lines that is measured; the lines are from all over the texts.

    Yields:
        The number of bytes that have been measured.

    Raises:
        VocabularyError: a text cannot be encoded.
    """
    live = EditableText(run.new_segmenter())
    steps = steps_to_measure(run, n_merges)
    measures = [
        GroupMeasures(int(run.vocab_size_at(step)), by_script=by == "script") for step in steps
    ]
    # Of parallel texts, the same lines are chosen.
    choosers: defaultdict[str, LineChooser] = defaultdict(LineChooser)
    n_all = 0
    n_bytes = 0
    for group, whole in texts:
        content = whole.encode("utf-8", "surrogatepass")
        n_all += len(content)
        text = whole
        if share < 1:
            content, _ = choosers[group].places(content, [len(content)]).part(0.0, share)
            text = content.decode("utf-8", "surrogatepass")
        if whole and not text:
            continue
        live.set_text(text)
        for step, each in zip(steps, measures, strict=True):
            spans = live.tokens(step, 0, len(text))
            # A token that holds part of a character covers that character.
            offsets = np.stack([np.floor(spans.starts), np.ceil(spans.ends)], 1).astype(np.int64)
            each.add(text, spans.ids, offsets, group)
            yield n_bytes
        n_bytes += len(content)
    rows = [dict(each.rows()) for each in measures]
    names = sorted(rows[-1], key=lambda name: (name != ALL, -int(rows[-1][name]["n_tokens"])))
    n_all_groups = len(names)
    if n_all_groups > MOST_GROUPS + 1:
        ordered = measures[-1].dearest_first
        half = MOST_GROUPS // 2
        names = [ALL, *ordered[:half], *ordered[max(half, len(ordered) - half) :]]
    groups = {}
    for name in names:
        groups[name] = [each[name] for each in rows]
    share_read = n_bytes / n_all if n_all else 1.0
    n_left_out = n_all_groups - len(names)
    return GroupCurves(run, by, steps, groups, share_read, measures[-1].price, n_left_out)
