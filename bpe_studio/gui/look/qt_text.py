"""Text for Qt: numbers in the user's locale, and tooltips that are never taken for rich text.

Numbers in texts are written by `explain.wording.number`, which needs no Qt;
`write_numbers_in_locale` connects the two. Models and paint code that format many numbers use
`grouping_locale` itself.
"""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QLocale
from PySide6.QtGui import Qt

from bpe_studio.explain.wording import write_numbers_with


def grouping_locale() -> QLocale:
    """The default locale, with grouped thousands even if it is the C locale."""
    locale = QLocale()
    locale.setNumberOptions(QLocale.NumberOption.DefaultNumberOptions)
    return locale


def write_numbers_in_locale() -> None:
    """Make `bpe_studio.explain` write numbers in the default locale."""
    write_numbers_with(_in_locale)


def _in_locale(value: float, n_decimals: int) -> str:
    locale = grouping_locale()
    if isinstance(value, float):
        return locale.toString(value, "f", n_decimals)
    return locale.toString(value)


def plain_tip(text: str) -> str:
    """A tooltip that Qt shows as plain text.

    Qt shows a text with tags as HTML, and reads the files of its images. Others write the names of
    files and branches, the tokens, and the lines of a corpus, so every tooltip with one of them
    must go through here.

    >>> plain_tip("a < b")
    'a < b'
    >>> plain_tip("<b>")
    "<p style='white-space: pre-wrap'>&lt;b&gt;</p>"
    """
    if Qt.mightBeRichText(text):
        return f"<p style='white-space: pre-wrap'>{escape(text)}</p>"
    return text
