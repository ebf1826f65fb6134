"""The facts about one token, as a tooltip and as the line under the typed text.

`explain.token_facts` collects them; `tip_html` and `TokenDetails` format them. Counting a token
takes a pass over the corpus, so the line requests the count after a delay.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from bpe_studio.engine.text.outside_alphabet import UNKNOWN
from bpe_studio.explain.merges import has_pairs
from bpe_studio.explain.token_facts import _UNKNOWN, _birth, details_text, token_facts
from bpe_studio.explain.wording import number
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.look.follows_look import FollowsLook

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.explain.token_facts import TokenFacts

REST_MS = 100


def tip_html(facts: TokenFacts | None) -> str:
    """The tooltip of a token; None for an unknown symbol."""
    if facts is None:
        return f"<p>{_UNKNOWN}</p>"
    rows = [("id", number(facts.external_id))]
    if facts.content:
        rows.append(("bytes", f"<code>{facts.content}</code>"))
    if facts.count_now is not None:
        rows.append(("in the corpus now", number(facts.count_now)))
    if facts.is_special:
        rows.append(("found", "before the text is split: a special token"))
    elif facts.parts is None:
        rows.append(("made by", "nothing: a symbol of the alphabet"))
    else:
        rows.append(("made from", f"{escape(facts.parts[0])} + {escape(facts.parts[1])}"))
        rows.append(("by", _birth(facts)))
    cell = "<td style='padding-right: 12px; white-space: nowrap'>"
    cells = "".join(f"<tr>{cell}{label}</td>{cell}{value}</td></tr>" for label, value in rows)
    return (
        "<p style='white-space: pre; font-size:"
        f" large'><b>{escape(facts.name)}</b></p><table>{cells}</table>"
    )


class TokenDetails(FollowsLook, QLabel):
    """The line about one token, with the facts of the tooltip, for users of the keyboard too."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asked: tuple[Run, int, int] | None = None
        self._lead = ""
        self._job = LatestAnswer(token_facts, self, rest_ms=REST_MS)
        self._job.answered.connect(self._on_counted)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setWordWrap(True)
        self.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.follow_look()

    def show_token(self, run: Run, token: int, step: int, lead: str) -> None:
        """Show the facts about a token; `lead` says which one it is, such as "At the cursor"."""
        asked = (run, token, step)
        self._lead = lead
        if token < 0:
            # A special token is not counted.
            facts = None if token == UNKNOWN else token_facts(run, token, step, counts=False)
            self._forget()
            self._show(details_text(facts))
        elif asked != self._asked:
            self._asked = asked
            is_counted = has_pairs(run)
            self._show(
                details_text(token_facts(run, token, step, counts=False), is_pending=is_counted)
            )
            if is_counted:
                self._job.ask(*asked)

    def set_message(self, text: str) -> None:
        """Show a text while there is no token."""
        self._forget()
        self._lead = ""
        self._show(text)

    def _forget(self) -> None:
        self._asked = None
        self._job.forget()

    @Slot(object)
    def _on_counted(self, facts: TokenFacts) -> None:
        self._show(details_text(facts))

    def _show(self, text: str) -> None:
        shown = f"{self._lead}: {text}" if self._lead else text
        self.setText(shown)
        self.setAccessibleDescription(shown)

    def font_changed(self) -> None:
        """Keep the line two lines high, so that nothing below moves."""
        self.setFixedHeight(2 * self.fontMetrics().lineSpacing() + 2)
