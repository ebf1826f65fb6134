"""Text as UTF-8, and where its characters begin, for text that is read or shown in parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bpe_studio.engine.arrays import ByteArray

    Bytes = bytes | bytearray | ByteArray


def start_of_character(content: Bytes, place: int) -> int:
    """The last place up to this one at which a character begins; the end of the content counts as
    one.

    >>> start_of_character("aé".encode(), 2), start_of_character("aé".encode(), 3)
    (1, 3)
    """
    place = max(0, min(place, len(content)))
    while 0 < place < len(content) and content[place] & 0xC0 == 0x80:
        place -= 1
    return place


def next_character(content: Bytes, place: int) -> int:
    """The first place from this one on at which a character begins, or the end of the content.

    >>> next_character("éa".encode(), 1)
    2
    """
    while place < len(content) and content[place] & 0xC0 == 0x80:
        place += 1
    return place


def to_bytes(text: str) -> bytes:
    """The UTF-8 bytes of a text; lone surrogates that represent stray bytes become these bytes."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        # Half a surrogate pair does not represent a byte; it becomes the three bytes of its code
        # point.
        content = bytearray()
        for char in text:
            errors = "surrogateescape" if "\udc80" <= char <= "\udcff" else "surrogatepass"
            content += char.encode("utf-8", errors)
        return bytes(content)
