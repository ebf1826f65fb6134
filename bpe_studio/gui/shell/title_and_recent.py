"""The title of the window and its list of recent files.
The workspace opens corpora, tokenizers and documents; this module follows it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakSet

from PySide6.QtCore import QObject, Qt, Slot

from bpe_studio.files.samples import resources_folder
from bpe_studio.files.text.addresses import address_of
from bpe_studio.gui.widgets.window_settings import DOCUMENT, TEXT, TOKENIZER, Recent
from bpe_studio.workspace.corpus.text_files import has_text

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from bpe_studio.gui.shell.document_view import DocumentView
    from bpe_studio.gui.shell.menus import Menus
    from bpe_studio.gui.widgets.window_settings import WindowSettings
    from bpe_studio.workspace.session import Document
    from bpe_studio.workspace.workspace import Workspace

NAME = "BPE Studio"


class TitleAndRecent(QObject):
    """Follows the workspace.

    Args:
        window: the window with the title.
        workspace: the open corpus or document.
        menus: lists the recent files, and ticks the encoding.
        view: shows the panels that a document had in front.
        memory: remembers the recent files.
    """

    def __init__(
        self,
        window: QWidget,
        workspace: Workspace,
        menus: Menus,
        view: DocumentView,
        memory: WindowSettings,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._workspace = workspace
        self._menus = menus
        self._view = view
        self._memory = memory
        # The set compares by identity, and holds a document as long as undo can return to it.
        self._viewed: WeakSet[Document] = WeakSet()
        workspace.corpus_changed.connect(self._on_corpus_changed)
        workspace.document_changed.connect(self._on_document_changed)
        workspace.failed.connect(self._show_encoding)
        for signal in (
            workspace.document_changed,
            workspace.state_changed,
            workspace.typed_text_changed,
            workspace.marks.changed,
            workspace.runs.changed,
            workspace.saver.ended,
            workspace.undo_step_added,
        ):
            signal.connect(self._show_mark, Qt.ConnectionType.QueuedConnection)
        menus.encoding_chosen.connect(self._on_encoding_chosen)
        self._show_title()

    @Slot()
    def _on_corpus_changed(self) -> None:
        info = self._workspace.corpus
        self._show_title()
        self._show_encoding()
        if info is None:
            return
        request = info.request
        document = self._workspace.document
        chosen = request.chosen or request.paths
        if request.tokenizer is not None:
            self._add_recent(TOKENIZER, [request.tokenizer])
        elif (
            document is None
            and chosen
            and not any(map(address_of, chosen))
            and resources_folder() not in chosen[0].absolute().parents
        ):
            paths = [path.absolute() for path in chosen]
            self._add_recent(TEXT, paths)

    @Slot()
    def _on_document_changed(self) -> None:
        document = self._workspace.document
        self._show_title()
        if document is None:
            return
        self._add_recent(DOCUMENT, [document.path.absolute()])
        if document in self._viewed:
            return  # gone back to by undo, which leaves the panels where they are
        self._viewed.add(document)
        self._view.restore(document.view)

    def _add_recent(self, kind: str, paths: Iterable[Path]) -> None:
        self._memory.add_recent(Recent(kind, tuple(map(str, paths))))
        self._menus.show_recent(self._memory.recent)

    def _show_title(self) -> None:
        info = self._workspace.corpus
        document = self._workspace.document
        name = "" if info is None else info.name
        if document is not None:
            name = document.path.name
        # Qt puts the mark of unsaved work in the place of "[*]".
        title = f"{name.replace('[*]', '[*][*]')}[*] – {NAME}" if name else f"{NAME}[*]"
        self._window.setWindowTitle(title)

    @Slot()
    def _show_mark(self) -> None:
        is_unsaved = bool(self._workspace.keeping.unsaved)
        if is_unsaved != self._window.isWindowModified():
            self._window.setWindowModified(is_unsaved)  # Qt tells every widget, changed or not

    @Slot(str)
    def _on_encoding_chosen(self, encoding: str) -> None:
        info = self._workspace.corpus
        if info is not None:
            chosen = info.request.reading
            self._workspace.opener.open_files(
                info.request.chosen or list(info.request.paths),
                encoding or None,
                column=chosen.column,
                is_plain=chosen.is_plain,
            )

    @Slot()
    def _show_encoding(self) -> None:
        encoding = None
        info = self._workspace.corpus
        if info is not None:
            request = info.request
            if has_text(request) and request.text is None and request.inside is None:
                encoding = request.reading.encoding or ""
        self._menus.show_encoding(encoding)
