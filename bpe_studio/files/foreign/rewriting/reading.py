"""What extending and pruning share: which tokenizers they take, how texts are given to a library, how far they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from bpe_studio.errors import SaveError
from bpe_studio.files.foreign.borders import next_border
from bpe_studio.files.foreign.native_library import RewritableLibrary
from bpe_studio.files.foreign.tokenizer import ForeignTokenizer, OwnFiles

_HALF_SURROGATE = re.compile("[\ud800-\udfff]")
CANNOT = "The tokenizer cannot be {}: {}"
_PART_CHARACTERS, _BATCH_CHARACTERS = 1 << 14, 1 << 16


class Stage(NamedTuple):
    """How far the work is; it can be stopped wherever it yields one.

    Attributes:
        unit: what is counted: "bytes" of text that the library has encoded, or new "merges"; "" while the changed file
            is made and checked.
        done: how many.
        total: of how many; 0 if that is not known.
    """

    unit: str
    done: int = 0
    total: int = 0


def rewritable(tokenizer: ForeignTokenizer, what: str) -> tuple[RewritableLibrary, OwnFiles]:
    """The library and the files of a tokenizer whose merges can be changed.

    Raises:
        SaveError: they cannot.
    """
    library, files = tokenizer.native, tokenizer.own_files
    if tokenizer.is_stopped:
        raise SaveError(CANNOT.format(what, "at an earlier step it has no file of its own; take all its merges"))
    if tokenizer.why_no_merges:
        raise SaveError(CANNOT.format(what, tokenizer.why_no_merges))
    if files is None or not isinstance(library, RewritableLibrary):
        raise SaveError(CANNOT.format(what, "its file has no list of merges that could be changed"))
    return library, files


def parts(library: RewritableLibrary, texts: Iterable[str]) -> Iterator[str]:
    """The texts in parts that have the ids that they have in them; half of a surrogate pair counts as U+FFFD."""
    spaces = library.cuts_before
    if library.prefixes_parts:
        # What it puts before a part stands for the space that is left out there.
        spaces = " " if library.prefix_is_space and " " in spaces else ""
    size = _PART_CHARACTERS if spaces else library.most_characters
    for text in texts:
        text, start = _HALF_SURROGATE.sub("\ufffd", text), 0
        while len(text) - start > size:
            end = next_border(text, spaces, start + size) if spaces else start + size
            yield text[start:end]
            start = end + (1 if spaces and library.prefixes_parts and end < len(text) else 0)
        yield text[start:]


def batches(texts: Iterable[str]) -> Iterator[tuple[list[str], Stage]]:
    """Texts that are encoded in one call, and how far they go."""
    batch: list[str] = []
    size = n_bytes = 0
    for text in texts:
        batch.append(text)
        size += len(text) + 1
        n_bytes += len(text.encode())
        if size >= _BATCH_CHARACTERS:
            yield batch, Stage("bytes", n_bytes)
            batch, size = [], 0
    if batch:
        yield batch, Stage("bytes", n_bytes)
