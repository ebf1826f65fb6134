"""Any plot of the window as a picture: SVG, in which text stays text and lines stay sharp, or PNG.
A widget that can be saved is an `ExportsPicture`. A plot that paints all of itself in `paintEvent`
needs no more; one that scrolls or caches is also a `PaintsExport`. It is drawn on its own
background, in the window's colours or in those for print.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from PySide6.QtCore import QBuffer, QIODevice, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QImage, QPaintDevice, QPainter, QPalette, QRegion
from PySide6.QtWidgets import QWidget

from bpe_studio.errors import SaveError
from bpe_studio.explain.wording import number
from bpe_studio.gui.look import theme

if TYPE_CHECKING:
    from PySide6.QtSvg import QSvgGenerator

    from bpe_studio.files.exports.csv_tables import Value
    from bpe_studio.gui.background.file_writing import Content

PICTURES = ((".svg", 1.0, "SVG"), (".png", 1.0, "PNG"), (".png", 2.0, "PNG at twice the size"))
CSV = (".csv", 1.0, "CSV")
PAGE = (".html", 1.0, "web page")
MARGIN_PX = 12
MOST_SIDE_PX = 30_000
MOST_PIXELS = 80_000_000
_DPI = 96
_PLOT_CLASSES: dict[type[QWidget], bool] = {}


_ISOLATES = re.compile("[\u2066-\u2069]")
_EMPTY = re.compile(r"<text\b[^>]*></text>\s*")
_FAMILY = re.compile(r'font-family="([^",]*)"')


@runtime_checkable
class ExportsPicture(Protocol):
    """A widget that can be saved as a picture: a plot.

    Attributes:
        export_name: its name in menus and files.
    """

    export_name: str

    def export_size(self) -> QSize:
        """The size of all of it, in pixels of the window; empty if it has nothing to draw.

        Raises:
            SaveError: it is too large for a picture.
        """


@runtime_checkable
class ExportsValues(Protocol):
    """A plot of numbers, which can also be saved as a table."""

    def export_values(self) -> tuple[list[str], list[list[Value]]]:
        """The headings and the rows of its values."""


@runtime_checkable
class ExportsPage(Protocol):
    """A plot that can also be saved as a web page."""

    def export_page(self) -> bytes:
        """The content of the page."""


@runtime_checkable
class PaintsExport(Protocol):
    """A plot that scrolls or caches, so that an export paints it differently from the screen."""

    def paint_export(self, painter: QPainter) -> None:
        """Paint all of it."""


@runtime_checkable
class ArrivesLate(Protocol):
    """A plot whose values are counted in a thread.

    Attributes:
        is_late: whether its values are still being counted.
    """

    is_late: bool


def picture_in_pieces(
    widget: QWidget, suffix: str, *, is_for_paper: bool = False, scale: float = 1.0
) -> Generator[None, None, QImage | bytes]:
    """A plot's picture: the file's content for ".svg", else an image.

    Args:
        widget: the plot, an `ExportsPicture`.
        suffix: ".svg" or ".png".
        is_for_paper: whether it is drawn in the light theme, whatever the window's is.
        scale: pixels of a PNG for each pixel of the window.

    Raises:
        SaveError: it is empty, or too large.
    """
    yield
    picture = _picture_of(widget)
    size = _size_with_margin(picture)
    with _dressed(widget, is_for_paper=is_for_paper):
        if suffix.lower() == ".svg":
            buffer, drawing = _drawing(picture.export_name, size)
            _paint(widget, drawing, size)
            return _readable(buffer)
        image = _blank_image(size, scale)
        _paint(widget, image, size)
        return image


def drawn(content: Content) -> Generator[None, None, Content]:
    """Content that is made already, in the form of content that is made in pieces."""
    yield
    return content


def forms_of(plot: QWidget) -> tuple[tuple[str, float, str], ...]:
    """The forms in which a plot can be saved, each with its suffix, its scale and its name."""
    if isinstance(plot, ExportsPage):
        return (*PICTURES, PAGE)
    if isinstance(plot, ExportsValues):
        return (*PICTURES, CSV)
    return PICTURES


def is_plot(widget: QWidget) -> bool:
    """Whether a widget can be saved as a picture.
    This is asked for each widget of a window, so the answer for each class is kept.
    """
    kind = type(widget)
    if kind not in _PLOT_CLASSES:
        # `isinstance` with a protocol takes a third of a millisecond.
        _PLOT_CLASSES[kind] = hasattr(widget, "export_name") and isinstance(widget, ExportsPicture)
    return _PLOT_CLASSES[kind]


def name_of(plot: QWidget) -> str:
    """The name of a plot in menus and files."""
    return _picture_of(plot).export_name


def has_content(plot: QWidget) -> bool:
    """Whether a plot has something to draw now, even if it is too large for a picture."""
    try:
        return not _picture_of(plot).export_size().isEmpty()
    except SaveError:
        return True


def is_late(plot: QWidget) -> bool:
    """Whether a plot's values are still being counted."""
    return isinstance(plot, ArrivesLate) and plot.is_late


def _picture_of(plot: QWidget) -> ExportsPicture:
    assert isinstance(plot, ExportsPicture)
    return plot


def _size_with_margin(plot: ExportsPicture) -> QSize:
    size = plot.export_size()
    if size.isEmpty():
        raise SaveError(
            f"“{plot.export_name}” is still empty: show something in its panel, then save it"
        )
    # The sum is a new size: the plot may keep the one that it returns.
    return size + QSize(2 * MARGIN_PX, 2 * MARGIN_PX)


def _blank_image(size: QSize, scale: float) -> QImage:
    pixels = size * scale
    if (
        pixels.width() * pixels.height() > MOST_PIXELS
        or max(pixels.width(), pixels.height()) > MOST_SIDE_PX
    ):
        raise SaveError(
            f"The picture would be {number(pixels.width())} × {number(pixels.height())} pixels,"
            " which is too large: save it as SVG"
        )
    image = QImage(pixels, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    return image


def _drawing(name: str, size: QSize) -> tuple[QBuffer, QSvgGenerator]:
    # Imported here: few users save a drawing, and all wait for the imports of the window.
    from PySide6.QtSvg import QSvgGenerator

    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    drawing = QSvgGenerator()
    drawing.setOutputDevice(buffer)
    drawing.setResolution(_DPI)
    drawing.setSize(size)
    drawing.setViewBox(QRect(QPoint(), size))
    drawing.setTitle(name)
    return buffer, drawing


def _readable(buffer: QBuffer) -> bytes:

    return readable(bytes(buffer.data().data()))


def _paint(widget: QWidget, device: QPaintDevice, size: QSize) -> None:
    with QPainter(device) as painter:
        _paint_ground(painter, size, widget.palette())
        painter.setFont(widget.font())
        if isinstance(widget, PaintsExport):
            widget.paint_export(painter)
        else:
            widget.render(painter, QPoint(), QRegion(), QWidget.RenderFlag(0))


def _paint_ground(painter: QPainter, size: QSize, palette: QPalette) -> None:
    painter.fillRect(QRect(QPoint(), size), palette.color(QPalette.ColorRole.Base))
    painter.translate(MARGIN_PX, MARGIN_PX)


@contextmanager
def _dressed(widget: QWidget, *, is_for_paper: bool) -> Iterator[None]:
    """The colours for print, for as long as the plot is drawn.
    The window is not painted meanwhile.
    """
    if not is_for_paper or not theme.is_dark(widget.palette()):
        yield
        return
    had_own = widget.testAttribute(Qt.WidgetAttribute.WA_SetPalette)
    before = QPalette(widget.palette())
    widget.setPalette(theme.light_palette())
    try:
        yield
    finally:
        palette = before if had_own else QPalette()
        widget.setPalette(palette)


def readable(content: bytes) -> bytes:
    """A drawing that every program can show, in some font.
    Qt writes the characters that isolate directions (U+2066 to U+2069) as texts of their own, which
    some programs draw as boxes. They can be left out, because each piece of text has its position.
    """
    drawing = _EMPTY.sub("", _ISOLATES.sub("", content.decode("utf-8", "replace")))
    return _FAMILY.sub(_with_fallback, drawing).encode("utf-8")


def _with_fallback(family: re.Match[str]) -> str:
    kind = "monospace" if "mono" in family[1].lower() else "sans-serif"
    return f'font-family="{family[1]}, {kind}"' if family[1] else f'font-family="{kind}"'
