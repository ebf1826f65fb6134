"""Adds the addresses of a repository to the metadata of a release.

`python .ci/project_urls.py https://HOST/OWNER/NAME` writes them into the pyproject.toml of the
folder that it is run in.
"""

from __future__ import annotations

import sys

PAGES = {
    "Homepage": "",
    "Documentation": "/tree/main/docs",
    "Issues": "/issues",
    "Changelog": "/blob/main/CHANGELOG.md",
}


def main(address: str) -> None:
    """Writes the addresses."""
    with open("pyproject.toml", "a", encoding="utf-8") as stream:
        stream.write("\n[project.urls]\n")
        for name, path in PAGES.items():
            stream.write(f'{name} = "{address}{path}"\n')


if __name__ == "__main__":
    main(sys.argv[1])
