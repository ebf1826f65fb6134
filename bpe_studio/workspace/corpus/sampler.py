"""Trains on samples of the open text on request, in a thread of its own, to find out how much of it
is enough.

The result, which has the settings of its runs, is kept as long as the text is open.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from bpe_studio.engine.generators import relay
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.reading import sources_of
from bpe_studio.workspace.corpus.text_job import TextJob
from bpe_studio.workspace.state import CorpusInfo, Progress

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.explain.inspection.enough import Enough

_WHAT = "Training on samples"


@dataclass(frozen=True, eq=False)
class Sampled:
    """The result of runs on samples of the open text.

    Attributes:
        config: the settings of the runs.
        found: the curve.
    """

    config: TrainingConfig
    found: Enough


class Sampler(TextJob[Sampled]):
    """Trains on samples of the open text; the settings may have changed since."""

    title = "Train on samples"
    what = _WHAT

    @property
    def is_current(self) -> bool:
        """Whether the result has the settings of the shown run."""
        return self._result is not None and self._result.config == self._open.config

    def measure(self) -> None:
        """Trains on samples of the open text, unless the result is known or being computed."""
        info = self._open.corpus
        if info is not None and not self.why_not() and self._job is None and not self.is_current:
            self._request = info.request
            self._start(partial(sampled, self._backend, info, self._open.config))


def sampled(
    backend: Backend, info: CorpusInfo, config: TrainingConfig
) -> Generator[Progress, None, Sampled]:
    """Trains on samples of the text of a corpus, held-out lines included.

    Raises:
        BpeError: a file cannot be read any more, or the text has too few lines.
    """
    from bpe_studio.explain.inspection.enough import measuring_enough

    yield Progress(_WHAT, 0, 100, "%")
    work = measuring_enough(_pieces(backend, info), config)
    found = yield from relay(work, lambda share: Progress(_WHAT, round(100 * share), 100, "%"))
    return Sampled(config, found)


def _pieces(backend: Backend, info: CorpusInfo) -> Iterator[tuple[bytes, Sequence[int], float]]:
    """The text of a corpus, with the share that has been read."""
    total = sum(source.size_bytes for source in info.sources)
    done = 0
    for source in sources_of(backend, info.request):
        for content, ends, *_ in source.pieces():
            share = min(1.0, (done + source.position_bytes) / total) if total else 0.0
            yield content, ends, share
        done += source.size_bytes
