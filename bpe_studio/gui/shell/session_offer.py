"""The offer of unsaved work of earlier windows, in the banner: one session at a time, newest first.
An undecided offer is repeated on the start page, and at the next start.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QDate, QDateTime, QLocale, QObject, Slot

from bpe_studio.explain.names import elided, isolated_title
from bpe_studio.explain.wording import plural
from bpe_studio.gui.shell.banner import copying

if TYPE_CHECKING:
    from pathlib import Path

    from bpe_studio.gui.shell.banner import Banner
    from bpe_studio.gui.shell.document_view import DocumentView
    from bpe_studio.workspace.opening.kept_session import KeptSession
    from bpe_studio.workspace.workspace import Workspace

MOST_CHARACTERS = 60
CRASHED = "BPE Studio crashed last time."


class SessionOffer(QObject):
    """Shows the offer.

    Args:
        workspace: has the sessions, and restores or discards them.
        view: restores the panels that were in front.
        banner: shows the offer.
    """

    def __init__(self, workspace: Workspace, view: DocumentView, banner: Banner) -> None:
        super().__init__(banner)
        self._keeping = workspace.keeping
        self._view = view
        self._banner = banner
        self._crash: Path | None = None
        self._keeping.found.connect(self.show)

    def show_crash(self, report: Path | None) -> None:
        """Say that the program crashed, if a report exists; `show` says it with kept sessions."""
        self._crash = report
        if report is not None:
            self._banner.offer(
                f"{CRASHED} To report it, send {report}.", copying(report), stays=True
            )

    @Slot()
    def show(self) -> None:
        """Offer the newest session that is not open, if one exists."""
        sessions = self._keeping.sessions
        if not sessions:
            return
        session = sessions[0]
        name = isolated_title(elided(session.name, MOST_CHARACTERS))
        when = _when(QDateTime.fromSecsSinceEpoch(int(session.saved_at_s)))
        more = f" ({plural(len(sessions) - 1, 'more session')})" if len(sessions) > 1 else ""
        crashed = f"{CRASHED} " if self._crash is not None else ""
        self._banner.offer(
            f"{crashed}Unsaved work on {name}, {when}: {session.words}{more}. It is kept until you"
            " restore or discard it.",
            [
                ("Restore", partial(self._restore, session)),
                ("Discard", partial(self._discard, session)),
                *copying(self._crash),
            ],
            stays=True,
        )
        self._crash = None

    def _restore(self, session: KeptSession) -> None:
        self._keeping.restore(session, self._view.restore)

    def _discard(self, session: KeptSession) -> None:
        self._keeping.discard(session)
        self.show()


def _when(moment: QDateTime) -> str:
    short = QLocale.FormatType.ShortFormat
    day = QLocale().toString(moment.date(), short)
    if moment.date() == QDate.currentDate():
        day = "today"
    return f"{day} at {QLocale().toString(moment.time(), short)}"
