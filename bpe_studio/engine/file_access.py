"""What the engine asks of the layer above it: the text of a file, and a tokenizer written to disk.

The engine reads and writes no files, but `Corpus.from_files` and `Tokenizer.save` belong to its public classes. They
ask what `connect` was given; `bpe_studio/__init__.py` gives it what `bpe_studio.files` offers.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from typing import Any, Protocol

Path = str | PathLike[str]


class FileAccess(Protocol):
    """Reads text files and writes tokenizers."""

    def text_of(self, path: Path, encoding: str | None) -> Iterator[bytes]:
        """A text file in pieces of whole characters, as UTF-8; `None` detects its encoding."""

    def save_tokenizer(self, tokenizer: Any, path: Path, format_name: str) -> None:
        """Write a tokenizer in the format of a name."""


_connected: list[FileAccess] = []


def connect(access: FileAccess) -> None:
    """Say who reads and writes files from now on."""
    _connected[:] = [access]


def file_access() -> FileAccess:
    """Who reads and writes files."""
    return _connected[0]
