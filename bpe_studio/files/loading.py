"""Loads a tokenizer: an unchanged folder of this program by itself, anything else as `third_party`
opens it.

So the readers of all other kinds are imported only for those.
"""

from __future__ import annotations

import os
from collections.abc import Generator

from bpe_studio.engine.arguments import as_path
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.generators import result_of
from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.formats.huggingface import folder


def load(path: str | os.PathLike[str], *, split: str | None = None) -> Tokenizer:
    """Reads a tokenizer of any kind, recognized by its content.

    Args:
        path: a folder, or a file; of two files that belong together, either; or `hf:OWNER/NAME`.
        split: how text is split, if the file does not say it (ranks of tiktoken); `None` to find
            out.

    Raises:
        TokenizerFormatError: it does not exist, is not a tokenizer, or its library cannot load it.
    """
    return result_of(loading(path, split=split))


def loading(
    path: str | os.PathLike[str], *, split: str | None = None
) -> Generator[tuple[int, int], None, Tokenizer]:
    """Does what `load` says, in steps; yields the bytes that have been fetched, and all of them."""
    path = as_path(path)
    yield 0, 0
    unchanged = folder.load_unchanged(path)
    if unchanged is not None:
        return unchanged
    from bpe_studio.files.third_party import hub, known, opening

    place = (yield from hub.fetching(path)) if hub.is_address(path) else os.fspath(path)
    if not os.path.lexists(place) and hub.could_be_address(place):
        raise TokenizerFormatError(
            f"{place} does not exist: check the name, or give {hub.PREFIX}{place} for a model on"
            " the Hugging Face Hub"
        )
    with known.named(path, place):
        return opening.opened(place, split)
