"""The editor: colours under Qt's own text, edits that reach the live text, long lines in several
blocks.
"""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QInputMethodEvent, QKeyEvent, QMouseEvent, QTextCursor
from PySide6.QtWidgets import QApplication, QPlainTextEdit

import bpe_studio as bpe
from bpe_studio.engine.encoding.editable_text import TokenSpans
from bpe_studio.errors import PatternError
from bpe_studio.gui.look import theme
from bpe_studio.gui.text import plain_editor, token_editor
from bpe_studio.gui.text.token_editor import TokenEditor
from bpe_studio.gui.text.visible_tokens import TokenHit
from bpe_studio.gui.tokens import painting
from bpe_studio.gui.tokens.geometry import borders_of
from tests.facts import says

FAMILY = "👨‍👩‍👧‍👦"
MANY = f"Latin office\nسلام دنیا می‌خواهم\nabc سلام 123 def\n漢字かな\nनमस्ते क्षत्रिय\n{FAMILY} 🇮🇷🇫🇷 e\u0301"


class FakeLive:
    """Tokens of `step + 1` code points each; `#` is unknown; what was asked for is remembered."""

    def __init__(self, borders=None):
        self.text = ""
        self.asked = []
        self.edits = []
        self.borders = borders

    def at(self, step):
        return self

    def set_text(self, text):
        self.text = text

    def replace(self, start, n_removed, added):
        self.edits.append((start, n_removed, added))
        self.text = self.text[:start] + added + self.text[start + n_removed :]
        return start, start + len(added)

    def n_tokens(self, step):
        return len(self._starts(step)) - 1

    def n_unknown(self, step):
        return self.text.count("#")

    def border_at(self, place, step, end=None):
        return None  # a border that cannot be asked about: the click means the token

    def tokens(self, step, start=0, end=None):
        end = len(self.text) if end is None else end
        self.asked.append((start, end))
        places = self._starts(step)
        starts = places[:-1]
        ends = places[1:]
        keep = (ends > start) & (starts < end)
        starts = starts[keep]
        ends = ends[keep]
        ids = [-1 if self.text[int(place)] == "#" else int(place) for place in starts]
        return TokenSpans(starts, ends, np.array(ids, np.int64))

    def _starts(self, step):
        if self.borders is not None:
            return np.array(self.borders, float)
        places = np.arange(0, len(self.text), step + 1, dtype=float)
        return np.append(places, len(self.text))


@pytest.fixture
def editor(qtbot, qapp):
    theme.apply(qapp, "light")
    editor = TokenEditor()
    qtbot.addWidget(editor)
    editor.resize(520, 320)
    editor.setCursorWidth(0)
    editor.show()
    return editor


def live_in(editor, text, borders=None):
    live = FakeLive(borders)
    editor.set_text(text)
    editor.set_live(live)
    QApplication.processEvents()
    return live


def press(editor, key, text="", modifiers=Qt.KeyboardModifier.NoModifier):
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        QApplication.sendEvent(editor, QKeyEvent(kind, key, modifiers, text))


def move_mouse(editor, place, buttons=Qt.MouseButton.NoButton):
    view = editor.viewport()
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(place),
        QPointF(view.mapToGlobal(place)),
        Qt.MouseButton.NoButton,
        buttons,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(view, event)


def put_cursor(editor, point):
    cursor = editor.textCursor()
    cursor.setPosition(editor.record.position(point))
    editor.setTextCursor(cursor)


def image_of(widget):
    return widget.viewport().grab().toImage()


def test_letters_are_those_that_qt_draws_without_tokens(editor, qtbot, monkeypatch):
    """Backgrounds in the editor's own colour leave the picture as it is: no shape is torn apart."""
    plain = QPlainTextEdit()
    qtbot.addWidget(plain)
    plain.setFont(editor.font())
    plain.setPlainText(MANY)
    plain.document().setDefaultTextOption(editor.document().defaultTextOption())
    plain.document().setDocumentMargin(editor.document().documentMargin())
    plain.setFrameShape(editor.frameShape())
    plain.resize(editor.size())
    plain.setCursorWidth(0)
    plain.show()
    editor.align = lambda block: None
    base = editor.palette().base().color()
    monkeypatch.setattr(painting.theme, "token_colours", lambda palette: [QColor(base)] * 6)
    monkeypatch.setattr(token_editor, "paint_brackets", lambda *args: None)
    editor.set_live(FakeLive())
    editor.set_text(MANY + " ")
    editor.set_text(MANY)
    QApplication.processEvents()
    assert image_of(editor) == image_of(plain)


def test_typing_reaches_the_live_text_as_small_edits(editor):
    live = live_in(editor, "one two\nthree")
    put_cursor(editor, 3)
    for char in "ab":
        press(editor, Qt.Key.Key_A, char)
    press(editor, Qt.Key.Key_Return, "\r")
    press(editor, Qt.Key.Key_Backspace)
    assert live.text == editor.text() == "oneab two\nthree"
    assert live.edits == [(3, 0, "a"), (4, 0, "b"), (5, 0, "\n"), (5, 1, "")]


@pytest.mark.parametrize("typed", ["س", "😀", FAMILY, "漢字", "e\u0301"])
def test_what_a_key_or_an_input_method_gives_arrives(editor, typed):
    live = live_in(editor, "a😀b")
    put_cursor(editor, 2)
    press(editor, 0, typed)
    event = QInputMethodEvent()
    event.setCommitString(typed)
    QApplication.sendEvent(editor, event)
    assert live.text == editor.text() == f"a😀{typed}{typed}b"


def test_composing_shows_and_changes_nothing_yet(editor):
    live = live_in(editor, "abc")
    put_cursor(editor, 1)
    QApplication.sendEvent(editor, QInputMethodEvent("かな", []))
    image_of(editor)
    assert live.text == editor.text() == "abc"
    event = QInputMethodEvent()
    event.setCommitString("仮名")
    QApplication.sendEvent(editor, event)
    assert live.text == "a仮名bc"


def long_line(editor):
    text = "".join(f"word{k} " for k in range(400))
    live = live_in(editor, text)
    border = editor.record.starts[1]
    assert editor.record.is_continuation[1]
    return live, text, border


def test_backspace_and_delete_at_the_border_of_two_blocks_take_a_character(editor):
    live, text, border = long_line(editor)
    put_cursor(editor, border)
    press(editor, Qt.Key.Key_Backspace)
    text = text[: border - 1] + text[border:]
    assert live.text == editor.text() == text
    put_cursor(editor, border - 1)
    editor.moveCursor(QTextCursor.MoveOperation.PreviousCharacter)
    assert editor.textCursor().atBlockEnd()
    press(editor, Qt.Key.Key_Delete)
    assert live.text == editor.text() == text[: border - 1] + text[border:]
    editor.undo()
    editor.undo()
    assert live.text == editor.text()
    assert len(editor.text()) == len(text) + 1


def test_arrows_pass_each_character_once(editor):
    _, _, border = long_line(editor)
    put_cursor(editor, border - 2)
    seen = []
    for _ in range(4):
        seen.append(editor.record.point(editor.textCursor().position()))
        press(editor, Qt.Key.Key_Right)
    assert seen == [border - 2, border - 1, border, border + 1]
    seen = []
    for _ in range(5):
        seen.append(editor.record.point(editor.textCursor().position()))
        press(editor, Qt.Key.Key_Left)
    assert seen == [border + 2, border + 1, border, border - 1, border - 2]


def test_pasting_says_what_it_could_not_keep(editor, qtbot):
    live = live_in(editor, "")
    data = QMimeData()
    data.setText("one\r\ntwo\rthree")
    with qtbot.waitSignal(editor.noticed) as noticed:
        editor.insertFromMimeData(data)
    assert live.text == editor.text() == "one\ntwo\nthree"
    assert "2 carriage returns" in noticed.args[0]
    data.setText("plain")
    with qtbot.waitSignal(editor.noticed) as noticed:
        editor.insertFromMimeData(data)
    assert noticed.args == [""]


def test_only_what_is_visible_is_asked_for(editor):
    live = live_in(editor, "some line of text\n" * 5000)
    put_cursor(editor, 45_000)
    editor.centerCursor()
    QApplication.processEvents()
    live.asked.clear()
    press(editor, Qt.Key.Key_A, "a")
    editor.set_step(3)
    image_of(editor)
    assert live.asked
    assert max(end - start for start, end in live.asked) < 2000


def test_the_token_under_the_mouse_is_told_and_outlined(editor, qtbot):
    live_in(editor, "mmmm\nmmmm")
    before = image_of(editor)
    hit = TokenHit(6, 6.0, 7.0)
    place = editor.token_rects(hit)[0].center()
    with qtbot.waitSignal(editor.token_hovered) as hovered:
        move_mouse(editor, place)
    assert hovered.args == [hit] and editor.hovered == hit
    assert image_of(editor) != before
    with qtbot.waitSignal(editor.token_hovered) as hovered:
        move_mouse(editor, QPoint(400, 200))
    assert hovered.args == [None]
    move_mouse(editor, place)
    with qtbot.waitSignal(editor.token_hovered) as hovered:
        QApplication.sendEvent(editor.viewport(), QEvent(QEvent.Type.Leave))
    assert hovered.args == [None]
    assert image_of(editor) == before


def test_the_token_at_the_cursor_is_told(editor, qtbot):
    live_in(editor, "ab😀")
    told = []
    editor.token_at_cursor.connect(told.append)
    put_cursor(editor, 2)
    assert told[-1] == TokenHit(2, 2.0, 3.0)
    put_cursor(editor, 3)
    assert editor.cursor_token() == TokenHit(2, 2.0, 3.0), "at the end it is the last one"
    editor.set_step(2)
    assert told[-1] == TokenHit(0, 0.0, 3.0)
    editor.set_text("")
    assert told[-1] is None


def test_a_text_that_cannot_be_cut_is_plain_until_it_can(editor):
    class Picky(FakeLive):
        def replace(self, start, n_removed, added):
            if "!" in added:
                raise PatternError("The regular expression takes too long here; write it otherwise")
            return super().replace(start, n_removed, added)

    editor.set_text("ab")
    live = Picky()
    editor.set_live(live)
    said = []
    editor.noticed.connect(said.append)
    put_cursor(editor, 2)
    press(editor, Qt.Key.Key_A, "!")
    assert editor.live is None
    (notice,) = said
    assert says(notice, "regular expression", "too long")
    image_of(editor)
    press(editor, Qt.Key.Key_A, "c")
    assert editor.live is live and live.text == editor.text() == "ab!c"


def test_the_token_that_is_clicked_is_the_one_at_the_cursor(qtbot):
    editor = TokenEditor()
    qtbot.addWidget(editor)
    editor.resize(400, 100)
    editor.set_text("abcdef")
    editor.set_live(FakeLive([0, 3, 6]), 0)
    editor.show()
    clicked = []
    editor.token_clicked.connect(clicked.append)
    cursor = editor.textCursor()
    cursor.setPosition(3)
    editor.setTextCursor(cursor)
    border = editor.cursorRect(cursor).center()
    assert editor.cursor_token().start == 3.0
    # The right half of "c": Qt puts the cursor behind it, where the next token begins.
    qtbot.mouseClick(editor.viewport(), Qt.MouseButton.LeftButton, pos=border - QPoint(2, 0))
    assert editor.textCursor().position() == 3
    assert clicked[-1].start == editor.cursor_token().start == 0.0
    qtbot.mouseClick(editor.viewport(), Qt.MouseButton.LeftButton, pos=border + QPoint(2, 0))
    assert clicked[-1].start == editor.cursor_token().start == 3.0


def real_editor(qtbot, words, text, **options):
    config = bpe.TrainingConfig.preset("textbook", split="whitespace", **options)
    run = bpe.train(bpe.Corpus.from_counts(words, config), config)
    editor = TokenEditor()
    qtbot.addWidget(editor)
    editor.resize(400, 100)
    editor.set_text(text)
    editor.set_live(run.live(text), len(run.merges))
    editor.show()
    editor.clicks = []
    editor.border_clicked.connect(
        lambda border: editor.clicks.append((border.piece, border.place, border.following))
    )
    editor.token_clicked.connect(lambda hit: editor.clicks.append(hit.start))
    return editor


def marks_of(editor):
    """Every border of the first line: its place in the viewport, and the number of the token behind
    it.
    """
    block, top = next(iter(editor._visible_blocks(editor.viewport().rect())))
    shape = editor._shapes(block, editor._tokens.of_block(block))[0]
    x = editor.contentOffset().x()
    y = top + shape.top + shape.height / 2
    return [(QPointF(mark.x + x, y).toPoint(), mark.token) for mark in borders_of(shape)]


@pytest.mark.parametrize("text", ["hugs", "سلام"])
def test_a_click_on_a_border_selects_it_and_not_a_token_whichever_way_the_text_runs(qtbot, text):
    words = {text: 5, text[:2]: 9}
    editor = real_editor(qtbot, words, text, merges=1)  # the first two letters are a token
    marks = marks_of(editor)
    assert [token for _, token in marks] == [1, 2]
    is_rtl = text != "hugs"
    assert (marks[0][0].x() > marks[1][0].x()) == is_rtl
    for place, token in marks:
        assert (
            editor.border_under(place) is not None
            and editor.border_under(place).start == token + 1.0
        )
        qtbot.mouseClick(editor.viewport(), Qt.MouseButton.LeftButton, pos=place)
        assert editor.clicks[-1] == (text, token + 1, "")
    middle = (marks[0][0] + marks[1][0]) / 2
    qtbot.mouseClick(editor.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    assert editor.clicks[-1] == 2.0


def test_of_very_many_lines_the_first_are_taken(editor, qtbot, monkeypatch):
    monkeypatch.setattr(plain_editor, "MOST_LINES", 3)
    with qtbot.waitSignal(editor.noticed) as noticed:
        editor.insertPlainText("سلام\n漢字\n\n👩‍💻\n")
    assert editor.text() == "سلام\n漢字\n"
    assert "first 3 lines" in noticed.args[0]


def test_many_lines_are_pasted_into_a_long_line_and_undone(editor):
    line = "word " * 2_000
    editor.insertPlainText(line)
    assert editor.blockCount() > 1
    editor.moveCursor(QTextCursor.MoveOperation.Start)
    editor.insertPlainText("a\n" * 300)
    assert editor.text() == "a\n" * 300 + line
    editor.undo()
    assert editor.text() == line
    editor.redo()
    assert editor.text() == "a\n" * 300 + line
