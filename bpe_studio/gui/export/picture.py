"""Any plot of the window as a picture: SVG, in which text stays text and lines stay sharp, or PNG.

What can be saved is a widget with an `export_name`. One that paints all of itself in `paintEvent` needs no more; one
that scrolls or caches also has `export_size()`, how large all of it is, and `paint_export(painter)`. It is drawn in
the window's colours, or in those of paper, on the ground that it stands on.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QBuffer, QIODevice, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QImage, QPaintDevice, QPainter, QPalette, QRegion
from PySide6.QtWidgets import QWidget

from bpe_studio.errors import SaveError
from bpe_studio.gui.look import theme

MARGIN_PX = 12
MOST_SIDE_PX = 30_000
MOST_PIXELS = 80_000_000
_DPI = 96


def picture_in_pieces(
    widget: QWidget, suffix: str, *, is_for_paper: bool = False, scale: float = 1.0
) -> Generator[None, None, QImage | bytes]:
    """A plot's picture: for `.svg` the file's content, else an image.

    Args:
        widget: what to draw, with an `export_name`.
        suffix: ".svg" or ".png".
        is_for_paper: draw it in the light theme, whatever the window's is.
        scale: pixels of a PNG for each one of the window.

    Raises:
        SaveError: it has no size, or is too large.
    """
    yield
    size = whole_size(widget)
    name = str(widget.export_name)  # type: ignore[attr-defined]
    if size.isEmpty():
        raise SaveError(f"There is nothing in {name} yet: show it in its panel first")
    # A size of its own: a plot may keep the one that it tells.
    size = size + QSize(2 * MARGIN_PX, 2 * MARGIN_PX)
    with _dressed(widget, is_for_paper=is_for_paper):
        return _svg(widget, size, name) if suffix.lower() == ".svg" else _image(widget, size, scale)


def whole_size(widget: QWidget) -> QSize:
    """How large all of a plot is, in pixels of the window."""
    asked = getattr(widget, "export_size", None)
    size: QSize = asked() if asked is not None else widget.size()
    return size


def has_content(widget: QWidget) -> bool:
    """Whether there is something to draw in it now."""
    asked = getattr(widget, "export_size", None)
    return widget.isVisible() if asked is None else not asked().isEmpty()


def is_late(widget: QWidget) -> bool:
    """Whether what it will show is not there yet."""
    return bool(getattr(widget, "is_late", False))


def _image(widget: QWidget, size: QSize, scale: float) -> QImage:
    pixels = size * scale
    if pixels.width() * pixels.height() > MOST_PIXELS or max(pixels.width(), pixels.height()) > MOST_SIDE_PX:
        raise SaveError(
            f"The picture would be {pixels.width():,} × {pixels.height():,} pixels, which is too large: save it as SVG"
        )
    image = QImage(pixels, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    _paint(widget, image, size)
    return image


def _svg(widget: QWidget, size: QSize, name: str) -> bytes:
    # An import of its own: few people save a drawing, and all wait for what a window imports.
    from PySide6.QtSvg import QSvgGenerator

    from bpe_studio.gui.export.svg_text import readable

    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    drawing = QSvgGenerator()
    drawing.setOutputDevice(buffer)
    drawing.setResolution(_DPI)
    drawing.setSize(size)
    drawing.setViewBox(QRect(QPoint(), size))
    drawing.setTitle(name)
    _paint(widget, drawing, size)
    return readable(bytes(buffer.data().data()))


def _paint(widget: QWidget, device: QPaintDevice, size: QSize) -> None:
    with QPainter(device) as painter:
        painter.fillRect(QRect(QPoint(), size), widget.palette().color(QPalette.ColorRole.Base))
        painter.setFont(widget.font())
        painter.translate(MARGIN_PX, MARGIN_PX)
        paint = getattr(widget, "paint_export", None)
        if paint is not None:
            paint(painter)
        else:
            widget.render(painter, QPoint(), QRegion(), QWidget.RenderFlag(0))


@contextmanager
def _dressed(widget: QWidget, *, is_for_paper: bool) -> Iterator[None]:
    """In the colours of paper for as long as it is drawn; no frame of the window is painted meanwhile."""
    if not is_for_paper or not theme.is_dark(widget.palette()):
        yield
        return
    had_own = widget.testAttribute(Qt.WidgetAttribute.WA_SetPalette)
    before = QPalette(widget.palette())
    widget.setPalette(theme.light_palette())
    try:
        yield
    finally:
        widget.setPalette(before if had_own else QPalette())
