"""Settings are written by another thread: a disk that takes seconds does not stop the window."""

import pytest

from bpe_studio.gui.widgets.window_settings import TEXT, TOKENIZER, Recent, WindowSettings


def test_what_is_cleared_is_not_there_the_next_time(qapp):
    memory = WindowSettings()
    memory.add_recent(Recent(TEXT, ("/somewhere/a.txt",)))
    memory.sync()
    memory.clear_recent()
    memory.sync()
    assert WindowSettings().recent == []
    memory.theme = "dark"
    memory.clear()
    memory.sync()
    assert memory.theme == WindowSettings().theme == "system"


def test_two_windows_keep_what_the_other_has_stored(tmp_path, qapp):
    one = WindowSettings(tmp_path / "settings.json")
    other = WindowSettings(tmp_path / "settings.json")
    one.add_recent(Recent(TEXT, ("/a.txt",)))
    one.zoom = 120
    one.sync()
    other.add_recent(Recent(TOKENIZER, ("hf:owner/name",)))
    other.theme = "dark"
    other.sync()
    third = WindowSettings(tmp_path / "settings.json")
    assert third.recent == [Recent(TOKENIZER, ("hf:owner/name",)), Recent(TEXT, ("/a.txt",))]
    assert [(each.name, each.place) for each in third.recent] == [
        ("owner/name", "Hugging Face"),
        ("a.txt", "/"),
    ]
    assert (third.zoom, third.theme) == (120, "dark")


def test_what_an_earlier_version_has_listed_is_a_text_and_is_listed_once(tmp_path, qapp):
    path = tmp_path / "settings.json"
    path.write_text('{"files/recent": ["/a.txt\\n/b.txt", "/c.txt"]}', "utf-8")
    memory = WindowSettings(path)
    both = Recent(TEXT, ("/a.txt", "/b.txt"))
    assert memory.recent == [both, Recent(TEXT, ("/c.txt",))] and both.name == "a.txt and 1 more"
    memory.add_recent(both)
    assert memory.recent == [both, Recent(TEXT, ("/c.txt",))]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[1]",
        b"\xff\xfe",
        b"[" * 100_000,
        (
            b'{"view/theme": 7, "files/recent": {"a": 1}, "compare/sizes": ["x", -1, true, 1e9],'
            b' "view/motion": "no", "window/rect": [1, 2, 3], "window/layout_3": "%%",'
            b' "palette/used": [[], 3]}'
        ),
        (
            b'{"window/rect": [0, 0, 1e300, 2], "window/layout_3": 7, "view/zoom": "big",'
            b' "tokenizers/splits": [5, " y"]}'
        ),
    ],
)
def test_a_damaged_file_is_no_file(content, tmp_path, qapp):
    path = tmp_path / "settings.json"
    path.write_bytes(content)
    memory = WindowSettings(path)
    seen = (
        memory.theme,
        memory.recent,
        memory.compared_sizes,
        memory.layout,
        memory.used_actions,
        memory.splits,
    )
    assert seen == ("system", [], [], None, [], {})
    assert memory.get("motion", True)
    assert memory.place is None and memory.zoom == 100
    memory.theme = "dark"
    memory.sync()
    assert WindowSettings(path).theme == "dark"


def test_a_folder_that_cannot_be_written_is_logged_and_stops_nothing(tmp_path, qapp, caplog):
    (tmp_path / "folder").write_text("a file", "utf-8")
    memory = WindowSettings(tmp_path / "folder" / "settings.json")
    memory.theme = "dark"
    memory.sync()
    assert memory.theme == "dark"
    assert "Settings were not saved" in caplog.text
