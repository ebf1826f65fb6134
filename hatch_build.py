"""Makes the description of the package from the README, which a package index shows without the files beside it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

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
