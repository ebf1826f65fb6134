"""Makes JSON lines of a JSON array of objects, so that it is streamed as they are: one object a line, however written.

Only brackets, strings and what separates values are looked at; `json_lines` parses each line, and reports what is no
object. An array that is JSON is divided exactly. A string that lacks its end ends with its line, and an element that
lacks its bracket where the next one begins, so that a broken record seldom hides others; `is_cut` tells if one does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import cast

_MARK = re.compile(rb'["\[\]{},:\n]')
_SPACES = re.compile(rb"[ \t\r\n]*+")
_IN_STRING = re.compile(rb'(?:[^"\\\n]++|\\[^\n])*+', re.DOTALL)


class ArrayLines:
    """The elements of a JSON array as lines, in as many pieces as the array.

    Args:
        contents: the array as UTF-8, in pieces.

    Attributes:
        is_cut: whether the array has not ended so far.

    >>> [line.decode() for line in b"".join(ArrayLines([b'[{"a": [1, 2]}, {"b":', b' "],"}]'])).splitlines()]
    ['', '{"a": [1, 2]}', '{"b": "],"}']
    """

    def __init__(self, contents: Iterable[bytes]) -> None:
        self._contents = contents
        self.is_cut = False

    def __iter__(self) -> Iterator[bytes]:
        depth = n_escaped = 0
        is_string = is_value = is_object = False  # in a string; after a colon; in an element that is an object
        for content in self._contents:
            parts, start, place = list[bytes](), 0, n_escaped
            n_escaped = 0 if content else n_escaped
            while place < len(content):
                if is_string:
                    place = cast("re.Match[bytes]", _IN_STRING.match(content, place)).end()
                    if content[place : place + 2] in (b"", b"\\"):
                        n_escaped = len(content) - place
                        break
                    is_string = False
                    place += content.startswith(b'"', place)
                match = _MARK.search(content, place)
                if match is None:
                    break
                mark, place = match[0], match.end()
                if mark == b'"':
                    is_string, is_value = True, False
                    continue
                is_end = False
                if mark == b"{" and depth == 2 and is_object and not is_value:
                    parts += content[start : place - 1], b"\n"
                    start = place - 1
                elif mark in b"[{":
                    is_end = not depth and mark == b"["
                    depth += 1
                    is_object = mark == b"{" if depth == 2 else is_object
                elif mark in b"]}":
                    depth = max(0, depth - 1)
                    is_end = not depth
                elif mark in b",\n":
                    is_end = not depth or (depth == 1 and mark == b",")
                is_value = mark == b":" or (is_value and mark == b"\n")
                if is_end or mark == b"\n":
                    parts += content[start : place - 1], b"\n" if is_end else b" "
                    start = place = cast("re.Match[bytes]", _SPACES.match(content, place)).end()
            parts.append(content[start:])
            self.is_cut = depth > 0
            yield b"".join(parts)
