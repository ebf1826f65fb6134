"""Divides a JSON array into its elements while it is read.

`json_lines` takes the texts out of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from bpe_studio.files.records.broken_records import MAX_RECORD_BYTES

Element = tuple[object, str]
"""An element of an array, and how it is written."""
_START = re.compile(r"[ \t\r\n]*\[[ \t\r\n]*")
_MARK = re.compile(r"[ \t\r\n]*([,\]])[ \t\r\n]*")
_SPACES = " \t\r\n"
_decoded = json.JSONDecoder().raw_decode


def elements_of(contents: Iterable[bytes]) -> Iterator[list[Element | str]]:
    """The elements of an array, some at a time; last, if it is broken, a phrase about the record
    after them.

    Nothing is read after an element that is not JSON, because its end is not known.

    Args:
        contents: the array as UTF-8, in pieces.

    >>> list(elements_of([b'[{"a": [1, 2]}, {"b":', b' "],"}]']))
    [[({'a': [1, 2]}, '{"a": [1, 2]}')], [({'b': '],'}, '{"b": "],"}')]]
    """
    text = ""
    is_open = False
    least = 0
    pieces = iter(contents)
    for content in pieces:
        text = (text + content.decode("utf-8", "surrogatepass")).lstrip(_SPACES)
        if not is_open and text:
            if start := _START.match(text):
                text = text[start.end() :]
            is_open = True
        if len(text) < least:
            yield []
            continue
        found, rest, is_closed = complete_elements(text)
        yield [*found]
        if is_closed:
            if rest or any(content.strip() for content in pieces):
                yield ["follows the end of the array; it was skipped"]
            return
        if len(rest) > MAX_RECORD_BYTES:
            break
        # An incomplete element is parsed again once it is twice as long, so that a long one does
        # not take for ever.
        least = 0 if found else 2 * len(text)
        text = rest
    found, rest, is_closed = complete_elements(text)
    yield [*found]
    if rest or not is_closed:
        yield ["is cut short or not JSON; everything after it was skipped"]


def complete_elements(text: str) -> tuple[list[Element], str, bool]:
    """The complete elements at the beginning of the inside of an array, what follows, and whether
    the array ended.
    """
    found = list[Element]()
    place = 0
    while True:
        try:
            value, end = _decoded(text, place)
        except (ValueError, RecursionError):
            return found, text[place:], False
        mark = _MARK.match(text, end)
        if mark is None:
            return found, text[place:], False
        found.append((value, text[place:end]))
        place = mark.end()
        if mark[1] == "]":
            return found, text[place:], True


def inside(text: str) -> str:
    """The beginning of an array without its bracket."""
    start = _START.match(text)
    return text[start.end() :] if start else text
