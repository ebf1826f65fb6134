"""Files and texts that are dropped anywhere on the window.

Text fields would insert the URL of a dropped file, so files are intercepted first. A dropped text
goes to the field under the pointer; if there is none, it is opened as a corpus.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QObject, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

_SCHEMES = ("http", "https", "s3", "gs", "hf")
_DRAGGING = (QEvent.Type.DragEnter, QEvent.Type.DragMove)


class DropTarget(QObject):
    """Watches a window and all its widgets that accept drops.

    Signals:
        files_dropped: list of str, paths or addresses.
        text_dropped: str.
        hovered: bool, whether something that can be dropped is over the window.
    """

    files_dropped = Signal(object)
    text_dropped = Signal(str)
    hovered = Signal(bool)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        window.setAcceptDrops(True)
        window.installEventFilter(self)
        for widget in window.findChildren(QWidget):
            if widget.acceptDrops():
                widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _DRAGGING and isinstance(event, QDropEvent):
            return self._on_drag(watched, event)
        if event.type() is QEvent.Type.DragLeave and watched is self._window:
            self.hovered.emit(False)
        elif event.type() is QEvent.Type.Drop and isinstance(event, QDropEvent):
            return self._on_drop(watched, event)
        return super().eventFilter(watched, event)

    def _on_drag(self, watched: QObject, event: QDropEvent) -> bool:
        mime = event.mimeData()
        is_wanted = bool(paths_of(mime)) or (watched is self._window and mime.hasText())
        if is_wanted:
            event.acceptProposedAction()
            self.hovered.emit(True)
        return is_wanted

    def _on_drop(self, watched: QObject, event: QDropEvent) -> bool:
        self.hovered.emit(False)
        mime = event.mimeData()
        paths = paths_of(mime)
        if paths:
            event.acceptProposedAction()
            self.files_dropped.emit(paths)
            return True
        if watched is self._window and mime.hasText() and mime.text():
            event.acceptProposedAction()
            self.text_dropped.emit(mime.text())
            return True
        return False


def paths_of(mime: QMimeData) -> list[str]:
    """The local files that a drop names; if there are none, its addresses."""
    urls = mime.urls() if mime.hasUrls() else []
    local = [url.toLocalFile() for url in urls if url.isLocalFile()]
    if local:
        return local
    return [bytes(url.toEncoded().data()).decode() for url in urls if url.scheme() in _SCHEMES]
