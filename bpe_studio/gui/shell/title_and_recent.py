"""What the window does when something was opened: its title, the files opened last, and the way back.

A corpus, a tokenizer or a studio document is the workspace's; what of it concerns the window as a whole, and no panel,
is here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakSet

from PySide6.QtCore import QObject, Slot

from bpe_studio.explain.names import isolated_title
from bpe_studio.gui.look.numbers_text import grouping_locale
from bpe_studio.workspace.samples import resources_folder

if TYPE_CHECKING:
    from bpe_studio.gui.main_window import MainWindow
    from bpe_studio.workspace.opening.documents import Document
    from bpe_studio.workspace.runs.session import Session

NAME = "BPE Studio"


class TitleAndRecent(QObject):
    """Follows what is open.

    Args:
        window: the window, built.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._workspace = workspace = window.workspace
        # By identity, and for as long as anybody can go back to them.
        self._viewed: WeakSet[Document] = WeakSet()
        self._offered: Session | None = None
        workspace.corpus_changed.connect(self._on_corpus_changed)
        workspace.document_changed.connect(self._on_document_changed)
        workspace.failed.connect(self._show_encoding)
        window.menus.encoding_chosen.connect(self._on_encoding_chosen)
        window.setWindowTitle(NAME)

    def view(self) -> dict[str, object]:
        """How the window looks, as a document keeps it: the panels in front, and whether white space is shown."""
        docks = self._window.workbench.docks
        front = [key for key, dock in docks.items() if not dock.visibleRegion().isEmpty()]
        return {"front": front, "white_space": self._window.text_panel.hidden.isChecked()}

    @Slot()
    def _on_corpus_changed(self) -> None:
        info, window = self._workspace.corpus, self._window
        self._show_title()
        self._show_encoding()
        if info is None:
            return
        request, document = info.request, self._workspace.document
        if document is None and request.paths and resources_folder() not in request.paths[0].absolute().parents:
            window.memory.add_recent(request.paths)
            window.menus.show_recent(window.memory.recent)
        aside = self._workspace.set_aside
        if aside is not None and aside is not self._offered:
            # Once: the corpus changes too where a run of another split is shown.
            merges = "1 merge" if aside.n_merges == 1 else f"{grouping_locale().toString(aside.n_merges)} merges"
            window.banner.offer(
                f"The {merges} learned from {isolated_title(aside.name)} "
                f"{'is' if aside.n_merges == 1 else 'are'} kept until another text is opened.",
                f"Go back to {isolated_title(aside.name)}",
                self._workspace.take_back,
            )
        self._offered = aside

    @Slot()
    def _on_document_changed(self) -> None:
        document, window = self._workspace.document, self._window
        self._show_title()
        if document is None:
            return
        window.memory.add_recent([document.path])
        window.menus.show_recent(window.memory.recent)
        # A document may come from a stranger: of its view only what there is here counts.
        if document in self._viewed:
            return  # gone back to by undo, which leaves the panels where they are
        self._viewed.add(document)
        front = document.view.get("front")
        for key in front if isinstance(front, list) else ():
            if isinstance(key, str) and key in window.workbench.docks:
                window.workbench.show_dock(key)
        if isinstance(document.view.get("white_space"), bool):
            window.text_panel.hidden.setChecked(document.view["white_space"])

    def _show_title(self) -> None:
        info, document = self._workspace.corpus, self._workspace.document
        name = document.path.name if document is not None else info.name if info is not None else ""
        self._window.setWindowTitle(f"{name} – {NAME}" if name else NAME)

    @Slot(str)
    def _on_encoding_chosen(self, encoding: str) -> None:
        info = self._workspace.corpus
        if info is not None:
            self._workspace.open_files(info.request.paths, encoding or None)

    @Slot()
    def _show_encoding(self) -> None:
        info = self._workspace.corpus
        has_files = info is not None and bool(info.request.paths) and info.request.inside is None
        self._window.menus.show_encoding((info.request.encoding or "") if has_files else None)
