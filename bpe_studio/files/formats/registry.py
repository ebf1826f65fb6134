"""The tokenizer formats by name: which one a file is in, reading it, and writing another.

A format is recognized by what is in the file, not by what it is called. Each is a module with `load`, `recognizes` and
`save`; a new one is such a module and one line in `FORMATS`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Protocol

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.errors import SaveError, TokenizerFormatError
from bpe_studio.files.document import studio
from bpe_studio.files.formats import gpt2, minbpe, sentencepiece, subword_nmt, tiktoken
from bpe_studio.files.formats.huggingface import folder

Path = str | os.PathLike[str]


class FormatModule(Protocol):
    """What the module of a format has."""

    def load(self, path: Path, /) -> Tokenizer:
        """Read a tokenizer."""

    def recognizes(self, path: Path, /) -> bool:
        """Whether the path holds this format."""

    def save(self, tokenizer: Tokenizer, path: Path, /) -> None:
        """Write a tokenizer."""


@dataclass(frozen=True)
class Format:
    """A way of keeping a tokenizer on disk.

    Attributes:
        name: what the command line calls it.
        description: one line for a list or a dialog.
        module: reads and writes it.
        is_folder: whether it is written as a folder.
    """

    name: str
    description: str
    module: FormatModule
    is_folder: bool = False


FORMATS: dict[str, Format] = {
    one.name: one
    for one in (
        Format("huggingface", "Hugging Face folder (tokenizer.json)", folder, is_folder=True),
        Format("gpt2", "GPT-2 folder (vocab.json and merges.txt)", gpt2, is_folder=True),
        Format("tiktoken", "tiktoken ranks", tiktoken),
        Format("subword-nmt", "subword-nmt codes", subword_nmt),
        Format("sentencepiece", "SentencePiece model", sentencepiece),
        Format("minbpe", "minbpe model", minbpe),
        Format("studio", "Studio document (corpus and runs)", studio),
    )
}
"""Every format, in the order in which they are tried."""


def recognized(path: Path) -> Format:
    """The format that a file or folder is in.

    Raises:
        TokenizerFormatError: there is nothing there, or it is in no format that is known.
    """
    name = os.fspath(path)
    try:
        exists = os.path.exists(path)
    except ValueError:
        exists = False
    if not exists:
        raise TokenizerFormatError(f"{name} does not exist: check the name, or choose another tokenizer")
    for one in FORMATS.values():
        if one.module.recognizes(path):
            return one
    what = "holds no tokenizer" if os.path.isdir(path) else "is no tokenizer"
    raise TokenizerFormatError(f"{name} {what} in a format that is known: the formats are {', '.join(FORMATS)}")


def load(path: Path) -> Tokenizer:
    """Read a tokenizer, in whatever format it is.

    Raises:
        TokenizerFormatError: there is none, or it cannot be understood or represented exactly.
    """
    return recognized(path).module.load(path)


def save(tokenizer: Tokenizer, path: Path, format: str = "huggingface") -> None:  # noqa: A002
    """Write a tokenizer.

    Raises:
        SaveError: there is no such format, it cannot hold this tokenizer exactly, or the place cannot be written.
    """
    if format not in FORMATS:
        raise SaveError(f"The format {format!r} is not known: choose one of {', '.join(FORMATS)}")
    FORMATS[format].module.save(tokenizer, path)
