"""The curves over all vocabulary sizes of a run: tokens of the corpus, the held-out text and a text
at every step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bpe_studio.engine.counting.corpus import Corpus
    from bpe_studio.engine.run import Run

    FloatArray = NDArray[np.float64]
    IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Series:
    """One curve: the tokens of a text at every step.

    Attributes:
        name: the name of the text, for example "corpus".
        n_tokens: (n_merges + 1,) int64.
        n_bytes: the size of the text; 0 if unknown.
    """

    name: str
    n_tokens: IntArray
    n_bytes: int

    def __len__(self) -> int:
        return len(self.n_tokens)

    @property
    def bytes_per_token(self) -> FloatArray:
        """(n_merges + 1,) float64: bytes per token at every step; nan if the size is not known."""
        import numpy as np

        return np.float64(self.n_bytes or np.nan) / np.maximum(self.n_tokens, 1)


@dataclass(frozen=True, eq=False)
class Curves:
    """The curves over all sizes of a run.

    Attributes:
        run: the run.
        base: the vocabulary size at step 0.
        n_merges: the last step.
        corpus, held_out, text: tokens at every step; None if there is no held-out text, or no text.
        knee: the step of the knee of the corpus's curve; None if there is none.
        log_knee: the same on a logarithmic scale of sizes.
    """

    run: Run
    base: int
    n_merges: int
    corpus: Series
    held_out: Series | None
    text: Series | None
    knee: int | None
    log_knee: int | None = None

    @property
    def series(self) -> list[Series]:
        """The existing curves, the corpus first."""
        return [each for each in (self.corpus, self.held_out, self.text) if each is not None]


@dataclass
class CurveCounter:
    """Computes curves, and keeps that of the held-out text."""

    _held_out: tuple[Run, Corpus, int, IntArray] | None = None

    def count(
        self, run: Run, n_merges: int, text: str, text_name: str, held_out: Corpus | None
    ) -> Curves:
        """The curves of a run's first `n_merges` merges.

        Slow on large runs, so call it in a worker thread.

        Args:
            run: the run.
            n_merges: the number of merges.
            text: another text to count; "" for none.
            text_name: its name.
            held_out: the held-out text; None for none.
        """
        import numpy as np

        from bpe_studio.engine.analysis.size_advice import knee
        from bpe_studio.engine.analysis.size_curves import corpus_curve, text_curve

        base = int(run.vocab_size_at(0))
        sizes = np.arange(base, base + n_merges + 1)
        of_corpus = corpus_curve(run, n_merges)
        of_text = None
        of_held_out = None
        if text:
            # The run's own segmenter belongs to the window's thread.
            n_tokens = text_curve(run.new_segmenter().text_gaps(text), n_merges)
            of_text = Series(text_name, n_tokens, len(text.encode("utf-8", "surrogatepass")))
        if held_out is not None and len(held_out):
            curve = self._held_out_curve(run, held_out, n_merges)
            of_held_out = Series("held-out text", curve, int(held_out.size_bytes))
        log_knee = knee(sizes, of_corpus) if base else None
        return Curves(
            run=run,
            base=base,
            n_merges=n_merges,
            corpus=Series("corpus", of_corpus, int(run.corpus.size_bytes)),
            held_out=of_held_out,
            text=of_text,
            knee=knee(sizes, of_corpus, "linear"),
            log_knee=log_knee,
        )

    def _held_out_curve(self, run: Run, held_out: Corpus, n_merges: int) -> IntArray:
        """The curve of the held-out text, which is computed once for the merges so far."""
        from bpe_studio.engine.analysis.size_curves import table_curve

        kept = self._held_out
        if kept is None or kept[0] is not run or kept[1] is not held_out or kept[2] < n_merges:
            kept = self._held_out = (run, held_out, n_merges, table_curve(run, held_out, n_merges))
        return kept[3][: n_merges + 1]
