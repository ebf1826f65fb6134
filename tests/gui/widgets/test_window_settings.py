"""Settings are written by another thread: a disk that takes seconds does not stop the window."""

import threading

from bpe_studio.gui.widgets import window_settings
from bpe_studio.gui.widgets.window_settings import WindowSettings


def test_a_slow_disk_does_not_hold_the_thread_that_stores_a_setting(monkeypatch, qapp):
    is_writing, may_end = threading.Event(), threading.Event()
    threads = []

    class SlowDisk(window_settings.QSettings):
        def sync(self):
            threads.append(threading.current_thread())
            is_writing.set()
            assert may_end.wait(20)
            super().sync()

    memory = WindowSettings()
    monkeypatch.setattr(window_settings, "QSettings", SlowDisk)
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
    assert not WindowSettings().get("white_space", False)


def test_text_of_a_file_is_a_truth_value(qapp, tmp_path):
    path = tmp_path / "window.ini"
    path.write_text("[view]\nwhite_space=true\nmotion=false\n\n[window]\nmaximized=true\n", "utf-8")
    memory = WindowSettings(window_settings.QSettings(str(path), window_settings.QSettings.Format.IniFormat))
    assert (memory.get("white_space", False), memory.get("motion", True), memory.was_maximized) == (True, False, True)
