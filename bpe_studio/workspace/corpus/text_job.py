"""A job on the open text, which a person asks for.

The result is kept as long as the text is open.
"""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QObject, Slot

from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.text_files import why_no_text
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.state import OpeningRequest
from bpe_studio.workspace.user_job import UserJob

R = TypeVar("R")


class TextJob(UserJob[R]):
    """Runs a job on the open text on request; another text ends the job and removes the result.

    Attributes:
        title: the name of the action, for the message about a failure.
        what: the job in words, for the progress.
    """

    title: str
    what: str

    def __init__(
        self, open_state: OpenState, backend: Backend, parent: QObject | None = None
    ) -> None:
        """There is no result yet.

        Args:
            open_state: the open values, with the text and the settings.
            backend: reads the files.
            parent: the QObject that owns it.
        """
        super().__init__(self.title, self.what, parent)
        self._open = open_state
        self._backend = backend
        self._request: OpeningRequest | None = None
        open_state.corpus_changed.connect(self._on_corpus_changed)

    def why_not(self) -> str:
        """Why the open text cannot be read, as a phrase, or ""."""
        return why_no_text(self._open.corpus)

    @Slot()
    def _on_corpus_changed(self) -> None:
        info = self._open.corpus
        # A run with another split has a corpus of its own, of the same text.
        if info is None or info.request is not self._request:
            self.cancel()
            self._request = None
            self._result = None
            self._problem = ""
        self.changed.emit()
