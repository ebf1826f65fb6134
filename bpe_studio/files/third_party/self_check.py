"""The self-check of a third-party tokenizer: on a broad text, its merges must give the ids of its
library.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial

from bpe_studio.errors import BpeError
from bpe_studio.files.formats.broad_text import usual_texts
from bpe_studio.files.remembered import remembered
from bpe_studio.files.third_party.native_library import Library
from bpe_studio.files.third_party.piece_merges import PieceMerges
from bpe_studio.files.third_party.tokenizer import Steps, ThirdPartyTokenizer

_TOKENS_TRIED = 600
_MOST_CHARACTERS = 1 << 17


def texts_for(library: Library) -> Iterator[str]:
    """Texts in many scripts and styles, characters from all of Unicode, and the tokenizer's own
    tokens.
    """
    yield from usual_texts()
    chosen = random.Random(7).sample(
        sorted(library.tokens), min(_TOKENS_TRIED, len(library.tokens))
    )
    texts = list[str]()
    room = _MOST_CHARACTERS
    for number in chosen:
        if len(library.tokens[number]) <= room:
            texts.append(library.decode([number], skip_special_tokens=False))
            room -= len(library.tokens[number])
    yield "".join(texts)
    yield " ".join(texts)
    for special in list(library.special_ids)[:40]:
        yield f"before{special}after {special} {special}{special}\n{special}"


def checked_steps(library: Library, read: Callable[[], PieceMerges]) -> Steps:
    """The merges of a file if they give the ids of its library, otherwise the reason.

    Args:
        library: the library.
        read: reads the merges.
    """
    merges, why = Steps.of(read)
    if merges is None:
        return Steps(
            None, f"There are no steps to show, because {why}; its ids are those of its library"
        )
    why = remembered("steps", library.name, library.checksum, partial(_why_not, library, merges))
    return Steps(None, why) if why else Steps(merges)


def _why_not(library: Library, merges: PieceMerges) -> str:
    """The reason why the merges cannot be used, as a sentence; empty if they give the ids of the
    library on the broad text.
    """
    tokenizer = ThirdPartyTokenizer(library, partial(Steps, merges))
    for text in texts_for(library):
        for recognizes in (True, False):
            try:
                theirs = library.ids(text, recognize_special=recognizes)
            except BpeError:
                # The library itself does not encode this text.
                continue
            try:
                found = tokenizer.encode_ids(text, step=len(merges), recognize_special=recognizes)
                ours = found.tolist()
            except BpeError as error:
                return f"Its merges cannot be shown, because its pieces cannot be read ({error})"
            if ours != theirs:
                place = next(
                    (at for at, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b),
                    min(len(ours), len(theirs)),
                )
                near = library.decode(
                    theirs[max(0, place - 2) : place + 3], skip_special_tokens=False
                )
                return (
                    "Its merges cannot be shown, because they give different ids than the library"
                    f" {library.name}, for example at {near[:40]!r}; its ids are those of the"
                    " library"
                )
    return ""
