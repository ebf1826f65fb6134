"""Where the program keeps what belongs to the user and not to a document."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def state_folder(name: str) -> Path:
    """A folder for what outlives the program, such as unsaved work, in the place that the system
    has for it.
    """
    if sys.platform == "win32":
        return (
            Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
            / "BPE Studio"
            / name
        )
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "BPE Studio" / name
    state = os.environ.get("XDG_STATE_HOME", "")
    base = Path(state) if state and Path(state).is_absolute() else Path.home() / ".local" / "state"
    return base / "bpe-studio" / name
