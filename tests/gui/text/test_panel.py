"""The typed text's panel: it follows the step, counts, shows ids, tells of tokens, and keeps what
was typed.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QLabel

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.training.trainer import train
from bpe_studio.explain.token_facts import details_text, token_facts
from bpe_studio.explain.wording import times
from bpe_studio.gui.look import theme
from bpe_studio.gui.text.layer import Layer
from bpe_studio.gui.text.panel import MOST_IDS, TextPanel
from bpe_studio.gui.tokens.tooltip import tip_html
from bpe_studio.workspace.state import CorpusInfo, OpeningRequest, State
from bpe_studio.workspace.workspace import Workspace
from tests.gui.stage import put_run

TEXT = "low low lower newest"


class Stage(Workspace):
    """A workspace whose values the test sets."""

    def __init__(self) -> None:
        super().__init__(config=TrainingConfig.preset("gpt2"))

    def open(self, run, step=0):
        request = OpeningRequest("words", text=TEXT)
        info = CorpusInfo("words", run.corpus, (), (), request)
        put_run(self, run, len(run.merges), step, info)
        self.corpus_changed.emit()
        self.run_changed.emit()

    def go_to(self, step):
        self.set_step(step)


def run_of(text=TEXT, preset="gpt2", **options):
    config = TrainingConfig.preset(preset, **({"merges": 12, "min_frequency": 1} | options))
    return train(Corpus.from_text(text, config), config)


@pytest.fixture
def stage(qtbot, qapp):
    theme.apply(qapp, "light")
    return Stage()


@pytest.fixture
def panel(shown, stage):
    return shown(TextPanel(stage), 600, 520)


def hover(widget, place):
    view = widget.viewport()
    none = Qt.MouseButton.NoButton
    spot = QPointF(place)
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        spot,
        QPointF(view.mapToGlobal(place)),
        none,
        none,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(view, event)


def put_cursor(panel, point):
    cursor = panel.editor.textCursor()
    cursor.setPosition(point)
    panel.editor.setTextCursor(cursor)


def test_before_a_run_the_editor_is_plain_and_invites(panel):
    assert panel.editor.placeholderText()
    assert panel.editor.live is None
    panel.editor.set_text("typed early")
    panel.refresh()
    assert "11 characters" in panel.counts.accessibleDescription()
    assert "token" not in panel.counts.accessibleDescription()
    assert panel.ids.toPlainText() == ""
    assert not panel.copy.isEnabled() and not panel.excerpt.isEnabled()
    assert not panel.notice.isVisible()


def test_the_text_follows_each_step_in_a_frame(panel, stage, qtbot):
    run = run_of()
    panel.editor.set_text(TEXT)
    stage.open(run, 0)
    for step in (1, 5, 9, len(run.merges), 3):
        stage.go_to(step)
        expected = " ".join(map(str, run.tokenizer(step).encode(TEXT).ids))
        qtbot.waitUntil(lambda wanted=expected: panel.ids.toPlainText() == wanted)
        assert panel.editor.step == step


def test_ids_are_those_of_the_tokenizer_for_any_preset(panel, stage):
    for preset in ("textbook", "gpt2", "sennrich", "sentencepiece"):
        run = run_of(preset=preset, merges=6)
        panel.editor.set_text("low newest")
        for step in (0, 3, len(run.merges)):
            stage.open(run, step)
            assert panel.ids.toPlainText() == " ".join(
                map(str, run.tokenizer(step).encode("low newest").ids)
            )


def test_a_long_text_shows_its_first_ids_and_says_so(panel, stage):
    run = run_of()
    stage.open(run, 0)
    panel.editor.set_text("x" * (MOST_IDS + 700))
    panel.refresh()
    assert len(panel.ids.toPlainText().split()) == MOST_IDS
    assert f"first {MOST_IDS} of 1,200" in panel.ids_heading.text()
    panel.copy.click()
    assert len(QGuiApplication.clipboard().text().split()) == MOST_IDS + 700


def test_ids_and_bytes_are_a_layer_below_the_tokens(panel, stage):
    run = run_of()
    panel.editor.set_text("low lower\nlow newest")
    stage.open(run, len(run.merges))
    editor = panel.editor
    put_cursor(panel, len("low lower\nlow newest") - 1)
    last = panel.editor.cursor_token()
    before = editor.token_rects(last)[0]
    panel.layer.click()
    QApplication.processEvents()
    rect = editor.token_rects(last)[0]
    assert rect.top() > before.top(), "there is room for the ids of the first line"
    assert editor.token_at(rect.center()) == last
    assert editor.label_of(last.id, Layer.ids) == panel.ids.toPlainText().split()[-1]
    panel.layer.click()
    assert editor.layer is Layer.bytes and editor.label_of(last.id, Layer.bytes).endswith("74")
    panel.grab()
    panel.layer.click()
    QApplication.processEvents()
    assert editor.token_rects(last)[0] == before


def test_the_token_under_the_mouse_is_told(panel, stage):
    run = run_of()
    panel.editor.set_text("low lower")
    stage.open(run, len(run.merges))
    QApplication.processEvents()
    put_cursor(panel, 5)
    hit = panel.editor.cursor_token()
    put_cursor(panel, 0)
    hover(panel.editor, panel.editor.token_rects(hit)[0].center())
    assert "Under the mouse" in panel.details.text()


def test_the_typed_text_becomes_the_corpus(panel, stage, monkeypatch):
    opened = []
    monkeypatch.setattr(stage.opener, "open_typed", opened.append)
    panel.use_as_corpus()
    assert not opened, "there is nothing to open"
    panel.editor.insertPlainText("hug pug")
    assert panel.as_corpus.isVisible()
    panel.as_corpus.click()
    assert opened == ["hug pug"]


def test_the_line_tells_of_the_token_at_the_cursor(panel, stage, qtbot):
    run = run_of()
    panel.editor.set_text("low lower")
    stage.open(run, len(run.merges))
    put_cursor(panel, 4)
    token = panel.editor.cursor_token().id
    info = run.token_info(token)
    said = panel.details.text()
    assert said.startswith("At the cursor: ␣low")
    assert f"id {run.external_id(token)}" in said
    assert info.content.hex(" ").upper() in said
    assert f"merge {info.rank + 1}" in said and times(info.birth_count) in said
    qtbot.waitUntil(lambda: f"{info.count_now} in the corpus now" in panel.details.text())
    stage.go_to(0)
    qtbot.waitUntil(lambda: "a symbol of the alphabet" in panel.details.text())


def test_the_tip_tells_how_a_token_came_about():
    run = run_of("ab<ab ab<ab سلام سلام", merges=20)
    token = run.find_token("ab")
    told = tip_html(token_facts(run, token, len(run.merges)))
    assert "<b>ab</b>" in told and "a + b" in told and "61 62" in told
    run = run_of("a<a<a<", "raw", merges=1)
    token = run.n_alphabet
    assert "&lt;" in tip_html(token_facts(run, token, 1))
    run = run_of("سلام", merges=1)
    symbol = token_facts(run, run.find_token("Ø"), 0, counts=False)
    assert symbol.name == "⟨D8⟩" and symbol.parts is None and symbol.count_now is None
    assert "a symbol of the alphabet" in details_text(symbol)
    assert "not in the alphabet" in tip_html(None)


def test_what_is_typed_is_kept_by_the_workspace(panel, stage, qtbot):
    panel.editor.insertPlainText("kept")
    assert stage.typed_text == "kept"
    stage.set_typed_text("from elsewhere")
    assert panel.editor.text() == "from elsewhere"
    other = TextPanel(stage)
    qtbot.addWidget(other)
    assert other.editor.text() == "from elsewhere"


@pytest.mark.parametrize("width", [250, 600])
def test_a_low_panel_keeps_room_for_the_text_and_what_is_below(panel, qtbot, width):
    panel.heading_items.hide()  # they stand in the head of its place
    below = QLabel("made")
    panel.add_below(below)
    panel.resize(width, 10)
    below.setText("made\nnext\nsave\nmore")

    def bottom(widget):
        return widget.mapTo(panel, widget.rect().bottomLeft()).y()

    def top(widget):
        return widget.mapTo(panel, widget.rect().topLeft()).y()

    def is_in_order():
        edges = [bottom(panel.editor), top(panel.counts), bottom(panel.counts), top(below)]
        return edges == sorted(edges) and bottom(below) <= panel.height()

    qtbot.waitUntil(is_in_order)


@pytest.fixture
def real(shown, workspace):
    """The panel of a workspace with an engine."""
    return shown(TextPanel(workspace), 700, 500)


def opened(qtbot, workspace, text):
    workspace.opener.open_text(text, "a text")
    qtbot.waitUntil(
        lambda: workspace.state is State.ready and workspace.corpus.request.text == text
    )


def test_until_something_is_typed_the_text_is_the_beginning_of_the_corpus(qtbot, real, workspace):
    opened(qtbot, workspace, "\n\nhug pug سلام 漢字 😀\nhugs")
    assert real.editor.text() == workspace.shown_text == "hug pug سلام 漢字 😀\nhugs"
    assert workspace.typed_text == "" and workspace.is_excerpt_shown
    assert "type to replace it" in real.whose.text()
    opened(qtbot, workspace, "word " * 1000)
    assert real.editor.text() == workspace.shown_text and len(workspace.shown_text) <= 600
    opened(qtbot, workspace, "first\r\nsecond\rthird")
    assert real.editor.text() == workspace.shown_text, "all that counts its characters agrees"
    opened(qtbot, workspace, "word " * 1000)
    assert workspace.shown_text.startswith("word word")


@pytest.mark.parametrize("way", ("key", "paste", "input method", "delete", "enter"))
def test_typing_replaces_the_beginning_of_the_corpus(qtbot, real, workspace, way):
    opened(qtbot, workspace, "hug pug")
    qtbot.mouseClick(real.editor.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(20, 12))
    typed = {"key": "x", "paste": "pasted", "input method": "漢", "delete": "", "enter": "\n"}[way]
    if way == "paste":
        QApplication.clipboard().setText(typed)
        real.editor.paste()
    elif way == "input method":
        event = QInputMethodEvent("", [])
        event.setCommitString(typed)
        QApplication.sendEvent(real.editor, event)
    else:
        key = {"key": Qt.Key.Key_X, "delete": Qt.Key.Key_Backspace, "enter": Qt.Key.Key_Return}[way]
        qtbot.keyClick(real.editor, key)
    assert real.editor.text() == workspace.typed_text == workspace.shown_text == typed
    assert real.whose.text() == "" and not workspace.is_excerpt_shown
    real.editor.undo()
    assert real.editor.text() == "hug pug" or way == "input method"
    opened(qtbot, workspace, "bun")
    assert real.editor.text() == "bun", "another corpus brings its own text"


def test_what_was_typed_for_another_corpus_can_be_called_back(qtbot, real, workspace):
    opened(qtbot, workspace, "hug pug")
    real.editor.replace_all("سلام 👩‍💻 漢字")
    assert real.before.isHidden()
    opened(qtbot, workspace, "bun")
    assert real.editor.text() == "bun" and not real.before.isHidden()
    real.before.click()
    assert real.editor.text() == workspace.typed_text == "سلام 👩‍💻 漢字"
    assert real.before.isHidden()
    real.editor.undo()
    assert real.editor.text() == "bun"


SPECIAL = "low<|endoftext|>lower"


def test_special_tokens_are_recognized_until_they_are_to_be_text(panel, stage):
    run = run_of()
    stage.open(run, 12)
    panel.editor.set_text(SPECIAL)
    panel.refresh()
    assert panel.special.isVisible() and panel.special.isChecked()
    tokenizer = run.tokenizer()
    expected = tokenizer.encode(SPECIAL).ids
    assert panel.ids.toPlainText().split() == [str(number) for number in expected] and 0 in expected
    put_cursor(panel, 5)
    panel.refresh()
    assert "<|endoftext|>  ·  id 0  ·  a special token" in panel.details.text()
    hit = panel.editor.cursor_token()
    assert (hit.start, hit.end) == (3, 16)
    panel.editor.token_clicked.emit(hit)  # it has no merge to ask about
    assert stage.selection.current is None
    panel.special.click()
    panel.refresh()
    as_text = tokenizer.encode(SPECIAL, recognize_special=False).ids
    assert (
        panel.ids.toPlainText().split() == [str(number) for number in as_text] and 0 not in as_text
    )
    # What is chosen is for the next run, too.
    stage.open(run_of("other words in another text"), 3)
    panel.refresh()
    assert not panel.special.isChecked() and "0" not in panel.ids.toPlainText().split()
    panel.special.click()
    panel.refresh()
    assert "0" in panel.ids.toPlainText().split()
    stage.open(run_of(preset="textbook"), 1)
    assert panel.special.isHidden(), "it has the unknown token alone"


def test_a_long_text_is_encoded_in_slices_also_while_it_is_edited(panel, stage, qtbot):
    stage.open(run_of(), step=9)
    text = "low lower newest " * 15_000
    panel.editor.setPlainText(text)
    assert panel.editor.live is None
    panel.editor.insertPlainText("ab ")
    qtbot.waitUntil(lambda: panel.editor.live is not None)
    assert panel.editor.live.text == "ab " + text
    assert panel.editor.live.n_tokens(9) == len(
        stage.run.tokenizer(step=9).encode("ab " + text).ids
    )
    qtbot.waitUntil(lambda: "tokens" in panel.counts.text())


def test_a_text_is_large_and_has_its_ids_where_a_tokenizer_alone_is_open(panel, stage):
    run = run_of()
    stage.open(run)
    usual = panel.editor.font().pointSizeF()
    alone = CorpusInfo("alone", Corpus.from_text("", run.config), (), (), OpeningRequest("alone"))
    put_run(stage, run, len(run.merges), 0, alone)
    stage.corpus_changed.emit()
    assert panel.editor.font().pointSizeF() > usual and panel.editor.layer is Layer.ids
    assert panel.excerpt.isHidden() and panel.before.isHidden() and panel.as_corpus.isHidden()
    panel.set_layer(Layer.bytes)
    assert panel.kept_layer is Layer.nothing
    stage.open(run)
    assert (
        panel.editor.font().pointSizeF() == pytest.approx(usual)
        and panel.editor.layer is Layer.nothing
    )
    panel.show_about("A sentence")
    assert panel.about.isVisible()
