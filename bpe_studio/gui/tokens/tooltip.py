"""What is known of one token, told in a tip at the mouse and in the line under the typed text.

`token_facts` gathers it from the run; `tip_html` and `TokenDetails` only word it. How often the token stands in the
corpus takes a pass over it, so the line asks for that when the hand rests.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer, Slot
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from bpe_studio.explain.names import hex_bytes, short_name
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.numbers_text import grouping_locale

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

REST_MS = 100
_MOST_BYTES = 24
_UNKNOWN = "Unknown: not in the alphabet of this run"


@dataclass(frozen=True)
class TokenFacts:
    """A token as it is told to people.

    Attributes:
        name: what it is called.
        external_id: its id in the tokenizer at this step.
        content: its bytes in hex.
        parts: the names of the two tokens that it was made from; None for a symbol of the alphabet.
        rank: the rank of the merge that made it.
        birth_count: how often the pair occurred then; None where it is a symbol.
        count_now: how often the token stands in the corpus at this step; None while that is not counted.
    """

    name: str
    external_id: int
    content: str
    parts: tuple[str, str] | None
    rank: int | None
    birth_count: int | None
    count_now: int | None


def token_facts(run: Run, token: int, step: int, *, counts: bool = True) -> TokenFacts:
    """What is known of a token at a step.

    Args:
        run: the run that it is of.
        token: its internal id, of the alphabet or of one of the first `step` merges.
        step: how many merges apply.
        counts: count it in the corpus too, which takes a pass.
    """
    rank = token - run.n_alphabet
    parts = birth = None
    if rank >= 0:
        columns = run.columns
        parts = short_name(run, int(columns.left[rank])), short_name(run, int(columns.right[rank]))
        birth = int(columns.count[rank])
    content = run.token_content(token)
    shown = hex_bytes(content[:_MOST_BYTES])
    if len(content) > _MOST_BYTES:
        shown = f"{shown} … ({len(content):,} bytes)"
    return TokenFacts(
        name=short_name(run, token),
        external_id=run.external_id(token, step),
        content=shown,
        parts=parts,
        rank=rank if rank >= 0 else None,
        birth_count=birth,
        count_now=run.token_info(token, step).count_now if counts else None,
    )


def _asked_facts(asked: tuple[Run, int, int]) -> tuple[tuple[Run, int, int], TokenFacts]:
    return asked, token_facts(*asked)


def tip_html(facts: TokenFacts | None) -> str:
    """The tip at the mouse; None is an unknown symbol."""
    if facts is None:
        return f"<p>{_UNKNOWN}</p>"
    number = grouping_locale().toString
    rows = [("id", number(facts.external_id))]
    if facts.content:
        rows.append(("bytes", f"<code>{facts.content}</code>"))
    if facts.count_now is not None:
        rows.append(("in the corpus now", number(facts.count_now)))
    if facts.parts is None:
        rows.append(("made by", "nothing: a symbol of the alphabet"))
    else:
        rows.append(("made from", f"{escape(facts.parts[0])} + {escape(facts.parts[1])}"))
        rows.append(("by", _birth(facts)))
    cell = "<td style='padding-right: 12px; white-space: nowrap'>"
    cells = "".join(f"<tr>{cell}{label}</td>{cell}{value}</td></tr>" for label, value in rows)
    return f"<p style='white-space: pre; font-size: large'><b>{escape(facts.name)}</b></p><table>{cells}</table>"


def details_text(facts: TokenFacts | None) -> str:
    """The line: what comes last may still be counted, so that nothing before it moves."""
    if facts is None:
        return _UNKNOWN
    number = grouping_locale().toString
    pieces = [facts.name, f"id {number(facts.external_id)}"]
    if facts.content:
        pieces.append(facts.content)
    if facts.parts is None:
        pieces.append("a symbol of the alphabet")
    else:
        pieces.append(f"{facts.parts[0]} + {facts.parts[1]}, {_birth(facts)}")
    pieces.append("…" if facts.count_now is None else f"{number(facts.count_now)} in the corpus now")
    return "  ·  ".join(pieces)


def _birth(facts: TokenFacts) -> str:
    number = grouping_locale().toString
    return f"merge rank {number(facts.rank or 0)}, counted {number(facts.birth_count or 0)} times then"


class TokenDetails(QLabel):
    """The line that tells of one token; what the tip is for the mouse, this is for the keyboard too."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asked: tuple[Run, int, int] | None = None
        self._lead = ""
        self._rest = QTimer(self, interval=REST_MS, singleShot=True)
        self._rest.timeout.connect(self._count)
        self._job = LatestAnswer(_asked_facts, self)
        self._job.answered.connect(self._on_counted)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setWordWrap(True)
        self.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._fit()

    def tell(self, run: Run, token: int, step: int, lead: str) -> None:
        """Tell of a token; `lead` says which one it is, such as "At the cursor"."""
        asked = (run, token, step)
        self._lead = lead
        if token < 0:
            self._asked = None
            self._rest.stop()
            self._show(details_text(None))
        elif asked != self._asked:
            self._asked = asked
            self._show(details_text(token_facts(run, token, step, counts=False)))
            self._rest.start()

    def set_message(self, text: str) -> None:
        """Say something else, as while there is no token."""
        self._asked = None
        self._lead = ""
        self._rest.stop()
        self._show(text)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()
        elif event.type() == QEvent.Type.PaletteChange:
            self._colour()

    @Slot()
    def _count(self) -> None:
        if self._asked is not None:
            self._job.ask(self._asked)

    @Slot(object)
    def _on_counted(self, answer: tuple[tuple[Run, int, int], TokenFacts]) -> None:
        asked, facts = answer
        if asked == self._asked:
            self._show(details_text(facts))

    def _show(self, text: str) -> None:
        shown = f"{self._lead}: {text}" if self._lead else text
        self.setText(shown)
        self.setAccessibleDescription(shown)

    def _fit(self) -> None:
        """Two lines high always, so that nothing below moves."""
        self.setFixedHeight(2 * self.fontMetrics().lineSpacing() + 2)
        self._colour()

    def _colour(self) -> None:
        palette, muted = self.palette(), theme.muted(self.palette())
        if palette.color(palette.ColorRole.WindowText) != muted:
            palette.setColor(palette.ColorRole.WindowText, muted)
            self.setPalette(palette)
