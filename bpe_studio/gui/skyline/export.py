"""Saves the whole skyline as a picture: SVG, in which letters stay text and lines stay sharp, or PNG.

It saves what the view shows, at its width, zoom, step and theme, with all rows that the view would scroll to. Where to
save is asked by `ask_where_to_save_skyline`; nothing else here needs a person.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace
from html import escape
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QIODevice, QRectF, QSize
from PySide6.QtGui import QFontInfo, QImage, QPainter, QPalette
from PySide6.QtWidgets import QFileDialog, QWidget

from bpe_studio.errors import SaveError
from bpe_studio.gui.background.picture_file import write
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.numbers_text import grouping_locale
from bpe_studio.gui.skyline.painting import PAD_PX
from bpe_studio.gui.skyline.picture import SkylinePicture

if TYPE_CHECKING:
    from bpe_studio.gui.skyline.rows import Row
    from bpe_studio.gui.skyline.view import SkylineView
    from bpe_studio.gui.widgets.window_settings import WindowSettings

SCALE = 2.0
"""Pixels of a PNG for each one of the window."""
MOST_PIXELS = 80_000_000
MOST_SIDE_PX = 30_000
MOST_ROWS = 1500
_KINDS = {".svg": "Drawings (*.svg)", ".png": "Pictures (*.png)"}
_DPI = 96
_PIECE_S = 0.01


def export(view: SkylineView, path: Path) -> None:
    """Saves the whole of what a view shows: `draw` and `write` in one.

    Args:
        view: with a text in it.
        path: the file; `.svg` makes a drawing, anything else a PNG.

    Raises:
        SaveError: there is nothing to save, it is too large, or the file cannot be written.
    """
    write(draw(view, path.suffix), path)


def draw(view: SkylineView, suffix: str) -> QImage | bytes:
    """The whole of what a view shows: for `.svg` the file's content, else an image, which is not compressed yet.

    Raises:
        SaveError: there is nothing to save, or it is too large.
    """
    drawing = draw_in_pieces(view, suffix)
    while True:
        try:
            next(drawing)
        except StopIteration as stop:
            return stop.value


def draw_in_pieces(
    view: SkylineView, suffix: str, palette: QPalette | None = None, scale: float = SCALE
) -> Generator[None, None, QImage | bytes]:
    """The same as `draw`, a row at a time; nothing that the view shows may change meanwhile.

    Args:
        view: with a text in it.
        suffix: ".svg" makes a drawing, anything else an image.
        palette: the colours; those of the view without it.
        scale: pixels of an image for each one of the window.

    Raises:
        SaveError: there is nothing to save, or it is too large.
    """
    picture = view.picture
    if picture.rows is None or not len(picture.rows.text):
        raise SaveError("There is no skyline to save yet: open a text, train it, and type a text to see it cut")
    while not picture.rows.extend(MOST_ROWS + 1, _PIECE_S) and len(picture.rows.starts) <= MOST_ROWS:
        yield
    if len(picture.rows.starts) > MOST_ROWS:
        raise SaveError(
            f"The skyline is too long for one picture (more than {grouping_locale().toString(MOST_ROWS)} rows): "
            "type a shorter text, or make the panel wider"
        )
    picture.arrange()
    colours = view.palette() if palette is None else palette
    return (yield from _svg(picture, colours) if suffix.lower() == ".svg" else _image(picture, colours, scale))


def _rows(painter: QPainter, picture: SkylinePicture, palette: QPalette, *, has_letters: bool) -> Iterator[None]:
    """Paint all rows, without what the mouse or the keyboard points at."""
    rows = picture.paint_rows(painter, _size(picture).width(), palette, has_letters=has_letters)
    while True:
        lights = picture.lights
        picture.lights = replace(lights, hovered=None, focused=None)
        try:
            next(rows)
        except StopIteration:
            return
        finally:
            picture.lights = lights
        yield


def ask_where_to_save_skyline(parent: QWidget, memory: WindowSettings, suffix: str) -> Path | None:
    """The file that a skyline is to be saved in.

    Args:
        suffix: ".svg" or ".png".
    """
    start = str(Path(memory.folder) / f"skyline{suffix}")
    wanted, _ = QFileDialog.getSaveFileName(parent, "Save the skyline", start, _KINDS[suffix])
    if not wanted:
        return None
    path = Path(wanted)
    memory.folder = path.absolute().parent
    return path if path.suffix.lower() == suffix else path.with_name(path.name + suffix)


def _size(picture: SkylinePicture) -> QSize:
    reach = 0.0 if picture.rows is None else (picture.rows.reach() - picture.rows.widest) * picture.zoom
    return QSize(ceil(max(picture.width + reach, picture.left + 160)), ceil(picture.height))


def _image(picture: SkylinePicture, palette: QPalette, scale: float) -> Generator[None, None, QImage]:
    size = _size(picture) * scale
    if size.width() * size.height() > MOST_PIXELS or max(size.width(), size.height()) > MOST_SIDE_PX:
        number = grouping_locale().toString
        raise SaveError(
            f"The picture would be {number(size.width())} × {number(size.height())} pixels, which is too large: "
            "save it as SVG, zoom out, or type a shorter text"
        )
    image = QImage(size, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    image.fill(palette.color(QPalette.ColorRole.Base))
    with QPainter(image) as painter:
        yield from _rows(painter, picture, palette, has_letters=True)
    return image


def _svg(picture: SkylinePicture, palette: QPalette) -> Generator[None, None, bytes]:
    # An import of its own: few people save a drawing, and all wait for what a window imports.
    from PySide6.QtSvg import QSvgGenerator

    size = _size(picture)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    drawing = QSvgGenerator()
    drawing.setOutputDevice(buffer)
    drawing.setResolution(_DPI)
    drawing.setSize(size)
    drawing.setViewBox(QRectF(0, 0, size.width(), size.height()))
    drawing.setTitle("Skyline of merges")
    number = grouping_locale().toString
    drawing.setDescription(f"At step {number(picture.step)}: {number(picture.n_tokens())} tokens")
    with QPainter(drawing) as painter:
        painter.fillRect(QRectF(0, 0, size.width(), size.height()), palette.color(QPalette.ColorRole.Base))
        yield from _rows(painter, picture, palette, has_letters=False)
    body = bytes(buffer.data().data()).decode("utf-8")
    yield
    head, end, tail = body.rpartition("</svg>")
    letters = yield from _letters(picture, palette)
    return f"{head}{letters}{end}{tail}".encode("utf-8", "replace")


def _letters(picture: SkylinePicture, palette: QPalette) -> Generator[None, None, str]:
    """All letters as text, each where its symbol stands, so that they read and search as words."""
    rows = picture.rows
    assert rows is not None
    font = rows.shapes.font
    size = QFontInfo(font).pixelSize() * picture.zoom
    families = ", ".join(f"'{family}'" for family in dict.fromkeys([*font.families(), QFontInfo(font).family()]))
    ink, mark = theme.token_text_colour(palette).name(), theme.muted(palette).name()
    parts = [f'<g font-family="{escape(families)}, sans-serif" font-size="{size:.2f}" fill="{ink}">']
    baseline = picture.measures.base + PAD_PX + picture.measures.ascent
    for number in range(len(rows.starts)):
        y = number * picture.row_height + baseline * picture.zoom
        parts += _row_letters(rows.row(number), picture, y, mark)
        yield
    return "\n".join([*parts, "</g>\n"])


def _row_letters(row: Row, picture: SkylinePicture, y: float, mark: str) -> list[str]:
    found = []
    for place, shape in row.words:
        # One text for each letter, as programs that place letters within a text are few.
        word = "".join(glyphs.text for glyphs in shape.glyphs)
        found.append(f"<g><title>{escape(word)}</title>")
        for glyphs in shape.glyphs:
            x, more = picture.left + (place + glyphs.x) * picture.zoom, ""
            if glyphs.shaped is not None:
                x, more = x + glyphs.width * picture.zoom / 2, ' text-anchor="middle"'
            else:
                x += glyphs.inset * picture.zoom
                more = f' fill="{mark}"' if glyphs.is_mark else ""
            found.append(f'<text x="{x:.2f}" y="{y:.2f}"{more}>{escape(glyphs.text)}</text>')
        found.append("</g>")
    return found
