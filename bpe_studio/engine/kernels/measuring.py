"""Measures a text: its characters, words separated by white space, line feeds and stray bytes.

ASCII is measured 64 bytes at a time, by numbers whose bits tell what each of them is. Other text is
measured by stretches: what a byte adds depends only on its neighbours, the three before it and the
two after it. So the loop has no branches, its sums fit into a byte, and the compiler processes 32
bytes at a time. The first characters, and the last, are read one by one. These kernels only run
compiled, because their bytes wrap around.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bpe_studio.engine.kernels.instructions import N_BYTES, bytes_between, n_bits, place
from bpe_studio.engine.kernels.kinds import Bytes, Int64s

CHARACTERS, WORDS, LINE_FEEDS, STRAY_BYTES, SURROGATES, IN_WORD = range(6)
N_MEASURES = 6
_STRETCH = 192  # sums of this many ones fit in a byte


def is_ascii_space(c: Any) -> Any:
    """1 for an ASCII character that is white space for `str.split`, else 0."""
    return np.uint8((c == 32) | (np.uint8(c - 9) <= 4) | (np.uint8(c - 28) <= 3))


def is_space_of_two(c: Any, c1: Any) -> Any:
    """1 if two bytes are a character that is white space for `str.split`, else 0."""
    return np.uint8((c == 0xC2) & ((c1 == 0x85) | (c1 == 0xA0)))


def is_space_of_three(c: Any, c1: Any, c2: Any) -> Any:
    """1 if three bytes are a character that is white space for `str.split`, else 0."""
    is_general = (c1 == 0x80) & ((c2 <= 0x8A) | (c2 == 0xA8) | (c2 == 0xA9) | (c2 == 0xAF))
    is_rare = (c == 0xE1) & (c1 == 0x9A) & (c2 == 0x80) | (c == 0xE2) & (c1 == 0x81) & (c2 == 0x9F)
    is_ideographic = (c == 0xE3) & (c1 == 0x80) & (c2 == 0x80)
    return np.uint8((c == 0xE2) & is_general | is_rare | is_ideographic)


def measure(b: Bytes, n: int, spaces: Bytes, found: Int64s) -> None:
    """Add the measures of a text to those of the text before it.

    Args:
        b: uint8, the text as UTF-8, lone surrogates as three bytes; no character is divided.
        n: its length.
        spaces: uint8, 1 for each code point that is white space, up to the last one.
        found: (N_MEASURES,) int64, the measures above; `IN_WORD` is 1 if the text before ends
            inside a word.
    """
    i = measure_characters(b, np.int64(0), min(n, 3), spaces, found)
    while i < n:
        while i + N_BYTES <= n and bytes_between(b, place(i), 128, 255, 0) == 0:
            at = place(i)
            white = (
                bytes_between(b, at, 32, 32, 0)
                | bytes_between(b, at, 9, 13, 0)
                | bytes_between(b, at, 28, 31, 0)
            )
            found[WORDS] += n_bits(~white & (white << 1 | 1 - found[IN_WORD]))
            found[LINE_FEEDS] += n_bits(bytes_between(b, at, 10, 10, 0))
            found[CHARACTERS] += N_BYTES
            found[IN_WORD] = 1 - (white >> 63 & 1)
            i += N_BYTES
        end = min(i + _STRETCH, n - 2)
        while end > i and b[end] & 0xC0 == 0x80:
            end -= 1
        if end > i:
            measure_wide(b, i, end, found)
            i = end
        else:
            i = measure_characters(b, i, n, spaces, found)


def measure_wide(b: Any, i: int, end: int, found: Any) -> None:
    """Add the measures of a stretch of any characters, with three bytes before it and two after."""
    before3 = b[i - 3 : end - 3]
    before2 = b[i - 2 : end - 2]
    before1 = b[i - 1 : end - 1]
    here = b[i:end]
    after1 = b[i + 1 : end + 1]
    after2 = b[i + 2 : end + 2]
    characters = np.uint8(0)
    words = np.uint8(0)
    line_feeds = np.uint8(0)
    surrogates = np.uint8(0)
    stray = np.uint8(0)
    for k in range(len(here)):
        c = here[k]
        c1 = after1[k]
        space_before = (
            is_ascii_space(before1[k])
            | is_space_of_two(before2[k], before1[k])
            | is_space_of_three(before3[k], before2[k], before1[k])
        )
        space_here = (
            is_ascii_space(c) | is_space_of_two(c, c1) | is_space_of_three(c, c1, after2[k])
        )
        words = np.uint8(words + (space_before & (1 ^ space_here)))
        characters = np.uint8(characters + np.uint8(c & 0xC0 != 0x80))
        line_feeds = np.uint8(line_feeds + np.uint8(c == 10))
        surrogates = np.uint8(surrogates + np.uint8((c == 0xED) & (c1 >= 0xA0)))
        stray = np.uint8(stray + np.uint8((c == 0xED) & ((c1 == 0xB2) | (c1 == 0xB3))))
    found[CHARACTERS] += np.int64(characters)
    found[WORDS] += np.int64(words)
    found[LINE_FEEDS] += np.int64(line_feeds)
    found[SURROGATES] += np.int64(surrogates)
    found[STRAY_BYTES] += np.int64(stray)
    last3 = b[end - 3]
    last2 = b[end - 2]
    last1 = b[end - 1]
    ends_in_space = (
        is_ascii_space(last1)
        | is_space_of_two(last2, last1)
        | is_space_of_three(last3, last2, last1)
    )
    found[IN_WORD] = 1 - np.int64(ends_in_space)


def measure_characters(b: Any, i: Any, end: int, spaces: Any, found: Any) -> Any:
    """Add the measures of the characters that begin before `end`; returns the end of the last."""
    in_word = found[IN_WORD]
    while i < end:
        c = np.int64(b[i])
        code: Any = c
        width = 1
        if c >= 0xF0:
            code = 0x10000
            width = 4
        elif c >= 0xE0:
            code = (c & 0xF) << 12 | (np.int64(b[i + 1]) & 0x3F) << 6 | np.int64(b[i + 2]) & 0x3F
            width = 3
            if 0xD800 <= code < 0xE000:
                found[SURROGATES] += 1
                found[STRAY_BYTES] += np.int64(0xDC80 <= code < 0xDD00)
        elif c >= 0x80:
            code = (c & 0x1F) << 6 | np.int64(b[i + 1]) & 0x3F
            width = 2
        is_space = np.int64(spaces[code]) if code < len(spaces) else 0
        found[WORDS] += 1 - (in_word | is_space)
        found[CHARACTERS] += 1
        found[LINE_FEEDS] += np.int64(c == 10)
        in_word = 1 - is_space
        i += width
    found[IN_WORD] = in_word
    return i
