"""Restores Python's own import function, which PySide6 replaces.

PySide6's function reads and keeps the source of every module imported after it, to see whether the
module wants another style of names (`from __feature__ import snake_case`). No module here does, and
it costs a fifth of the time of all imports, and 25 MB.
"""

from __future__ import annotations

import builtins


def import_plainly() -> None:
    """Restore Python's own `import`; call this once QtCore is imported."""
    original = getattr(builtins, "__orig_import__", None)
    if original is not None:
        builtins.__import__ = original
