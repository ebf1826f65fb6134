"""How much memory the undo history keeps, because each step keeps what was open before it.

An estimate: for each run the arrays that are as large as its corpus, for each corpus its table of words, and pasted
text. What several steps share is counted once. Trainers' buffers are not included, because they are freed when another
run is shown.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence

from bpe_studio.workspace.session import Project, RunEntry, Session
from bpe_studio.workspace.undo import UndoStep


def n_within(changes: Sequence[UndoStep], shown: Iterable[RunEntry], most_bytes: int) -> int:
    """How many of the newest undo steps together fit into an amount of memory; at least one.

    Args:
        changes: the undo steps, newest last.
        shown: the open runs, which need their memory anyway.
        most_bytes: the amount of memory.
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
    """What was open before an undo step, if the step keeps that; None if it keeps something else."""
    before = change.before.session if isinstance(change.before, Project) else change.before
    return before if isinstance(before, Session) else None


def _sizes(entries: Iterable[RunEntry], seen: set[int]) -> Iterator[int]:
    """The sizes in bytes of the arrays that are not in `seen`, which are added to it."""
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
