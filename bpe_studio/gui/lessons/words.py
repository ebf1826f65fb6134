"""What the column and the page of lessons say besides the lessons, in their languages; the window itself is English."""

from __future__ import annotations

from bpe_studio.files.lessons.words import WORDS
from bpe_studio.workspace.lessons.language import directed, locale_of


def in_language(language: str, text: str) -> str:
    """A text in a language, by its English name."""
    translated = WORDS.get(language, {}).get(text)
    return text if translated is None else directed(translated, locale_of(language))
