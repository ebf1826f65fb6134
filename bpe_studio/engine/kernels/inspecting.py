"""Reads a text once and notes what is strange in it: characters, words, runs, lines and documents that repeat.

One loop over the characters, in which a table says what is to be noted of each (`CODE_*` below). It keeps counts of all
code points, so that what depends on the character alone is counted outside; here is what depends on its neighbours. The
loop returns when a page of the table is not filled yet, when there is no room for more notes, or when a table of hashes
has to grow; it is then called again and goes on at that place.

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
CODE_CONTINUATION = 64
CODE_BASE64 = 128
CODE_SPACE = 1 << 14
CODE_HAS_BIT = 1 << 17
"""It belongs to a script whose words are not mixed with another; the number of its bit is in bits 32 to 37."""
CODE_LETTER_FORM = 1 << 18
"""It is a form of yeh or kaf; which one is in bits 38 and 39."""
BYTE_PLAIN, BYTE_BASE64, BYTE_SPACE, BYTE_SPECIAL, BYTE_LETTER, BYTE_DIGIT = 1, 2, 4, 8, 1 << 4, 1 << 34
"""What is to be noted of an ASCII byte; one that is not plain is read as a character, like those that are not ASCII."""
KIND_SHIFT, CLASS_SHIFT, BIT_SHIFT, FORM_SHIFT, SCRIPT_SHIFT = 8, 20, 32, 38, 40

(
    RUN, MIXED, BASE64, URL, LONG_LINE, REPEATED_LINE, BOILERPLATE, NOT_NFC, MAYBE_NFC, MAYBE_MOJIBAKE, SPECIAL,
    REPEATED_DOCUMENT, MIXED_YEH, MIXED_KAF,
) = range(14)  # fmt: skip
"""The kinds of notes; those of characters follow from `FIRST_CHARACTER_KIND`."""
FIRST_CHARACTER_KIND = 16
N_KINDS = 64

(
    LINE, COLUMN, LINE_BYTES, HASH, RUN_LENGTH, LAST, MASK, WORD_COLUMN, N_BASE64, IS_LEAD, CLASS, IS_NOT_NFC,
    IS_MAYBE_NFC, IS_MAYBE_MOJIBAKE, DOCUMENT_HASH, DOCUMENT_BYTES, N_NOTES, PAGE, N_LINE_HASHES, N_DOCUMENT_HASHES,
    N_BYTES, N_DOCUMENTS, N_LINES, END, STATUS, N_LONG, IN_WORD,
) = range(27)  # fmt: skip
"""The places in `state`, followed by four each of the next three."""
FORMS, FORM_LINES, FORM_COLUMNS, N_STATE = 27, 31, 35, 39
DONE, UNKNOWN_PAGE, NO_ROOM, FULL_TABLE = range(4)

RUN_CHARACTERS = 20
BASE64_CHARACTERS = 32
LONG_LINE_BYTES = 65_536
REPEATED_CHARACTERS = 40
BOILERPLATE_LINES = 10
_PRIME = np.uint64(0x9E3779B97F4A7C15)
_START = np.uint64(0xCBF29CE484222325)
_MARGIN = 16


def added(keys: Any, counts: Any, key: Any, most: int, state: Any, used: int) -> Any:
    """Count a key in a hash table; returns how often it has been counted, 0 if there is no room for a new one."""
    key ^= key >> np.uint64(29)
    key *= np.uint64(0xBF58476D1CE4E5B9)
    key ^= key >> np.uint64(32)
    if key == np.uint64(0):
        key = np.uint64(1)
    last = len(keys) - 1
    place = np.int64(key & np.uint64(last))
    while keys[place] != np.uint64(0):
        if keys[place] == key:
            counts[place] += 1
            return np.int64(counts[place])
        place = (place + 1) & last
    if state[used] >= most:
        return 0
    keys[place] = key
    counts[place] = 1
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
            new_counts[place] = counts[i]


def note(state: Any, notes: Any, found: Any, most: int, kind: int, line: int, column: int, a: Any, b: Any) -> None:
    """Count something, and note its place unless there are enough of its kind."""
    found[kind] += 1
    if found[kind] <= most:
        n = state[N_NOTES]
        notes[n, 0], notes[n, 1], notes[n, 2], notes[n, 3], notes[n, 4] = kind, line, column, a, b
        state[N_NOTES] = n + 1


def hash_on(h: Any, content: Any, i: int, end: int) -> Any:
    """The hash of a text, whose beginning has the hash `h`, eight bytes at a time."""
    # Unsigned places, which cannot count from the end: so eight bytes are one load.
    k, last = np.uint64(i), np.uint64(end)
    while k + np.uint64(8) <= last:
        low = np.uint64(content[k]) | np.uint64(content[k + np.uint64(1)]) << np.uint64(8)
        low |= np.uint64(content[k + np.uint64(2)]) << np.uint64(16)
        low |= np.uint64(content[k + np.uint64(3)]) << np.uint64(24)
        low |= np.uint64(content[k + np.uint64(4)]) << np.uint64(32)
        low |= np.uint64(content[k + np.uint64(5)]) << np.uint64(40)
        low |= np.uint64(content[k + np.uint64(6)]) << np.uint64(48)
        low |= np.uint64(content[k + np.uint64(7)]) << np.uint64(56)
        h = (h ^ low) * _PRIME
        h ^= h >> np.uint64(29)
        k += np.uint64(8)
    while k < last:
        h = (h ^ np.uint64(content[k])) * _PRIME
        k += np.uint64(1)
    return h ^ h >> np.uint64(32)


def end_line(
    content: Any, state: Any, notes: Any, found: Any, most: int, keys: Any, counts: Any, most_keys: int, start: int,
    end: int,
) -> None:  # fmt: skip
    """Judge a line that ends.

    Args:
        content: uint8, with the line, or with the end of a long one.
        state: (N_STATE,) int64, with everything of the line.
        notes: (n, 5) int64, receives kind, line, column, and two numbers that depend on the kind.
        found: (N_KINDS,) int64, how many of each kind there are.
        most: how many of a kind are noted.
        keys: uint64, the hashes of lines; 0 is free.
        counts: uint32, how often each line occurred.
        most_keys: how many hashes are kept.
        start: where the line begins in the content.
        end: where it ends, without the line feed.
    """
    line, n_characters, text_end = state[LINE], state[COLUMN], end
    if state[LAST] == 13:
        n_characters -= 1
        text_end = max(0, end - 1)
    whole = hash_on(np.uint64(state[HASH]), content, max(0, start), text_end)
    if state[LINE_BYTES] > LONG_LINE_BYTES:
        note(state, notes, found, most, LONG_LINE, line, 1, state[LINE_BYTES], 0)
    if n_characters >= REPEATED_CHARACTERS:
        n = added(keys, counts, whole, most_keys, state, N_LINE_HASHES)
        if n > 1:
            note(state, notes, found, most, REPEATED_LINE, line, 1, 0, 0)
            if n == BOILERPLATE_LINES:
                note(state, notes, found, most, BOILERPLATE, line, 1, start, end)
                found[BOILERPLATE] += BOILERPLATE_LINES - 1
            elif n > BOILERPLATE_LINES:
                found[BOILERPLATE] += 1
    if state[IS_NOT_NFC]:
        note(state, notes, found, most, NOT_NFC, line, 1, 0, 0)
    elif state[IS_MAYBE_NFC]:
        note(state, notes, found, 1 << 62, MAYBE_NFC, line, 1, start, end)
    if state[IS_MAYBE_MOJIBAKE]:
        note(state, notes, found, 1 << 62, MAYBE_MOJIBAKE, line, 1, start, end)
    state[DOCUMENT_HASH] = np.int64((np.uint64(state[DOCUMENT_HASH]) ^ whole) * _PRIME)
    state[N_LINES] += 1
    new_line(state)


def new_line(state: Any) -> None:
    """Begin the next line."""
    state[LINE] += 1
    state[COLUMN] = state[LINE_BYTES] = state[RUN_LENGTH] = state[MASK] = state[WORD_COLUMN] = state[N_BASE64] = 0
    state[IS_LEAD] = state[CLASS] = state[IN_WORD] = state[IS_NOT_NFC] = state[IS_MAYBE_NFC] = state[
        IS_MAYBE_MOJIBAKE
    ] = 0
    state[LAST] = -1
    state[HASH] = np.int64(_START)


def end_document(state: Any, notes: Any, found: Any, most: int, keys: Any, counts: Any, most_keys: int) -> None:
    """Judge a document that ends; its last line has been judged."""
    state[N_DOCUMENTS] += 1
    for letter in range(2):
        first, other = state[FORMS + 2 * letter], state[FORMS + 2 * letter + 1]
        if first and other:
            rare = 2 * letter + np.int64(other < first)
            kind = MIXED_YEH + letter
            note(state, notes, found, most, kind, state[FORM_LINES + rare], state[FORM_COLUMNS + rare], 0, 0)
            found[kind] += min(first, other) - 1
    if state[DOCUMENT_BYTES]:
        n = added(keys, counts, np.uint64(state[DOCUMENT_HASH]), most_keys, state, N_DOCUMENT_HASHES)
        if n > 1:
            note(state, notes, found, most, REPEATED_DOCUMENT, max(1, state[LINE] - 1), 1, 0, 0)
    for k in range(4):
        state[FORMS + k] = 0
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


def inspect(
    content: Any, i: int, n: int, ends: Any, plain: Any, info: Any, code_counts: Any, state: Any, notes: Any,
    found: Any, most: int, keys: Any, counts: Any, most_keys: int, document_keys: Any, document_counts: Any,
    scripts: Any, chunk_shift: int, specials: Any, offsets: Any, special_counts: Any,
) -> int:  # fmt: skip
    """Read a piece of text.

    Args:
        content: uint8, the piece as UTF-8, lone surrogates as three bytes; no character is divided.
        i: where to begin, or to go on.
        n: where to end.
        ends: int64, the offsets at which documents end, in order; `state[END]` is the number of the next one.
        plain: (256,) int64, what is to be noted of each byte (`BYTE_*`).
        info: (0x110000,) int64, what is to be noted of each code point; 0 if it is not known yet.
        code_counts: (0x110000,) int64, how often each code point occurs that is not ASCII, and those of ASCII that
            are not plain; the plain digits are counted under "0".
        state: (N_STATE,) int64.
        notes: (room, 5) int64; `state[N_NOTES]` of them are filled.
        found: (N_KINDS,) int64, how many of each kind there are.
        most: how many of a kind are noted.
        keys: uint64, the hashes of lines, as many as a power of two.
        counts: uint32, how often each line occurred.
        most_keys: how many hashes of lines, and of documents, are kept.
        document_keys: uint64, the hashes of documents.
        document_counts: uint32, how often each document occurred.
        scripts: (n_chunks, n_scripts) int64, the characters of each script in each chunk of the text; of the first
            one, Latin, in column 0.
        chunk_shift: a chunk has `1 << chunk_shift` bytes.
        specials: uint8, special tokens, end to end.
        offsets: int64, where each begins, and the end.
        special_counts: int64, how often each occurs.

    Returns:
        Where it has stopped; `state[STATUS]` says why.
    """
    line_start = i - state[N_LONG]
    end, room = state[END], len(notes) - _MARGIN
    column, line_bytes, run, last = state[COLUMN], state[LINE_BYTES], state[RUN_LENGTH], state[LAST]
    mask, word_column, n_base64, is_lead = state[MASK], state[WORD_COLUMN], state[N_BASE64], state[IS_LEAD]
    before, in_word, n_bytes, document_bytes = state[CLASS], state[IN_WORD], state[N_BYTES], state[DOCUMENT_BYTES]
    chunk = min(n_bytes >> chunk_shift, len(scripts) - 1)
    next_end = ends[end] if end < len(ends) else n + 1
    status, sums = DONE, 0
    while True:
        while i == next_end:
            state[DOCUMENT_BYTES] = document_bytes
            if line_bytes:
                if n_base64 >= BASE64_CHARACTERS:
                    note(state, notes, found, 1 << 62, BASE64, state[LINE], column - n_base64 + 1, i - n_base64, i)
                state[COLUMN], state[LINE_BYTES], state[LAST] = column, line_bytes, last
                end_line(content, state, notes, found, most, keys, counts, most_keys, line_start, i)
                column, line_bytes, run, last = 0, 0, 0, -1
                mask = word_column = n_base64 = is_lead = before = in_word = 0
            end_document(state, notes, found, most, document_keys, document_counts, most_keys)
            document_bytes = 0
            line_start = i
            end += 1
            next_end = ends[end] if end < len(ends) else n + 1
            if state[N_NOTES] >= room or 2 * state[N_DOCUMENT_HASHES] > len(document_keys):
                status = NO_ROOM
                break
        if status != DONE or i >= n:
            break
        if state[N_NOTES] >= room:
            status = NO_ROOM
            break
        if not in_word:
            start, stop = i, min(n, next_end, i + (1 << chunk_shift))
            while i < stop:
                byte = content[np.uint64(i)]  # neither place counts from the end
                flags = plain[byte]
                c = np.int64(byte)
                if not flags & BYTE_PLAIN:
                    break
                sums += flags >> 4
                run = (run & -np.int64(c == last)) + 1
                last = c
                is_base64 = (flags >> 1) & 1
                if (run == RUN_CHARACTERS) | ((n_base64 >= BASE64_CHARACTERS) & (is_base64 == 0)):
                    if run == RUN_CHARACTERS and not flags & BYTE_SPACE:
                        place = column + i - start + 2 - RUN_CHARACTERS
                        note(state, notes, found, most, RUN, state[LINE], place, c, 0)
                    if n_base64 >= BASE64_CHARACTERS and not is_base64:
                        place = column + i - start + 1 - n_base64
                        note(state, notes, found, 1 << 62, BASE64, state[LINE], place, i - n_base64, i)
                    if state[N_NOTES] >= room:
                        stop = i + 1
                n_base64 = (n_base64 + 1) & -is_base64
                i += 1
            if i > start:
                column += i - start
                line_bytes += i - start
                document_bytes += i - start
                n_bytes += i - start
                is_lead = before = 0
                scripts[chunk, 0] += sums & 0x3FFFFFFF
                code_counts[48] += sums >> 30
                sums = 0
                chunk = min(n_bytes >> chunk_shift, len(scripts) - 1)
                if i >= stop or state[N_NOTES] >= room:
                    continue
        c = np.int64(content[i])
        if c < 0x80:
            code, width = c, 1
        else:
            second = np.int64(content[i + 1]) & 0x3F
            if c < 0xE0:
                code, width = (c & 0x1F) << 6 | second, 2
            elif c < 0xF0:
                code, width = (c & 0xF) << 12 | second << 6 | np.int64(content[i + 2]) & 0x3F, 3
            else:
                code = (c & 7) << 18 | second << 12 | (np.int64(content[i + 2]) & 0x3F) << 6
                code, width = code | np.int64(content[i + 3]) & 0x3F, 4
        e = info[code]
        if not e:
            status = UNKNOWN_PAGE
            state[PAGE] = code >> 8
            break
        if c == 10:
            scripts[chunk, 0] += sums & 0x3FFFFFFF
            code_counts[48] += sums >> 30
            sums = 0
            if n_base64 >= BASE64_CHARACTERS:
                note(state, notes, found, 1 << 62, BASE64, state[LINE], column - n_base64 + 1, i - n_base64, i)
            state[COLUMN], state[LINE_BYTES], state[LAST] = column, line_bytes, last
            end_line(content, state, notes, found, most, keys, counts, most_keys, line_start, i)
            column, line_bytes, run, last = 0, 0, 0, -1
            mask = word_column = n_base64 = is_lead = before = in_word = 0
            i += 1
            n_bytes += 1
            document_bytes += 1
            line_start = i
            chunk = min(n_bytes >> chunk_shift, len(scripts) - 1)
            if 2 * state[N_LINE_HASHES] > len(keys):
                status = FULL_TABLE
                break
            continue
        if c < 0x80:
            is_lead = before = 0
            sums += plain[c] >> 4
            if c == 58 and i + 2 < n and content[i + 1] == 47 and content[i + 2] == 47 and last >= 97 and last <= 122:
                note(state, notes, found, most, URL, state[LINE], column + 1, 0, 0)
            if plain[c] & BYTE_SPECIAL:
                k = special_at(content, i, n, specials, offsets)
                if k >= 0:
                    special_counts[k] += 1
                    note(state, notes, found, most, SPECIAL, state[LINE], column + 1, k, 0)
        else:
            code_counts[code] += 1
            chunk = min(n_bytes >> chunk_shift, len(scripts) - 1)
            scripts[chunk, (e >> SCRIPT_SHIFT) & 0xFF] += 1
            if is_lead and e & CODE_CONTINUATION:
                state[IS_MAYBE_MOJIBAKE] = 1
            is_lead = e & CODE_LEAD
            here = (e >> CLASS_SHIFT) & 0xFF
            if e & CODE_NOT_NFC or (here and before > here):
                state[IS_NOT_NFC] = 1
            if e & CODE_MAYBE_NFC:
                state[IS_MAYBE_NFC] = 1
            before = here
            if e & CODE_LETTER_FORM:
                form = (e >> FORM_SHIFT) & 3
                if not state[FORMS + form]:
                    state[FORM_LINES + form], state[FORM_COLUMNS + form] = state[LINE], column + 1
                state[FORMS + form] += 1
        if e & CODE_WORD:
            if not in_word:
                # The plain characters of this word have been passed over.
                in_word, mask, k = 1, 0, i - 1
                while k >= max(0, line_start) and content[k] < 0x80 and info[content[k]] & CODE_WORD:
                    if info[content[k]] & CODE_HAS_BIT:
                        mask = 1 << ((info[content[k]] >> BIT_SHIFT) & 63)
                    k -= 1
                word_column = column - (i - 1 - k)
            if e & CODE_HAS_BIT:
                new_mask = mask | 1 << ((e >> BIT_SHIFT) & 63)
                if new_mask & (new_mask - 1) and not mask & (mask - 1):
                    note(state, notes, found, most, MIXED, state[LINE], word_column + 1, 0, 0)
                mask = new_mask
        else:
            in_word = mask = 0
        column += 1
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
        size = 1 if 0xDC80 <= code < 0xDD00 else width
        line_bytes += size
        document_bytes += size
        n_bytes += size
        i += width
    scripts[chunk, 0] += sums & 0x3FFFFFFF
    code_counts[48] += sums >> 30
    state[END], state[COLUMN], state[LINE_BYTES], state[RUN_LENGTH], state[LAST] = end, column, line_bytes, run, last
    state[MASK], state[WORD_COLUMN], state[N_BASE64], state[IS_LEAD] = mask, word_column, n_base64, is_lead
    state[CLASS], state[IN_WORD], state[N_BYTES], state[DOCUMENT_BYTES] = before, in_word, n_bytes, document_bytes
    state[STATUS], state[N_LONG] = status, i - line_start
    return i
