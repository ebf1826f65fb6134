"""The text of ids that come one by one, as a model generates them: each part as soon as nothing
that follows can change it.

It decodes a window: the ids of the last part, so that the next part is decoded inside a text, and
the ids that came after them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from bpe_studio.engine.arguments import as_number, expect

_UNFINISHED = "\ufffd"
"""The text of the bytes of a character if some are missing."""
_MOST_OPEN = 3
"""The most of them at the end of a text that the next byte may still change."""
_ENOUGH = 16
"""The number of ids that decide how the last bytes are divided into characters."""


def text_stream(
    ids: Iterable[int], decode: Callable[[list[int]], str], is_open: Callable[[int], bool]
) -> Iterator[str]:
    """The text of token ids, part by part; joined, it is the text that all ids decode to.

    Args:
        ids: token ids, one at a time.
        decode: gives the text of ids. The text of the first ids begins the text of more ids, apart
            from an unfinished character at its end.
        is_open: whether the text of a token may change with the token that follows.

    Raises:
        ArgumentError: they are not ids; one that comes later raises it when it comes.
    """
    expect(ids, Iterable, "give token ids, one at a time or as a list")
    return _parts(ids, decode, is_open)


def _parts(
    ids: Iterable[int], decode: Callable[[list[int]], str], is_open: Callable[[int], bool]
) -> Iterator[str]:
    window: list[int] = []
    text = ""
    n_before = 0
    for number in ids:
        window.append(as_number(number, "A token id"))
        if is_open(window[-1]):
            continue
        found = decode(window)
        settled = found.rstrip(_UNFINISHED)
        is_broken = len(found) - len(settled) > _MOST_OPEN
        if is_broken:
            settled = found[:-_MOST_OPEN]
        if len(settled) <= len(text):
            continue
        yield settled[len(text) :]
        text = settled
        if is_broken and len(window) > 2 * _ENOUGH:
            # So that endless broken bytes are not decoded again and again.
            begun = decode(window[-_ENOUGH:])
            if begun.endswith(_UNFINISHED * (_MOST_OPEN + 1)):
                window = window[-_ENOUGH:]
                text = begun[:-_MOST_OPEN]
                n_before = 0
        if settled != found:
            continue
        last_part = window[n_before:]
        begun = decode(last_part)
        if begun:  # otherwise what follows would begin the text
            window = last_part
            text = begun
        n_before = len(window)
    rest = decode(window)[len(text) :]
    if rest:
        yield rest
