"""Reads a text once and notes what is strange in it: characters, words, runs, lines and documents that repeat.

A text is read by windows, which begin and end where nothing depends on what was before. A window is looked at without
branches, so that the compiler processes 32 bytes at a time (`look_at`). If not all of it is plain ASCII, its other
characters are counted one by one (`count_characters`), with what their lines have to be judged for. Most windows have
nothing else to note; the lines of many such windows are passed together. Only a window that may have is read again,
slowly, to note the places.

A table says what is to be noted of each character (`CODE_*` below). Counts of all code points are kept, so that what
depends on the character alone is counted outside. The loop returns when a page of the table is not filled yet, when
there is no room for more notes, or when a table of hashes has to grow; it is then called again and goes on there.

These kernels only run compiled, because their hashes wrap around.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bpe_studio.engine.kernels.instructions import lowest_bit, prefetch

CODE_KNOWN = 1
CODE_PLACED = 2
"""It is counted, and its places are noted, under the kind of note in bits 8 to 13."""
CODE_PLAIN = 4
"""It is no line feed, no combining character, and nothing of it alone is to be noted."""
CODE_NOT_NFC = 8
CODE_MAYBE_NFC = 16
CODE_LEAD = 32
"""It may be a misread first byte of a character in UTF-8; of how many bytes, is in bits 29 to 31 (`LEAD_SHIFT`)."""
CODE_CONTINUATION = 64
"""It may be its second one, or a later one."""
CODE_BASE64 = 128
CODE_SPACE = 1 << 14
CODE_LOST = 1 << 15
"""It may be in place of a misread byte that is neither the first nor the second one of its character."""
CODE_BORDER = 1 << 16
"""Nothing behind it depends on it, except another character like it, which may go on a run."""
CODE_UNMIXED = 1 << 17
"""Words of its script are not mixed with another. The number of the script is in bits 40 to 46 of each character. Of
these it is also in bits 32 to 38, and inverted in bits 52 to 58, so that of two scripts together one bit is in both
places. The digits of ASCII and the underscore have the number of Latin there, because a letter may be behind them."""
CODE_LINE_FEED = 1 << 18
CODE_STRAY = 1 << 19
"""It stands for a byte that is not UTF-8."""
CODE_WORD = -1 << 63
"""It is part of a word. The sign of the number says so, which is quickly made a mask."""
CODE_SMALL = 1 << 28
"""It is ASCII, a small Cyrillic letter or one of some capitals: what consists of them alone, ftfy never takes for a
misread character."""
BYTE_BASE64, BYTE_SPECIAL = 2, 8
"""What is to be noted of an ASCII byte."""
KIND_SHIFT, CLASS_SHIFT, LEAD_SHIFT, UNMIXED_SHIFT, SCRIPT_SHIFT = 8, 20, 29, 32, 40
FORM_SHIFT, INVERTED_SHIFT = 48, 52
SCRIPT_BITS, LATIN = 127, 1
CODE_CLASS = 0xFF << CLASS_SHIFT
"""The class of a combining character."""
NOT_PLAIN = CODE_PLACED | CODE_NOT_NFC | CODE_MAYBE_NFC | CODE_LINE_FEED | CODE_CLASS
CODE_FORMS = 15 << FORM_SHIFT
"""It is one of `FORM_CODES`: a bit for each."""
FORM_CODES = (0x64A, 0x6CC, 0x643, 0x6A9)
"""Yeh and kaf, each in its Arabic and its Persian form."""

(
    RUN, MIXED, BASE64, URL, LONG_LINE, REPEATED_LINE, BOILERPLATE, NOT_NFC, MAYBE_NFC, MAYBE_MOJIBAKE, SPECIAL,
    REPEATED_DOCUMENT, MIXED_YEH, MIXED_KAF,
) = range(14)  # fmt: skip
"""The kinds of notes; those of characters follow from `FIRST_CHARACTER_KIND`."""
FIRST_CHARACTER_KIND = 16
N_KINDS = 64

(
    LINE, HASH, LAST, COLUMN, LINE_BYTES, RUN_LENGTH, WORD_SCRIPT, WORD_COLUMN, N_BASE64, BEFORE, LINE_FLAGS,
    DOCUMENT_HASH, DOCUMENT_BYTES, N_NOTES, PAGE, N_LINE_HASHES, N_DOCUMENT_HASHES, N_BYTES, N_DOCUMENTS, N_LINES, END,
    STATUS, N_LONG, N_COUNTED, LINE_START, N_WAITING, LAST_START, N_SUSPECTED, WHOLE, N_AHEAD,
) = range(30)  # fmt: skip
"""The places in `state`, followed by four each of the next three: how often each form of yeh and kaf occurred before
the document, and where it is first in it."""
FORMS, FORM_LINES, FORM_COLUMNS, N_STATE = 30, 34, 38, 42
LINE_NOT_NFC, LINE_MAYBE_NFC, LINE_MAYBE_MOJIBAKE = 1, 2, 4
DONE, UNKNOWN_PAGE, NO_ROOM = range(3)
UNKNOWN = -(1 << 62)
"""In place of the beginning of a line that has ended before."""

RUN_CHARACTERS = 20
BASE64_CHARACTERS = 32
LONG_LINE_BYTES = 65_536
REPEATED_CHARACTERS = 40
BOILERPLATE_LINES = 10
MOST_JUDGED, THEN_EVERY = 10_000, 100
"""So many lines are noted as those that may be mojibake, and then each hundredth of them."""
WINDOW = 192  # sums of this many ones fit in a byte
_BEHIND = 80
"""A window is looked at if so many bytes follow it: 20 characters of four bytes."""
_MOST_LINES = 60
"""How many lines may end in a window, so that a number has a bit for each."""
_WINDOW_SHIFT = 5
"""Of chunks smaller than `1 << _WINDOW_SHIFT` bytes, the scripts of each are counted exactly: no window leaves one."""
_PRIME = np.uint64(0x9E3779B97F4A7C15)
START = np.uint64(0xCBF29CE484222325)
"""The hash of nothing."""
_STRETCH = 8192
"""Windows in which nothing is to be noted are passed line by line when there are so many bytes of them."""
N_WAITING_LINES = 64
_MARGIN = 2 * (N_WAITING_LINES + _STRETCH // REPEATED_CHARACTERS) + 3 * _MOST_LINES + 16
"""Each of the lines that wait, or are passed, may be noted twice, and each line of a window in three ways."""


def mixed(key: Any) -> Any:
    """A key whose bits all depend on each other; not 0."""
    key ^= key >> np.uint64(29)
    key *= np.uint64(0xBF58476D1CE4E5B9)
    key ^= key >> np.uint64(32)
    return max(key, np.uint64(1))


def added(keys: Any, counts: Any, key: Any, most: int, state: Any, used: int) -> Any:
    """Count a hash that is not 0; returns how often it has been counted, 0 if there is no room for a new one."""
    last = len(keys) - 1
    place = np.int64(key & np.uint64(last))
    while keys[place] != np.uint64(0):
        if keys[place] == key:
            counts[place] += 1
            return np.int64(counts[place]) + 1
        place = (place + 1) & last
    if state[used] >= most:
        return 0
    keys[place] = key
    state[used] += 1
    return 1


def grow(keys: Any, counts: Any, new_keys: Any, new_counts: Any) -> None:
    """Copy a hash table into a larger one that is empty."""
    last = len(new_keys) - 1
    for i in range(len(keys)):
        if keys[i] != np.uint64(0):
            place = np.int64(keys[i] & np.uint64(last))
            while new_keys[place] != np.uint64(0):
                place = (place + 1) & last
            new_keys[place] = keys[i]
            if counts[i]:
                new_counts[place] = counts[i]


def note(state: Any, notes: Any, found: Any, most: int, kind: int, line: int, column: int, a: Any, b: Any) -> None:
    """Count something, and note its place."""
    found[kind] += 1
    place(state, notes, found, most, kind, line, column, a, b)


def place(state: Any, notes: Any, found: Any, most: int, kind: int, line: int, column: int, a: Any, b: Any) -> None:
    """Note the place of something unless there are enough of its kind."""
    if found[N_KINDS + kind] < most:
        found[N_KINDS + kind] += 1
        n = state[N_NOTES]
        notes[n, 0], notes[n, 1], notes[n, 2], notes[n, 3], notes[n, 4] = kind, line, column, a, b
        notes[n, 5] = state[LINE_START]
        state[N_NOTES] = n + 1


def eight_bytes(content: Any, k: Any) -> Any:
    """Eight bytes as a number; `k` is unsigned, and so does not count from the end: they are one load."""
    low = np.uint64(content[k]) | np.uint64(content[k + np.uint64(1)]) << np.uint64(8)
    low |= np.uint64(content[k + np.uint64(2)]) << np.uint64(16)
    low |= np.uint64(content[k + np.uint64(3)]) << np.uint64(24)
    low |= np.uint64(content[k + np.uint64(4)]) << np.uint64(32)
    low |= np.uint64(content[k + np.uint64(5)]) << np.uint64(40)
    low |= np.uint64(content[k + np.uint64(6)]) << np.uint64(48)
    return low | np.uint64(content[k + np.uint64(7)]) << np.uint64(56)


def hashed_line(h: Any, content: Any, i: int, end: int) -> Any:
    """Where a line ends, and its hash.

    Args:
        h: the hash of its beginning.
        content: the text.
        i: where the line begins, or goes on.
        end: where the text or its document ends.

    Returns:
        The place of its line feed, or `end`; and the hash of what is before that.
    """
    k, last = np.uint64(i), np.uint64(end)
    rest, feeds = np.uint64(0), np.uint64(0)
    while k + np.uint64(8) <= last:
        rest = eight_bytes(content, k)
        x = rest ^ np.uint64(0x0A0A0A0A0A0A0A0A)
        feeds = (x - np.uint64(0x0101010101010101)) & ~x & np.uint64(0x8080808080808080)
        if feeds:
            break
        h = hash_on(h, rest)
        k += np.uint64(8)
    if feeds:
        n_bits = np.uint64(lowest_bit(np.int64(feeds)) & 56)
        rest &= (np.uint64(1) << n_bits) - np.uint64(1)
        k += n_bits >> np.uint64(3)
    else:
        rest, shift = np.uint64(0), np.uint64(0)
        while k < last and content[k] != 10:
            rest |= np.uint64(content[k]) << shift
            shift += np.uint64(8)
            k += np.uint64(1)
    h = hash_on(h, rest) ^ (k - np.uint64(i)) * _PRIME
    return np.int64(k), h ^ h >> np.uint64(32)


def hash_on(h: Any, x: Any) -> Any:
    """The hash of a text and eight more bytes; a change of any of them changes its upper half at least."""
    x *= _PRIME
    return (h ^ x ^ x >> np.uint64(32)) * np.uint64(0xD6E8FEB86659FD93)


def add_lines(
    state: Any, notes: Any, found: Any, most: int, keys: Any, counts: Any, most_keys: int, lines: Any
) -> None:  # fmt: skip
    """Count the lines that wait to be counted; the memory of all is asked for first.

    Args:
        state: (N_STATE,) int64; `state[N_WAITING]` lines wait.
        notes: as in `inspect`, and so are the others.
        found: how many of each kind there are.
        most: how many of a kind are noted.
        keys: the hashes of lines; 0 is free.
        counts: how often each line occurred after the first time.
        most_keys: how many hashes are kept.
        lines: (n, 4) int64, the hash of each line, its number, and where it begins and ends.
    """
    start, last = state[LINE_START], np.uint64(len(keys) - 1)
    for m in range(state[N_WAITING]):
        prefetch(keys, np.uint64(lines[m, 0]) & last)
    for m in range(state[N_WAITING]):
        key = max(np.uint64(lines[m, 0]), np.uint64(1))
        n = added(keys, counts, key, most_keys, state, N_LINE_HASHES)
        if n > 1:
            state[LINE_START] = lines[m, 2]
            note(state, notes, found, most, REPEATED_LINE, lines[m, 1], 1, 0, 0)
            if n == BOILERPLATE_LINES:
                note(state, notes, found, most, BOILERPLATE, lines[m, 1], 1, lines[m, 2], lines[m, 3])
                found[BOILERPLATE] += BOILERPLATE_LINES - 1
            elif n > BOILERPLATE_LINES:
                found[BOILERPLATE] += 1
    state[N_WAITING], state[LINE_START] = 0, start


def note_line(
    state: Any, notes: Any, found: Any, most: int, column: int, line_bytes: int, n_base64: int, flags: int, end: int
) -> None:  # fmt: skip
    """Note what is strange in a line that ends.

    Args:
        state: (N_STATE,) int64.
        notes: as in `inspect`, and so are the others.
        found: how many of each kind there are.
        most: how many of a kind are noted.
        column: how many characters it has.
        line_bytes: how many bytes.
        n_base64: how many characters at its end may be Base64.
        flags: what it has to be judged for (`LINE_*`).
        end: where it ends, without the line feed.
    """
    line, start = state[LINE], state[LINE_START]
    if n_base64 >= BASE64_CHARACTERS:
        note(state, notes, found, 1 << 62, BASE64, line, column - n_base64 + 1, end - n_base64, end)
    if line_bytes > LONG_LINE_BYTES:
        note(state, notes, found, most, LONG_LINE, line, 1, line_bytes, 0)
    if flags & LINE_NOT_NFC:
        note(state, notes, found, most, NOT_NFC, line, 1, 0, 0)
    elif flags & LINE_MAYBE_NFC:
        note(state, notes, found, 1 << 62, MAYBE_NFC, line, 1, start, end)
    if flags & LINE_MAYBE_MOJIBAKE:
        state[N_SUSPECTED] += 1
        if state[N_SUSPECTED] <= MOST_JUDGED or state[N_SUSPECTED] % THEN_EVERY == 0:
            note(state, notes, found, 1 << 62, MAYBE_MOJIBAKE, line, 1, start, end)


def end_document(
    state: Any, notes: Any, found: Any, most: int, keys: Any, counts: Any, most_keys: int,
    code_counts: Any,
) -> None:  # fmt: skip
    """Judge a document that ends; its last line has been judged.

    Args:
        state: as in `end_line`, and so are the others.
        code_counts: (0x110000,) int64, how often each code point has occurred so far.
    """
    state[N_DOCUMENTS] += 1
    state[LINE_START] = UNKNOWN
    for letter in range(2):
        k = 2 * letter
        first = code_counts[FORM_CODES[k]] - state[FORMS + k]
        other = code_counts[FORM_CODES[k + 1]] - state[FORMS + k + 1]
        if first and other:
            rare = k + np.int64(other < first)
            kind = MIXED_YEH + letter
            note(state, notes, found, most, kind, state[FORM_LINES + rare], state[FORM_COLUMNS + rare], 0, 0)
            found[kind] += min(first, other) - 1
    if state[DOCUMENT_BYTES]:
        n = added(keys, counts, mixed(np.uint64(state[DOCUMENT_HASH])), most_keys, state, N_DOCUMENT_HASHES)
        if n > 1:
            state[LINE_START] = state[LAST_START]
            note(state, notes, found, most, REPEATED_DOCUMENT, max(1, state[LINE] - 1), 1, 0, 0)
    for k in range(4):
        state[FORMS + k] = code_counts[FORM_CODES[k]]
        state[FORM_LINES + k] = 0
    state[DOCUMENT_HASH] = np.int64(START)
    state[DOCUMENT_BYTES] = 0


def special_at(content: Any, i: int, n: int, specials: Any, offsets: Any) -> int:
    """The number of the special token that begins at a place; -1 for none."""
    for k in range(len(offsets) - 1):
        size = offsets[k + 1] - offsets[k]
        if i + size <= n:
            m = 0
            while m < size and content[i + m] == specials[offsets[k] + m]:
                m += 1
            if m == size:
                return k
    return -1


def look_at(content: Any, i: int, pairs: Any, starts: Any) -> Any:
    """What is in a window at first sight.

    Args:
        content: uint8, the text; 18 bytes follow the window.
        i: where the window begins.
        pairs: (n, 10) uint8, the first byte of special tokens, a mask for the second one, and eight that it may be.
        starts: (n, 5) uint8, the first three bytes of special tokens, and masks for the second and the third.

    Returns:
        Whether an address, a run of an ASCII character or a special token may be there; whether any character is not
        ASCII, or to be noted by itself.
    """
    here, second, third = content[i : i + WINDOW], content[i + 1 : i + 1 + WINDOW], content[i + 2 : i + 2 + WINDOW]
    last = content[i + RUN_CHARACTERS - 2 : i + RUN_CHARACTERS - 2 + WINDOW]
    loud, wide = np.uint8(0), np.uint8(0)
    for k in range(WINDOW):
        c = here[k]
        is_text = np.uint8((np.uint8(c - 32) < 95) | (np.uint8(c - 9) < 2))
        is_url = np.uint8((c == 58) & (second[k] == 47))
        is_run = np.uint8((c == second[k]) & (c == third[k]) & (c == last[k]) & (c != 32) & (c < 0x80))
        wide = np.uint8(wide | (is_text ^ 1))
        loud = np.uint8(loud | is_url | is_run)
    for m in range(len(pairs)):
        first, is_there, is_pair = pairs[m, 0], np.uint8(0), np.uint8(0)
        for k in range(WINDOW):
            is_there = np.uint8(is_there | np.uint8(here[k] == first))
        if is_there:
            mask, s, t, u, v = pairs[m, 1], pairs[m, 2], pairs[m, 3], pairs[m, 4], pairs[m, 5]
            w, x, y, z = pairs[m, 6], pairs[m, 7], pairs[m, 8], pairs[m, 9]
            for k in range(WINDOW):
                c = second[k] & mask
                is_second = (c == s) | (c == t) | (c == u) | (c == v) | (c == w) | (c == x) | (c == y) | (c == z)
                is_pair = np.uint8(is_pair | np.uint8(is_second & (here[k] == first)))
        if is_pair:
            for n in range(len(starts)):
                if starts[n, 0] == first:
                    two, three, mask, mask_3 = starts[n, 1], starts[n, 2], starts[n, 3], starts[n, 4]
                    for k in range(WINDOW):
                        is_start = (here[k] == first) & (second[k] & mask == two) & (third[k] & mask_3 == three)
                        loud = np.uint8(loud | np.uint8(is_start))
    return loud != 0, wide != 0


def may_have_long_word(content: Any, i: int, end: int) -> bool:
    """Whether 16 bytes in a row may be Base64, of those that begin 16 bytes after each other."""
    pluses, tops = np.uint64(0x2B2B2B2B2B2B2B2B), np.uint64(0x8080808080808080)
    k, last = np.uint64(i), np.uint64(end)
    while k + np.uint64(16) <= last:
        # A byte that is less than the plus sign sets the top bit of some byte, and so do most that are not ASCII.
        low, high = eight_bytes(content, k) - pluses, eight_bytes(content, k + np.uint64(8)) - pluses
        if not (low | high) & tops:
            return True
        k += np.uint64(16)
    return False


def has_long_word(content: Any, i: int, end: int, in_ascii: Any) -> bool:
    """Whether a part of a text has as many characters of Base64 in a row as are noted."""
    k = i
    while k + BASE64_CHARACTERS <= end:
        m = k + BASE64_CHARACTERS - 1
        while m >= k and in_ascii[content[np.uint64(m)]] & BYTE_BASE64:
            m -= 1
        if m < k:
            return True
        k = m + 1
    return False


def is_border(content: Any, k: int, info: Any) -> Any:
    """Whether nothing behind a place depends on what is before it; false at the beginning, where that is not there."""
    c = content[k]
    if k == 0 or c & 0xC0 == 0x80:
        return False
    m = k - 1
    while m > 0 and content[m] & 0xC0 == 0x80:
        m -= 1
    code = np.int64(content[m])
    if code >= 0x80:
        code = character(content, np.uint64(m))[0]
    e = info[np.uint64(code)]
    if code == 32:
        return True
    # The last byte of the same character would be as far behind.
    return e & CODE_BORDER != 0 and (c != content[m] or content[k - 1] != content[2 * k - m - 1])


def characters_in(content: Any, i: int, end: int) -> Any:
    """How many characters a text has: bytes that do not continue one."""
    k, last, n = np.uint64(i), np.uint64(end), np.int64(end - i)
    ones = np.uint64(0x0101010101010101)
    while k + np.uint64(8) <= last:
        x = eight_bytes(content, k)
        n -= np.int64(((x >> np.uint64(7) & ~x >> np.uint64(6) & ones) * ones) >> np.uint64(56))
        k += np.uint64(8)
    while k < last:
        n -= np.int64(content[k] & 0xC0 == 0x80)
        k += np.uint64(1)
    return n


def next_noted(content: Any, k: Any, end: Any) -> Any:
    """Where the next character that is not ASCII, or is a control, begins; `end` or more if there is none before it."""
    ones, tops, spaces = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080), np.uint64(0x2020202020202020)
    last = np.uint64(len(content))
    while k < end and k + np.uint64(8) <= last:
        x = eight_bytes(content, k)
        noted = (x | (x + ones) | ((x - spaces) & ~x)) & tops
        if noted:
            return k + np.uint64(lowest_bit(np.int64(noted)) >> 3)
        k += np.uint64(8)
    while k < end and np.uint8(content[k] - 32) < 95:
        k += np.uint64(1)
    return k


def ascii_in(content: Any, i: int, end: int) -> Any:
    """How many letters and digits of ASCII a text has."""
    n_letters = n_digits = np.int64(0)
    for low in range(i, end, WINDOW):
        here = content[low : min(end, low + WINDOW)]
        letters, digits = np.uint8(0), np.uint8(0)
        for k in range(len(here)):
            letters = np.uint8(letters + np.uint8(np.uint8((here[k] | 32) - 97) < 26))
            digits = np.uint8(digits + np.uint8(np.uint8(here[k] - 48) < 10))
        n_letters += np.int64(letters)
        n_digits += np.int64(digits)
    return n_letters, n_digits


def count_characters(
    content: Any, i: int, stop: int, end: int, info: Any, code_counts: Any, found: Any, most: int, scripts: Any,
    chunk: Any,
) -> Any:  # fmt: skip
    """Count the characters of a window that are not ASCII, and its controls; nothing is to be noted of the others.

    Args:
        content: as in `inspect`, and so are the others.
        i: where it begins.
        stop: where it ends.
        end: where the text or its document ends.
        info: what is to be noted of each code point.
        code_counts: how often each code point occurs.
        found: how many of each kind there are.
        most: how many of a kind are noted.
        scripts: how many characters of each script are in each chunk.
        chunk: the number of the chunk.

    Returns:
        Where it has ended, which is earlier if too many lines do; a bit for each line that is not NFC, for each that
        may not be, and for each that may be mojibake; what is to be noted of any of these characters, and of the ASCII
        characters next to them; how often one is the same as the one before; whether it has to be read again to note
        characters, or to judge a line; which bits differ between two characters of a word; and the page of the table
        that is not filled, -1 for none.
    """
    k, last_place = next_noted(content, np.uint64(i), np.uint64(stop)), np.uint64(stop)
    zero: Any = np.int64(0)
    one = zero + 1
    not_nfc = maybe_nfc = mojibake = flags = changes = n_same = is_open = line = before = zero
    last, page = zero - 1, zero - 1
    if k > np.uint64(i):
        before = flags = info[np.uint64(content[k - np.uint64(1)])]
    while k < last_place:
        c: Any = np.int64(content[k])
        # Branches, which the processor foresees, are faster than waiting for the width of each character.
        if c >= 0x80:
            code, width = character(content, k)
        elif 32 <= c < 127:
            e = info[np.uint64(c)]
            changes |= (before ^ e) & ((before & e) >> 63)
            k = next_noted(content, k + np.uint64(1), last_place)
            before, last = info[np.uint64(content[k - np.uint64(1)])], zero - 1
            flags |= e | before
            continue
        else:
            code, width = c, np.uint64(1)
        e = info[np.uint64(code)]
        if e == 0:
            page = code >> 8
            break
        k += width
        code_counts[np.uint64(code)] += 1
        scripts[np.uint64((e >> SCRIPT_SHIFT) & SCRIPT_BITS), chunk] += 1
        flags |= e
        changes |= (before ^ e) & ((before & e) >> 63)
        n_same += np.int64(code == last)
        # What may be the first byte of a misread character, and what may be its second.
        if before << 1 & e & CODE_CONTINUATION:
            kind = misread(content, k, end, before, code, info)
            mojibake |= np.int64(kind > 0) << line
            is_open |= np.int64(kind < 0)
        if not e & CODE_PLAIN:
            if c == 10:
                line += 1
                if line == _MOST_LINES:
                    break
            elif e & CODE_NOT_NFC or (e & CODE_CLASS and (before & CODE_CLASS) > (e & CODE_CLASS)):
                not_nfc |= one << line
            maybe_nfc |= np.int64(e & CODE_MAYBE_NFC != 0) << line
            if e & CODE_PLACED:
                kind = (e >> KIND_SHIFT) & 63
                found[kind] += 1
                is_open |= np.int64(found[N_KINDS + kind] < most)
        before, last = e, code
    return np.int64(min(k, last_place)), not_nfc, maybe_nfc, mojibake, flags, n_same, is_open, changes, page


def misread(content: Any, k: Any, end: int, first: Any, second: Any, info: Any) -> Any:
    """Whether characters may be those that the bytes of one were misread as: 1 or 0.

    Args:
        content: the text.
        k: where the third one is; unsigned.
        end: where the text or its document ends.
        first: what is to be noted of the first one.
        second: the second one.
        info: what is to be noted of each code point.

    Returns:
        Less than 0 if that is not known yet: -1 for page 0, and so on.
    """
    # A bit for each number of bytes that may follow the first one.
    leads, small = (first >> LEAD_SHIFT) & 7, first & info[np.uint64(second)] & CODE_SMALL
    if 0x80 <= second < 0xA0 or (leads & 1 and not small):
        return 1
    leads >>= 1
    while leads and k < np.uint64(end):
        code, width = np.int64(content[k]), np.uint64(1)
        if code >= 0x80:
            code, width = character(content, k)
        e = info[np.uint64(code)]
        if e == 0:
            return -1 - (code >> 8)
        if not e & (CODE_CONTINUATION | CODE_LOST):
            return 0
        small &= e
        if leads & 1 and not small:
            return 1
        leads >>= 1
        k += width
    return 0


def character(content: Any, k: Any) -> Any:
    """A character that is not ASCII, and how many bytes it has; `k` is unsigned."""
    c, second = np.int64(content[k]), np.int64(content[k + np.uint64(1)]) & 0x3F
    if c < 0xE0:
        return (c & 0x1F) << 6 | second, np.uint64(2)
    third = np.int64(content[k + np.uint64(2)]) & 0x3F
    if c < 0xF0:
        return (c & 0xF) << 12 | second << 6 | third, np.uint64(3)
    return (c & 7) << 18 | second << 12 | third << 6 | np.int64(content[k + np.uint64(3)]) & 0x3F, np.uint64(4)


def has_mixed_word(content: Any, i: int, end: int, info: Any) -> bool:
    """Whether a window has a word of two scripts."""
    k, last = np.uint64(i), np.uint64(end)
    script = 0
    while k < last:
        code, width = np.int64(content[k]), np.uint64(1)
        if code >= 0x80:
            code, width = character(content, k)
        e = info[np.uint64(code)]
        if e & CODE_UNMIXED:
            here = (e >> SCRIPT_SHIFT) & SCRIPT_BITS
            if script and script != here:
                return True
            script = here
        elif not e & CODE_WORD:
            script = 0
        k += width
    return False


def inspect(
    content: Any, i: Any, n: int, ends: Any, in_ascii: Any, pairs: Any, starts: Any, info: Any, code_counts: Any,
    state: Any, notes: Any, found: Any, most: int, keys: Any, counts: Any, most_keys: int, lines: Any,
    document_keys: Any, document_counts: Any, scripts: Any, chunk_shift: int, specials: Any, offsets: Any,
    special_counts: Any,
) -> Any:  # fmt: skip
    """Read a piece of text.

    Args:
        content: uint8, the piece as UTF-8, lone surrogates as three bytes; no character is divided.
        i: where to begin, or to go on.
        n: where to end.
        ends: int64, the offsets at which documents end, in order; `state[END]` is the number of the next one.
        in_ascii: (256,) int64, what is to be noted of each byte that is ASCII (`BYTE_*`).
        pairs: (n, 10) uint8, as in `look_at`.
        starts: (n, 5) uint8, as in `look_at`.
        info: (0x110000,) int64, what is to be noted of each code point; 0 if it is not known yet.
        code_counts: (0x110000,) int64, how often each code point occurs; of ASCII only the digits are certain to be
            there, some of them under "0".
        state: (N_STATE,) int64.
        notes: (room, 6) int64; `state[N_NOTES]` of them are filled: kind, line, column, two numbers that depend on the
            kind, and where the line begins, if that is known.
        found: (2 * N_KINDS,) int64, how many of each kind there are, and how many of each are noted.
        most: how many of a kind are noted.
        keys: uint64, the hashes of lines, as many as a power of two.
        counts: uint32, how often each line occurred after the first time.
        most_keys: how many hashes of lines, and of documents, are kept.
        lines: (n, 4) int64, room for lines that wait to be counted.
        document_keys: uint64, the hashes of documents.
        document_counts: uint32, how often each document occurred after the first time.
        scripts: (n_scripts, n_chunks) int64, the characters of each script in each chunk of the text; of ASCII, only
            letters are certain to be counted.
        chunk_shift: a chunk has `1 << chunk_shift` bytes.
        specials: uint8, special tokens, end to end.
        offsets: int64, where each begins, and the end.
        special_counts: int64, how often each occurs.

    Returns:
        Where it has stopped; `state[STATUS]` says why.
    """
    # Up to `quiet` nothing is to be noted but what some lines from `flagged` on have to be judged for; up to `counted`
    # the characters are counted, and are read slowly.
    quiet, flagged, counted = i, i, i + state[N_COUNTED]
    state[LINE_START], state[LAST_START] = i - state[N_LONG], UNKNOWN
    end, room = state[END], len(notes) - _MARGIN
    column, line_bytes, run, last = state[COLUMN], state[LINE_BYTES], state[RUN_LENGTH], state[LAST]
    word_script, word_column, n_base64 = state[WORD_SCRIPT], state[WORD_COLUMN], state[N_BASE64]
    before, n_bytes, document_bytes = state[BEFORE], state[N_BYTES], state[DOCUMENT_BYTES]
    line_flags, line_hash, document_hash = state[LINE_FLAGS], np.uint64(state[HASH]), np.uint64(state[DOCUMENT_HASH])
    # Where the line ends, and its hash; not known if the end is before `i`.
    line_end, whole = i + state[N_AHEAD] - np.int64(state[N_AHEAD] == 0), np.uint64(state[WHOLE])
    next_end = ends[end] if end < len(ends) else n + 1
    placed_forms = zero = np.int64(0)
    for form in range(4):
        placed_forms |= np.int64(state[FORM_LINES + form] != 0) << form
    not_nfc = maybe_nfc = mojibake = zero
    is_wide, status, page = True, DONE, zero - 1
    if line_end < i:
        line_end, whole = hashed_line(line_hash, content, max(zero, state[LINE_START]), min(n, next_end))
    while status == DONE:
        is_end = i == next_end
        is_line_feed = i == line_end and i < n and not is_end
        if is_line_feed or (is_end and line_bytes):
            is_carriage = np.int64(last == 13)
            if is_carriage:
                whole = hashed_line(line_hash, content, max(zero, state[LINE_START]), max(zero, i - 1))[1]
            document_hash = (document_hash ^ whole) * _PRIME
            if column - is_carriage >= REPEATED_CHARACTERS:
                k = state[N_WAITING]
                lines[k, 0], lines[k, 1], lines[k, 2], lines[k, 3] = np.int64(whole), state[LINE], state[LINE_START], i
                state[N_WAITING] = k + 1
                if k + 1 == len(lines):
                    add_lines(state, notes, found, most, keys, counts, most_keys, lines)
            if line_flags or line_bytes > LONG_LINE_BYTES or n_base64 >= BASE64_CHARACTERS:
                note_line(state, notes, found, most, column, line_bytes, n_base64, line_flags, i)
            state[N_LINES] += 1
            state[LINE] += 1
            state[LAST_START] = state[LINE_START]
            column = line_bytes = run = word_script = word_column = n_base64 = before = line_flags = zero
            last, line_hash = zero - 1, START
            if is_line_feed:
                i += 1
                n_bytes += 1
                document_bytes += 1
            state[LINE_START] = i
        if is_end:
            state[DOCUMENT_HASH], state[DOCUMENT_BYTES] = np.int64(document_hash), document_bytes
            end_document(state, notes, found, most, document_keys, document_counts, most_keys, code_counts)
            document_hash, document_bytes, placed_forms = START, zero, zero
            state[LINE_START] = i
            line_end = zero - 1
            end += 1
            next_end = ends[end] if end < len(ends) else n + 1
        if line_end < i:
            line_end, whole = hashed_line(line_hash, content, max(zero, state[LINE_START]), min(n, next_end))
        if i < quiet:
            begin, line, n_waiting = i, state[LINE], state[N_WAITING]
            while column == 0 and line_end < flagged and (line_end == i or content[line_end - 1] != 13):
                document_hash = (document_hash ^ whole) * _PRIME
                size = line_end - i
                if is_wide and REPEATED_CHARACTERS <= size < 4 * REPEATED_CHARACTERS:
                    size = characters_in(content, i, line_end)
                k = n_waiting
                lines[k, 0], lines[k, 1], lines[k, 2], lines[k, 3] = np.int64(whole), line, i, line_end
                n_waiting += np.int64(size >= REPEATED_CHARACTERS)
                if n_waiting == len(lines):
                    state[N_WAITING], n_waiting = n_waiting, zero
                    add_lines(state, notes, found, most, keys, counts, most_keys, lines)
                state[LAST_START] = i
                line += 1
                i = line_end + 1
                line_end, whole = hashed_line(START, content, i, min(n, next_end))
            state[N_WAITING] = n_waiting
            if i > begin:
                state[N_LINES] += line - state[LINE]
                state[LINE], state[LINE_START] = line, i
            k = min(flagged if i < flagged else quiet, line_end)
            column += characters_in(content, i, k) if is_wide else k - i
            line_bytes += k - i
            if i >= flagged:
                line_flags |= (not_nfc & 1) | (maybe_nfc & 1) << 1 | (mojibake & 1) << 2
                not_nfc, maybe_nfc, mojibake = not_nfc >> 1, maybe_nfc >> 1, mojibake >> 1
            document_bytes += k - begin
            n_bytes += k - begin
            if k > begin:
                last = np.int64(content[k - 1])
            i = k
            continue
        has_room = 2 * state[N_LINE_HASHES] <= len(keys) and 2 * state[N_DOCUMENT_HASHES] <= len(document_keys)
        if not has_room or state[N_NOTES] >= room:
            status = NO_ROOM
            break
        if is_end or is_line_feed:
            continue
        if i >= n:
            break
        if i >= counted:
            quiet, flagged, is_strange, is_wide = i, i, False, False
            chunk = np.uint64(min(n_bytes >> chunk_shift, scripts.shape[1] - 1))
            of_chunk, can_begin = 1 << chunk_shift, column == 0 or is_border(content, i, info)
            of_chunk -= n_bytes & (of_chunk - 1)
            until = min(n, next_end, i + min(of_chunk, _STRETCH))
            while quiet < until and not is_strange and flagged == quiet:
                stop, is_strange, has_others = min(n, next_end, quiet + WINDOW), True, True
                if chunk_shift < _WINDOW_SHIFT:
                    stop = until
                elif can_begin and quiet + WINDOW + _BEHIND <= n:
                    is_strange, has_others = look_at(content, quiet, pairs, starts)
                    if stop < next_end:
                        k = stop
                        while k > quiet and not is_border(content, k, info):
                            k -= 1
                        is_strange = is_strange or k == quiet
                        stop = k if k > quiet else stop
                while stop < n and content[stop] & 0xC0 == 0x80:
                    stop += 1
                if not is_strange and may_have_long_word(content, quiet, stop):
                    is_strange = has_long_word(content, quiet, stop, in_ascii)
                counted, page, not_nfc, maybe_nfc, mojibake = stop, zero - 1, zero, zero, zero
                if has_others:
                    counted, not_nfc, maybe_nfc, mojibake, flags, n_same, is_open, changes, page = count_characters(
                        content, quiet, stop, min(n, next_end), info, code_counts, found, most, scripts, chunk
                    )
                    is_strange = is_strange or page >= 0 or is_open != 0 or n_same >= RUN_CHARACTERS - 1
                    is_strange = is_strange or flags & CODE_STRAY != 0
                    is_strange = is_strange or (flags >> FORM_SHIFT) & 15 & ~placed_forms != 0
                    may_be_mixed = (flags >> UNMIXED_SHIFT) & (flags >> INVERTED_SHIFT) & SCRIPT_BITS != 0
                    may_be_mixed = may_be_mixed and (changes >> UNMIXED_SHIFT) & SCRIPT_BITS != 0
                    if may_be_mixed and not is_strange:
                        is_strange = has_mixed_word(content, quiet, counted, info)
                if is_strange:
                    not_nfc = maybe_nfc = mojibake = zero
                else:
                    flagged = quiet if not_nfc | maybe_nfc | mojibake else counted
                    quiet, is_wide, can_begin = counted, is_wide or has_others, True
            n_letters, n_digits = ascii_in(content, i, counted)
            scripts[LATIN, chunk] += n_letters
            code_counts[48] += n_digits
            if quiet > i:
                run = word_script = word_column = n_base64 = before = zero
                continue
        n_read = zero
        while i < counted and content[np.uint64(i)] != 10 and state[N_NOTES] < room:
            c = np.int64(content[np.uint64(i)])
            code, width = c, np.uint64(1)
            if c >= 0x80:
                code, width = character(content, np.uint64(i))
            e = info[np.uint64(code)]
            if in_ascii[np.uint64(c)] & BYTE_SPECIAL:
                if c == 58 and i + 2 < n and content[i + 1] == 47 and content[i + 2] == 47 and 97 <= last <= 122:
                    note(state, notes, found, most, URL, state[LINE], column + 1, 0, 0)
                k = special_at(content, i, n, specials, offsets)
                if k >= 0:
                    special_counts[k] += 1
                    note(state, notes, found, most, SPECIAL, state[LINE], column + 1, k, 0)
            column += 1
            if c >= 0x80 or not e & CODE_PLAIN:
                if before << 1 & e & CODE_CONTINUATION:
                    kind = misread(content, np.uint64(i) + width, min(n, next_end), before, code, info)
                    if kind < 0:
                        status, state[PAGE] = UNKNOWN_PAGE, -1 - kind
                        column -= 1
                        break
                    line_flags |= LINE_MAYBE_MOJIBAKE * kind
                if e & CODE_NOT_NFC or (e & CODE_CLASS and (before & CODE_CLASS) > (e & CODE_CLASS)):
                    line_flags |= LINE_NOT_NFC
                if e & CODE_MAYBE_NFC:
                    line_flags |= LINE_MAYBE_NFC
                if e & CODE_PLACED:
                    place(state, notes, found, most, (e >> KIND_SHIFT) & 63, state[LINE], column, code, 0)
                forms = (e >> FORM_SHIFT) & 15 & ~placed_forms
                for form in range(4):
                    if (forms >> form) & 1:
                        state[FORM_LINES + form], state[FORM_COLUMNS + form] = state[LINE], column
                placed_forms |= forms
                if e & CODE_STRAY:
                    n_read -= 2  # three bytes stand for one here
            if e & CODE_WORD:
                if not word_column:
                    word_script, word_column = zero, column
                here = (e >> SCRIPT_SHIFT) & SCRIPT_BITS
                if e & CODE_UNMIXED and word_script >= 0 and word_script != here:
                    if word_script:
                        note(state, notes, found, most, MIXED, state[LINE], word_column, 0, 0)
                    # Less than 0 if the word is noted.
                    word_script = here if word_script == 0 else zero - 1
            else:
                word_script = word_column = zero
            run = (run & -np.int64(code == last)) + 1
            if run == RUN_CHARACTERS and not e & CODE_SPACE:
                note(state, notes, found, most, RUN, state[LINE], column - RUN_CHARACTERS + 1, code, 0)
            is_base64 = (e >> 7) & 1
            if n_base64 >= BASE64_CHARACTERS and not is_base64:
                note(state, notes, found, 1 << 62, BASE64, state[LINE], column - n_base64, i - n_base64, i)
            n_base64 = (n_base64 + 1) & -is_base64
            before, last = e, code
            n_read += np.int64(width)
            i += np.int64(width)
        line_bytes, document_bytes, n_bytes = line_bytes + n_read, document_bytes + n_read, n_bytes + n_read
        if i >= counted and page >= 0:
            status = UNKNOWN_PAGE
            state[PAGE] = page
    state[END], state[COLUMN], state[LINE_BYTES], state[RUN_LENGTH], state[LAST] = end, column, line_bytes, run, last
    state[WORD_SCRIPT], state[WORD_COLUMN], state[N_BASE64] = word_script, word_column, n_base64
    state[LINE_FLAGS], state[HASH], state[DOCUMENT_HASH] = line_flags, np.int64(line_hash), np.int64(document_hash)
    state[BEFORE], state[N_BYTES], state[DOCUMENT_BYTES] = before, n_bytes, document_bytes
    state[STATUS], state[N_LONG], state[N_COUNTED] = status, i - state[LINE_START], counted - i
    state[WHOLE], state[N_AHEAD] = np.int64(whole), max(zero, line_end - i)
    add_lines(state, notes, found, most, keys, counts, most_keys, lines)
    return i
