"""Imports modules a few milliseconds at a time, in the window's thread.

A module that draws must be imported there, and with all that it imports it takes up to a tenth of a second. So those of
its own package that it imports are imported before it, one a step.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import bpe_studio

_IMPORTED = re.compile(r"^(?:from|import) (\.*[\w.]*)(?: import (.*))?$", re.MULTILINE)
"""Indented imports are made later, or are for type checkers only."""
_ROOT = Path(bpe_studio.__file__).parent.parent


def import_steps(*names: str, root: Path = _ROOT) -> Iterator[None]:
    """Imports modules; yields after each module of their package that was not imported yet.

    Args:
        names: the modules.
        root: the folder that their package is in.
    """
    yield from _steps(names, root, set())


def _steps(names: Iterator[str] | tuple[str, ...], root: Path, begun: set[str]) -> Iterator[None]:
    for name in names:
        if name not in sys.modules and name not in begun:
            begun.add(name)
            yield from _steps(_imported_by(name, root), root, begun)
            importlib.import_module(name)
            yield


def _imported_by(name: str, root: Path) -> Iterator[str]:
    """The modules of its package that a module imports first; none without its source, as in a frozen program."""
    source = _source(name, root)
    if source is None:
        return
    package = name if source.name == "__init__.py" else name.rpartition(".")[0]
    for module, inner in _IMPORTED.findall(source.read_text("utf-8")):
        if module.startswith("."):
            rest = module.lstrip(".")
            above = package.rsplit(".", len(module) - len(rest) - 1)[0]
            module = f"{above}.{rest}" if rest else above
        if module.partition(".")[0] != name.partition(".")[0]:
            continue
        yield module
        for each in inner.split(","):
            attribute = each.split()[0] if each.strip() else ""
            if attribute.isidentifier() and _source(f"{module}.{attribute}", root) is not None:
                yield f"{module}.{attribute}"


def _source(name: str, root: Path) -> Path | None:
    path = root / name.replace(".", "/")
    return next((each for each in (path.with_suffix(".py"), path / "__init__.py") if each.is_file()), None)
