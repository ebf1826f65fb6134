"""Finds the files that a user names by a folder, a pattern such as `texts/*.jsonl.zst`, or an
address.

The files of a folder are those in it and in its folders, sorted by name, without hidden ones.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from bpe_studio.engine.arguments import shown
from bpe_studio.errors import SourceError
from bpe_studio.files.text import remote
from bpe_studio.files.text.addresses import is_address
from bpe_studio.files.text.archives import is_left_out, names_to_read
from bpe_studio.files.text.regular_files import unreadable

MOST_FILES = 1_000_000


class Place(NamedTuple):
    """A file to read.

    Attributes:
        path: its path or address; "-" is standard input.
        is_found: whether it was found in a folder or by a pattern; such a file may be empty or no
            text.
    """

    path: str
    is_found: bool = False


def paths_of(sources: object) -> list[str]:
    """The paths that a caller has given, as a list or as one path.

    Raises:
        SourceError: one of them is not a path.
    """
    if isinstance(sources, str | bytes | os.PathLike):
        sources = [sources]
    if not isinstance(sources, Iterable):
        raise SourceError(
            f"{shown(sources)} is not a path: give a file, a folder, a pattern or an address, or a"
            " list of them"
        )
    paths = list(sources)
    for path in paths:
        if not isinstance(path, str | bytes | os.PathLike):
            raise SourceError(
                f"{shown(path)} is not a path: give a file, a folder, a pattern or an address"
            )
    return [os.fsdecode(path) for path in paths]


def places_of(path: str | os.PathLike[str]) -> list[Place]:
    """The files that a user means by a path.

    Raises:
        SourceError: there is none.

    >>> places_of("-")
    [Place(path='-', is_found=False)]
    """
    path = os.fspath(path)
    if path == "-":
        return [Place(path)]
    if is_address(path):
        found = remote.addresses_in(path)
        if found is None:
            return [Place(path)]
        if not found and any(mark in path for mark in "*?["):
            raise SourceError(f"No file matches {path}: check the pattern")
    elif _is_folder(path):
        found = _files_in(path)
    elif glob.has_magic(path) and not os.path.lexists(path):
        found = sorted(each for each in glob.iglob(path, recursive=True) if os.path.isfile(each))
        if not found:
            raise SourceError(f"No file matches {path}: check the pattern")
    else:
        return [Place(path)]
    if len(found) > MOST_FILES:
        raise SourceError(
            f"{path} has more than {MOST_FILES:,} files: put them in an archive, or open a part of"
            " them"
        )
    if not found:
        raise SourceError(f"{path} is a folder without text files: choose another")
    return [Place(each, True) for each in found]


def _is_folder(path: str) -> bool:
    try:
        return os.path.isdir(path)
    except ValueError:
        return False


def _files_in(folder: str) -> list[str]:
    try:
        with os.scandir(folder):
            pass
    except OSError as error:
        raise unreadable(folder, error) from None
    return list(_walk(folder))


def _walk(folder: str) -> Iterator[str]:
    n_files = 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not is_left_out(name))
        for name in names_to_read(names):
            yield os.path.join(place, name)
            n_files += 1
            if n_files > MOST_FILES:
                return
