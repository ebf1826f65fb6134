"""Builds the site: `python docs/site_pages.py` writes its pages to build/pages and the site to
build/site, without a network.

Its pages are those of this folder, and what is written elsewhere: the changelog, the textbook, the
commands and the public names. Three pages that live take the place of pictures of the gallery.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from html import escape
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent
PAGES = ROOT / "build" / "pages"
sys.path.insert(0, str(ROOT))

_WIDE = "---\nhide: [toc]\n---\n\n"
_BARE = "---\nhide: [navigation, toc]\n---\n\n"
_HOME_OF = {
    "../bpe_studio/engine/textbook.py": "textbook.md",
    "../CHANGELOG.md": "changelog.md",
}

_LIVING = {
    "screenshot.png": "live.html",
    "exploring-persian.png": "persian.html",
    "teaching-lesson.png": "lessons/05-persian-lines.html",
}
"""The pictures of the gallery in whose place the site has a page, to play with."""


def main() -> None:
    """Writes the pages, and makes the site of them."""
    shutil.rmtree(PAGES, ignore_errors=True)
    for name, content in (pages() | _files() | _live_pages()).items():
        path = PAGES / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    raise SystemExit(subprocess.run(command, cwd=ROOT, check=False).returncode)


def pages() -> dict[str, bytes]:
    """The pages that are Markdown: those of this folder, and those that are made."""
    found = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.md")}
    found["gallery.md"] = _BARE + gallery(found["gallery.md"])
    found["index.md"] = _read("docs/site/index.md")
    found["changelog.md"] = _read("CHANGELOG.md")
    found["textbook.md"] = _textbook()
    found["commands.md"] = _commands()
    found["api.md"] = _api()
    return {name: _inside(text).encode() for name, text in found.items()}


def _inside(markdown: str) -> str:
    """Points links to files outside this folder to their pages, turns others into plain text, and
    writes a bar in the code of a table as Python's Markdown reads it.
    """

    def shown(link: re.Match[str]) -> str:
        text, target = link.groups()
        home = _HOME_OF.get(target)
        return f"[{text}]({home})" if home else text

    markdown = re.sub(r"\[([^\]]+)\]\((\.\./[^)]+)\)", shown, markdown)
    return re.sub(r"^\|.*\|$", _with_bars, markdown, flags=re.MULTILINE)


def _with_bars(row: re.Match[str]) -> str:
    return re.sub("`[^`]*`", lambda code: code[0].replace("\\|", "|"), row[0])


def _files() -> dict[str, bytes]:
    """The pictures, and how the pages look."""
    files = [*FOLDER.glob("*.png"), *FOLDER.glob("*.webp"), FOLDER / "site" / "style.css"]
    return {path.name: path.read_bytes() for path in files}


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


def _textbook() -> str:
    return f"{_WIDE}# The textbook\n\n```python\n{_read('bpe_studio/engine/textbook.py')}```\n"


def _commands() -> str:
    """What each command says of itself."""
    from bpe_studio import cli

    os.environ["COLUMNS"] = "96"
    parts = [
        "# Commands\n\nWhat `bpe-studio COMMAND --help` prints. For recipes, see [use the command "
        "line](command-line.md)."
    ]
    for name, what in cli.COMMANDS.items():
        parts.append(
            f"## {name}\n\n{what[0].upper()}{what[1:]}.\n\n```{{ .text .printed }}\n"
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
        "# Python API\n\nThe names of `import bpe_studio as bpe`. For recipes, see [train and "
        "encode in Python](python.md)."
    ]
    for name in bpe_studio.__all__:
        thing = getattr(bpe_studio, name)
        if not name.startswith("_"):
            parts.append(
                f"::: {thing.__module__}.{thing.__qualname__}\n    options:\n      heading_level: 2"
            )
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    main()
