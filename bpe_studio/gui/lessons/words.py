"""What the column and the page of lessons say besides the lessons, in their languages.

The window itself is English.
"""

from __future__ import annotations

from bpe_studio.files import languages
from bpe_studio.workspace.lessons.language import directed, locale_of


def in_language(language: str, text: str) -> str:
    """A text in a language, by its English name."""
    translated = languages.in_language(language, text)
    return text if translated == text else directed(translated, locale_of(language))
