"""The dialogs that ask for files: which texts to open, and where to save.

They only ask, and remember the folder; what is done with the answer is the window's.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from bpe_studio.gui.widgets.window_settings import WindowSettings

DOCUMENTS = "BPE Studio documents (*.bpestudio)"
LESSONS = "Lessons (*.yaml *.yml)"
TEXTS = "Texts and documents (*.bpestudio *.txt *.md *.csv *.tsv *.json *.jsonl *.py *.html *.xml *.log);;All files (*)"


def ask_for_texts(parent: QWidget, memory: WindowSettings) -> list[str]:
    """The files to open as one corpus; empty where the person changed their mind."""
    title = "Open texts, a studio document or a tokenizer"
    paths, _ = QFileDialog.getOpenFileNames(parent, title, memory.folder, TEXTS)
    return list(paths)


def ask_where_to_save(parent: QWidget, memory: WindowSettings, corpus_name: str) -> Path | None:
    """The folder that a tokenizer is to be saved in; it need not exist."""
    name = f"{Path(corpus_name).stem or 'my'}-tokenizer"
    wanted, _ = QFileDialog.getSaveFileName(
        parent,
        "Save the tokenizer in a folder",
        str(Path(memory.folder) / name),
        "Hugging Face folder (*)",
        options=QFileDialog.Option.DontConfirmOverwrite,
    )
    return _remembered(memory, wanted)


def ask_for_document(parent: QWidget, memory: WindowSettings, present: Path | None, corpus_name: str) -> Path | None:
    """The file that a studio document is to be saved in.

    Args:
        parent: the window.
        memory: knows the folder.
        present: where what is open was saved last, or None.
        corpus_name: what the corpus is called.
    """
    start = present or Path(memory.folder) / f"{Path(corpus_name).stem or 'my'}.bpestudio"
    wanted, _ = QFileDialog.getSaveFileName(parent, "Save a studio document", str(start), DOCUMENTS)
    path = _remembered(memory, wanted)
    return path.with_suffix(".bpestudio") if path is not None and not path.suffix else path


def ask_for_picture(parent: QWidget, memory: WindowSettings) -> Path | None:
    """The file that a picture of the window is to be saved in."""
    start = str(Path(memory.folder) / "bpe-studio.png")
    wanted, _ = QFileDialog.getSaveFileName(parent, "Save a picture", start, "Pictures (*.png)")
    path = _remembered(memory, wanted)
    return path.with_suffix(".png") if path is not None and not path.suffix else path


def ask_for_lesson(parent: QWidget, memory: WindowSettings) -> Path | None:
    """The lesson file to follow."""
    path, _ = QFileDialog.getOpenFileName(parent, "Open a lesson file", memory.folder, LESSONS)
    return _remembered(memory, path)


def ask_where_to_put_template(parent: QWidget, memory: WindowSettings) -> Path | None:
    """The file that a lesson template is to be saved in."""
    start = str(Path(memory.folder) / "my-lesson.yaml")
    wanted, _ = QFileDialog.getSaveFileName(parent, "Save a lesson template", start, LESSONS)
    path = _remembered(memory, wanted)
    return path.with_suffix(".yaml") if path is not None and not path.suffix else path


def ask_where_to_save_steps(parent: QWidget, memory: WindowSettings, name: str, suffix: str) -> Path | None:
    """The file that a range of steps is to be exported to.

    Args:
        parent: the dialog.
        memory: knows the folder.
        name: what the file is called without its suffix; what no file can be called is left out.
        suffix: ".html" or ".gif".
    """
    clean = "".join(char if char.isalnum() or char in " -_." else "_" for char in name).strip()[:100]
    kind = {".html": "Pages", ".gif": "Animated pictures"}[suffix]
    return ask_for_place(parent, memory, "Export a range of steps", f"{clean or 'steps'}{suffix}", kind)


def ask_for_place(parent: QWidget, memory: WindowSettings, title: str, name: str, kind: str) -> Path | None:
    """The file that something is to be saved in.

    Args:
        parent: the window.
        memory: knows the folder.
        title: of the dialog, such as "Save the merges".
        name: what the file is called if nobody says otherwise, with its suffix.
        kind: what such files are called, such as "Tables".
    """
    suffix = Path(name).suffix
    start = str(Path(memory.folder) / name)
    wanted, _ = QFileDialog.getSaveFileName(parent, title, start, f"{kind} (*{suffix})")
    path = _remembered(memory, wanted)
    return path if path is None or path.suffix.lower() == suffix else path.with_name(path.name + suffix)


def _remembered(memory: WindowSettings, wanted: str) -> Path | None:
    if not wanted:
        return None
    path = Path(wanted)
    memory.folder = path.absolute().parent
    return path
