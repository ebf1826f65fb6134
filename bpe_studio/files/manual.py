"""The manual: the pages of `docs/`, which an installed program has, too, and the terms of its
glossary.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ORDER = (
    "tutorial",
    "exploring-a-corpus",
    "asking-why",
    "choosing-a-size",
    "sharing",
    "python",
    "coming-from",
    "command-line",
    "corpora",
    "inspecting-a-corpus",
    "third-party-tokenizers",
    "teaching",
    "writing-lessons",
    "check-your-trainer",
    "grading",
    "troubleshooting",
    "presets",
    "formats",
    "measures",
    "mistakes",
    "glossary",
    "architecture",
    "measurements",
    "reliability",
    "security",
)
"""The pages in the order in which they are listed; others follow."""
GLOSSARY = "glossary"
_ROW = re.compile(r"^\| (.+?) \| (.+) \|$", re.MULTILINE)


@dataclass(frozen=True)
class Page:
    """One page.

    Attributes:
        name: the name of its file, without the suffix.
        title: its first heading.
        path: its file.
        text: its content, in Markdown.
    """

    name: str
    title: str
    path: Path
    text: str


def manual_folder() -> Path:
    """The folder of the pages: in the package in a wheel, next to the package in a checkout."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "docs"
    return inside if inside.is_dir() else package.parent / "docs"


def list_pages() -> tuple[Page, ...]:
    """The pages in their order; none if they are not installed."""
    found = []
    for path in sorted(manual_folder().glob("*.md")):
        text = path.read_text("utf-8")
        title = next((line[2:] for line in text.splitlines() if line.startswith("# ")), path.stem)
        found.append(Page(path.stem, title, path, text))
    places = {name: place for place, name in enumerate(ORDER)}
    return tuple(sorted(found, key=lambda page: places.get(page.name, len(ORDER))))


def list_terms() -> tuple[tuple[str, str], ...]:
    """The terms of the glossary and their meanings, as plain text."""
    path = manual_folder() / f"{GLOSSARY}.md"
    if not path.is_file():
        return ()
    rows = _ROW.findall(path.read_text("utf-8"))
    return tuple((term, _plain(meaning)) for term, meaning in rows if term != "word")


def heading_anchor(heading: str) -> str:
    """The anchor of a heading in a link, as GitHub makes it.

    Example:
        `heading_anchor("The whole vocabulary")` is "the-whole-vocabulary".
    """
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def _plain(markdown: str) -> str:
    without_links = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", markdown)
    return re.sub(r"[`*\\]", "", without_links)
