"""How numbers are written: as the person's locale does, thousands always grouped."""

from __future__ import annotations

from PySide6.QtCore import QLocale

from bpe_studio.explain.wording import write_numbers_with


def grouping_locale() -> QLocale:
    """The default locale, with its thousands grouped even where it is the C locale, which leaves them out."""
    locale = QLocale()
    locale.setNumberOptions(QLocale.NumberOption.DefaultNumberOptions)
    return locale


def write_numbers_in_locale() -> None:
    """Have the numbers of `bpe_studio.explain` written as those of the window are."""
    write_numbers_with(_in_locale)


def _in_locale(value: float, n_decimals: int) -> str:
    locale = grouping_locale()
    return locale.toString(value, "f", n_decimals) if isinstance(value, float) else locale.toString(value)
