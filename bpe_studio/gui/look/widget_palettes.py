"""What Fusion gets wrong with our palettes, mended by palettes of single classes of widgets.

Fusion draws the edge of a field, a check box or a button in a darker shade of the window, which on a dark window is
no edge at all. And it has one colour for selected text, a slider's groove, the bar of what is done, a chosen row of a
menu and the edge of what has the keyboard: that would pass for the accent, which is the current step's alone. A style
of our own in Python would be asked for every edge of every widget, each time it is painted; palettes cost nothing
then. This module draws nothing.
"""

from __future__ import annotations

from PySide6.QtGui import QColor, QPalette

FIELDS = ("QCheckBox", "QRadioButton", "QGroupBox", "QLineEdit", "QAbstractSpinBox", "QComboBox")
"""What is seen by its edge alone; none of them paints the colour that its edge is made from."""
BUTTONS = ("QPushButton", "QToolButton", "QProgressBar")
"""What is seen by its filling too."""
SLIDERS = ("QSlider",)
LISTS = ("QMenuBar", "QAbstractItemView")
EDGE_SHADE = 1.4
"""Fusion makes an edge out of the window's colour by this factor darker."""

_EDGE = {"light": "#717985", "dark": "#87919E"}
_EDGE_OFF = {"light": "#C3C8CF", "dark": "#444B54"}
_BUTTON_EDGE = {"light": "#A8AFB9", "dark": "#555E69"}
_STRONG = {"light": "#5C646F", "dark": "#A0A9B4"}


def class_palettes(palette: QPalette, is_on_dark: bool) -> dict[str, QPalette]:
    """The palettes of the classes of widgets that differ from the program's.

    Args:
        palette: the program's palette.
        is_on_dark: whether its text is lighter than its ground.

    Returns:
        A palette by the name of a class; it holds for the classes made from it, and no two have a widget in common.
    """
    mode = "dark" if is_on_dark else "light"
    strong, base = QColor(_STRONG[mode]), palette.color(QPalette.ColorRole.Base)
    field = _with_edge(_chosen(palette, strong, base), _EDGE[mode], _EDGE_OFF[mode])
    button = _with_edge(_chosen(palette, strong, base), _BUTTON_EDGE[mode], _EDGE_OFF[mode])
    row = _chosen(palette, palette.color(QPalette.ColorRole.Mid), palette.color(QPalette.ColorRole.Text))
    return {
        **dict.fromkeys(FIELDS, field),
        **dict.fromkeys(BUTTONS, button),
        **dict.fromkeys(SLIDERS, _chosen(palette, strong, base)),
        **dict.fromkeys(LISTS, row),
        "QMenu": _with_edge(row, _EDGE[mode], _EDGE_OFF[mode]),
    }


def _chosen(palette: QPalette, ground: QColor, text: QColor) -> QPalette:
    """A palette in which what is chosen has this ground and text; where it is disabled, the ground of before."""
    changed = QPalette(palette)
    for group in (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive):
        changed.setColor(group, QPalette.ColorRole.Highlight, ground)
        changed.setColor(group, QPalette.ColorRole.HighlightedText, text)
    return changed


def _with_edge(palette: QPalette, edge: str, edge_off: str) -> QPalette:
    """A palette of whose window's colour Fusion makes these edges."""
    changed = QPalette(palette)
    lighter = round(100 * EDGE_SHADE)
    changed.setColor(QPalette.ColorRole.Window, QColor(edge).lighter(lighter))
    changed.setColor(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Window, QColor(edge_off).lighter(lighter))
    return changed
