"""Builds the package: hatchling does, and puts compiled kernels into a wheel where a C compiler is
installed.

Such a wheel is for one version of Python and one system, and needs no numba. Other wheels and
editable installs need numba, which compiles the kernels when they are used. The description is the
README, which a package index shows without the files beside it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

# Not what tells the dependencies of a wheel before it is built, as they depend on whether it gets
# kernels.
from hatchling.build import (  # noqa: F401
    build_editable,
    build_sdist,
    build_wheel,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
)
from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.builders.wheel import WheelBuilder
from hatchling.metadata.plugin.interface import MetadataHookInterface

sys.path.insert(0, os.path.dirname(__file__))
from bpe_studio import _system

_PICTURE = r"!\[[^\]]*\]\((?!https?:)[^)]*\)\n*"
_LINK = r"\[([^\]]*)\]\((?!https?:)[^)]*\)"


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    """What is installed beside hatchling before a wheel is built: the compiler of the kernels, if
    it can be used.
    """
    if not _system.can_build_extensions():
        return []
    builder = WheelBuilder(os.getcwd())
    compiler = builder.metadata.core.optional_dependencies["kernels"]
    return [*builder.config.hook_config["custom"]["needs"], *compiler, "setuptools"]


class Description(MetadataHookInterface):
    """Leaves out pictures and links to files of the checkout."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Adds the description to what `pyproject.toml` says of the package."""
        readme = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        text = re.sub(_LINK, r"\1", re.sub(_PICTURE, "", readme))
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


class Kernels(BuildHookInterface[Any]):
    """Gives a wheel compiled kernels, or else makes it need numba."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compiles the kernels, if this is no editable install and this Python has all that is
        needed.
        """
        build_data["dependencies"] += self.config["needs"]
        command = [sys.executable, "-m", "bpe_studio.engine.build_kernels"]
        if (
            version == "standard"
            and subprocess.run(command, cwd=self.root, check=False).returncode == 0
        ):
            build_data["artifacts"].append(
                f"bpe_studio/engine/kernels/built_*{EXTENSION_SUFFIXES[0]}"
            )
            build_data.update(pure_python=False, infer_tag=True)
        else:
            build_data["dependencies"] += self.metadata.core.optional_dependencies["kernels"]
