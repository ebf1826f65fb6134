"""Saves a tokenizer, so that its place holds this one and nothing of another, and opens as this
one.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.errors import SaveError
from bpe_studio.files.atomic_file import as_bytes, atomic_file
from bpe_studio.files.atomic_folder import atomic_folder
from bpe_studio.files.formats.huggingface.folder import CONFIG
from bpe_studio.files.formats.huggingface.side_files import VOCABULARIES, WRITTEN
from bpe_studio.files.formats.read_back import ReadBack, check
from bpe_studio.files.formats.registry import content
from bpe_studio.files.recognition import recognize

Path = str | os.PathLike[str]
_MODEL_CONFIG = "config.json"


def save(tokenizer: Tokenizer, path: Path, format: str = "huggingface") -> None:
    """Write a tokenizer. In a folder it replaces the one that is there; files of others stay.

    Raises:
        SaveError: the format is not known or cannot hold this tokenizer exactly, the file cannot be
            written, or something else at the place would be opened instead.
    """
    path = os.fspath(path)
    try:
        made = content(tokenizer, format)
        if not isinstance(made, Mapping):
            with atomic_file(path) as stream:
                stream.write(as_bytes(path, made))
                stream.flush()
                _check_found(stream.name, [os.path.basename(stream.name)])
            return
        if why := why_not_into(path):
            raise SaveError(why)

        def check_folder(place: str) -> None:
            _check_found(place, made)
            if CONFIG not in made and os.path.lexists(os.path.join(place, _MODEL_CONFIG)):
                _check_ids(tokenizer, place)

        atomic_folder(path, {**dict.fromkeys(WRITTEN), **made}, check_folder)
    except SaveError as error:
        if str(error).startswith((path, repr(path))):
            raise
        raise SaveError(f"{path} was not saved: {error}") from None


def why_not_into(path: Path) -> str:
    """The reason why no tokenizer is saved in a folder, in one sentence; "" if one can be, or if
    there is no folder.
    """
    for name in VOCABULARIES:
        if os.path.lexists(os.path.join(path, name)):
            return (
                f"The folder holds {name}, the vocabulary of another tokenizer: save in another"
                " folder"
            )
    return ""


def _check_found(place: str, written: Collection[str]) -> None:
    """Makes sure that what was written is what opens.

    Raises:
        SaveError: it is another file.
    """
    found = recognize(place).files
    other = next((name for name in map(os.path.basename, found) if name not in written), "")
    if other:
        raise SaveError(
            f"{other} beside it would be opened, too, or in its place: save in another folder"
        )


def _check_ids(tokenizer: Tokenizer, place: str) -> None:
    """Makes sure that files that name no class give the same ids beside the configuration of a
    model, which names one.

    Raises:
        SaveError: they do not.
    """
    from bpe_studio.files.loading import load

    opened = load(place)
    back = ReadBack(
        lambda text, finds: opened.encode(text, recognize_special=finds).ids, opened.added_ids
    )
    try:
        check(tokenizer, back, "The tokenizer")
    except SaveError as error:
        raise SaveError(
            f"{error} beside the {_MODEL_CONFIG} of that folder: save in another folder"
        ) from None
