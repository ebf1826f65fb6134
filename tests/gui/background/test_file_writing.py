"""Files that the window writes: none is lost, none is half, and what goes wrong is said."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QThread
from PySide6.QtGui import QImage

from bpe_studio.errors import SaveError
from bpe_studio.gui.background import file_writing
from bpe_studio.gui.background.file_writing import FileWriter, WithCompanions, Written, try_write, write_file


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


def test_a_picture_is_of_the_kind_of_its_suffix(qapp, tmp_path):
    image = QImage(4, 4, QImage.Format.Format_RGB32)
    write_file(image, tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    write_file(image, tmp_path / "a.bmp")
    assert (tmp_path / "a.bmp").read_bytes().startswith(b"BM")
    assert "choose a name with .png" in try_write(image, tmp_path / "a.xyz").problem


def test_a_companion_with_another_content_is_not_replaced(tmp_path):
    content = WithCompanions(b"script", {"text.txt": b"text"})
    write_file(content, tmp_path / "run.py")
    write_file(content, tmp_path / "run.py")
    assert (tmp_path / "text.txt").read_bytes() == b"text"
    (tmp_path / "text.txt").write_bytes(b"mine")
    with pytest.raises(SaveError, match=r"text\.txt"):
        write_file(content, tmp_path / "run.py")
    assert (tmp_path / "text.txt").read_bytes() == b"mine"
