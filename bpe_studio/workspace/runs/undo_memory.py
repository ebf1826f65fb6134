"""How much memory earlier states keep, as whoever can take changes back keeps what was open before each.

An estimate: of each run the arrays that are as large as its corpus, of each corpus its table of words, and pasted text.
What several states share is counted once. Buffers of trainers are not in it, as those are let go of when another run
is shown.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence

from bpe_studio.workspace.session import Project, RunEntry, Session
from bpe_studio.workspace.undo import UndoStep


def n_within(changes: Sequence[UndoStep], shown: Iterable[RunEntry], most_bytes: int) -> int:
    """How many of the newest changes keep no more memory together than is given; the newest one in any case.

    Args:
        changes: what was done, newest last.
        shown: the runs that are open now, which take their memory whether or not a change keeps them too.
        most_bytes: the memory that may be kept.
    """
    seen: set[int] = set()
    _ = sum(_sizes(shown, seen))
    n_bytes = n = 0
    for change in reversed(changes):
        session = session_of(change)
        added = sum(_sizes(() if session is None else session.entries, seen))
        n_bytes += added
        if n and added and n_bytes > most_bytes:
            break
        n += 1
    return n


def session_of(change: UndoStep) -> Session | None:
    """What was open before a change, as far as it keeps that to go back to; None where it keeps something else."""
    before = change.before.session if isinstance(change.before, Project) else change.before
    return before if isinstance(before, Session) else None


def _sizes(entries: Iterable[RunEntry], seen: set[int]) -> Iterator[int]:
    """The bytes of what has not been seen before, which is noted as seen."""
    for entry in entries:
        run, info = entry.run, entry.corpus
        if id(run) not in seen:
            seen.add(id(run))
            layout = run.layout
            yield sum(getattr(run.columns, name).nbytes for name in run.columns.NAMES)
            for array in (run.gaps, layout.symbols, layout.word_starts, layout.weights, vars(layout).get("words")):
                if array is not None and id(array) not in seen:
                    seen.add(id(array))
                    yield array.nbytes
        if id(info) not in seen:
            seen.add(id(info))
            for corpus in (info.corpus, None if info.held_out is None else info.held_out.corpus):
                if corpus is not None and id(corpus) not in seen:
                    seen.add(id(corpus))
                    yield corpus.blob.nbytes + corpus.offsets.nbytes + corpus.counts.nbytes
            text = info.request.text
            if text is not None and id(text) not in seen:
                seen.add(id(text))
                yield sys.getsizeof(text)
