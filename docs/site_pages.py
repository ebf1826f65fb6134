"""Adds to the site what is written elsewhere: README, changelog, the textbook, the commands and the public names."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

_WIDE = "---\nhide: [toc]\n---\n\n"
_HOME_OF = {
    "../bpe_studio/engine/textbook.py": "textbook.md",
    "../README.md": "index.md",
    "../CHANGELOG.md": "changelog.md",
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that are no file of this folder."""
    from mkdocs.structure.files import File

    made = {
        "index.md": _relative(_read("README.md")),
        "changelog.md": _relative(_read("CHANGELOG.md")),
        "textbook.md": _textbook(),
        "commands.md": _commands(),
        "api.md": _api(),
    }
    for name, content in (made | _live_pages()).items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Points links to files outside this folder to their pages, and turns others into plain text."""

    def shown(link: re.Match[str]) -> str:
        text, target = link.groups()
        home = _HOME_OF.get(target)
        return f"[{text}]({home})" if home else text

    return re.sub(r"\[([^\]]+)\]\((\.\./[^)]+)\)", shown, markdown)


def _read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _relative(page: str) -> str:
    """A page of the top folder, with links as a page of this folder has them."""
    return re.sub(
        r"(\[[^\]]*\]\()(?!https?:|#)([^)]+)", lambda link: link[1] + f"../{link[2]}".replace("../docs/", ""), page
    )


def _textbook() -> str:
    return f"{_WIDE}# The textbook\n\n```python\n{_read('bpe_studio/engine/textbook.py')}```\n"


def _commands() -> str:
    """What each command says of itself."""
    from bpe_studio import cli

    os.environ["COLUMNS"] = "100"
    parts = [
        f"{_WIDE}# Commands\n\nWhat `bpe-studio COMMAND --help` prints. See also [the command line](command-line.md)."
    ]
    for name, what in cli.COMMANDS.items():
        parts.append(f"## {name}\n\n{what[0].upper()}{what[1:]}.\n\n```text\n{cli.parser_of(name).format_help()}```")
    return "\n\n".join(parts) + "\n"


def _live_pages() -> dict[str, bytes]:
    """A run and the lessons as pages that live."""
    import bpe_studio as bpe
    from bpe_studio.explain.lesson_pages import lesson_site
    from bpe_studio.files.samples import find_sample

    config = bpe.TrainingConfig.preset("gpt2", merges=1000)
    run = bpe.train(bpe.Corpus.from_files(find_sample("english").path, config), config)
    text = "Type here. Every colour is a token at the step above."
    pages = {f"lessons/{name}": page for name, page in lesson_site().items()}
    return {"live.html": bpe.page(run, text, 300, "A run to play with").content, **pages}


def _api() -> str:
    """The public names, each with its docstring."""
    import bpe_studio

    parts = ["# Python API\n\nThe names of `import bpe_studio as bpe`. See also [Python](python.md)."]
    for name in bpe_studio.__all__:
        thing = getattr(bpe_studio, name)
        if not name.startswith("_"):
            parts.append(f"::: {thing.__module__}.{thing.__qualname__}\n    options:\n      heading_level: 2")
    return "\n\n".join(parts) + "\n"
