"""Unsaved work: the one place that decides which parts of an open project are work of the person.

Work is anything that a person made and cannot get back in a moment:

- a run, if training it since it was opened or saved took more than `MOMENT_S`;
- every branch, every run with other settings and every run that extends or prunes a tokenizer,
  because a person asked for it; also a third-party tokenizer that was extended or pruned in its own
  file, until it is saved;
- bookmarks and breakpoints;
- a typed text that is not the beginning of the corpus;
- in an open document, also anything that was renamed or removed since it was opened or saved.

So a finished run of a sample that nobody touched is no work. Neither is an opened tokenizer, whose
merges are in its file, nor a text that was typed for it, although `keeping.py` keeps that. While a
lesson is played, nothing is work, because the lesson makes everything. No Qt is needed here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from bpe_studio.explain.wording import plural

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.workspace.marks import Bookmark, Breakpoint
    from bpe_studio.workspace.session import Document, Project, RunEntry

MOMENT_S = 2.0


@dataclass(frozen=True)
class UnsavedWork:
    """The work that would be lost.

    Attributes:
        n_merges: the merges of the first run; 0 if it would not be lost, or is no work.
        n_branches: the number of branches.
        n_side_runs: the number of runs with other settings.
        n_marks: the number of bookmarks and breakpoints.
        has_typed_text: whether there is a typed text.
        has_other_changes: whether something in an open document was renamed or removed.
        has_tokenizer: whether there is a tokenizer that no document can hold.
    """

    n_merges: int = 0
    n_branches: int = 0
    n_side_runs: int = 0
    n_marks: int = 0
    has_typed_text: bool = False
    has_other_changes: bool = False
    has_tokenizer: bool = False

    def __bool__(self) -> bool:
        return self != NOTHING

    def in_words(self) -> str:
        """The work as a list in one phrase.

        >>> UnsavedWork(n_merges=1204, n_branches=2, has_typed_text=True).in_words()
        'a run of 1,204 merges, 2 branches and the typed text'
        """
        parts = [f"a run of {plural(self.n_merges, 'merge')}"] if self.n_merges else []
        for n, noun, many in (
            (self.n_branches, "branch", "branches"),
            (self.n_side_runs, "comparison run", "comparison runs"),
            (self.n_marks, "mark", "marks"),
        ):
            if n:
                parts.append(plural(n, noun, many))
        if self.has_tokenizer:
            parts.append("the changed tokenizer")
        if self.has_typed_text:
            parts.append("the typed text")
        if self.has_other_changes:
            changes = "other changes to the document" if parts else "changes to the document"
            parts.append(changes)
        return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1]))) if parts else ""


NOTHING = UnsavedWork()
TYPED_TEXT = UnsavedWork(has_typed_text=True)


class _Saved(NamedTuple):
    """The content of a document when it was opened or saved."""

    names: frozenset[tuple[int, str]]
    marks: frozenset[Bookmark | Breakpoint]
    typed_text: str


class SavedWork:
    """Remembers the work that was opened from a document or saved to one, without keeping runs
    alive.
    """

    def __init__(self) -> None:
        self._runs: WeakKeyDictionary[Run, tuple[int, float]] = WeakKeyDictionary()
        self._documents: WeakKeyDictionary[Document, _Saved] = WeakKeyDictionary()
        self._typed_text = ""

    def remember(self, project: Project, trained_s: Callable[[Run], float]) -> None:
        """Remember that everything in a project is saved, in its document.

        Args:
            project: the project.
            trained_s: gives the time that a run has been trained, in seconds.
        """
        if project.session is not None:
            self.remember_runs(project.session.entries, trained_s)
        if project.document is not None:
            self._documents[project.document] = _Saved(
                _names(project), _marks(project), project.typed_text
            )
        self._typed_text = project.typed_text

    def remember_runs(self, entries: Iterable[RunEntry], trained_s: Callable[[Run], float]) -> None:
        """Remember that runs are saved, or no work of the person."""
        for each in entries:
            self._runs[each.run] = (each.position.n_merges, trained_s(each.run))

    def ask_for(self, entries: Iterable[RunEntry]) -> None:
        """Remember that a person asked for runs, which are not saved."""
        for each in entries:
            self._runs[each.run] = (-1, 0.0)

    def unsaved(self, project: Project, trained_s: Callable[[Run], float]) -> UnsavedWork:
        """The work in a project that is not saved.

        Args:
            project: the project.
            trained_s: gives the time that a run has been trained, in seconds.
        """
        session = project.session
        saved = None if project.document is None else self._documents.get(project.document)
        typed = project.typed_text
        n_merges = 0
        n_branches = 0
        n_side_runs = 0
        n_tokenizers = 0
        entries = () if session is None else session.entries
        for each in entries:
            is_first = each.parent is None and not each.is_side_run
            is_on_tokenizer = each.run.n_seed > 0 and each.corpus.has_words
            if not self._is_work(each, trained_s, is_asked_for=not is_first or is_on_tokenizer):
                continue
            if each.is_side_run:
                n_side_runs += 1
            elif each.parent is not None:
                n_branches += 1
            elif each.corpus.has_words:
                n_merges += each.position.n_merges
            else:
                n_tokenizers += 1
        before = _Saved(frozenset(), frozenset(), "") if saved is None else saved
        marks = _marks(project)
        is_new_text = typed.strip() != "" and typed != self._typed_text
        is_text_removed = before.typed_text != "" and not typed
        removed = (before.names - _names(project)) or (before.marks - marks)
        return UnsavedWork(
            n_merges,
            n_branches,
            n_side_runs,
            n_marks=len(marks - before.marks),
            has_typed_text=is_new_text and not is_beginning(typed, project),
            has_other_changes=bool(removed) or is_text_removed,
            has_tokenizer=n_tokenizers > 0,
        )

    def _is_work(
        self, entry: RunEntry, trained_s: Callable[[Run], float], *, is_asked_for: bool
    ) -> bool:
        n_known = -1 if is_asked_for else 0
        n_saved, saved_s = self._runs.get(entry.run, (n_known, 0.0))
        return n_saved < 0 or (
            entry.position.n_merges > n_saved and trained_s(entry.run) - saved_s > MOMENT_S
        )


def _names(project: Project) -> frozenset[tuple[int, str]]:
    session = project.session
    if session is None:
        return frozenset()
    return frozenset((each.number, each.name) for each in session.entries)


def _marks(project: Project) -> frozenset[Bookmark | Breakpoint]:
    bookmarks = () if project.session is None else project.session.bookmarks
    return frozenset((*bookmarks, *project.breakpoints))


def is_beginning(typed: str, project: Project) -> bool:
    """Whether a typed text is the beginning of the corpus, which the program has put there."""
    if project.session is None:
        return False
    info = project.session.corpus
    texts = (info.request.text, info.beginning)
    return any(text is not None and text.startswith(typed) for text in texts)
