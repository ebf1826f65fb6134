"""Measures the open text at many sizes of the shown run, by script, file or column, in a thread of
its own.

The result, which names its run and its groups, is kept as long as the text is open.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Slot

from bpe_studio.engine.generators import relay
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.reading import sources_of
from bpe_studio.workspace.corpus.text_job import TextJob
from bpe_studio.workspace.state import CorpusInfo, Progress

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.explain.comparison.measure_curves import GroupCurves

_WHAT = "Measuring"
_CHUNK_BYTES = 1 << 16
"""A longer document of plain text is measured in parts of whole lines."""
COLUMN = "column:"


class GroupMeasurer(TextJob["GroupCurves"]):
    """Measures on request; the run may have more merges than when it was measured."""

    title = "Measure the text"
    what = _WHAT
    _asked: tuple[object, ...] = ()

    def measure(self, by: str) -> None:
        """Measures the open text, unless the result is known or being computed.

        Args:
            by: the groups: "" for none, "script", "file" or "column:NAME".
        """
        info = self._open.corpus
        run = self._open.run
        n_merges = self._open.n_merges
        question = (info, run, n_merges, by)
        if info is None or run is None or self.why_not() or question == self._asked:
            return
        self.cancel()
        self._asked = question
        self._request = info.request
        self._start(partial(measured, self._backend, info, run, n_merges, by))

    @Slot()
    def cancel(self) -> None:
        """Stops; the same measures can be requested again."""
        self._asked = ()
        super().cancel()


def measured(
    backend: Backend, info: CorpusInfo, run: Run, n_merges: int, by: str
) -> Generator[Progress, None, GroupCurves]:
    """Measures the text of a corpus; of a long one, lines from all over it.

    Raises:
        BpeError: a file cannot be read any more, or has no such column.
    """
    from bpe_studio.explain.comparison.measure_curves import MOST_BYTES, measuring_groups

    size = max(1, int(info.corpus.size_bytes))
    n_all = min(MOST_BYTES, size)
    work = measuring_groups(run, n_merges, _texts(backend, info, by), by, n_all / size)
    return (
        yield from relay(work, lambda n_bytes: Progress(_WHAT, min(n_bytes, n_all), n_all, "bytes"))
    )


def _texts(backend: Backend, info: CorpusInfo, by: str) -> Iterator[tuple[str, str]]:
    """Each text with its group."""
    from bpe_studio.files.text.record_texts import texts_by_value

    request = info.request
    for source in sources_of(backend, request):
        if by.startswith(COLUMN) and request.text is None:
            other = backend.source(
                Path(source.path),
                replace(request.reading, column=by.removeprefix(COLUMN), is_lenient=False),
            )
            yield from texts_by_value(source, other)
            continue
        rest = b""
        for content, ends, *_ in source.pieces():
            start = 0
            for end in ends:
                yield source.name, (rest + content[start:end]).decode("utf-8", "surrogatepass")
                rest = b""
                start = end
            rest += content[start:]
            cut = rest.rfind(b"\n") + 1
            if cut and not source.has_records and len(rest) > _CHUNK_BYTES:
                for text in _lines_of(rest[:cut].decode("utf-8", "surrogatepass")):
                    yield source.name, text
                rest = rest[cut:]


def _lines_of(text: str) -> Iterator[str]:
    """A text in parts of whole lines."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + _CHUNK_BYTES) + 1 or len(text)
        yield text[start:end]
        start = end
