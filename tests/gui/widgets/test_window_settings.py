"""Settings are written by another thread: a disk that takes seconds does not stop the window."""

import threading

import pytest
from PySide6.QtWidgets import QWidget

from bpe_studio.files import atomic_file
from bpe_studio.gui.widgets.window_settings import FIRST_SIZE, WindowSettings


def test_a_slow_disk_does_not_hold_the_thread_that_stores_a_setting(monkeypatch, qapp):
    is_writing, may_end = threading.Event(), threading.Event()
    threads = []

    def slow_disk(path, data):
        threads.append(threading.current_thread())
        is_writing.set()
        assert may_end.wait(20)
        write(path, data)

    write = atomic_file.atomic_write
    memory = WindowSettings()
    monkeypatch.setattr(atomic_file, "atomic_write", slow_disk)
    memory.theme = "dark"
    assert is_writing.wait(20)
    # While the disk is busy: what was stored is there, and more can be stored.
    memory.add_recent(["/somewhere/a.txt"])
    memory.add_recent(["/somewhere/b.txt"])
    memory.clear_recent()
    memory.add_recent(["/somewhere/c.txt"])
    memory.put("white_space", True)
    assert (memory.theme, memory.recent, memory.get("white_space", False)) == ("dark", [["/somewhere/c.txt"]], True)
    may_end.set()
    memory.sync()
    assert threads and threading.main_thread() not in threads[:1]
    again = WindowSettings()
    assert (again.theme, again.recent, again.get("white_space", False)) == ("dark", [["/somewhere/c.txt"]], True)


def test_what_is_cleared_is_not_there_the_next_time(qapp):
    memory = WindowSettings()
    memory.add_recent(["/somewhere/a.txt"])
    memory.sync()
    memory.clear_recent()
    memory.sync()
    assert WindowSettings().recent == []
    memory.theme = "dark"
    memory.clear()
    memory.sync()
    assert memory.theme == WindowSettings().theme == "system"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[1]",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"view/theme": 7, "files/recent": {"a": 1}, "compare/sizes": ["x", -1, true, 1e9], "view/motion": "no",'
        b' "window/rect": [1, 2, 3], "window/layout_3": "%%", "palette/used": [[], 3]}',
        b'{"window/rect": [0, 0, 1e300, 2], "window/layout_3": 7, "tokenizers/splits": ["x", 5, " y"]}',
    ],
)
def test_a_damaged_file_is_no_file(content, tmp_path, qapp):
    path = tmp_path / "settings.json"
    path.write_bytes(content)
    memory = WindowSettings(path)
    seen = (memory.theme, memory.recent, memory.compared_sizes, memory.layout, memory.used_actions, memory.splits)
    assert seen == ("system", [], [], None, [], {})
    assert memory.get("motion", True)
    window = QWidget()
    memory.restore_place(window)
    assert window.size() == FIRST_SIZE
    memory.theme = "dark"
    memory.sync()
    assert WindowSettings(path).theme == "dark"


def test_a_second_window_of_the_user_keeps_what_it_has_stored(tmp_path, qapp):
    path = tmp_path / "folder" / "settings.json"
    first, second = WindowSettings(path), WindowSettings(path)
    first.theme = "dark"
    first.sync()
    second.put("motion", False)
    second.sync()
    assert (WindowSettings(path).theme, WindowSettings(path).get("motion", True)) == ("dark", False)


def test_a_folder_that_cannot_be_written_is_logged_and_stops_nothing(tmp_path, qapp, caplog):
    (tmp_path / "folder").write_text("a file", "utf-8")
    memory = WindowSettings(tmp_path / "folder" / "settings.json")
    memory.theme = "dark"
    memory.sync()
    assert memory.theme == "dark"
    assert "Settings were not saved" in caplog.text
