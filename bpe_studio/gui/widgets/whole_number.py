"""A field for a whole number in which a minus sign is not passed over.

Qt's own takes "-3" for 3 where no number below 0 is allowed: the sign cannot be typed, the digits behind it can. Here
the sign can be typed, what follows it is no number, and Enter puts back the number that stood there.
"""

from __future__ import annotations

from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QSpinBox

_SIGNS = ("-", "−")


class WholeNumber(QSpinBox):
    """A number that the arrow keys count up and down."""

    def validate(self, text: str, place: int) -> object:
        """What is typed, as far as it is typed."""
        if self.minimum() >= 0 and text.removeprefix(self.prefix()).lstrip().startswith(_SIGNS):
            return QValidator.State.Intermediate, text, place
        return super().validate(text, place)
