"""The languages of lessons and pages, and the words around the lessons in each.

The window itself is English. To add a language, add `resources/words/LANGUAGE.json` with the keys
of another one; words that are missing are English.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from bpe_studio.files.samples import resources_folder

ENGLISH = "English"
_CODES = {"Arabic": "ar", "Hebrew": "he", "Persian": "fa", "Urdu": "ur"}
"""Languages whose digits or direction are not those of English."""
_ZEROS = {"ar": "\u0660", "fa": "\u06f0", "ur": "\u06f0"}


@lru_cache(maxsize=1)
def translations() -> dict[str, dict[str, str]]:
    """The words of each language that has a file, by its English name.

    The keys of the words are English.
    """
    files = sorted((resources_folder() / "words").glob("*.json"))
    return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in files}


def words_of(language: str) -> dict[str, str]:
    """The words of a language, by its English name; empty for English, and for one without a
    file.
    """
    return translations().get(language, {})


def known_language(language: str) -> str:
    """A language if it has words; otherwise English, which then surrounds its lessons."""
    return language if words_of(language) else ENGLISH


def in_language(language: str, text: str) -> str:
    """A text in a language, or in English if it has no translation.

    >>> in_language("Persian", "Lessons"), in_language("Nowhere", "Lessons")
    ('درس‌ها', 'Lessons')
    """
    return words_of(language).get(text, text)


def code_of(language: str) -> str:
    """The code of a language, which decides about digits; that of English for one with the same."""
    return _CODES.get(language, "en")


def direction_of(language: str) -> str:
    """`rtl` for a language that runs from right to left, else `ltr`."""
    return "rtl" if language in _CODES else "ltr"


def digits_in(language: str, number: str) -> str:
    """A number of ASCII digits in the digits of a language.

    >>> digits_in("Persian", "1,204"), digits_in("English", "1,204")
    ('۱٬۲۰۴', '1,204')
    """
    zero = _ZEROS.get(code_of(language))
    if zero is None:
        return number
    digits = {ord("0") + digit: ord(zero) + digit for digit in range(10)}
    return number.translate(digits | {ord(","): "\u066c"})


def language_json(language: str) -> dict[str, Any]:
    """A language as the engine of a page takes it."""
    is_right_to_left = direction_of(language) == "rtl"
    return {
        "code": code_of(language),
        "isRightToLeft": is_right_to_left,
        "words": words_of(language),
    }
