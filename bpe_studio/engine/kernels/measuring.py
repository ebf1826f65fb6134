"""What is known of a text beside its words: how many characters, white-space words, line feeds and stray bytes it has.

Most stretches of most texts are ASCII. There nothing depends on what comes before but the character beside it, so that
the loop has no question in it and its sums fit in a byte: the compiler has it look at 32 bytes at a time. Any other
stretch is read character by character. These kernels run compiled only, for their bytes wrap around.
"""

from __future__ import annotations

from typing import Any

import numpy as np

CHARACTERS, WORDS, LINE_FEEDS, STRAY_BYTES, SURROGATES, IN_WORD = range(6)
N_MEASURES = 6
_STRETCH = 192  # sums of this many ones fit in a byte


def is_ascii_space(c: Any) -> Any:
    """1 for an ASCII character that is white space to `str.split`, else 0."""
    return np.uint8((c == 32) | (np.uint8(c - 9) <= 4) | (np.uint8(c - 28) <= 3))


def measure(b: Any, n: int, spaces: Any, found: Any) -> None:
    """Add what a text holds to the measures of all before it.

    Args:
        b: uint8, the text: UTF-8, lone surrogates as three bytes; no character is cut.
        n: its end.
        spaces: uint8, 1 for each code point that is white space, up to the last that is.
        found: (N_MEASURES,) int64, the measures above; `IN_WORD` is 1 where the text before ends inside a word.
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
    """The same for the characters that begin before a place; returns where the last of them ends."""
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
