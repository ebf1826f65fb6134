"""The corpus panel: empty and open; pasting, samples and what it says about a corpus."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from bpe_studio.files.samples import list_samples
from bpe_studio.gui.corpus.panel import CorpusPanel
from bpe_studio.gui.corpus.words import WordsView
from bpe_studio.workspace.excerpt import corpus_excerpt, pieces_of, shortened
from bpe_studio.workspace.state import State
from tests.files.third_party.made import content_of


@pytest.fixture
def panel(qtbot, workspace):
    panel = CorpusPanel(workspace)
    qtbot.addWidget(panel)
    panel.show()
    return panel


@pytest.fixture
def words(qtbot, workspace):
    words = WordsView(workspace)
    qtbot.addWidget(words)
    words.show()
    return words


def wait_ready(qtbot, workspace):
    qtbot.waitUntil(lambda: workspace.state is State.ready)


def test_while_nothing_is_open_there_are_no_facts_and_no_words(panel, words):
    assert not panel.facts.isVisible()
    assert not words.isEnabled()


def test_the_facts_are_those_of_the_text(qtbot, panel, words, workspace):
    workspace.opener.open_text("a rose is a rose", "Pasted text")
    wait_ready(qtbot, workspace)
    assert panel.facts.name.text() == "Pasted text"
    assert panel.facts.numbers["n_words"].text() == "5"
    assert panel.facts.numbers["n_distinct"].text() == "4", (
        "' a' twice, ' rose' twice, 'a' and ' is' once"
    )
    assert panel.facts.numbers["characters"].text() == "16"
    assert words.isEnabled()


def test_the_tips_of_the_facts_have_the_sizes_of_a_held_out_part(qtbot, panel, workspace):
    workspace.opener.open_text("a rose is a rose\n" * 400, "Pasted text")
    wait_ready(qtbot, workspace)
    assert "Held-out part" not in panel.facts.numbers["characters"].toolTip()
    workspace.settings.hold_out(0.5)
    qtbot.waitUntil(lambda: workspace.corpus.held_out is not None)
    wait_ready(qtbot, workspace)
    n = workspace.corpus.held_out.n_characters
    tip = panel.facts.numbers["characters"].toolTip()
    assert tip.endswith(f"Held-out part: {n:,}")
    assert "Held-out part" not in panel.facts.numbers["encoding"].toolTip()


def test_every_sample_is_in_the_menu_and_opens(qtbot, panel, workspace):
    actions = panel.samples.menu().actions()
    assert [action.data() for action in actions] == [sample.id for sample in list_samples()]
    for action in actions:
        action.trigger()
        qtbot.waitUntil(lambda: workspace.state is State.ready)
        assert panel.facts.name.text() == action.text()
        assert not panel.facts.notices.isVisible(), "samples are clean UTF-8"


def test_the_panel_says_which_files_give_no_shares(qtbot, panel, workspace, tmp_path):
    paths = [tmp_path / f"{number}.txt" for number in range(101)]
    for path in paths:
        path.write_text("low lower\n")
    workspace.opener.open_files(paths)
    wait_ready(qtbot, workspace)
    assert not workspace.corpus.corpus.sources
    assert "100 files" in panel.facts.sources.text()
    workspace.opener.open_files(paths[1:])
    qtbot.waitUntil(lambda: len(workspace.corpus.corpus.sources) == 100)
    assert not panel.facts.sources.isVisible()


def test_excerpts_end_at_a_border(qtbot, workspace, tmp_path):
    assert corpus_excerpt(None) == ""
    assert shortened("one two three", 9) == "one two"
    assert shortened("short", 9) == "short"
    assert shortened("x" * 20, 9) == "x" * 9
    assert pieces_of("one two three\n\nfour", 9) == ["one two", "three", "four"]
    path = tmp_path / "a.txt"
    path.write_text("hello there\n" * 100, encoding="utf-8")
    workspace.opener.open_files([path])
    wait_ready(qtbot, workspace)
    assert corpus_excerpt(workspace.corpus, 30) == "hello there\nhello there"
    path.unlink()
    assert corpus_excerpt(workspace.corpus, 30) == "hello there\nhello there", (
        "as it was read, and nothing is read again"
    )


@pytest.mark.parametrize("is_same", [True, False])
def test_a_line_says_where_transformers_gives_other_ids(
    qtbot, panel, workspace, tmp_path, monkeypatch, is_same
):
    (tmp_path / "tokenizer.json").write_text(content_of("qwen"), "utf-8")
    said = "Transformers gives other ids, for example 7 for 'a'"
    asked = []
    told = []
    panel.said_of_tokenizer.connect(told.append)

    def compared(tokenizer, folder):
        asked.append(folder)
        return is_same, said

    monkeypatch.setattr(
        "bpe_studio.files.third_party.folders.transformers.compared_with_transformers", compared
    )
    workspace.opener.open_files([str(tmp_path)])
    qtbot.waitUntil(lambda: said in panel.transformers.text())
    assert asked == [str(tmp_path)]
    assert panel.transformers.isVisible() == (not is_same)
    assert (said in told[-1]) == (not is_same)
    workspace.opener.open_text("a rose", "Pasted text")
    wait_ready(qtbot, workspace)
    assert not panel.transformers.isVisible() and told[-1] == ""


@pytest.fixture
def two_files(qtbot, workspace, tmp_path):
    for name in ("a.txt", "b[1].txt"):
        (tmp_path / name).write_text("low lower\n" * 4)
    workspace.opener.open_files([tmp_path / "a.txt", tmp_path / "b[1].txt"])
    wait_ready(qtbot, workspace)


def test_a_weight_in_the_list_of_files_starts_a_run_with_it(qtbot, panel, workspace, two_files):
    files = panel.facts.files
    assert [each.text() for each in files.weights] == ["1", "1"] and files.isVisible()
    assert files.weights[1].accessibleName() == "Weight of b[1].txt"
    size = workspace.corpus.corpus.size_bytes
    steps = []
    workspace.undo_step_added.connect(steps.append)
    files.weights[1].selectAll()
    qtbot.keyClicks(files.weights[1], "3")
    with qtbot.waitSignal(workspace.corpus_changed):
        qtbot.keyClick(files.weights[1], Qt.Key.Key_Return)
    assert workspace.corpus.corpus.size_bytes == 2 * size
    assert [each.text() for each in files.weights] == ["1", "3"]
    with qtbot.waitSignal(workspace.corpus_changed):
        steps[0].undo()
    assert [each.text() for each in files.weights] == ["1", "1"]


def test_no_weight_says_so_and_changes_nothing(qtbot, panel, workspace, two_files):
    config = workspace.config
    qtbot.keyClicks(panel.facts.files.weights[0], "/0")
    qtbot.keyClick(panel.facts.files.weights[0], Qt.Key.Key_Return)
    assert "above 0" in panel.weight_error.text() and panel.weight_error.isVisible()
    assert workspace.config == config
