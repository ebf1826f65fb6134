"""The parts of every form that is accepted or cancelled: name, title, buttons, margins and size."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPushButton

from bpe_studio.gui.widgets.containers import GROUP_PX, MARGIN_PX
from bpe_studio.gui.widgets.controls import named

FORM_MARGINS = (GROUP_PX, GROUP_PX, GROUP_PX, MARGIN_PX)
_AROUND_PX = 40


def begin_form(dialog: QDialog, name: str, title: str) -> None:
    """Name and title a form, which stops its window until it is closed."""
    dialog.setObjectName(name)
    dialog.setWindowTitle(title)
    dialog.setWindowModality(Qt.WindowModality.WindowModal)


def accept_or_cancel(
    dialog: QDialog, key: str, text: str, tip: str = "", *, cancel_tip: str
) -> tuple[QDialogButtonBox, QPushButton]:
    """The row of buttons: one accepts the form, as Enter does; one closes it, as Esc does.

    Args:
        dialog: the form; its object name begins those of the buttons.
        key: the end of the first button's object name.
        text: its text, with a mnemonic.
        tip: its tooltip.
        cancel_tip: the tooltip of the button that closes the form.

    Returns:
        The row, to which more buttons can be added, and the button that accepts, which is not
        connected yet.
    """
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, parent=dialog)
    accept = buttons.addButton(text, QDialogButtonBox.ButtonRole.AcceptRole)
    named(accept, f"{dialog.objectName()}.{key}", text.replace("&", ""), tip).setDefault(True)
    cancel = buttons.button(QDialogButtonBox.StandardButton.Cancel)
    named(cancel, f"{dialog.objectName()}.cancel", "", cancel_tip)
    buttons.rejected.connect(dialog.reject)
    dialog.installEventFilter(_Bounds(dialog))
    return buttons, accept


class _Bounds(QObject):
    """Keeps a form from being larger than its window, as with large text, when it is shown."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QDialog):
            watched.resize(watched.size().boundedTo(_room(watched)))
        return False


def size_within(dialog: QDialog, width_em: int, height_em: int) -> QSize:
    """A size in line heights, at most that of the window behind the form."""
    em = dialog.fontMetrics().height()
    return QSize(width_em * em, height_em * em).boundedTo(_room(dialog))


def _room(dialog: QDialog) -> QSize:
    parent = dialog.parentWidget()
    around = parent.window().size() if parent is not None else QSize(1280, 720)
    return around - QSize(_AROUND_PX, _AROUND_PX)
