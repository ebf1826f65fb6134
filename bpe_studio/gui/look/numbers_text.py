"""How numbers are written: as the person's locale does, thousands always grouped."""

from __future__ import annotations

from PySide6.QtCore import QLocale


def grouping_locale() -> QLocale:
    """The default locale, with its thousands grouped even where it is the C locale, which leaves them out."""
    locale = QLocale()
    locale.setNumberOptions(QLocale.NumberOption.DefaultNumberOptions)
    return locale
