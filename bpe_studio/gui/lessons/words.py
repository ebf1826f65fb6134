"""The texts of the column and the page of lessons, in the languages of the lessons.
The rest of the window is in English.
"""

from __future__ import annotations

from bpe_studio.files import languages
from bpe_studio.workspace.lessons.language import directed, locale_of


def in_language(language: str, text: str) -> str:
    """A text in the language with this English name."""
    translated = languages.in_language(language, text)
    return text if translated == text else directed(translated, locale_of(language))
