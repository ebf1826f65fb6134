"""Inspects the open text on request, in a thread of its own.

The result is kept as long as the text is open.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import TYPE_CHECKING

from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.reading import sources_of
from bpe_studio.workspace.corpus.text_job import TextJob
from bpe_studio.workspace.state import CorpusInfo, Progress

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.explain.inspection.inspection import Inspection

_WHAT = "Inspecting the text"


class Inspector(TextJob["Inspection"]):
    """Inspects the open text."""

    title = "Inspect the text"
    what = _WHAT

    def inspect(self) -> None:
        """Inspects the open text, unless the result is known or being computed."""
        info = self._open.corpus
        if info is not None and not self.why_not() and self._job is None and self._result is None:
            self._request = info.request
            self._start(partial(inspected, self._backend, info, self._open.config))


def inspected(
    backend: Backend, info: CorpusInfo, config: TrainingConfig
) -> Generator[Progress, None, Inspection]:
    """Inspects the text of a corpus, held-out lines included.

    Raises:
        BpeError: a file cannot be read any more.
    """
    from bpe_studio.explain.inspection.inspection import inspection_of, scanned_pieces, scanner_for

    yield Progress(_WHAT, 0, 100, "%")
    scanner = scanner_for(config)
    notices: list[str] = []
    total = sum(source.size_bytes for source in info.sources)
    done = 0
    for source in sources_of(backend, info.request):
        for _ in scanned_pieces(scanner, source):
            share = (done + source.position_bytes) / total if total else 0
            yield Progress(_WHAT, min(100, round(100 * share)), 100, "%")
        done += source.size_bytes
        notices += source.notices
    yield Progress(_WHAT, 100, 100, "%")
    return inspection_of(scanner, info.corpus, notices)
