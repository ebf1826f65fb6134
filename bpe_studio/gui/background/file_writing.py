"""Writes the files that the window saves itself, atomically, in a thread of the pool.

`sliced_save` makes content in slices and then calls `try_write`. The workspace writes tokenizers
and studio documents.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QImage

from bpe_studio.errors import SaveError

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class WithCompanions:
    """A file, with other files in its folder that it needs.

    Attributes:
        content: the content of the file.
        companions: the contents of the other files, by name; a file of that name with other content
            is not replaced.
    """

    content: bytes
    companions: dict[str, bytes]


Content = QImage | bytes | WithCompanions | Callable[[], bytes]


@dataclass(frozen=True)
class Written:
    """The result of writing a file.

    Attributes:
        path: the file.
        problem: why it was not written, or "".
    """

    path: Path
    problem: str = ""


def write_file(content: Content, path: Path) -> None:
    """Write a file, in any thread: an image in the format of its suffix, bytes as they are.

    Compressing a large image takes a second.

    Raises:
        SaveError: the file cannot be written.
    """
    # Imported only when something is written, so that the window starts faster.
    from bpe_studio.files.atomic_file import atomic_write

    if isinstance(content, QImage):
        content = _encoded(content, path)
    elif callable(content):
        content = content()
    elif isinstance(content, WithCompanions):
        for name, data in content.companions.items():
            place = path.with_name(name)
            if place.exists() and place.read_bytes() != data:
                raise SaveError(
                    f"{path.name} needs a file {place}, but another file has that name: choose"
                    " another name"
                )
            atomic_write(place, data)
        content = content.content
    atomic_write(path, content)


def try_write(content: Content, path: Path) -> Written:
    """Write a file, and return why it could not be written instead of raising."""
    try:
        write_file(content, path)
    except SaveError as error:
        return Written(path, str(error))
    except Exception as error:
        # Without an answer the caller would wait forever.
        _log.exception("A file could not be written.")
        why = (
            f"{path.name} could not be made ({type(error).__name__}): save less of it, or close"
            " other programs"
        )
        return Written(path, why)
    return Written(path)


def _encoded(image: QImage, path: Path) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    suffix = path.suffix.removeprefix(".").upper() or "PNG"
    if not image.save(buffer, suffix):  # type: ignore[call-overload]  # the stubs want bytes, PySide takes text
        raise SaveError(
            f"{path.name}: pictures cannot be saved as {suffix}; choose a name that ends in .png"
        )
    return bytes(buffer.data().data())
