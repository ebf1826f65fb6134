"""Pictures written as one animated GIF that loops, with a palette of its own and no dithering.

A GIF has 256 colours, of which one means "as it was". The flat ones of the theme are kept exactly, the others
(the shades at letters' edges, emoji) are chosen from what some of the pictures hold; every colour then becomes the
nearest of them, so that what does not move does not flicker. Pillow packs the pictures. It knows nothing of runs.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QImage

if TYPE_CHECKING:
    import numpy.typing as npt
    from PIL.Image import Image

N_COLOURS = 255
STAYS = 255
"""The colour number of unchanged pixels."""
_PER_PASS = 4096
_NOT_YET = -1


class GifColours:
    """The palette of an animation, and the nearest entry for any colour.

    Args:
        images: some of its pictures.
        flat: (red, green, blue) of the colours that are kept exactly.
    """

    def __init__(self, images: Sequence[QImage], flat: Sequence[tuple[int, int, int]]) -> None:
        from PIL import Image

        kept = np.array(sorted(set(flat)), np.int64).reshape(-1, 3)
        codes = np.concatenate([np.unique(_codes(image)) for image in images])
        others = np.setdiff1d(codes, _code(kept))
        chosen = _apart(others)
        n_others = N_COLOURS - len(kept)
        if len(others) > n_others:
            picture = Image.fromarray(chosen.astype(np.uint8).reshape(1, -1, 3))
            made = picture.quantize(n_others, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
            chosen = np.array(made.getpalette(), np.int64).reshape(-1, 3)[:n_others]
        self.colours = np.concatenate([kept, chosen])
        self._nearest = np.full(1 << 24, _NOT_YET, np.int16)
        self._nearest[_code(self.colours)] = np.arange(len(self.colours))

    def indexes(self, image: QImage) -> npt.NDArray[np.uint8]:
        """(height, width) uint8: the number of each point's colour."""
        codes = _codes(image)
        indexes = self._nearest[codes]
        unseen = np.unique(codes[indexes == _NOT_YET])
        if len(unseen):
            for begin in range(0, len(unseen), _PER_PASS):
                some = unseen[begin : begin + _PER_PASS]
                away = _apart(some)[:, None, :] - self.colours[None, :, :]
                self._nearest[some] = np.argmin((away * away * np.array([3, 6, 1])).sum(axis=2), axis=1)
            indexes = self._nearest[codes]
        return indexes.astype(np.uint8)

    def picture(self, indexes: npt.NDArray[np.uint8]) -> Image:
        """A picture of numbered colours."""
        from PIL import Image

        made = Image.fromarray(indexes)
        # The same palette for all, so that it is written once.
        made.putpalette(
            np.concatenate([self.colours.ravel(), np.zeros(768, np.int64)])[:768].astype(np.uint8).tobytes()
        )
        return made


def write_gif(
    images: Callable[[], Iterator[QImage]],
    durations_ms: Sequence[int],
    sample: Sequence[QImage],
    flat: Sequence[tuple[int, int, int]],
) -> bytes:
    """The file's content.

    Args:
        images: gives the pictures, one after the other; what it raises ends the writing.
        durations_ms: how long each is shown.
        sample: some of the pictures, from which the colours are chosen.
        flat: colours that are kept exactly.
    """
    colours = GifColours(sample, flat)
    frames = _changes(colours, images())
    first = next(frames)
    buffer = io.BytesIO()
    first.save(
        buffer, "GIF", save_all=True, append_images=frames, duration=list(durations_ms), loop=0, optimize=False,
        disposal=1, transparency=STAYS, interlace=0,
    )  # fmt: skip
    return buffer.getvalue()


def _changes(colours: GifColours, images: Iterator[QImage]) -> Iterator[Image]:
    """The pictures, each with nothing where it is as the one before: that packs to a fraction."""
    before: npt.NDArray[np.uint8] | None = None
    for image in images:
        indexes = colours.indexes(image)
        changed = indexes if before is None else np.where(indexes == before, np.uint8(STAYS), indexes)
        before = indexes
        yield colours.picture(changed)


def _codes(image: QImage) -> npt.NDArray[np.int32]:
    """(height, width) int32: red, green and blue in one number."""
    picture = image.convertToFormat(QImage.Format.Format_RGB32)
    raw = np.frombuffer(picture.constBits(), np.uint32).reshape(picture.height(), picture.bytesPerLine() // 4)
    return (raw[:, : picture.width()] & 0xFFFFFF).astype(np.int32)


def _code(colours: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return (colours[:, 0] << 16) | (colours[:, 1] << 8) | colours[:, 2]


def _apart(codes: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """(n, 3) int64: the numbers split up again."""
    wide = codes.astype(np.int64)
    return np.stack([wide >> 16, (wide >> 8) & 255, wide & 255], axis=-1)
