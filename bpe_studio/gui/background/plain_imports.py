"""Takes back the function that PySide6 puts in the place of Python's own import.

PySide6 has Python read the source of every module that is imported after it, and keep it, to see
whether the module may ask for another style of names (`from __feature__ import snake_case`). None
does here, and it is a fifth of the time of all imports, and 25 MB.
"""

from __future__ import annotations

import builtins


def import_plainly() -> None:
    """Has `import` be Python's again; call it once QtCore is imported."""
    original = getattr(builtins, "__orig_import__", None)
    if original is not None:
        builtins.__import__ = original
