"""Adds to the site what is written elsewhere: README, changelog, the textbook, the commands and the
public names.

It also makes pages that live, and puts three of them into the gallery, in the place of pictures.
"""

from __future__ import annotations

import os
import re
import sys
from html import escape
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

_LIVING = {
    "screenshot.png": "live.html",
    "exploring-persian.png": "persian.html",
    "teaching-lesson.png": "lessons/05-persian-lines.html",
}
"""The pictures of the gallery in whose place the site has a page, to play with."""


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
    """Points links to files outside this folder to their pages, and turns others into plain
    text.
    """

    def shown(link: re.Match[str]) -> str:
        text, target = link.groups()
        home = _HOME_OF.get(target)
        return f"[{text}]({home})" if home else text

    markdown = re.sub(r"\[([^\]]+)\]\((\.\./[^)]+)\)", shown, markdown)
    if page.file.src_uri != "gallery.md":
        return markdown
    page.meta["hide"] = ["navigation", "toc"]
    return gallery(markdown)


def gallery(markdown: str) -> str:
    """The gallery with pages in the place of some pictures."""

    def living(picture: re.Match[str]) -> str:
        about, file = picture.groups()
        if (address := _LIVING.get(file)) is None:
            return picture[0]
        about = escape(" ".join(about.split()))
        style = "width:100%;height:46rem;border:1px solid #8888"
        frame = f'<iframe src="{address}" title="{about}" loading="lazy" style="{style}"></iframe>'
        return f'{frame}\n\n<a href="{address}">Open this page by itself</a>: it is one file, which you can save.'  # noqa: E501

    return re.sub(r"!\[([^\]]*)\]\(([^)]+)\)", living, markdown)


def _read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _relative(page: str) -> str:
    """A page of the top folder, with links as a page of this folder has them."""
    return re.sub(
        r"(\[[^\]]*\]\()(?!https?:|#)([^)]+)",
        lambda link: link[1] + f"../{link[2]}".replace("../docs/", ""),
        page,
    )


def _textbook() -> str:
    return f"{_WIDE}# The textbook\n\n```python\n{_read('bpe_studio/engine/textbook.py')}```\n"


def _commands() -> str:
    """What each command says of itself."""
    from bpe_studio import cli

    os.environ["COLUMNS"] = "100"
    parts = [
        (
            f"{_WIDE}# Commands\n\nWhat `bpe-studio COMMAND --help` prints. See also [the command "
            "line](command-line.md)."
        )
    ]
    for name, what in cli.COMMANDS.items():
        parts.append(
            f"## {name}\n\n{what[0].upper()}{what[1:]}.\n\n```text\n"
            f"{cli.parser_of(name).format_help()}```"
        )
    return "\n\n".join(parts) + "\n"


def _live_pages() -> dict[str, bytes]:
    """Two runs and the lessons as pages that live."""
    import bpe_studio as bpe
    from bpe_studio.explain.lesson_pages import lesson_site
    from bpe_studio.files.samples import find_sample

    def page(sample: str, preset: str, text: str, title: str, language: str) -> bytes:
        config = bpe.TrainingConfig.preset(preset, merges=1000)
        run = bpe.train(bpe.Corpus.from_files(find_sample(sample).path, config), config)
        return bpe.page(run, text, 300, title, language).content

    typed = "Type here. Every colour is a token at the step above."
    return {
        "live.html": page("english", "gpt2", typed, "A run to play with", "English"),
        "persian.html": page(
            "persian", "textbook", "باغبان در باغ گل می‌کارد.", "یک اجرا برای بازی", "Persian"
        ),
        **{f"lessons/{name}": page for name, page in lesson_site().items()},
    }


def _api() -> str:
    """The public names, each with its docstring."""
    import bpe_studio

    parts = [
        "# Python API\n\nThe names of `import bpe_studio as bpe`. See also [Python](python.md)."
    ]
    for name in bpe_studio.__all__:
        thing = getattr(bpe_studio, name)
        if not name.startswith("_"):
            parts.append(
                f"::: {thing.__module__}.{thing.__qualname__}\n    options:\n      heading_level: 2"
            )
    return "\n\n".join(parts) + "\n"
