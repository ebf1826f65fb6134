"""Imports modules a few milliseconds at a time, in the window's thread.

A module that draws must be imported there, and with all that it imports it takes up to a tenth of a second. So those of
this program that it imports are imported before it, one a step.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import bpe_studio

_IMPORTED = re.compile(r"^(?:from|import) (bpe_studio\.[\w.]+)(?: import (\w+(?:, \w+)*)$)?", re.MULTILINE)
"""Indented imports are made later, or are for type checkers only."""
_ROOT = Path(bpe_studio.__file__).parent.parent


def import_steps(*names: str) -> Iterator[None]:
    """Imports modules of this program; yields after each module that was not imported yet."""
    for name in names:
        if name not in sys.modules:
            yield from import_steps(*_imported_by(name))
            importlib.import_module(name)
            yield


def _imported_by(name: str) -> Iterator[str]:
    """The modules that a module imports first; none where its source is not there, as in a frozen program."""
    source = _source(name)
    if source is None:
        return
    for module, inner in _IMPORTED.findall(source.read_text("utf-8")):
        yield module
        for attribute in inner.split(", ") if inner else ():
            if _source(f"{module}.{attribute}") is not None:
                yield f"{module}.{attribute}"


def _source(name: str) -> Path | None:
    path = _ROOT / name.replace(".", "/")
    return next((each for each in (path.with_suffix(".py"), path / "__init__.py") if each.is_file()), None)
