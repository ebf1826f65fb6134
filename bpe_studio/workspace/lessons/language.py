"""The language of a lesson: its direction, its digits and its own name, as Qt knows them."""

from __future__ import annotations

from PySide6.QtCore import QLocale, Qt

from bpe_studio.explain.names import isolated

_MARK = "\u200f"
_RIGHT_TO_LEFT = "\u2067"
_ISOLATE = "\u2068"
_END_ISOLATE = "\u2069"


def locale_of(language: str) -> QLocale:
    """The locale of a language by its English name; English if Qt does not know the language.

    >>> locale_of("Persian").toString(1234), locale_of("Nowhere").toString(1234)
    ('۱٬۲۳۴', '1,234')
    """
    known = getattr(QLocale.Language, language.title().replace(" ", ""), None)
    if not isinstance(known, QLocale.Language) or known in (
        QLocale.Language.AnyLanguage,
        QLocale.Language.C,
    ):
        known = QLocale.Language.English
    return QLocale(known)


def runs_right_to_left(locale: QLocale) -> bool:
    """Whether the sentences of a locale run right to left."""
    return locale.textDirection() is Qt.LayoutDirection.RightToLeft


def directed(text: str, locale: QLocale) -> str:
    """A sentence that keeps the direction of its language, even if it begins with a token."""
    if text and runs_right_to_left(locale):
        return f"{_MARK}{_RIGHT_TO_LEFT}{text}{_END_ISOLATE}"
    return text


def inserted(text: str, locale: QLocale) -> str:
    """Tokens or a number for use in a sentence: isolated if they or the sentence run right to
    left.
    """
    return f"{_ISOLATE}{text}{_END_ISOLATE}" if runs_right_to_left(locale) else isolated(text)
