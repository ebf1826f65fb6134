"""The skyline as a picture, a row at a time; whoever saves it begins again where it changes meanwhile."""

from __future__ import annotations

from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QWidget

from bpe_studio.gui.background.sliced_save import ChangedMeanwhileError, Making
from bpe_studio.gui.skyline.export import draw_in_pieces
from bpe_studio.gui.skyline.view import SkylineView


def skyline_in_pieces(view: QWidget, suffix: str, palette: QPalette | None, scale: float) -> Making:
    """The whole skyline: for `.svg` a file's content, else an image.

    Raises:
        SaveError: there is nothing to save, or it is too large.
        ChangedMeanwhileError: it shows something else now.
    """
    assert isinstance(view, SkylineView)
    seen = _seen(view)
    drawing = draw_in_pieces(view, suffix, palette, scale)
    while True:
        if _seen(view) != seen:
            raise ChangedMeanwhileError
        try:
            next(drawing)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]
        yield None


def _seen(view: SkylineView) -> tuple[object, ...]:
    # The objects themselves, as another one may take the place of one that is gone.
    picture = view.picture
    rows = picture.rows
    # Fitting it to the window tries other sizes, and may come back to the one that was.
    laid_out = None if rows is None else (rows.text.text, rows.n_layouts)
    return (rows, laid_out, picture.step, picture.width, view.zoom, view.n_merges)
