"""The tokenizer and the corpus of a form: those that are open, or files.

A tokenizer is read and checked in the thread pool as soon as it is chosen, so that the form knows
its size, or says why it cannot be used.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QComboBox, QSizePolicy, QWidget

from bpe_studio.errors import BpeError
from bpe_studio.explain.names import elided
from bpe_studio.explain.wording import number, plural
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.file_dialogs import ask_for_texts, ask_for_tokenizer
from bpe_studio.workspace.opening.changes import Changes, Place, Ready, Source

if TYPE_CHECKING:
    from bpe_studio.gui.widgets.window_settings import WindowSettings
    from bpe_studio.workspace.workspace import Workspace

_log = logging.getLogger(__name__)
_FILE = "A file…"
_FOLDER = "A folder…"
_TEXT = "A text in files…"
MOST_CHARACTERS = 44


class TokenizerChoice(QObject):
    """The two boxes of a form, and what is chosen in them.

    Args:
        workspace: what is open.
        memory: remembers the folder of files.
        name: the first part of the object names.
        parent: the form.

    Attributes:
        tokenizer, corpus: the boxes.

    Signals:
        changed: another tokenizer or corpus is chosen, or what is known of it.
    """

    changed = Signal()

    def __init__(
        self, workspace: Workspace, memory: WindowSettings, name: str, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._memory = memory
        self._form = parent
        self._sources: list[Source] = []
        self._places: list[Place] = []
        self._ready: Ready | None = None
        self._problem = ""
        self._job = LatestAnswer(_prepared, self)
        self.tokenizer = named(
            QComboBox(parent), f"{name}.tokenizer", "Tokenizer", "The tokenizer to begin with"
        )
        self.corpus = named(QComboBox(parent), f"{name}.corpus", "Corpus", "The text to count in")
        for box in (self.tokenizer, self.corpus):
            box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            box.setMinimumContentsLength(20)
            box.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
        for source in self._open_sources():
            self._add_source(source)
        self.tokenizer.addItems([_FILE, _FOLDER])
        place = workspace.changes.open_place()
        if place is not None:
            self._add_place(place)
        self.corpus.addItem(_TEXT)
        if not self._sources:
            self.tokenizer.setCurrentIndex(-1)
        if not self._places:
            self.corpus.setCurrentIndex(-1)
        self._last = self.tokenizer.currentIndex()
        self.tokenizer.activated.connect(self._on_tokenizer_chosen)
        self.corpus.activated.connect(self._on_corpus_chosen)
        self._job.answered.connect(self._on_prepared)
        self._prepare()

    @property
    def ready(self) -> Ready | None:
        """The tokenizer; None while it is read, or if it cannot be used."""
        return self._ready

    @property
    def place(self) -> Place | None:
        """The corpus; None if none is chosen."""
        number = self.corpus.currentIndex()
        return self._places[number] if 0 <= number < len(self._places) else None

    @property
    def why_not(self) -> str:
        """Why the form cannot go on yet, or ""."""
        if not 0 <= self.tokenizer.currentIndex() < len(self._sources):
            return "Choose a tokenizer"
        if self._problem:
            return self._problem
        if self._ready is None:
            return "Reading the tokenizer …"
        return "" if self.place is not None else "Choose a text"

    @property
    def is_wrong(self) -> bool:
        """Whether the tokenizer cannot be used."""
        return bool(self._problem)

    def _open_sources(self) -> list[Source]:
        compared = [
            Source(each.name, tokenizer=each.tokenizer)
            for each in self._workspace.tokenizers.entries
        ]
        sources = self._workspace.changes.sources()
        # What was opened as a tokenizer is rather meant than a run of the text.
        n_before = sum(
            source.run is not None and not _is_of_text(self._workspace, source)
            for source in sources
        )
        return [*sources[:n_before], *compared, *sources[n_before:]]

    def _add_source(self, source: Source) -> int:
        at = len(self._sources)
        self._sources.append(source)
        self.tokenizer.insertItem(at, _title(source))
        return at

    def _add_place(self, place: Place) -> int:
        at = len(self._places)
        self._places.append(place)
        if place.info is not None:
            title = elided(place.info.name, MOST_CHARACTERS)
        else:
            title = elided(place.paths[0].name, MOST_CHARACTERS)
            title += f" and {number(len(place.paths) - 1)} more" if len(place.paths) > 1 else ""
        self.corpus.insertItem(at, title)
        return at

    @Slot(int)
    def _on_tokenizer_chosen(self, at: int) -> None:
        if at >= len(self._sources):
            path = ask_for_tokenizer(self._form, self._memory, is_folder=at > len(self._sources))
            at = self._last if path is None else self._add_source(Source(path.name, path=path))
            self.tokenizer.setCurrentIndex(at)
        self._last = at
        self._prepare()

    @Slot(int)
    def _on_corpus_chosen(self, at: int) -> None:
        if at >= len(self._places):
            paths = tuple(map(Path, ask_for_texts(self._form, self._memory)))
            at = self._add_place(Place(None, paths)) if paths else len(self._places) - 1
            self.corpus.setCurrentIndex(at)
        self.changed.emit()

    def _prepare(self) -> None:
        self._ready = None
        self._problem = ""
        at = self.tokenizer.currentIndex()
        if 0 <= at < len(self._sources):
            self._job.ask(self._workspace.changes, self._sources[at])
        self.changed.emit()

    @Slot(object)
    def _on_prepared(self, answer: Ready | str) -> None:
        if isinstance(answer, str):
            self._problem = answer
        else:
            self._ready = answer
        self.changed.emit()


def _is_of_text(workspace: Workspace, source: Source) -> bool:
    return any(
        entry.run is source.run and entry.corpus.has_words for entry in workspace.runs.entries
    )


def _title(source: Source) -> str:
    name = elided(source.name, MOST_CHARACTERS)
    if source.run is None:
        return name
    size = plural(source.run.vocab_size_at(source.step), "token")
    return f"{name}, step {number(source.step)}: {size}"


def _prepared(changes: Changes, source: Source) -> Ready | str:
    """The tokenizer, or why it cannot be used; runs in the pool."""
    try:
        return changes.prepare(source)
    except BpeError as error:
        text = str(error)
        return text[:1].upper() + text[1:]
    except Exception as error:
        _log.exception("A tokenizer could not be read.")
        return f"{source.name} could not be read ({type(error).__name__}): choose another tokenizer"
