"""Pictures written as one animated GIF that loops. Pillow chooses the colours and packs the pictures."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from PySide6.QtGui import QImage

if TYPE_CHECKING:
    from PIL.Image import Image

N_COLOURS = 255
"""Of 256, one means "unchanged"."""


def write_gif(
    images: Callable[[], Iterator[QImage]], durations_ms: Sequence[int], sample: Sequence[QImage]
) -> bytes:  # fmt: skip
    """The content of a GIF.

    Args:
        images: gives the pictures, one after the other; an exception that it raises ends the writing.
        durations_ms: how long each picture is shown.
        sample: some of the pictures, from which the colours are chosen. All pictures have the same colours and no
            dithering, so that what does not move does not flicker.
    """
    from PIL import Image

    height = sum(image.height() for image in sample)
    together = Image.new("RGB", (max(image.width() for image in sample), height))
    top = 0
    for image in sample:
        together.paste(_pillow(image), (0, top))
        top += image.height()
    palette = together.quantize(N_COLOURS, dither=Image.Dither.NONE)
    frames = (_pillow(image).quantize(palette=palette, dither=Image.Dither.NONE) for image in images())
    buffer = io.BytesIO()
    next(frames).save(
        buffer, "GIF", save_all=True, append_images=frames, duration=list(durations_ms), loop=0, optimize=False
    )
    return buffer.getvalue()


def _pillow(image: QImage) -> Image:
    from PIL import Image

    rgb = image.convertToFormat(QImage.Format.Format_RGB888)
    size = rgb.width(), rgb.height()
    return Image.frombytes("RGB", size, bytes(rgb.constBits()), "raw", "RGB", rgb.bytesPerLine())
