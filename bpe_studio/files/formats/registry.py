"""The tokenizer formats by name: which one a file is in, reading it, and writing another.

A format is told by what is in the file, not by what it is called. Each lives in a module of its own; this one
only lists them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.errors import SaveError, TokenizerFormatError
from bpe_studio.files.document import studio
from bpe_studio.files.formats import gpt2, minbpe, sentencepiece, subword_nmt, tiktoken
from bpe_studio.files.formats.huggingface import folder

Path = str | os.PathLike[str]


@dataclass(frozen=True)
class Format:
    """A way of keeping a tokenizer on disk.

    Attributes:
        name: what the command line calls it.
        description: one line for a list or a dialog.
        is_folder: whether it is written as a folder.
        load: reads it.
        recognizes: whether a path holds it.
        save: writes it; `None` where it can only be read.
    """

    name: str
    description: str
    is_folder: bool
    load: Callable[[Path], Tokenizer]
    recognizes: Callable[[Path], bool]
    save: Callable[[Tokenizer, Path], None] | None


def _format(name: str, description: str, module: object, *, is_folder: bool = False) -> Format:
    save = getattr(module, "save", None)
    return Format(name, description, is_folder, module.load, module.recognizes, save)  # type: ignore[attr-defined]


FORMATS: dict[str, Format] = {
    one.name: one
    for one in (
        _format("huggingface", "Hugging Face folder (tokenizer.json)", folder, is_folder=True),
        _format("gpt2", "GPT-2 folder (vocab.json and merges.txt)", gpt2, is_folder=True),
        _format("tiktoken", "tiktoken ranks", tiktoken),
        _format("subword-nmt", "subword-nmt codes", subword_nmt),
        _format("sentencepiece", "SentencePiece model", sentencepiece),
        _format("minbpe", "minbpe model", minbpe),
        _format("studio", "Studio document (corpus and runs)", studio),
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
        if one.recognizes(path):
            return one
    what = "holds no tokenizer" if os.path.isdir(path) else "is no tokenizer"
    raise TokenizerFormatError(f"{name} {what} in a format that is known: the formats are {', '.join(FORMATS)}")


def load(path: Path) -> Tokenizer:
    """Reads a tokenizer, in whatever format it is.

    Raises:
        TokenizerFormatError: there is none, or it cannot be understood or represented exactly.
    """
    return recognized(path).load(path)


def save(tokenizer: Tokenizer, path: Path, format: str = "huggingface") -> None:  # noqa: A002
    """Writes a tokenizer.

    Raises:
        SaveError: there is no such format, it cannot hold this tokenizer exactly, or the place cannot be written.
    """
    one = FORMATS.get(format)
    writable = [name for name, known in FORMATS.items() if known.save is not None]
    if one is None or one.save is None:
        what = "cannot be written, only read" if one else "is not known"
        raise SaveError(f"The format {format!r} {what}: choose one of {', '.join(writable)}")
    one.save(tokenizer, path)
