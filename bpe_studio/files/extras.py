"""Packages that the program uses only if they are installed: those of the extras."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from bpe_studio.errors import SourceError

NOT_IN_BUNDLE = "the bundle does not have it, so install the program with pip instead"


def install_command(package: str) -> str:
    """The command that installs a package for this program, from any folder."""
    python = f'"{sys.executable}"' if " " in sys.executable else sys.executable
    return f"{python} -m pip install {package}"


def needed(module: str, what: str) -> Any:
    """A module that may not be installed.

    Args:
        module: its name.
        what: what needs it, as the beginning of a sentence.

    Raises:
        SourceError: it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        is_bundle = getattr(sys, "frozen", False)
        with_it = NOT_IN_BUNDLE if is_bundle else f"install it with `{install_command(package)}`"
        raise SourceError(f"{what}, which needs {package}: {with_it}") from None
