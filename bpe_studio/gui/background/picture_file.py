"""Writes what was drawn or made to a file; fit for any thread, as compressing a large image takes a second."""

from __future__ import annotations

import logging
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QImage

from bpe_studio.errors import SaveError
from bpe_studio.files.saving import atomic_write

_log = logging.getLogger(__name__)


def write(made: QImage | bytes, path: Path) -> None:
    """Writes an image as PNG, and bytes as they are, in one move.

    Raises:
        SaveError: the file cannot be written.
    """
    atomic_write(path, made if isinstance(made, bytes) else png(made))


def tried(made: QImage | bytes, path: Path) -> tuple[Path, str]:
    """Writes it; the path, and why it could not be written or ""."""
    try:
        write(made, path)
    except SaveError as error:
        return path, str(error)
    except Exception as error:
        # Whoever waits for the answer would wait for ever.
        _log.exception("A file could not be written.")
        return path, f"{path.name} could not be made ({type(error).__name__}): save less of it, or close other programs"
    return path, ""


def png(image: QImage) -> bytes:
    """An image as the bytes of a PNG."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(buffer.data().data())
