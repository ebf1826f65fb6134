"""Tips that hold what others wrote."""

from __future__ import annotations

import pytest
from PySide6.QtGui import Qt, QTextDocumentFragment

from bpe_studio.gui.look.qt_text import plain_tip


@pytest.mark.parametrize(
    "text", ["a < b", "the\n<b>second line</b> has no meaning for Qt", "", "x & y"]
)
def test_what_qt_takes_for_text_stays(text):
    assert plain_tip(text) == text and not Qt.mightBeRichText(text)


@pytest.mark.parametrize(
    "text", ["<b>bold</b>", "Lines: <img src='//host/share/a.png'>", "a &lt; b\nand more"]
)
def test_what_qt_takes_for_html_is_shown_letter_by_letter(text):
    assert Qt.mightBeRichText(text)
    shown = QTextDocumentFragment.fromHtml(plain_tip(text)).toPlainText()
    assert shown.replace("\u2029", "\n") == text
