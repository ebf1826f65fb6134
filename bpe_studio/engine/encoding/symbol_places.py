"""The places of the symbols of a pre-token in the text.

Places are code points as floats: a fraction is a share of a character's bytes, for a token that is
part of a character.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from bpe_studio.engine.arrays import FloatArray, Int64Array
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.text.items import item_spans
from bpe_studio.engine.text.utf8 import to_bytes


def characters_of(text: str) -> tuple[str, list[float]]:
    """The characters that a text is trained on and encoded as, and their starts; the last entry is
    the end.

    They are those of the text, except for lone surrogates, which represent stray bytes: these are
    decoded as UTF-8, and invalid ones become U+FFFD, as in `alphabet.symbol_codes`. So a character
    may come from several surrogates, and an invalid surrogate may become several characters.

    >>> characters_of("a" + chr(0xDCC3) + chr(0xDCA9))  # the two bytes of an é
    ('aé', [0.0, 1.0, 3.0])
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        content = to_bytes(text)
        places = _byte_places(text)
    else:
        return text, [float(i) for i in range(len(text) + 1)]
    characters = []
    begins = []
    at = 0
    while at < len(content):
        head = content[at : at + 4]
        try:
            character = head.decode()[0]
        except UnicodeDecodeError as error:
            # What precedes the first invalid bytes is complete.
            character = head[: error.start].decode()[0] if error.start else ""
            width = error.end
        width = len(character.encode()) or width
        characters.append(character or "\ufffd")
        begins.append(places[at])
        at += width
    return "".join(characters), [*begins, float(len(text))]


def _byte_places(text: str) -> list[float]:
    """The place of each byte of a text in code points; the last entry is the end of the text."""
    if text.isascii():
        return list(map(float, range(len(text) + 1)))
    places: list[float] = []
    for i, char in enumerate(text):
        size = len(to_bytes(char))
        places.extend(i + k / size for k in range(size))
    return [*places, float(len(text))]


def byte_places(content: bytes, offsets: Int64Array) -> FloatArray:
    """The place of each byte in its pre-token, and after each pre-token its end.

    Args:
        content: the UTF-8 bytes of pre-tokens, laid end to end.
        offsets: (w + 1,) int64, the first byte of each, and the end.

    >>> byte_places("aé".encode(), np.array([0, 1, 3])).tolist()
    [0.0, 1.0, 0.0, 0.5, 1.0]
    """
    begins = (np.frombuffer(content, np.uint8) & 0xC0) != 0x80
    firsts = np.flatnonzero(begins)
    character = np.cumsum(begins) - 1
    widths = np.diff(firsts, append=len(content))
    share = (np.arange(len(content)) - firsts[character]) / widths[character]
    n_before = np.append(character, len(firsts))[offsets]
    places = character - np.repeat(n_before[:-1], np.diff(offsets)) + share
    return np.asarray(np.insert(places, offsets[1:], np.diff(n_before)))


def symbol_places(piece: str, config: TrainingConfig) -> list[float]:
    """The start of each symbol of a pre-token; the last entry is the end of the last symbol.

    Args:
        piece: the pre-token; the mark before a word, which is not in the text, has no width.
        config: units and marks.

    Returns:
        One place per symbol and one more, in code points from the pre-token's start in the text.
    """
    hidden = config.word_start
    chars = piece[len(hidden) :]
    if config.units == "items":
        text, begins = characters_of(piece)
        return [*(begins[start] for start, _ in item_spans(text)), begins[-1]]
    if config.units == "characters":
        places = characters_of(chars)[1]
        places = [0.0, *places] if hidden else places
    else:
        places = [0.0] * len(hidden.encode())
        places += _byte_places(chars)
    if config.word_end_as == "own-symbol":
        places.append(places[-1])
    return places


def item_ends(piece: str) -> list[float]:
    """The end of each item of a pre-token, which white space may follow, as in `symbol_places`."""
    text, begins = characters_of(piece)
    return [begins[end] for _, end in item_spans(text)]


def divided_places(places: Sequence[float], sizes: Sequence[int]) -> Sequence[float]:
    """The start of each symbol, where a character may be several of them; the last entry is the
    end.

    Args:
        places: (n + 1,) the start of each character, and the end.
        sizes: (n,) the number of symbols of each.

    >>> divided_places([0.0, 1.0, 2.0], [1, 2])
    [0.0, 1.0, 1.5, 2.0]
    """
    if max(sizes, default=1) == 1:
        return places
    divided = []
    for (start, stop), size in zip(pairwise(places), sizes, strict=True):
        divided += [start + (stop - start) * i / size for i in range(size)]
    divided.append(places[-1])
    return divided
