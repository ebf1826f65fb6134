"""The dialogs that ask for files: which texts to open, and where to save.

They return the answer and remember the folder; they neither open nor save. Before a file is
replaced, the program's own question asks, and the desktop's dialog does not.
"""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QComboBox, QFileDialog, QWidget

from bpe_studio.gui.widgets.question import may_replace
from bpe_studio.gui.widgets.window_settings import WindowSettings

TOKENIZERS = (
    "Tokenizers (*.json *.model *.tiktoken *.txt *.bpe *.gz *.codes *.bpestudio *.vocab);;All"
    " files (*)"
)
LESSONS = "Lessons (*.yaml *.yml)"
TEXTS = (
    "Texts and documents (*.bpestudio *.txt *.md *.csv *.tsv *.json *.jsonl *.ndjson *.parquet"
    " *.arrow *.py *.html *.xml *.log *.gz *.bz2 *.xz *.zst *.zip *.tar *.tgz);;All files (*)"
)


def ask_for_texts(
    parent: QWidget,
    memory: WindowSettings,
    title: str = "Open texts, a studio document or a tokenizer",
) -> list[str]:
    """The files to open as one corpus; empty if the dialog was cancelled."""
    _style_when_shown()
    paths, _ = QFileDialog.getOpenFileNames(parent, title, memory.folder, TEXTS)
    return list(paths)


def ask_for_tokenizer(parent: QWidget, memory: WindowSettings, *, is_folder: bool) -> Path | None:
    """One tokenizer, a file or a folder; None if the dialog was cancelled."""
    title = "Choose a tokenizer"
    _style_when_shown()
    if is_folder:
        return _remembered(memory, QFileDialog.getExistingDirectory(parent, title, memory.folder))
    return _remembered(
        memory, QFileDialog.getOpenFileName(parent, title, memory.folder, TOKENIZERS)[0]
    )


def ask_where_to_save(
    parent: QWidget, memory: WindowSettings, start: str, kind: str, suffix: str
) -> Path | None:
    """The file or folder to save a tokenizer in, which may not exist; None if cancelled.

    Args:
        parent: the dialog that asks.
        memory: remembers the folder.
        start: the place that is suggested.
        kind: the name of the format.
        suffix: the end of its file names; "" for a folder.
    """
    # The form that opens it says what is replaced.
    return _asked(
        parent, memory, "Save the tokenizer", start, f"{kind.partition(' (')[0]} (*{suffix})"
    )


def ask_for_lesson(parent: QWidget, memory: WindowSettings) -> Path | None:
    """The lesson file to open; None if the dialog was cancelled."""
    return ask_for_file(parent, memory, "Open a lesson file", LESSONS)


def ask_for_file(parent: QWidget, memory: WindowSettings, title: str, kinds: str) -> Path | None:
    """One file to read; None if the dialog was cancelled."""
    _style_when_shown()
    path, _ = QFileDialog.getOpenFileName(parent, title, memory.folder, kinds)
    return _remembered(memory, path)


def file_name(text: str) -> str:
    """A text as the name of a file, without characters that some systems forbid."""
    return re.sub(r"[^\w .-]", "_", text).strip()[:100]


def ask_for_place(
    parent: QWidget, memory: WindowSettings, title: str, name: str, kind: str
) -> Path | None:
    """The file to save something in; None if the dialog was cancelled.

    Args:
        parent: the window.
        memory: remembers the folder.
        title: the title of the dialog, such as "Save the merges".
        name: the suggested name, with its suffix; or the current place of the file.
        kind: the name of the file type, such as "Tables".
    """
    suffix = Path(name).suffix
    start = str(Path(memory.folder) / name)
    path = _asked(parent, memory, title, start, f"{kind} (*{suffix})")
    missing = "" if path is None or path.suffix.lower() == suffix else suffix
    return _completed(parent, path, missing)


def _asked(
    parent: QWidget, memory: WindowSettings, title: str, start: str, kinds: str
) -> Path | None:
    """The file that was chosen, which may exist; None if the dialog was cancelled."""
    option = QFileDialog.Option.DontConfirmOverwrite
    _style_when_shown()
    wanted, _ = QFileDialog.getSaveFileName(parent, title, start, kinds, "", option)
    return _remembered(memory, wanted)


def _style_when_shown() -> None:
    """Make the next file dialog look like other dialogs, if it is Qt's and not the desktop's."""
    QTimer.singleShot(0, _style)


def _style() -> None:
    dialog = QApplication.activeModalWidget()
    if isinstance(dialog, QFileDialog):
        # Otherwise this style makes the box, and so the dialog, as wide as its list of file
        # endings.
        for box in dialog.findChildren(QComboBox):
            box.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )


def _completed(parent: QWidget, path: Path | None, suffix: str) -> Path | None:
    """The path with its suffix; None if a file of that name is to be kept."""
    if path is None:
        return None
    whole = path.with_name(path.name + suffix)
    return whole if may_replace(whole, parent) else None


def _remembered(memory: WindowSettings, wanted: str) -> Path | None:
    if not wanted:
        return None
    path = Path(wanted)
    memory.folder = path.absolute().parent
    return path
