"""Measures a text: its characters, words separated by white space, line feeds and stray bytes.

Most blocks of most texts are ASCII. There, a byte depends on nothing but its neighbour, so the loop has no branches and
its sums fit into a byte: the compiler processes 32 bytes at a time. Any other block is read character by character.
These kernels only run compiled, because their bytes wrap around.
"""

from __future__ import annotations

from typing import Any

import numpy as np

CHARACTERS, WORDS, LINE_FEEDS, STRAY_BYTES, SURROGATES, IN_WORD = range(6)
N_MEASURES = 6
_STRETCH = 192  # sums of this many ones fit in a byte


def is_ascii_space(c: Any) -> Any:
    """1 for an ASCII character that is white space for `str.split`, else 0."""
    return np.uint8((c == 32) | (np.uint8(c - 9) <= 4) | (np.uint8(c - 28) <= 3))


def measure(b: Any, n: int, spaces: Any, found: Any) -> None:
    """Add the measures of a text to those of the text before it.

    Args:
        b: uint8, the text as UTF-8, lone surrogates as three bytes; no character is divided.
        n: its length.
        spaces: uint8, 1 for each code point that is white space, up to the last one.
        found: (N_MEASURES,) int64, the measures above; `IN_WORD` is 1 if the text before ends inside a word.
    """
    i = 0
    while i < n:
        end = min(i + _STRETCH, n)
        before, here = b[i : end - 1], b[i + 1 : end]
        high, words, line_feeds = b[i], np.uint8(0), np.uint8(0)
        for k in range(len(here)):
            c = here[k]
            high = np.uint8(high | c)
            words = np.uint8(words + (is_ascii_space(before[k]) & (1 ^ is_ascii_space(c))))
            line_feeds = np.uint8(line_feeds + np.uint8(c == 10))
        if high < 0x80:
            found[WORDS] += np.int64(words) + (1 - (found[IN_WORD] | np.int64(is_ascii_space(b[i]))))
            found[LINE_FEEDS] += np.int64(line_feeds) + np.int64(b[i] == 10)
            found[CHARACTERS] += end - i
            found[IN_WORD] = 1 - np.int64(is_ascii_space(b[end - 1]))
            i = end
        else:
            i = measure_characters(b, i, end, spaces, found)


def measure_characters(b: Any, i: int, end: int, spaces: Any, found: Any) -> int:
    """The same for the characters that begin before `end`; returns the end of the last one."""
    in_word = found[IN_WORD]
    while i < end:
        c = np.int64(b[i])
        code: Any = c
        width = 1
        if c >= 0xF0:
            code, width = 0x10000, 4
        elif c >= 0xE0:
            code, width = (c & 0xF) << 12 | (np.int64(b[i + 1]) & 0x3F) << 6 | np.int64(b[i + 2]) & 0x3F, 3
            if 0xD800 <= code < 0xE000:
                found[SURROGATES] += 1
                found[STRAY_BYTES] += np.int64(0xDC80 <= code < 0xDD00)
        elif c >= 0x80:
            code, width = (c & 0x1F) << 6 | np.int64(b[i + 1]) & 0x3F, 2
        is_space = np.int64(spaces[code]) if code < len(spaces) else 0
        found[WORDS] += 1 - (in_word | is_space)
        found[CHARACTERS] += 1
        found[LINE_FEEDS] += np.int64(c == 10)
        in_word = 1 - is_space
        i += width
    found[IN_WORD] = in_word
    return i
