"""A whole file of text, to compare it."""

from __future__ import annotations

import os
from typing import NamedTuple

from bpe_studio.files.text.reading import Reading
from bpe_studio.files.text.sources import open_source


class WholeText(NamedTuple):
    """A file that was read to its end."""

    text: str
    encoding: str
    notices: tuple[str, ...]
    size_bytes: int


def read_text(path: str | os.PathLike[str], encoding: str | None = None) -> WholeText:
    """The text of a file, with invalid bytes as lone surrogates."""
    source = open_source(path, reading=Reading(encoding))
    text = b"".join(source.contents()).decode("utf-8", "surrogatepass")
    return WholeText(text, source.encoding, tuple(source.notices), source.unpacked_bytes)
