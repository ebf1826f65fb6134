"""The folders for files that belong to the user and not to a document."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def state_folder(name: str) -> Path:
    """A folder for files that outlive the program, such as unsaved work, in the system's place for
    them.
    """
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
        return Path(local) / "BPE Studio" / name
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "BPE Studio" / name
    base = Path(os.environ.get("XDG_STATE_HOME", ""))
    if not base.is_absolute():
        base = Path.home() / ".local" / "state"
    return base / "bpe-studio" / name
