"""The interface to the layer above: reading a text file, writing a tokenizer, and HTML for
notebooks.

The engine reads and writes no files, but `Corpus.from_files` and `Tokenizer.save` belong to its
public classes. They use the object that was passed to `connect`; `bpe_studio/__init__.py` connects
`bpe_studio.files`.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol

from bpe_studio.engine.generators import Report

if TYPE_CHECKING:  # a Python that is too old to evaluate this should get as far as saying so
    Path = str | PathLike[str]


class FileAccess(Protocol):
    """Reads text files and writes tokenizers."""

    def feed_files(
        self,
        builder: Any,
        paths: Iterable[Path] | Path,
        encoding: str | None,
        column: str | None,
        report: Report,
    ) -> None:
        """Feed the text of files to a `CorpusBuilder`.

        If the encoding or the column is `None`, it is detected. `report` is told how far each file
        is.
        """

    def lines_of(self, path: Path) -> list[str]:
        """The lines of a file, read as plain text."""

    def save_counter(self, counter: Any, path: Path) -> None:
        """Write a table of counted pre-tokens."""

    def load_counter(self, path: Path, config: Any) -> Any:
        """Read a table of counted pre-tokens; `None` for the configuration in its head."""

    def save_tokenizer(self, tokenizer: Any, path: Path, format_name: str) -> None:
        """Write a tokenizer in a format, given by name."""

    def chat_texts(
        self, tokenizer: Any, conversation: Any, variables: Any, chat_template: Any, continued: Any
    ) -> str | list[str]:
        """The text that a tokenizer's chat template makes of a chat, or of each of several."""

    def check_chat_template(self, template: Any) -> None:
        """Make sure that it is a chat template, or `None`."""

    def html_of(self, thing: Any) -> str:
        """The HTML that a notebook shows for a public object."""


_connected: list[FileAccess] = []


def connect(access: FileAccess) -> None:
    """Set the object that reads and writes files."""
    _connected[:] = [access]


def file_access() -> FileAccess:
    """The object that reads and writes files."""
    return _connected[0]
