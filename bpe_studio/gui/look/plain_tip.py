"""Tips that are shown as they are written.

Qt takes a tip in which it sees a tag for HTML, and would read files that an image in it names. Names of files and
branches, tokens and lines of a corpus are written by others; a tip that holds one goes through here.
"""

from __future__ import annotations

from html import escape

from PySide6.QtGui import Qt


def plain_tip(text: str) -> str:
    """A tip that Qt shows letter by letter.

    >>> plain_tip("a < b")
    'a < b'
    >>> plain_tip("<b>")
    "<p style='white-space: pre-wrap'>&lt;b&gt;</p>"
    """
    return f"<p style='white-space: pre-wrap'>{escape(text)}</p>" if Qt.mightBeRichText(text) else text
