"""Files that the window writes: none is lost, none is half, and what goes wrong is said."""

from __future__ import annotations

from PySide6.QtCore import QThread

from bpe_studio.gui.background import file_writing
from bpe_studio.gui.background.file_writing import FileWriter, Written


def test_files_are_written_one_after_another_and_none_is_lost(qtbot, tmp_path):
    writer, written = FileWriter(), []
    writer.written.connect(written.append)
    paths = [tmp_path / f"{k}.txt" for k in range(5)]
    for path in paths:
        writer.write(path.name.encode(), path)
    qtbot.waitUntil(lambda: len(written) == 5)
    assert written == [Written(path) for path in paths]
    assert [path.read_bytes() for path in paths] == [path.name.encode() for path in paths]


def test_nothing_is_written_in_the_windows_thread(qtbot, tmp_path, monkeypatch):
    main, threads = QThread.currentThread(), []
    monkeypatch.setattr(file_writing, "write_file", lambda *_: threads.append(QThread.currentThread()))
    writer = FileWriter()
    with qtbot.waitSignal(writer.written):
        writer.write(b"a", tmp_path / "a.txt")
    assert threads != [main]


def test_where_nothing_can_be_written_it_says_why(qtbot, tmp_path):
    writer = FileWriter()
    with qtbot.waitSignal(writer.written) as written:
        writer.write(b"a", tmp_path / "no such folder" / "a.txt")
    assert "no such folder" in written.args[0].problem
