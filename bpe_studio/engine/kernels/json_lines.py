"""Takes the texts out of JSON lines: one string of the object on each line, unescaped.

A line that is not plain is left to the caller: one that is no object, has no such member or has it escaped, has half a
surrogate pair, a number that is none of JSON, or values nested deeper than `MOST_DEPTH`. So each line that is read is
valid JSON, and its text is the one that `json.loads` gives.

Strings are read eight bytes at a time, as in `counting`. A line feed ends every value, so nothing is read beyond the
line but the padding. These kernels only run compiled.
"""

from __future__ import annotations

from typing import Any

PLACE, SIZE = range(2)
"""The scalars in `state`: the line that follows, and the size of what was written."""
N_STATE = 2
MOST_DEPTH = 60
_MOST_DIGITS = 300
_ONES = 0x0101010101010101
_SPACES = 0x20 * _ONES
_QUOTES = 0x22 * _ONES
_BACKSLASHES = 0x5C * _ONES
_HIGH = -0x7F7F7F7F7F7F7F80  # the highest bit of each byte
_QUOTE, _BACKSLASH, _COMMA, _COLON = 0x22, 0x5C, 0x2C, 0x3A


def read_texts(state: Any, b: Any, wide: Any, n: int, key: Any, out: Any, wide_out: Any, ends: Any) -> int:
    """Write the texts of lines, as many as are plain one after the other; returns their number.

    Args:
        state: (N_STATE,) int64, the scalars above.
        b: uint8, the lines, each with its line feed, as UTF-8, and padding.
        wide: int64, the same as overlapping numbers.
        n: the length of the lines.
        key: uint8, the name of the member that is the text, which needs no escape.
        out: uint8, receives the texts; as long as the lines, with padding.
        wide_out: the same as numbers.
        ends: int64, receives the end of each text.
    """
    n_texts = 0
    while state[PLACE] < n and n_texts < len(ends):
        size = state[SIZE]
        end = read_line(state, b, wide, state[PLACE], key, out, wide_out)
        if end < 0:
            state[SIZE] = size
            break
        ends[n_texts] = state[SIZE]
        n_texts += 1
        state[PLACE] = end + 1
    return n_texts


def read_line(state: Any, b: Any, wide: Any, i: int, key: Any, out: Any, wide_out: Any) -> int:
    """Write the text of the line at i; returns the place of its line feed, or -1 if it is not plain."""
    begin, is_found = state[SIZE], False
    if b[i] != 0x7B:
        return -1
    i += 1
    while True:
        i = after_spaces(b, i)
        if b[i] != _QUOTE:
            return -1
        is_text = is_key(b, i + 1, key)
        i = after_spaces(b, after_name(b, i + 1))
        if b[i] != _COLON:
            return -1
        i = after_spaces(b, i + 1)
        if is_text:
            if b[i] != _QUOTE:
                return -1
            # Of members of the same name, the last one counts.
            state[SIZE], is_found = begin, True
            i = copy_string(state, b, wide, i + 1, out, wide_out)
        else:
            i = after_value(b, wide, i)
        if i < 0:
            return -1
        i = after_spaces(b, i)
        if b[i] == 0x7D:
            break
        if b[i] != _COMMA:
            return -1
        i += 1
    i = after_spaces(b, i + 1)
    return i if is_found and b[i] == 10 else -1


def after_spaces(b: Any, i: int) -> int:
    """The first place that is no space, tab or carriage return."""
    while b[i] == 32 or b[i] == 9 or b[i] == 13:
        i += 1
    return i


def is_key(b: Any, i: int, key: Any) -> bool:
    """Whether the string that begins at i is the name of the text."""
    for k in range(len(key)):
        if b[i + k] != key[k]:
            return False
    return bool(b[i + len(key)] == _QUOTE)


def after_name(b: Any, i: int) -> int:
    """The place after a string that begins at i; that of the character that stops it if it is escaped or broken."""
    while b[i] != _QUOTE:
        if b[i] == _BACKSLASH or b[i] < 32:
            return i
        i += 1
    return i + 1


def specials(w: int) -> int:
    """Not zero if one of eight bytes is a quotation mark, a backslash or a control character."""
    quotes, backslashes = w ^ _QUOTES, w ^ _BACKSLASHES
    found = (quotes - _ONES) & ~quotes | (backslashes - _ONES) & ~backslashes | (w - _SPACES) & ~w
    return found & _HIGH


def after_string(b: Any, wide: Any, i: int) -> int:
    """The place after a string that begins at i; -1 if it is not valid."""
    while True:
        while specials(wide[i]) == 0:
            i += 8
        c = b[i]
        if c == _QUOTE:
            return i + 1
        if c < 32:
            return -1
        if c == _BACKSLASH:
            i += 1
            if b[i] == 0x75:
                if hex_number(b, i + 1) < 0:
                    return -1
                i += 4
            elif escaped(b[i]) == 0:
                return -1
        i += 1


def copy_string(state: Any, b: Any, wide: Any, i: int, out: Any, wide_out: Any) -> int:
    """Write a string that begins at i, unescaped; returns the place after it, or -1 if it is not plain."""
    o = state[SIZE]
    while True:
        while specials(wide[i]) == 0:
            wide_out[o] = wide[i]
            i += 8
            o += 8
        c = b[i]
        if c == _QUOTE:
            state[SIZE] = o
            return i + 1
        if c < 32:
            return -1
        if c != _BACKSLASH:
            out[o] = c
            i += 1
            o += 1
            continue
        c = b[i + 1]
        if c != 0x75:
            c = escaped(c)
            if c == 0:
                return -1
            out[o] = c
            i += 2
            o += 1
            continue
        code = hex_number(b, i + 2)
        i += 6
        if 0xD800 <= code < 0xDC00 and b[i] == _BACKSLASH and b[i + 1] == 0x75:
            low = hex_number(b, i + 2)
            if 0xDC00 <= low < 0xE000:
                code = 0x10000 + ((code - 0xD800) << 10) + low - 0xDC00
                i += 6
        if code < 0 or 0xD800 <= code < 0xE000:
            return -1
        o = write_character(out, o, code)


def write_character(out: Any, o: int, code: int) -> int:
    """Write a character as UTF-8; returns the place after it."""
    if code < 0x80:
        out[o] = code
        return o + 1
    if code < 0x800:
        out[o], out[o + 1] = 0xC0 | code >> 6, 0x80 | code & 0x3F
        return o + 2
    if code < 0x10000:
        out[o], out[o + 1], out[o + 2] = 0xE0 | code >> 12, 0x80 | code >> 6 & 0x3F, 0x80 | code & 0x3F
        return o + 3
    out[o], out[o + 1] = 0xF0 | code >> 18, 0x80 | code >> 12 & 0x3F
    out[o + 2], out[o + 3] = 0x80 | code >> 6 & 0x3F, 0x80 | code & 0x3F
    return o + 4


def escaped(c: int) -> int:
    """The character that a backslash and another stand for; 0 for none."""
    if c in (_QUOTE, _BACKSLASH) or c == 47:
        return c
    if c == 0x6E:
        return 10
    if c == 0x74:
        return 9
    if c == 0x72:
        return 13
    if c == 0x62:
        return 8
    return 12 if c == 0x66 else 0


def hex_number(b: Any, i: int) -> int:
    """The number of four hexadecimal digits at i; -1 if they are none."""
    number = 0
    for k in range(4):
        c = int(b[i + k])
        if 48 <= c < 58:
            digit = c - 48
        elif 97 <= c | 32 < 103:
            digit = (c | 32) - 87
        else:
            return -1
        number = number << 4 | digit
    return number


def after_value(b: Any, wide: Any, i: int) -> int:
    """The place after the value at i; -1 if it is not plain."""
    depth = kinds = 0  # a bit for each object or array around a place, 1 for an object
    while True:
        c = b[i]
        is_closed = True
        if c == _QUOTE:
            i = after_string(b, wide, i + 1)
        elif c == 0x7B or c == 0x5B:
            i = after_spaces(b, i + 1)
            if b[i] == c + 2:
                i += 1
            else:
                depth += 1
                kinds = kinds << 1 | (c == 0x7B)
                is_closed = False
                if depth > MOST_DEPTH:
                    return -1
                if c == 0x7B:
                    i = after_member_name(b, wide, i)
        elif c == 0x74 and b[i + 1] == 0x72 and b[i + 2] == 0x75 and b[i + 3] == 0x65:
            i += 4
        elif c == 0x66 and b[i + 1] == 0x61 and b[i + 2] == 0x6C and b[i + 3] == 0x73 and b[i + 4] == 0x65:
            i += 5
        elif c == 0x6E and b[i + 1] == 0x75 and b[i + 2] == 0x6C and b[i + 3] == 0x6C:
            i += 4
        else:
            i = after_number(b, i)
        while is_closed and i >= 0:
            if depth == 0:
                return i
            i = after_spaces(b, i)
            c = b[i]
            i += 1
            if c == _COMMA:
                is_closed = False
                i = after_spaces(b, i)
                if kinds & 1:
                    i = after_member_name(b, wide, i)
            elif c == (0x7D if kinds & 1 else 0x5D):
                depth -= 1
                kinds >>= 1
            else:
                return -1
        if i < 0:
            return -1


def after_member_name(b: Any, wide: Any, i: int) -> int:
    """The place of the value whose name is at i; -1 if there is none."""
    if b[i] != _QUOTE:
        return -1
    i = after_string(b, wide, i + 1)
    if i < 0:
        return -1
    i = after_spaces(b, i)
    return after_spaces(b, i + 1) if b[i] == _COLON else -1


def after_number(b: Any, i: int) -> int:
    """The place after a number; -1 if there is none, or one so long that Python might refuse it."""
    begin = i
    i += b[i] == 0x2D
    start = i
    i = after_digits(b, i)
    if i == start or (b[start] == 48 and i > start + 1):
        return -1
    if b[i] == 0x2E:
        start = i + 1
        i = after_digits(b, start)
        if i == start:
            return -1
    if b[i] | 32 == 0x65:
        i += 1
        i += b[i] == 0x2B or b[i] == 0x2D
        start = i
        i = after_digits(b, start)
        if i == start:
            return -1
    return i if i - begin <= _MOST_DIGITS else -1


def after_digits(b: Any, i: int) -> int:
    """The place after digits."""
    while 48 <= b[i] < 58:
        i += 1
    return i
