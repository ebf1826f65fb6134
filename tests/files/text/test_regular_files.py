"""Only regular files are opened, and opening never waits."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from bpe_studio.errors import SourceError
from bpe_studio.files.text.regular_files import fingerprint, is_regular, open_regular


def test_a_file_is_opened_and_known_again(tmp_path: Path) -> None:
    path = tmp_path / "a"
    link = tmp_path / "link"
    path.write_bytes(b"abc")
    link.symlink_to(path)
    with open_regular(path) as one, open_regular(link) as other:
        assert one.read() == other.read() == b"abc"
    known = fingerprint(path)
    assert (
        known is not None and fingerprint(link) == known and fingerprint(tmp_path / "none") is None
    )
    path.unlink()
    path.write_bytes(b"abd")
    assert fingerprint(path) != known
    assert (
        is_regular(link)
        and not is_regular(tmp_path)
        and not is_regular("a\0b")
        and not is_regular(tmp_path / "none")
    )


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes in folders there")
def test_nothing_else_is_and_nobody_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    opened: list[object] = []
    real = os.open
    monkeypatch.setattr(os, "open", lambda *given: (opened.append(given[0]), real(*given))[1])
    for place in (tmp_path / "pipe", tmp_path / "link", "/dev/zero", "/dev/stdin", "/dev/tty"):
        if os.path.exists(place) and not is_regular(place):
            with pytest.raises(SourceError, match="is a pipe or a device"):
                open_regular(place)
    with pytest.raises(SourceError, match="is a folder"):
        open_regular(tmp_path)
    with pytest.raises(SourceError, match="cannot be the name of a file"):
        open_regular("a\0b")
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "none")
    assert opened == [], "a device may do something when it is opened"
    # Put in the place of a file after that was looked at, a pipe is opened without waiting, and
    # refused.
    (tmp_path / "file").write_bytes(b"")
    status = os.stat(tmp_path / "file")
    monkeypatch.setattr(os, "stat", lambda path: status)
    with pytest.raises(SourceError, match="is a pipe or a device"):
        open_regular(tmp_path / "pipe")
