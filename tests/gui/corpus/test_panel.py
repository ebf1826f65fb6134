"""The corpus panel: empty and open; pasting, samples and what it says about a corpus."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import json

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QLabel, QLineEdit, QScrollArea

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.files.samples import list_samples, resources_folder
from bpe_studio.gui.corpus.panel import CorpusPanel
from bpe_studio.gui.corpus.words import WordsView
from bpe_studio.workspace.excerpt import corpus_excerpt, pieces_of, shortened
from bpe_studio.workspace.state import OpeningRequest, State

# The offscreen platform says this whenever a window is shown.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")


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


def test_the_names_of_the_contract(panel, words):
    for name in ("corpus.open", "corpus.paste", "corpus.samples"):
        button = panel.findChild(QAbstractButton, name)
        assert button.accessibleName()
        assert button.isEnabled()
    assert words.findChild(QAbstractItemView, "corpus.words") is not None
    assert words.findChild(QLineEdit, "corpus.filter") is not None


def test_while_nothing_is_open_there_are_no_facts_and_no_words(panel, words):
    assert not panel.facts.isVisible()
    assert not words.isEnabled()


def test_open_asks_the_window(qtbot, panel):
    with qtbot.waitSignal(panel.open_requested):
        panel.open.click()


def test_pasting_opens_the_clipboard(qtbot, panel, words, workspace):
    QGuiApplication.clipboard().setText("a rose is a rose")
    panel.paste.click()
    wait_ready(qtbot, workspace)
    assert panel.facts.name.text() == "Pasted text"
    assert panel.facts.numbers["n_words"].text() == "5"
    assert panel.facts.numbers["n_distinct"].text() == "4", "' a' twice, ' rose' twice, 'a' and ' is' once"
    assert panel.facts.numbers["characters"].text() == "16"
    assert words.isEnabled()


def test_an_empty_clipboard_is_said(panel, workspace):
    QGuiApplication.clipboard().clear()
    panel.paste.click()
    assert "clipboard" in panel.message.text()
    assert panel.message.isVisible()
    assert workspace.state is State.empty


def test_every_sample_is_in_the_menu_and_opens(qtbot, panel, workspace):
    actions = panel.samples.menu().actions()
    assert [action.data() for action in actions] == [sample.id for sample in list_samples()]
    for action in actions:
        action.trigger()
        qtbot.waitUntil(lambda: workspace.state is State.ready)
        assert panel.facts.name.text() == action.text()
        assert not panel.facts.notices.isVisible(), "samples are clean UTF-8"


def test_several_files_are_listed_with_their_encodings(qtbot, panel, workspace, tmp_path):
    (tmp_path / "one.txt").write_text("one two", encoding="utf-8")
    (tmp_path / "two.txt").write_bytes(b"\xff\xfe" + "drei".encode("utf-16-le"))
    workspace.opener.open_files([tmp_path / "one.txt", tmp_path / "two.txt"])
    wait_ready(qtbot, workspace)
    assert "one.txt (UTF-8" in panel.facts.sources.text()
    assert "two.txt (UTF-16" in panel.facts.sources.text()
    assert panel.facts.numbers["encoding"].text() == "several"
    assert panel.facts.sources.isVisible()


def test_notices_are_shown(qtbot, panel, workspace, tmp_path):
    (tmp_path / "stray.txt").write_bytes("größer ".encode() * 50 + b"\xff\xfe\xfa" + b" tor" * 50)
    workspace.opener.open_files([tmp_path / "stray.txt"])
    wait_ready(qtbot, workspace)
    assert panel.facts.notices.isVisible() == bool(workspace.corpus.notices)


def test_what_was_set_aside_is_said_and_is_no_warning(qtbot, panel, workspace):
    workspace.opener.open_text("\n".join(f"the {n} rivers" for n in range(200)), "rivers")
    wait_ready(qtbot, workspace)
    assert not panel.facts.held_out.isVisible()
    workspace.settings.hold_out(0.1)
    qtbot.waitUntil(lambda: workspace.corpus.held_out is not None and workspace.state is State.ready)
    assert panel.facts.held_out.isVisible() and "held out" in panel.facts.held_out.text()
    assert panel.facts.held_out.role == "help" and not panel.facts.notices.isVisible()
    rest, held = workspace.corpus.corpus, workspace.corpus.held_out
    whole = len("\n".join(f"the {n} rivers" for n in range(200)))
    assert rest.size_bytes + held.n_bytes == whole
    assert panel.facts.numbers["size"].text() == f"{rest.size_bytes / 1000:.1f} of {whole / 1000:.1f} kB"
    tip = panel.facts.numbers["n_words"].toolTip()
    assert f"the held-out part has {held.corpus.n_words:,}" in tip
    workspace.settings.hold_out(0)
    qtbot.waitUntil(lambda: workspace.corpus.held_out is None and workspace.state is State.ready)
    assert panel.facts.numbers["size"].text() == f"{whole / 1000:.1f} kB"
    assert "held-out" not in panel.facts.numbers["n_words"].toolTip()


def test_a_failure_leaves_what_was_open(qtbot, panel, workspace, tmp_path):
    workspace.opener.open_text("a b", "before")
    wait_ready(qtbot, workspace)
    workspace.opener.open_files([tmp_path / "gone.txt"])
    qtbot.waitUntil(lambda: workspace.state is State.failed)
    assert panel.facts.name.text() == "before"


def test_the_list_of_samples_is_whole():
    folder = resources_folder() / "samples"
    entries = json.loads((folder / "samples.json").read_text(encoding="utf-8"))
    assert all(set(entry) - {"preset"} == {"id", "title", "file", "about", "script"} for entry in entries)
    for entry in entries:
        text = (folder / entry["file"]).read_text(encoding="utf-8")
        assert text.strip() and "\r" not in text
    words = (folder / "hug_pug.txt").read_text().split()
    assert {word: words.count(word) for word in words} == {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


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


def test_words_given_with_their_counts_have_no_size_or_encoding(qtbot, panel, workspace):
    workspace.opener.open_with(
        OpeningRequest("Words", counts=(("hug", 10), ("pug", 5))), TrainingConfig.preset("textbook")
    )
    wait_ready(qtbot, workspace)
    numbers = panel.facts.numbers
    for key in ("size", "encoding", "documents", "characters"):
        assert not numbers[key].isVisible()
    assert numbers["n_words"].isVisible() and numbers["n_words"].text() == "15"
    assert numbers["n_distinct"].text() == "2"
    assert "counts" in panel.facts.sources.text() and panel.facts.sources.isVisible()
    workspace.opener.open_text("a rose", "Pasted text")
    qtbot.waitUntil(lambda: numbers["size"].isVisible())
    assert numbers["size"].text() == "6 bytes" and not panel.facts.sources.isVisible()


def test_a_name_longer_than_the_panel_ends_in_dots(qtbot, panel, workspace):
    workspace.opener.open_text("a rose", "A name that is longer than any panel would ever have the room for")
    wait_ready(qtbot, workspace)
    panel.resize(260, 500)
    name = panel.facts.name
    qtbot.waitUntil(lambda: name.shown.endswith("…"))
    assert "ever have the room for" in name.text() and "ever have the room for" in name.toolTip()
    panel.resize(1200, 500)
    qtbot.waitUntil(lambda: name.shown == name.text() and not name.toolTip())


def test_the_bar_of_a_low_panel_moves_no_numbers(qtbot, workspace, panel):
    """Else they would be higher beside the bar, and lower without it: it would come and go without end."""
    workspace.opener.open_text("a rose is a rose")
    wait_ready(qtbot, workspace)
    bar = panel.findChild(QScrollArea, "corpus.area").verticalScrollBar()
    first, second = panel.facts.numbers["size"], panel.facts.numbers["encoding"]
    panel.setMinimumWidth(1)

    def is_in_two_columns(width, height):
        panel.resize(width, height)
        QApplication.processEvents()
        return first.y() == second.y()

    least = next(width for width in range(120, 400) if is_in_two_columns(width, 800))
    assert not bar.isVisible() and not is_in_two_columns(least - 1, 800)
    assert is_in_two_columns(least, 100) and bar.isVisible()


@pytest.mark.parametrize(
    ("documents", "label", "tip"), [("line", "Lines", "Each line is cut"), ("file", "Documents", "Texts")]
)
def test_what_is_cut_by_itself_is_named_as_what_it_is(qtbot, workspace, panel, documents, label, tip):
    workspace.set_config(TrainingConfig.preset("gpt2", documents=documents))
    workspace.opener.open_text("one line\nanother\na third", "a text")
    wait_ready(qtbot, workspace)
    number = panel.facts.numbers["documents"]
    texts = [each.text() for each in panel.facts.findChildren(QLabel)]
    assert number.text() == ("3" if documents == "line" else "1")
    assert label in texts and number.accessibleName() == label and number.toolTip().startswith(tip)


def test_each_notice_begins_with_its_sign(panel):
    panel.facts.notices.set_message("a.txt is empty.\nb.txt is not UTF-8.")
    assert panel.facts.notices.text() == "⚠ a.txt is empty.\n⚠ b.txt is not UTF-8."
