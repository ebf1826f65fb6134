"""What hatchling asks while it builds the package: the description, and compiled kernels for a
wheel where a C compiler is installed.

Such a wheel is for one system and all versions of Python. Without a compiler, the wheel is for all
systems, and runs at full speed with the extra `kernels`. The description is the README, which a
package index shows without the files beside it.
"""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = r"!\[[^\]]*\]\((?!https?:)[^)]*\)\n*"
_LINK = r"\[([^\]]*)\]\((?!https?:)[^)]*\)"


class Description(MetadataHookInterface):
    """Leaves out pictures and links to files of the checkout."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Adds the description to what `pyproject.toml` says of the package."""
        readme = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        text = re.sub(_LINK, r"\1", re.sub(_PICTURE, "", readme))
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


class Kernels(BuildHookInterface[Any]):
    """Gives a wheel compiled kernels."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compiles the kernels, if this is no editable install and a C compiler is there."""
        if version != "standard":
            return
        command = [sys.executable, "-m", "bpe_studio.engine.build_kernels"]
        if subprocess.run(command, cwd=self.root, check=False).returncode != 0:
            self.app.display_warning(
                "This wheel has no compiled kernels: install a C compiler and Python's headers and"
                ' build it again, or install "bpe-studio[kernels]", which compiles them when they'
                " are used."
            )
            return
        build_data["artifacts"].append("bpe_studio/engine/kernels/built_????????*.*")
        build_data["pure_python"] = False
        tag = self.build_config.builder.get_best_matching_tag()
        if not sysconfig.get_config_var("Py_GIL_DISABLED"):
            tag = f"cp311-abi3-{tag.rpartition('-')[2]}"
        build_data["tag"] = tag
