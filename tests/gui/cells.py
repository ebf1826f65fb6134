"""The cells of a table, looked up by the titles of its columns."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, Qt

_ACROSS = Qt.Orientation.Horizontal
_WHOLE = Qt.ItemDataRole.AccessibleTextRole


def titles(model: QAbstractItemModel) -> list[str]:
    """The whole titles, with the group that a column belongs to."""
    found = []
    for place in range(model.columnCount()):
        title = model.headerData(place, _ACROSS, _WHOLE) or model.headerData(place, _ACROSS)
        found.append(title)
    return found


def place_of(model: QAbstractItemModel, title: str) -> int:
    return titles(model).index(title)


def column(model: QAbstractItemModel, title: str) -> list[str]:
    """What the rows say below a title."""
    place = place_of(model, title)
    return [model.index(row, place).data() for row in range(model.rowCount())]


def cells(model: QAbstractItemModel, row: int) -> dict[str, str]:
    """What a row says, by title."""
    found = {}
    for place, title in enumerate(titles(model)):
        found[title] = model.index(row, place).data()
    return found
