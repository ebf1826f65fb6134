"""Where tokens stand: against what Qt itself paints as a selection, in every script, and inside
characters.
"""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QPalette, QTextCursor
from PySide6.QtWidgets import QApplication

from bpe_studio.gui.text.plain_editor import PlainEditor
from bpe_studio.gui.tokens.geometry import TokenGeometry

FAMILY = "👨‍👩‍👧‍👦"
LINES = {
    "latin": (
        "Newest tokens stand on colours; the office of Tiếng Việt, and more of it than one line"
        " holds."
    ),
    "tabs": "\tone\ttwo  three",
    "persian": (
        "سلام دنیا! این یک متن فارسی است و می‌خواهم آن را بخوانم، تا پایان خط و باز هم بیشتر. لا"
    ),
    "persian digits": "سال ۱۴۰۲ و ۱۲ ماه، 2024 نیز",
    "mixed": "The word «کتاب فارسی» means Persian book, and سلام is hello 123 (نه 45).",
    "mixed from the right": "کتاب HTML را با CSS 3 بخوان، and so on.",
    "hebrew": "שלום עולם abc",
    "chinese": "漢字かな交じり文。日本語のトークン、한국어 토큰",
    "devanagari": "नमस्ते दुनिया, हिन्दी की किताब क्षत्रिय",
    "emoji": f"{FAMILY} family, 😀 grin, 🇮🇷🇫🇷 flags, 👩🏽‍💻 coder",
    "marks": "e\u0301 n\u0303 a\u0308\u0323 ก็ น้ำ",
}


@pytest.fixture
def editor(qtbot):
    editor = PlainEditor()
    qtbot.addWidget(editor)
    editor.resize(420, 260)
    editor.setCursorWidth(0)
    return editor


def shown(editor, text):
    editor.set_text(text)
    editor.show()
    QApplication.processEvents()
    for line in range(editor.document().blockCount()):
        editor.align(editor.document().findBlockByNumber(line))
    return editor.document().begin()


def shapes_of(block, cuts, has_break=False):
    """The shapes of tokens that begin at each cut and end at the next."""
    return TokenGeometry().shapes(block, cuts[:-1], cuts[1:], has_break=has_break)


def spans_of(shape, tokens=None):
    return sorted((s.left, s.right) for s in shape.fragments if tokens is None or s.token in tokens)


@pytest.mark.parametrize(
    "name", [name for name in LINES if name != "devanagari"]
)  # whose font may be missing
def test_a_token_stands_where_qt_paints_its_selection(editor, name):
    text = LINES[name]
    palette = editor.palette()
    palette.setColor(QPalette.ColorRole.Highlight, QColor("#ff00ff"))
    palette.setColor(QPalette.ColorRole.HighlightedText, QColor("#ff00ff"))
    palette.setColor(QPalette.ColorRole.Text, QColor("white"))
    editor.setPalette(palette)
    block = shown(editor, text)
    layout = block.layout()
    editor.setFocus()
    whole = [
        k for k in range(len(text) + 1) if layout.isValidCursorPosition(editor.record.position(k))
    ]
    wrong = 0
    n = 0
    for first in range(0, len(whole) - 4, 3):
        start = whole[first]
        end = whole[first + 3]
        if "لا" in (text[start - 1 : start + 1], text[end - 1 : end + 1]):
            # Qt paints the second half of the ligature for the first, and what is beside it for the
            # second.
            continue
        cursor = editor.textCursor()
        cursor.setPosition(editor.record.position(start))
        cursor.setPosition(editor.record.position(end), QTextCursor.MoveMode.KeepAnchor)
        editor.setTextCursor(cursor)
        shapes = shapes_of(block, [0.0, float(start), float(end), float(len(text))])
        image = editor.viewport().grab().toImage()
        offset = editor.contentOffset()
        for shape in shapes:
            top = int(shape.top + offset.y())
            rows = (top + 1, top + int(shape.height) // 2, top + int(shape.height) - 2)
            painted = {
                x
                for x in range(image.width())
                for y in rows
                if image.pixelColor(x, y).name() == "#ff00ff"
            }
            ours = {
                x
                for a, b in spans_of(shape, {1})
                for x in range(round(a + offset.x()), round(b + offset.x()))
            }
            # Behind a line's last word Qt fills to the edge; what counts is where there are
            # letters.
            room = {
                x
                for a, b in spans_of(shape)
                for x in range(round(a + offset.x()), round(b + offset.x()))
            }
            n += 1
            wrong += len((painted & room) ^ ours) > 6
    assert n > 0
    assert wrong == 0


@pytest.mark.parametrize(
    ("text", "n_bytes"), [(FAMILY, 25), ("e\u0301", 3), ("🇮🇷", 8), ("👩🏽‍💻", 15)]
)
def test_a_border_inside_a_grapheme_cuts_it_by_bytes(editor, text, n_bytes):
    assert len(text.encode()) == n_bytes
    shape = shapes_of(shown(editor, text), [0.0, 1.0, float(len(text))])[0]
    one, other = shape.fragments
    assert one.is_part and other.is_part
    share = len(text[0].encode()) / n_bytes
    assert (one.right - one.left) == pytest.approx(share * (other.right - one.left))
