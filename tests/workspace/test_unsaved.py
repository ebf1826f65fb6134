"""The rule that says what of an open project is unsaved work.

Without Qt, on stand-ins for the records.
"""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from bpe_studio.workspace.unsaved import MOMENT_S, NOTHING, SavedWork, UnsavedWork

TEXT = "the cat sat on the mat"


class Run:
    """A run with the time that it was trained."""

    def __init__(self, seconds=0.0, n_seed=0):
        self.seconds = seconds
        self.n_seed = n_seed


class Document:
    """A studio document, by its identity."""


def entry(run, n_merges, number=0, parent=None, name="", has_words=True):
    is_side_run = parent is None and number != 0
    return SimpleNamespace(
        run=run,
        number=number,
        parent=parent,
        name=name or f"run {number}",
        is_side_run=is_side_run,
        position=SimpleNamespace(n_merges=n_merges),
        corpus=SimpleNamespace(has_words=has_words),
    )


def project(*entries, marks=(), breakpoints=(), typed="", document=None, text=TEXT):
    request = SimpleNamespace(text=text, stored=None)
    corpus = SimpleNamespace(request=request, beginning="")
    session = SimpleNamespace(entries=entries, bookmarks=marks, corpus=corpus) if entries else None
    return SimpleNamespace(
        session=session, breakpoints=breakpoints, typed_text=typed, document=document
    )


def trained_s(run):
    return run.seconds


def unsaved(saved, *entries, **others):
    return saved.unsaved(project(*entries, **others), trained_s)


def test_nothing_open_is_nothing_to_lose():
    assert unsaved(SavedWork()) == NOTHING and not NOTHING and NOTHING.in_words() == ""


@pytest.mark.parametrize(("seconds", "n_lost"), [(0.0, 0), (MOMENT_S, 0), (MOMENT_S + 1, 500)])
def test_a_run_counts_if_it_took_more_than_a_moment(seconds, n_lost):
    assert unsaved(SavedWork(), entry(Run(seconds), 500)).n_merges == n_lost


def test_branches_and_comparison_runs_always_count_for_they_were_asked_for():
    entries = (
        entry(Run(), 500),
        entry(Run(), 500, 1, 0),
        entry(Run(), 500, 2, 1),
        entry(Run(), 500, 3),
    )
    assert unsaved(SavedWork(), *entries) == UnsavedWork(n_branches=2, n_side_runs=1)


def test_a_run_that_extends_a_tokenizer_counts_and_an_opened_tokenizer_does_not():
    assert unsaved(SavedWork(), entry(Run(n_seed=400), 500)) == UnsavedWork(n_merges=500)
    assert unsaved(SavedWork(), entry(Run(n_seed=400), 400, has_words=False)) == NOTHING


def test_a_tokenizer_that_was_changed_in_its_own_file_counts_until_it_is_saved():
    saved = SavedWork()
    opened = entry(Run(n_seed=400), 400, has_words=False)
    saved.ask_for([opened])
    assert unsaved(saved, opened) == UnsavedWork(has_tokenizer=True)
    assert (
        unsaved(saved, opened, typed="mine").in_words()
        == "the changed tokenizer and the typed text"
    )
    saved.remember_runs([opened], trained_s)
    assert unsaved(saved, opened) == NOTHING


def test_marks_count():
    assert unsaved(SavedWork(), entry(Run(), 5), marks=("a", "b"), breakpoints=("c",)).n_marks == 3


@pytest.mark.parametrize(
    ("typed", "counts"),
    [("hello", True), ("", False), (" \n", False), (TEXT, False), (TEXT[:7], False)],
)
def test_typed_text_counts_unless_it_is_the_beginning_of_the_corpus(typed, counts):
    assert unsaved(SavedWork(), entry(Run(), 5), typed=typed).has_typed_text is counts


def test_what_was_saved_is_not_unsaved_any_more_and_what_came_since_is():
    saved = SavedWork()
    document = Document()
    run = Run(60.0)
    branch = Run()
    entries = [entry(run, 500), entry(branch, 500, 1, 0)]
    everything = {"marks": ("a",), "breakpoints": ("b",), "typed": "hello", "document": document}
    assert unsaved(saved, *entries, **everything) == UnsavedWork(500, 1, 0, 2, True)
    saved.remember(project(*entries, **everything), trained_s)
    assert unsaved(saved, *entries, **everything) == NOTHING
    run.seconds += MOMENT_S + 1
    more = [entry(run, 800), entries[1], entry(Run(), 800, 2, 0)]
    assert unsaved(saved, *more, **{**everything, "marks": ("a", "z")}) == UnsavedWork(800, 1, 0, 1)
    # A few merges more are trained in a moment again.
    run.seconds = 60.5
    assert unsaved(saved, entry(run, 501), entries[1], **everything) == NOTHING


@pytest.mark.parametrize("change", ["renamed", "removed", "mark", "text"])
def test_in_a_document_what_was_renamed_or_removed_counts_too(change):
    saved = SavedWork()
    document = Document()
    root = entry(Run(), 5)
    branch = entry(Run(), 5, 1, 0, "mine")
    everything = {"marks": ("a",), "typed": "hello", "document": document}
    saved.remember(project(root, branch, **everything), trained_s)
    entries = {
        "renamed": [root, SimpleNamespace(**{**vars(branch), "name": "other"})],
        "removed": [root],
    }
    others = {"mark": {"marks": ()}, "text": {"typed": ""}}
    found = unsaved(
        saved, *entries.get(change, [root, branch]), **{**everything, **others.get(change, {})}
    )
    assert found == UnsavedWork(has_other_changes=True)
    assert found.in_words() == "changes to the document"


def test_a_text_that_is_opened_after_saving_does_not_ask_for_the_saved_text_again():
    saved = SavedWork()
    saved.remember(project(entry(Run(), 5), typed="hello", document=Document()), trained_s)
    assert unsaved(saved, entry(Run(), 0), typed="hello") == NOTHING
    assert unsaved(saved, entry(Run(), 0), typed="hello you").has_typed_text


def test_runs_that_a_lesson_made_are_none_of_the_persons():
    saved = SavedWork()
    entries = [entry(Run(9.0), 5), entry(Run(), 5, 1, 0)]
    saved.remember_runs(entries, trained_s)
    assert unsaved(saved, *entries) == NOTHING


@pytest.mark.parametrize(
    ("work", "words"),
    [
        (UnsavedWork(1204), "a run of 1,204 merges"),
        (UnsavedWork(1, 1, 1, 1), "a run of 1 merge, 1 branch, 1 comparison run and 1 mark"),
        (
            UnsavedWork(n_branches=2, has_other_changes=True),
            "2 branches and other changes to the document",
        ),
    ],
)
def test_the_words(work, words):
    assert work.in_words() == words
