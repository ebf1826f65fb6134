"""The page Difference: how two of all that is compared differ, with the real engine."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from bpe_studio import Corpus, TrainingConfig, train
from bpe_studio.engine.analysis.divergence import explain_divergence
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.gui.actions_on.targets import content_of
from bpe_studio.gui.compare import difference_page
from bpe_studio.gui.compare.difference_page import CutWordsModel
from bpe_studio.gui.compare.own_tokens import OwnTokensModel
from bpe_studio.gui.compare.panel import ComparePanel
from bpe_studio.workspace.session import ROOT
from bpe_studio.workspace.state import State
from tests.facts import says

TEXT = (
    "the theme then other thin thing with this that these those low lower newest widest سلام دنیا "
    "سلام\n" * 12
)
OTHER = "rivers run to the sea, and the seas run over the rivers; سلام به دنیا 你好世界 naïve\n" * 9
GPT2 = TrainingConfig.preset("gpt2", merges=40)


@pytest.fixture
def workspace(trained_workspace):
    return trained_workspace(TEXT, GPT2)


@pytest.fixture
def panel(compare_panel, workspace):
    return compare_panel(workspace)


@pytest.fixture
def page(panel):
    return panel.difference


def settle(qtbot, page):
    """Wait until the panel has taken what is compared, and the page has compared it."""
    panel = page
    while not isinstance(panel, ComparePanel):
        panel = panel.parentWidget()
    qtbot.waitUntil(lambda: not panel.is_refresh_pending and page.is_up_to_date)


def learn(qtbot, page, workspace, config, name=""):
    n = len(workspace.runs.entries)
    workspace.side_runs.train(config, name)
    qtbot.waitUntil(
        lambda: len(workspace.runs.entries) > n and workspace.state is not State.loading
    )
    settle(qtbot, page)
    return workspace.runs.entries[-1]


def branch_off(qtbot, page, workspace, step, left, right, name):
    n = len(workspace.runs.entries)
    workspace.runs.branch_off(Override(step, OverrideKind.force, left, right), name)
    qtbot.waitUntil(
        lambda: len(workspace.runs.entries) > n and workspace.state is not State.loading
    )
    settle(qtbot, page)


def test_a_run_that_is_compared_as_a_whole_has_no_other_size_in_its_chip(
    qtbot, workspace, panel, page
):
    branch_off(qtbot, page, workspace, 2, "d", "e", "de first")
    (vocabulary,) = (row for row in page.facts.model.rows if row.name == "vocabulary")
    chips = {item.letter: item.text for item in panel.list.items}
    assert chips["A"] == workspace.runs.shown.name, "its step has another size than the run"
    assert vocabulary.a == vocabulary.b == f"{workspace.run.vocab_size_at(workspace.n_merges):,}"
    panel.show_page("Numbers")
    qtbot.waitUntil(
        lambda: "Current step" in {item.letter: item.text for item in panel.list.items}["A"]
    )


@pytest.fixture
def forked(qtbot, workspace, page):
    branch_off(qtbot, page, workspace, 2, "d", "e", "de first")
    return page


@pytest.fixture
def entry(qtbot, workspace, page, tmp_path):
    config = TrainingConfig.preset("gpt2", merges=50)
    train(Corpus.from_text(OTHER, config), config).tokenizer().save(tmp_path / "theirs")
    workspace.tokenizers.add([tmp_path / "theirs"])
    qtbot.waitUntil(
        lambda: [each.corpus_counts is not None for each in workspace.tokenizers.entries] == [True]
    )
    settle(qtbot, page)
    return workspace.tokenizers.entries[0]


def names(page):
    """The names of A and B."""
    return tuple(side.name for side in page.shown.sides)


def facts(page):
    """The values of A and B by their names."""
    model = page.facts.model
    rows = [[model.text(row, column) for column in range(3)] for row in range(model.rowCount())]
    return {name: (a, b) for name, a, b in rows}


def choose(qtbot, panel, a, b):
    panel.choose(a, b)
    qtbot.waitUntil(lambda: panel.difference.is_up_to_date)


def test_the_shown_branch_is_compared_with_the_one_it_came_from(forked, workspace):
    difference = forked.shown
    assert names(forked) == ("", "Main run"), "A is the run of the window"
    sizes = {side.vocab_size for side in difference.sides}
    assert len(sizes) == 1
    contents = [
        {side.content(token) for token in side.tokens().tolist()} for side in difference.sides
    ]
    for side, own, mine, other in zip(
        difference.sides, difference.own, contents, contents[::-1], strict=True
    ):
        assert {side.content(token) for token in own.tokens.tolist()} == mine - other
        counts = side.counts()
        assert own.uses.tolist() == sorted(
            (int(counts[token]) for token in own.tokens), reverse=True
        )
    assert says(forked.facts.first.text(), "merge 3")
    tokens = [f"{side.run.n_tokens_at(side.step):,}" for side in difference.sides]
    shown = facts(forked)
    assert shown["merge 3"][0] == "d + e" and shown["corpus tokens"] == tuple(tokens)
    assert says(forked.why.headline.text(), "override")
    assert shown["Overrides"] == ("force d + e from step 2", "–")
    assert f"{100 * difference.found.overlap[-1]:.1f}" in forked.curve.accessibleDescription()


def test_the_facts_are_shown_on_request_below_the_evidence(forked):
    assert forked.curve.isVisible() and forked.own[0].isVisible()
    assert not forked.facts.table.isVisible()
    forked.more.click()
    assert forked.facts.table.isVisible() and forked.curve.isVisible()


def test_the_tables_of_tokens_are_sound(forked, qtmodeltester):
    view = forked.own[0]
    qtmodeltester.check(view.model)
    side = forked.shown.sides[0]
    row = view.model.rowCount() - 1
    rank = side.run.rank_of(view.model.token(row))
    assert view.model.text(row, OwnTokensModel.MERGE) == f"{rank + 1:,}"
    assert view.model.text(row, OwnTokensModel.CREATED) == f"{side.run.merges[rank].count:,}"


def test_the_first_merge_that_differs_is_gone_to_and_selected(forked, workspace, qtbot):
    QTest.mouseClick(forked.facts.first, Qt.MouseButton.LeftButton)
    assert workspace.step == 3
    assert workspace.selection.current.token == workspace.run.token_of(2)
    settle(qtbot, forked)
    assert says(forked.facts.first.text(), "merge 3"), "the whole run is compared"


def test_a_size_of_the_open_run_is_compared_with_another_run_where_both_are_as_large(
    panel, forked, workspace, qtbot
):
    workspace.runs.show(ROOT)
    workspace.set_compared_steps([1, 20])
    choose(qtbot, panel, "size 2", "run 1")
    assert [side.step for side in forked.shown.sides] == [20, 20]
    forked.same_size.setChecked(False)
    settle(qtbot, forked)
    assert [side.step for side in forked.shown.sides] == [
        20,
        workspace.runs.entries[1].position.n_merges,
    ]
    choose(qtbot, panel, "size 2", "run 0")
    assert not forked.facts.first.isVisible() and not len(forked.shown.own[0].tokens), (
        "one run at two sizes"
    )
    assert len(forked.shown.own[1].tokens) == workspace.n_merges - 20
    assert not forked.same_size.isVisible()


def test_runs_with_other_alphabets_are_compared_at_the_same_vocabulary_size(page, workspace, qtbot):
    beside = learn(
        qtbot, page, workspace, GPT2.replace(units="characters", full_alphabet=False), "characters"
    )
    page.same_size.setChecked(True)
    sizes = [side.vocab_size for side in page.shown.sides]
    ends = [workspace.run.vocab_size_at(40), beside.run.vocab_size_at(beside.position.n_merges)]
    is_ever_equal = min(ends) >= max(workspace.run.vocab_size_at(0), beside.run.vocab_size_at(0))
    assert sizes == ([min(ends)] * 2 if is_ever_equal else ends)


def test_what_differs_in_the_settings_is_listed(page, workspace, qtbot):
    learn(qtbot, page, workspace, GPT2.replace(split="cl100k", ties="raw-ids"))
    assert (facts(page)["Split"], facts(page)["Ties"]) == (
        ("GPT-2", "GPT-4 (cl100k)"),
        ("smallest ids (Hugging Face)", "smallest ids by byte (rustbpe)"),
    )


def test_another_split_is_told_with_words_that_show_it(page, workspace, qtbot):
    learn(qtbot, page, workspace, GPT2.replace(split="none"))
    why, (a, b) = page.why, page.shown.sides
    found = explain_divergence(a.run, b.run, page.shown.found)
    assert says(why.headline.text(), "split")
    assert "split GPT-2 in A, no split in B" in why.sentences.text()
    assert why.words.isVisible() and why.model.rowCount() == len(found.words)
    for column, run, cuts in ((CutWordsModel.A, a.run, "cut_a"), (CutWordsModel.B, b.run, "cut_b")):
        for row, word in enumerate(found.words):
            assert why.model.text(row, CutWordsModel.IN_A) == str(word.times_a)
            thing = why.words.target_of(why.model.index(row, column), None)
            names = [name for names in getattr(word, cuts) for name in names]
            assert thing.run is run and [run.token_name(token) for token in thing.tokens] == names
            assert content_of(thing).decode() == word.text, "its context menu is of the word"


def test_the_tokens_of_a_tokenizer_are_compared_with_those_of_the_run(
    qtbot, page, workspace, entry
):
    run = workspace.run
    tokenizer = entry.tokenizer
    mine = {run.token_content(token) for token in run.ids_at(workspace.n_merges)}
    special = set(tokenizer.special_ids.values())
    theirs = {tokenizer.content(token): token for token in tokenizer.tokens if token not in special}
    assert names(page) == ("", "theirs")
    own = page.shown.own
    assert {run.token_content(token) for token in own[0].tokens.tolist()} == mine - set(theirs)
    assert set(own[1].tokens.tolist()) == {theirs[content] for content in set(theirs) - mine}
    assert own[1].uses.tolist() == sorted(
        (int(entry.corpus_counts[t]) for t in own[1].tokens.tolist()), reverse=True
    )
    view = page.own[1]
    assert view.model.text(
        0, OwnTokensModel.MERGE
    ) == "–" and f"id {view.model.token(0)}" in view.model.tip(0, 0)
    assert view.heading.text() == f"Only in B: {len(own[1].tokens)} of {len(theirs)}"
    assert len(view.model.plain_rows(0, view.model.rowCount(), None)) == view.model.rowCount()
    assert not page.curve.isVisible() and not page.facts.first.isVisible(), (
        "there are no merges to compare"
    )
    assert facts(page)["corpus tokens"][1] == f"{int(entry.corpus_counts.sum()):,}"
    workspace.tokenizers.remove(entry.number)
    qtbot.waitUntil(lambda: page.is_up_to_date and names(page) == ("", ""))


def test_it_is_compared_in_the_pool_and_what_fails_is_told(
    panel, forked, workspace, qtbot, monkeypatch
):
    threads = []
    compare = difference_page.compare

    def fail(*_):
        threads.append(threading.get_ident())
        raise ValueError("by the test")

    monkeypatch.setattr(difference_page, "compare", fail)
    panel.choose("run 0", "run 1")
    qtbot.waitUntil(lambda: forked.note.role == "error")
    assert "could not be compared" in forked.note.text() and threading.get_ident() not in threads
    assert forked.shown is None, "the difference of others would be taken for this one"
    monkeypatch.setattr(difference_page, "compare", compare)
    panel.choose("run 1", "run 0")
    settle(qtbot, forked)
    assert not forked.note.isVisible() and forked.facts.first.isVisible()


def test_while_another_pair_is_compared_the_last_one_is_not_shown_as_if_it_were_it(
    panel, forked, qtbot, monkeypatch
):
    goes_on = threading.Event()
    compare = difference_page.compare

    def compare_later(a, b):
        goes_on.wait()
        return compare(a, b)

    monkeypatch.setattr(difference_page, "compare", compare_later)
    panel.choose("run 0", "run 1")
    try:
        qtbot.waitUntil(lambda: "Comparing" in forked.note.text())
        assert forked.shown is None and forked.note.isVisible()
    finally:
        goes_on.set()
    settle(qtbot, forked)
    assert not forked.note.isVisible()
