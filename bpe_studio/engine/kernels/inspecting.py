"""Reads a text once and notes what is strange in it: characters, words, runs, lines and documents that repeat.

Most of a text is not strange, and is passed over in two ways. A window of ASCII is looked at without branches, so that
the compiler processes 32 bytes at a time (`is_plain`). A stretch of other text, up to a space or the end of its line,
is looked at character by character (`look_over`), which counts the characters, and says whether anything that depends
on neighbours may have to be noted. Only then the loop reads the stretch again, slowly, and notes the places. Both begin
at the beginning of a line or behind a space, where nothing depends on what was before.

A table says what is to be noted of each character (`CODE_*` below). Counts of all code points are kept, so that what
depends on the character alone is counted outside. The loop returns when a page of the table is not filled yet, when
there is no room for more notes, or when a table of hashes has to grow; it is then called again and goes on there.

These kernels only run compiled, because their hashes wrap around.
"""

from __future__ import annotations

from typing import Any

import numpy as np

CODE_KNOWN = 1
CODE_PLACED = 2
"""Its places are noted, under the kind of note in bits 8 to 13."""
CODE_WORD = 4
CODE_NOT_NFC = 8
CODE_MAYBE_NFC = 16
CODE_LEAD = 32
"""It may be a misread first byte of a character in UTF-8; of how many bytes, is in bits 29 to 31 (`LEAD_SHIFT`)."""
CODE_CONTINUATION = 64
CODE_BASE64 = 128
CODE_SPACE = 1 << 14
CODE_LOST = 1 << 15
"""It may be in place of a misread byte that is neither the first nor the second one of its character."""
CODE_HAS_BIT = 1 << 17
"""It belongs to a script whose words are not mixed with another; its number is in bits 32 to 37, and that number
inverted in bits 52 to 57, so that two scripts together have the same bit in both places."""
BYTE_BASE64, BYTE_SPECIAL = 2, 8
"""What is to be noted of an ASCII byte."""
KIND_SHIFT, CLASS_SHIFT, LEAD_SHIFT, BIT_SHIFT, SCRIPT_SHIFT, FORM_SHIFT, OTHER_BITS_SHIFT = 8, 20, 29, 32, 40, 48, 52
CODE_CLASS, CODE_BIT = 0xFF << CLASS_SHIFT, 63 << BIT_SHIFT
"""The class of a combining character, and the number of a script. No script has the number 0."""
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
    LINE, COLUMN, LINE_BYTES, HASH, RUN_LENGTH, LAST, MASK, WORD_COLUMN, N_BASE64, LEADS, CLASS, IS_NOT_NFC,
    IS_MAYBE_NFC, IS_MAYBE_MOJIBAKE, DOCUMENT_HASH, DOCUMENT_BYTES, N_NOTES, PAGE, N_LINE_HASHES, N_DOCUMENT_HASHES,
    N_BYTES, N_DOCUMENTS, N_LINES, END, STATUS, N_LONG, N_COUNTED, LINE_START, N_WAITING, TOUCHED, LAST_START,
) = range(31)  # fmt: skip
"""The places in `state`, followed by four each of the next three: how often each form of yeh and kaf occurred before
the document, and where it is first in it."""
FORMS, FORM_LINES, FORM_COLUMNS, N_STATE = 31, 35, 39, 43
DONE, UNKNOWN_PAGE, NO_ROOM = range(3)
UNKNOWN = -(1 << 62)
"""In place of the beginning of a line that has ended before."""

RUN_CHARACTERS = 20
BASE64_CHARACTERS = 32
LONG_LINE_BYTES = 65_536
REPEATED_CHARACTERS = 40
BOILERPLATE_LINES = 10
WINDOW = 192  # sums of this many ones fit in a byte
_STRETCH, _LONGEST_STRETCH = 192, 4096
_WINDOW_SHIFT = 8
"""Of chunks smaller than `1 << _WINDOW_SHIFT` bytes, the scripts of each are counted exactly: no stretch leaves one."""
_PRIME = np.uint64(0x9E3779B97F4A7C15)
_START = np.uint64(0xCBF29CE484222325)
_MARGIN = 192
"""Each of the lines that wait may be noted twice."""
N_WAITING_LINES = 64


def mixed(key: Any) -> Any:
    """A key whose bits all depend on each other; not 0."""
    key ^= key >> np.uint64(29)
    key *= np.uint64(0xBF58476D1CE4E5B9)
    key ^= key >> np.uint64(32)
    return max(key, np.uint64(1))


def added(keys: Any, counts: Any, key: Any, most: int, state: Any, used: int) -> Any:
    """Count a mixed key in a hash table; returns how often it has been counted, 0 if there is no room for a new one."""
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
    """Count something, and note its place unless there are enough of its kind."""
    found[kind] += 1
    if found[kind] <= most:
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


def hash_on(h: Any, content: Any, i: int, end: int) -> Any:
    """The hash of a text, whose beginning has the hash `h`, eight bytes at a time."""
    k, last = np.uint64(i), np.uint64(end)
    h ^= (last - k) * _PRIME
    while k + np.uint64(8) < last:
        h = (h ^ eight_bytes(content, k)) * _PRIME
        h ^= h >> np.uint64(29)
        k += np.uint64(8)
    if end - i >= 8:
        # Some of them for a second time.
        h = (h ^ eight_bytes(content, last - np.uint64(8))) * _PRIME
    else:
        while k < last:
            h = (h ^ np.uint64(content[k])) * _PRIME
            k += np.uint64(1)
    return h ^ h >> np.uint64(32)


def add_lines(
    state: Any, notes: Any, found: Any, most: int, keys: Any, counts: Any, most_keys: int, lines: Any
) -> None:  # fmt: skip
    """Count the lines that wait to be counted; their places in the table are fetched all at once.

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
    n_waiting, touched, last, start = state[N_WAITING], np.uint64(0), np.uint64(len(keys) - 1), state[LINE_START]
    for m in range(n_waiting):
        touched |= keys[mixed(np.uint64(lines[m, 0])) & last]
    state[TOUCHED] = np.int64(touched)
    for m in range(n_waiting):
        n = added(keys, counts, mixed(np.uint64(lines[m, 0])), most_keys, state, N_LINE_HASHES)
        if n > 1:
            state[LINE_START] = lines[m, 2]
            note(state, notes, found, most, REPEATED_LINE, lines[m, 1], 1, 0, 0)
            if n == BOILERPLATE_LINES:
                note(state, notes, found, most, BOILERPLATE, lines[m, 1], 1, lines[m, 2], lines[m, 3])
                found[BOILERPLATE] += BOILERPLATE_LINES - 1
            elif n > BOILERPLATE_LINES:
                found[BOILERPLATE] += 1
    state[N_WAITING], state[LINE_START] = 0, start


def end_line(
    content: Any, state: Any, notes: Any, found: Any, most: int, keys: Any, counts: Any, most_keys: int, lines: Any,
    end: int,
) -> None:  # fmt: skip
    """Judge a line that ends, and begin the next one.

    Args:
        content: uint8, with the line, or with the end of a long one.
        state: (N_STATE,) int64, with everything of the line.
        notes: as in `inspect`, and so are the others.
        found: how many of each kind there are.
        most: how many of a kind are noted.
        keys: the hashes of lines.
        counts: how often each line occurred after the first time.
        most_keys: how many hashes are kept.
        lines: (n, 4) int64, receives the line, to be counted with others.
        end: where it ends, without the line feed.
    """
    line, n_characters, text_end, start = state[LINE], state[COLUMN], end, state[LINE_START]
    if state[LAST] == 13:
        n_characters -= 1
        text_end = max(0, end - 1)
    whole = hash_on(np.uint64(state[HASH]), content, max(0, start), text_end)
    if state[LINE_BYTES] > LONG_LINE_BYTES:
        note(state, notes, found, most, LONG_LINE, line, 1, state[LINE_BYTES], 0)
    if n_characters >= REPEATED_CHARACTERS:
        n = state[N_WAITING]
        lines[n, 0], lines[n, 1], lines[n, 2], lines[n, 3] = np.int64(whole), line, start, end
        state[N_WAITING] = n + 1
        if n + 1 == len(lines):
            add_lines(state, notes, found, most, keys, counts, most_keys, lines)
    if state[IS_NOT_NFC]:
        note(state, notes, found, most, NOT_NFC, line, 1, 0, 0)
    elif state[IS_MAYBE_NFC]:
        note(state, notes, found, 1 << 62, MAYBE_NFC, line, 1, start, end)
    if state[IS_MAYBE_MOJIBAKE]:
        note(state, notes, found, 1 << 62, MAYBE_MOJIBAKE, line, 1, start, end)
    state[DOCUMENT_HASH] = np.int64((np.uint64(state[DOCUMENT_HASH]) ^ whole) * _PRIME)
    state[N_LINES] += 1
    state[LAST_START] = start
    new_line(state)


def new_line(state: Any) -> None:
    """Begin the next line."""
    state[LINE] += 1
    state[COLUMN] = state[LINE_BYTES] = state[RUN_LENGTH] = state[MASK] = state[WORD_COLUMN] = state[N_BASE64] = 0
    state[LEADS] = state[CLASS] = state[IS_NOT_NFC] = state[IS_MAYBE_NFC] = state[IS_MAYBE_MOJIBAKE] = 0
    state[LAST] = -1
    state[HASH] = np.int64(_START)


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
    state[DOCUMENT_HASH] = np.int64(_START)
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


def is_plain(content: Any, i: int, firsts: Any, starts: Any) -> Any:
    """Whether a window is ASCII without anything to note, but for what `has_long_word` sees.

    Args:
        content: uint8, the text; 18 bytes follow the window.
        i: where the window begins.
        firsts: uint8, the first bytes of special tokens.
        starts: (n, 5) uint8, their first three bytes, and masks for the second and the third.
    """
    here, second, third = content[i : i + WINDOW], content[i + 1 : i + 1 + WINDOW], content[i + 2 : i + 2 + WINDOW]
    last = content[i + RUN_CHARACTERS - 2 : i + RUN_CHARACTERS - 2 + WINDOW]
    loud = np.uint8(0)
    for k in range(WINDOW):
        c = here[k]
        is_text = np.uint8((np.uint8(c - 32) < 95) | (np.uint8(c - 9) < 2))
        is_url = np.uint8((c == 58) & (second[k] == 47))
        is_run = np.uint8((c == second[k]) & (c == third[k]) & (c == last[k]) & (c != 32))
        loud = np.uint8(loud | is_url | is_run | (is_text ^ 1))
    if loud:
        return False
    for m in range(len(firsts)):
        first, is_there = firsts[m], np.uint8(0)
        for k in range(WINDOW):
            is_there = np.uint8(is_there | np.uint8(here[k] == first))
        if is_there:
            for n in range(len(starts)):
                if starts[n, 0] == first:
                    two, three, mask, mask_3 = starts[n, 1], starts[n, 2], starts[n, 3], starts[n, 4]
                    for k in range(WINDOW):
                        is_start = (here[k] == first) & (second[k] & mask == two) & (third[k] & mask_3 == three)
                        loud = np.uint8(loud | np.uint8(is_start))
    return loud == 0


def may_be_special(content: Any, i: int, end: int, starts: Any) -> Any:
    """Whether a special token or an address may be in a part of a text that two more bytes follow."""
    here, second, third = content[i:end], content[i + 1 : end + 1], content[i + 2 : end + 2]
    loud = np.uint8(0)
    for k in range(len(third)):
        loud = np.uint8(loud | np.uint8((here[k] == 58) & (second[k] == 47)))
    for n in range(len(starts)):
        first = starts[n, 0]
        two, three, mask, mask_3 = starts[n, 1], starts[n, 2], starts[n, 3], starts[n, 4]
        for k in range(len(third)):
            is_start = (here[k] == first) & (second[k] & mask == two) & (third[k] & mask_3 == three)
            loud = np.uint8(loud | np.uint8(is_start))
    return loud != 0


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


def count_ascii(content: Any, i: int, end: int, code_counts: Any, scripts: Any) -> None:
    """Count the letters of a window under Latin, and its digits under "0"."""
    here = content[i:end]
    letters, digits = np.uint8(0), np.uint8(0)
    for k in range(len(here)):
        c = here[k]
        letters = np.uint8(letters + np.uint8(np.uint8((c | 32) - 97) < 26))
        digits = np.uint8(digits + np.uint8(np.uint8(c - 48) < 10))
    scripts[0] += np.int64(letters)
    code_counts[48] += np.int64(digits)


def line_feed(content: Any, i: int, end: int) -> Any:
    """The place of the first line feed; the end if there is none."""
    k, last = np.uint64(i), np.uint64(end)
    while k + np.uint64(8) <= last:
        x = eight_bytes(content, k) ^ np.uint64(0x0A0A0A0A0A0A0A0A)
        zeros = (x - np.uint64(0x0101010101010101)) & ~x & np.uint64(0x8080808080808080)
        if zeros:
            # The lowest bit is that of the first byte of zero; its number comes out at the top of the product.
            bit = (zeros & (~zeros + np.uint64(1))) >> np.uint64(7)
            return np.int64(k + ((bit * np.uint64(0x0001020304050607)) >> np.uint64(56)))
        k += np.uint64(8)
    while k < last and content[k] != 10:
        k += np.uint64(1)
    return np.int64(k)


def look_over(content: Any, i: int, stop: int, in_ascii: Any, info: Any, code_counts: Any, scripts: Any) -> Any:
    """Count the characters of a stretch: up to the end of the line, a space that is far enough, or `stop`.

    Args:
        content: as in `inspect`, and so are the others.
        i: where it begins.
        stop: where it ends at the latest.
        in_ascii: what is to be noted of each byte that is ASCII.
        info: what is to be noted of each code point.
        code_counts: how often each code point occurs.
        scripts: (n_scripts,) int64, how many characters are of each script.

    Returns:
        Where it ends; its number of characters; what is to be noted of any of its characters, and of any of its bytes
        that are ASCII; how often a character other than the space is the same as the one before; whether combining
        characters are out of order; the page of the table that is not filled, -1 for none.
    """
    k, end, enough = np.uint64(i), np.uint64(stop), np.uint64(i + _STRETCH)
    zero: Any = 0
    flags = byte_flags = n_characters = n_same = is_unordered = before = zero
    last, page = zero - 1, zero - 1
    while k < end:
        c: Any = np.int64(content[k])
        if c == 10:
            break
        # Branches, which the processor foresees, are faster than waiting for the width of each character.
        if c < 0x80:
            code, width = c, np.uint64(1)
            byte_flags |= in_ascii[np.uint64(c)]
        else:
            code, width = character(content, k)
        e = info[np.uint64(code)]
        if e == 0:
            page = code >> 8
            break
        code_counts[np.uint64(code)] += 1
        scripts[np.uint64((e >> SCRIPT_SHIFT) & 0xFF)] += 1
        flags |= e
        if e & CODE_CLASS:
            is_unordered |= np.int64((before & CODE_CLASS) > (e & CODE_CLASS))
        n_same += np.int64((code == last) & (code != 32))
        before, last = e, code
        n_characters += 1
        k += width
        if c == 32 and k >= enough:
            break
    return np.int64(k), n_characters, flags, byte_flags, n_same, is_unordered, page


def character(content: Any, k: Any) -> Any:
    """A character that is not ASCII, and how many bytes it has; `k` is unsigned."""
    c, second = np.int64(content[k]), np.int64(content[k + np.uint64(1)]) & 0x3F
    if c < 0xE0:
        return (c & 0x1F) << 6 | second, np.uint64(2)
    third = np.int64(content[k + np.uint64(2)]) & 0x3F
    if c < 0xF0:
        return (c & 0xF) << 12 | second << 6 | third, np.uint64(3)
    return (c & 7) << 18 | second << 12 | third << 6 | np.int64(content[k + np.uint64(3)]) & 0x3F, np.uint64(4)


def has_neighbours(content: Any, i: int, end: int, info: Any) -> bool:
    """Whether a stretch has a word of two scripts, or what may be the misread first two bytes of a character."""
    k, last = np.uint64(i), np.uint64(end)
    script = before = 0
    while k < last:
        c = np.int64(content[k])
        code, width = c, np.uint64(1)
        if c >= 0x80:
            code, width = character(content, k)
        e = info[np.uint64(code)]
        if before & CODE_LEAD and e & CODE_CONTINUATION:
            return True
        if e & CODE_HAS_BIT:
            here = e & CODE_BIT
            if script and script != here:
                return True
            script = here
        elif not e & CODE_WORD:
            script = 0
        before = e
        k += width
    return False


def place_forms(content: Any, i: int, end: int, info: Any, flags: int, state: Any, column: int) -> None:
    """Note where each form of yeh and kaf in a stretch is for the first time in its document."""
    for form in range(4):
        if (flags >> (FORM_SHIFT + form)) & 1 and not state[FORM_LINES + form]:
            k, n = i, np.int64(column)
            while k < end:
                c = np.int64(content[k])
                n += np.int64((c & 0xC0) != 0x80)
                # Each of them has two bytes.
                if 0xC0 <= c < 0xE0:
                    code = (c & 0x1F) << 6 | np.int64(content[k + 1]) & 0x3F
                    if (info[code] >> (FORM_SHIFT + form)) & 1:
                        break
                k += 1
            state[FORM_LINES + form], state[FORM_COLUMNS + form] = state[LINE], n


def inspect(
    content: Any, i: Any, n: int, ends: Any, in_ascii: Any, firsts: Any, starts: Any, info: Any, code_counts: Any,
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
        firsts: uint8, the first bytes of special tokens.
        starts: (n, 5) uint8, as in `is_plain`.
        info: (0x110000,) int64, what is to be noted of each code point; 0 if it is not known yet.
        code_counts: (0x110000,) int64, how often each code point occurs; of ASCII only the digits are certain to be
            there, some of them under "0".
        state: (N_STATE,) int64.
        notes: (room, 6) int64; `state[N_NOTES]` of them are filled: kind, line, column, two numbers that depend on the
            kind, and where the line begins, if that is known.
        found: (N_KINDS,) int64, how many of each kind there are.
        most: how many of a kind are noted.
        keys: uint64, the hashes of lines, as many as a power of two.
        counts: uint32, how often each line occurred after the first time.
        most_keys: how many hashes of lines, and of documents, are kept.
        lines: (n, 4) int64, room for lines that wait to be counted.
        document_keys: uint64, the hashes of documents.
        document_counts: uint32, how often each document occurred after the first time.
        scripts: (n_chunks, n_scripts) int64, the characters of each script in each chunk of the text; of the first
            one, Latin, in column 0. ASCII letters are counted, and other ASCII characters may be, too.
        chunk_shift: a chunk has `1 << chunk_shift` bytes.
        specials: uint8, special tokens, end to end.
        offsets: int64, where each begins, and the end.
        special_counts: int64, how often each occurs.

    Returns:
        Where it has stopped; `state[STATUS]` says why.
    """
    # The characters before `counted` are counted; they are read slowly if `i` is less.
    counted = i + state[N_COUNTED]
    state[LINE_START], state[LAST_START] = i - state[N_LONG], UNKNOWN
    end, room = state[END], len(notes) - _MARGIN
    column, line_bytes, run, last = state[COLUMN], state[LINE_BYTES], state[RUN_LENGTH], state[LAST]
    mask, word_column, n_base64, leads = state[MASK], state[WORD_COLUMN], state[N_BASE64], state[LEADS]
    before, n_bytes, document_bytes = state[CLASS], state[N_BYTES], state[DOCUMENT_BYTES]
    next_end = ends[end] if end < len(ends) else n + 1
    status = DONE
    while True:
        while i == next_end:
            state[DOCUMENT_BYTES] = document_bytes
            if line_bytes:
                if n_base64 >= BASE64_CHARACTERS:
                    note(state, notes, found, 1 << 62, BASE64, state[LINE], column - n_base64 + 1, i - n_base64, i)
                state[COLUMN], state[LINE_BYTES], state[LAST] = column, line_bytes, last
                end_line(content, state, notes, found, most, keys, counts, most_keys, lines, i)
                column, line_bytes, run, last = 0, 0, 0, -1
                mask = word_column = n_base64 = leads = before = 0
            end_document(state, notes, found, most, document_keys, document_counts, most_keys, code_counts)
            document_bytes = 0
            state[LINE_START] = i
            end += 1
            next_end = ends[end] if end < len(ends) else n + 1
            if state[N_NOTES] >= room or 2 * state[N_DOCUMENT_HASHES] > len(document_keys):
                status = NO_ROOM
                break
        if status != DONE or i >= n:
            break
        if state[N_NOTES] >= room or 2 * state[N_LINE_HASHES] > len(keys):
            status = NO_ROOM
            break
        page = -1
        if i >= counted:
            row = scripts[min(n_bytes >> chunk_shift, len(scripts) - 1)]
            is_free = column == 0 or (last == 32 and leads == 0)
            has_windows = is_free and chunk_shift >= _WINDOW_SHIFT and i + WINDOW + RUN_CHARACTERS <= n
            if has_windows and is_plain(content, i, firsts, starts):
                stop = min(i + WINDOW, next_end)
                while i < stop < next_end and content[stop - 1] != 32 and content[stop - 1] != 10:
                    stop -= 1
                if stop > i and not has_long_word(content, i, stop, in_ascii):
                    count_ascii(content, i, stop, code_counts, row)
                    n_bytes += stop - i
                    document_bytes += stop - i
                    k = line_feed(content, i, stop)
                    while k < stop:
                        state[COLUMN], state[LINE_BYTES], state[LAST] = column + k - i, line_bytes + k - i, -1
                        end_line(content, state, notes, found, most, keys, counts, most_keys, lines, k)
                        i = state[LINE_START] = k + 1
                        column = line_bytes = 0
                        k = line_feed(content, i, stop)
                    column += stop - i
                    line_bytes += stop - i
                    i = counted = stop
                    last = 32
                    continue
            stop = min(n, next_end, i + _LONGEST_STRETCH)
            if chunk_shift < _WINDOW_SHIFT:
                stop = min(stop, i + (1 << chunk_shift) - (n_bytes & ((1 << chunk_shift) - 1)))
            counted, n_characters, flags, byte_flags, n_same, is_unordered, page = look_over(
                content, i, stop, in_ascii, info, code_counts, row
            )
            if flags & CODE_FORMS:
                place_forms(content, i, counted, info, flags, state, column)
            ends_free = counted == next_end or (counted < n and content[counted] == 10)
            ends_free = ends_free or (counted > i and content[counted - 1] == 32)
            is_strange = page >= 0 or not is_free or not ends_free or flags & CODE_PLACED != 0
            is_strange = is_strange or n_same >= RUN_CHARACTERS - 1 or has_long_word(content, i, counted, in_ascii)
            if not is_strange and byte_flags & BYTE_SPECIAL:
                is_strange = counted + 2 > n or may_be_special(content, i, counted, starts)
            has_two_scripts = (flags >> BIT_SHIFT) & (flags >> OTHER_BITS_SHIFT) & 63 != 0
            if not is_strange and (has_two_scripts or (flags & CODE_LEAD and flags & CODE_CONTINUATION)):
                is_strange = has_neighbours(content, i, counted, info)
            if not is_strange:
                if is_unordered or flags & CODE_NOT_NFC:
                    state[IS_NOT_NFC] = 1
                if flags & CODE_MAYBE_NFC:
                    state[IS_MAYBE_NFC] = 1
                column += n_characters
                line_bytes += counted - i
                document_bytes += counted - i
                n_bytes += counted - i
                i = counted
                last = 32
        while i < counted:
            if state[N_NOTES] >= room:
                status = NO_ROOM
                break
            c = np.int64(content[i])
            code, width = c, np.uint64(1)
            if c >= 0x80:
                code, width = character(content, np.uint64(i))
            e = info[code]
            if c == 58 and i + 2 < n and content[i + 1] == 47 and content[i + 2] == 47 and last >= 97 and last <= 122:
                note(state, notes, found, most, URL, state[LINE], column + 1, 0, 0)
            if in_ascii[c] & BYTE_SPECIAL:
                k = special_at(content, i, n, specials, offsets)
                if k >= 0:
                    special_counts[k] += 1
                    note(state, notes, found, most, SPECIAL, state[LINE], column + 1, k, 0)
            # Of how many bytes more a misread character may still be: behind its first byte, and in the middle.
            first, later = leads & 7, leads >> 3
            is_next, is_later = e & CODE_CONTINUATION != 0, e & (CODE_CONTINUATION | CODE_LOST) != 0
            leads = (first & -np.int64(is_next)) | (later & -np.int64(is_later))
            if leads & 1 or (first and 0x80 <= code < 0xA0):
                state[IS_MAYBE_MOJIBAKE] = 1
            leads = (leads >> 1) << 3 | (e >> LEAD_SHIFT) & 7
            here = (e >> CLASS_SHIFT) & 0xFF
            if e & CODE_NOT_NFC or (here and before > here):
                state[IS_NOT_NFC] = 1
            if e & CODE_MAYBE_NFC:
                state[IS_MAYBE_NFC] = 1
            before = here
            column += 1
            if e & CODE_WORD:
                if not word_column:
                    mask, word_column = 0, column
                if e & CODE_HAS_BIT:
                    new_mask = mask | 1 << ((e >> BIT_SHIFT) & 63)
                    if new_mask & (new_mask - 1) and not mask & (mask - 1):
                        note(state, notes, found, most, MIXED, state[LINE], word_column, 0, 0)
                    mask = new_mask
            else:
                mask = word_column = 0
            if e & CODE_PLACED:
                note(state, notes, found, most, (e >> KIND_SHIFT) & 63, state[LINE], column, code, 0)
            run = (run & -np.int64(code == last)) + 1
            if run == RUN_CHARACTERS and not e & CODE_SPACE:
                note(state, notes, found, most, RUN, state[LINE], column - RUN_CHARACTERS + 1, code, 0)
            last = code
            is_base64 = (e >> 7) & 1
            if n_base64 >= BASE64_CHARACTERS and not is_base64:
                note(state, notes, found, 1 << 62, BASE64, state[LINE], column - n_base64, i - n_base64, i)
            n_base64 = (n_base64 + 1) & -is_base64
            # A stray byte is a lone surrogate here, of three bytes.
            size = 1 if 0xDC80 <= code < 0xDD00 else np.int64(width)
            line_bytes += size
            document_bytes += size
            n_bytes += size
            i += np.int64(width)
        if status == DONE and page >= 0:
            status = UNKNOWN_PAGE
            state[PAGE] = page
        if status != DONE:
            break
        if i < n and i != next_end and content[i] == 10:
            if n_base64 >= BASE64_CHARACTERS:
                note(state, notes, found, 1 << 62, BASE64, state[LINE], column - n_base64 + 1, i - n_base64, i)
            state[COLUMN], state[LINE_BYTES], state[LAST] = column, line_bytes, last
            end_line(content, state, notes, found, most, keys, counts, most_keys, lines, i)
            column, line_bytes, run, last = 0, 0, 0, -1
            mask = word_column = n_base64 = leads = before = 0
            i += 1
            n_bytes += 1
            document_bytes += 1
            counted = state[LINE_START] = i
    state[END], state[COLUMN], state[LINE_BYTES], state[RUN_LENGTH], state[LAST] = end, column, line_bytes, run, last
    state[MASK], state[WORD_COLUMN], state[N_BASE64], state[LEADS] = mask, word_column, n_base64, leads
    state[CLASS], state[N_BYTES], state[DOCUMENT_BYTES] = before, n_bytes, document_bytes
    state[STATUS], state[N_LONG], state[N_COUNTED] = status, i - state[LINE_START], counted - i
    add_lines(state, notes, found, most, keys, counts, most_keys, lines)
    return i
