"""Writes tokenizers, studio documents and other results to a path, which may be standard output."""

from __future__ import annotations

import argparse
import io
import os
import stat
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bpe_studio.commands.output import check_output, write_result
from bpe_studio.engine.arrays import Int64Array
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.training.trainer import train
from bpe_studio.errors import BpeError, SaveError
from bpe_studio.explain.wording import json_line
from bpe_studio.files.atomic_file import atomic_write
from bpe_studio.files.formats import registry
from bpe_studio.files.saving import save, why_not_into

if TYPE_CHECKING:
    from bpe_studio.files.document.records import StudioDocument

FORMAT_NAMES = tuple(registry.FORMATS)
TOKENIZER_FORMATS = tuple(name for name in FORMAT_NAMES if name != "studio")
"""The formats that hold a tokenizer without a run."""
_FEW_WORDS = "The quick brown fox, the lazy dog; it's 12 or 345? Über naïve façades!\nThe end."
_FEW = 8


def check_place(path: str, format_name: str | None = None) -> None:
    """Checks that a path can be written, before a long training rather than after it.

    Args:
        path: the file or folder; "-" is standard output.
        format_name: the format of the tokenizer to write there; None for another file.

    Raises:
        SaveError: its folder is missing or not writable, or standard output cannot take the
            format.
    """
    is_folder = format_name is not None and registry.FORMATS[format_name].is_folder
    if path == "-" and is_folder:
        raise SaveError(
            f"The {format_name} format is a folder of several files, which standard output cannot"
            " take; give the name of a folder"
        )
    if path == "-":
        check_output()
        return
    try:
        mode = os.stat(path).st_mode if path else 0
    except (FileNotFoundError, NotADirectoryError):
        mode = 0
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it cannot be the name of a file"
        raise SaveError(f"{path} cannot be written ({reason}); choose another name") from None
    if not path:
        raise SaveError(
            "The name of the output is empty; give the name of a file, or - for standard output"
        )
    folder = os.path.dirname(os.path.abspath(path))
    if is_folder and mode and not stat.S_ISDIR(mode):
        raise SaveError(
            f"{path} cannot be written, because it is a file and the {format_name} format is a"
            " folder"
        )
    if is_folder and (why := why_not_into(path)):
        raise SaveError(f"{path} cannot be written: {why}")
    if not is_folder and stat.S_ISDIR(mode):
        raise SaveError(
            f"{path} cannot be written, because it is a folder; give the name of a file"
        )
    if stat.S_ISFIFO(mode):
        raise SaveError(
            f"{path} cannot be written, because it is a pipe, which may wait for ever; give the"
            " name of a file, or - for standard output"
        )
    if not os.path.isdir(folder):
        raise SaveError(
            f"{path} cannot be written, because there is no folder {folder}; create it first"
        )
    if not os.access(folder, os.W_OK):
        raise SaveError(
            f"{path} cannot be written, because you cannot write to {folder}; choose another folder"
        )


def check_format(tokenizer: Tokenizer, format_name: str) -> None:
    """Checks that a format can hold a tokenizer, before a long training rather than after it.

    Raises:
        SaveError: it cannot; the message has the reason, and names formats that can.
    """
    reason = registry.refusal(tokenizer, format_name)
    if reason:
        raise SaveError(reason)


def small_tokenizer(config: TrainingConfig) -> Tokenizer | None:
    """A tokenizer that is trained on a few words, to check what all tokenizers with these options
    have in common.

    Returns:
        `None` if the split finds no words in them, or if they cannot be trained on.
    """
    few = config.stages[-1].replace(merges=_FEW, force=(), forbid=())
    try:
        corpus = Corpus.from_text(_FEW_WORDS, few)
        return train(corpus, few).tokenizer() if corpus.n_words else None
    except BpeError:
        return None


def save_tokenizer(tokenizer: Tokenizer, path: str, format_name: str) -> None:
    """Writes a tokenizer.

    Args:
        tokenizer: the tokenizer.
        path: the file or folder; "-" is standard output.
        format_name: one of `FORMAT_NAMES`.

    Raises:
        SaveError: the path or the format cannot be written.
    """
    check_place(path, format_name)
    if path != "-":
        save(tokenizer, path, format_name)
        return
    from bpe_studio.files.private_folder import PrivateFolder

    folder = PrivateFolder()
    try:
        place = os.path.join(folder.path, "tokenizer")
        try:
            save(tokenizer, place, format_name)
        except SaveError as error:
            raise SaveError(str(error).replace(place, "The tokenizer")) from None
        with open(place, "rb") as file:
            write_result(file.read())
    finally:
        folder.remove()


def save_document(document: StudioDocument, path: str) -> None:
    """Writes a studio document.

    Args:
        document: the document.
        path: the file; "-" is standard output.

    Raises:
        SaveError: the path cannot be written.
    """
    from bpe_studio.files.document.writing import pack

    write_file(path, pack(document))


def write_file(path: str, data: str | bytes) -> None:
    """Writes a file; "-" is standard output.

    Raises:
        SaveError: the path cannot be written.
    """
    if path == "-":
        write_result(data)
    else:
        atomic_write(path, data)


def check_map_place(path: str, parser: argparse.ArgumentParser) -> None:
    """Checks the path of a map of ids, before long work."""
    if os.path.splitext(path)[1] not in (".json", ".npy"):
        parser.error("--id-map takes the name of a file that ends in .json or .npy")
    check_place(path)


def write_numbers(numbers: Int64Array, path: str) -> None:
    """Writes numbers as a list in JSON, or as an array of numpy."""
    if path.endswith(".json"):
        atomic_write(path, json_line(numbers.tolist()))
        return
    data = io.BytesIO()
    np.save(data, numbers)
    atomic_write(path, data.getvalue())


def name_of(paths: Sequence[str]) -> str:
    """The name of a corpus of these files in the window."""
    if paths[0] == "-":
        name = "Standard input"
    else:
        name = os.path.basename(os.path.normpath(paths[0])) or paths[0]
    return name if len(paths) == 1 else f"{name} and {len(paths) - 1} more"
