"""Divides pre-tokens between characters that no token has next to each other, and finds characters
that are one symbol.

In Chinese, Japanese, Thai or rows of emoji, a pre-token is a whole phrase, and most phrases occur
once. But no merge crosses the place between two characters if no token has them next to each other,
so the parts of such a pre-token are encoded by themselves; a part is a word or two, and has usually
occurred before.

A token that contains a place is made there: of a token that ends at the place, and one that begins
at it. So it is enough to look at the last character of the left token, and the first one of the
right token, of each merge. Either may be a part of a character only: then every character is marked
that it may belong to, or some more.

Only places between two characters of three or four bytes are considered. The marks are bits by
hash: a place that is marked by chance is not divided, which changes nothing but the time.

Encoding may also begin with a character's token instead of its bytes, if these always become that
token: as long as the character is in parts, no merge of the first part with what is before it, or
of the last with what is after it, ranks before those inside the character. And no merge of the
token itself may rank before them.

In Cyrillic, Arabic and other scripts of two bytes a character, hardly any character is like that: a
token of a space and the first byte of a character is common, and so are some of a word's end and
that byte. So the lowest rank of a merge of this byte is known for each character that may be before
it; and the beginning of a word, a space and a character, is one symbol too if no merge of its last
byte comes first.
"""

from __future__ import annotations

from typing import Any

from bpe_studio.engine.kernels.buffers import INDEX, NEVER
from bpe_studio.engine.kernels.closing import NO_PAIR, Pairs, value_of
from bpe_studio.engine.kernels.kinds import Bytes, Int32s, Int64s

WIDE = 0xE0
"""The lowest first byte of a character of three or four bytes."""
MOST_BYTES = 4
"""The bytes that are known at either end of a token: as many as the longest character has."""
LEAST_LETTER = 0x80
LETTERS = 0x800
"""The characters of two bytes are from the first to before the second."""
LETTER = 0x110000
"""The place in `wholes` from which on the values of the characters of two bytes are.

From `SPACED` on, they are those of a space and such a character.
"""
SPACED = LETTER + LETTERS
BOUNDS = SPACED + LETTERS
"""The place in `wholes` from which on the lowest ranks of the merges of first bytes are: `LEADS`
for each character before them.
"""
LEADS = 32
ANYTHING = LETTERS
NOTHING = LETTERS + 1
"""What is before a character, if it is none of the first 0x800: any other character, or nothing
before the first character of a pre-token.
"""
N_WHOLES = BOUNDS + (LETTERS + 2) * LEADS
_WIDE_BYTES = -0x7F7F7F7F7F7F7F80  # the highest bit of each of eight bytes


def width_of(c: int) -> int:
    """The length in bytes of the character that begins with a byte; 0 if none does."""
    if c < 0x80:
        return 1
    if c < 0xC2 or c >= 0xF5:
        return 0
    return 2 if c < WIDE else 3 if c < 0xF0 else 4


def bit_of_pair(bits: Any, before: int, after: int) -> int:
    """The number of the bit of two characters."""
    # No product here exceeds 63 bits: the compiler takes an overflow for impossible.
    h = before * 0x2C1B3C6D + after * 0x297A2D39
    return ((h ^ h >> 17) & 0x7FFFFFFF) * 0x1B873593 >> 20 & (8 * len(bits) - 1)


def bit_of_parts(bits: Any, before: int, after: int) -> int:
    """The number of the bit of characters of which a token has only a part, which is that of all
    characters that end and begin alike.

    Args:
        bits: the marks.
        before: the last six bits of the character before the place.
        after: the character after it, without its last six bits.
    """
    return bit_of_pair(bits, before | 1 << 21, after)


def are_apart(bits: Any, before: int, after: int) -> bool:
    """Whether no token has two characters next to each other, as code points."""
    one = bit_of_pair(bits, before, after)
    other = bit_of_parts(bits, before & 0x3F, after >> 6)
    return bool((bits[one >> 3] >> (one & 7) | bits[other >> 3] >> (other & 7)) & 1 == 0)


def mark(bits: Any, bit: int) -> None:
    """Set a bit."""
    bits[bit >> 3] |= 1 << (bit & 7)


def mark_place(bits: Any, tail: int, n_tail: int, head: int, n_head: int) -> None:
    """Mark the place in the middle of a merge, if it can be between two characters of three or four
    bytes.

    Args:
        bits: receives the mark.
        tail: the last bytes of the left token, as one number, the last byte lowest.
        n_tail: how many of them are known; `MOST_BYTES`, or the length of the token.
        head: the first bytes of the right token, as one number, the first byte highest.
        n_head: how many of them are known.
    """
    before = 0
    n_more = 0
    while n_more < n_tail and tail >> (8 * n_more) & 0xC0 == 0x80:
        before |= (tail >> (8 * n_more) & 0x3F) << (6 * n_more)
        n_more += 1
    is_part = n_more == n_tail
    if n_more == MOST_BYTES or (is_part and n_more == 0):
        return
    if not is_part:
        width = width_of(tail >> (8 * n_more) & 0xFF)
        if width != n_more + 1 or width < 3:
            return
        before |= (tail >> (8 * n_more) & (0x7F >> width)) << (6 * n_more)
    lead = head >> (8 * (n_head - 1)) & 0xFF
    width = width_of(lead)
    if width < 3:
        return
    after = lead & (0x7F >> width)
    n_known = min(n_head, width)
    for k in range(1, n_known):
        more = head >> (8 * (n_head - 1 - k)) & 0xFF
        if more & 0xC0 != 0x80:
            return
        after = after << 6 | more & 0x3F
    if n_known == width:
        mark(
            bits,
            bit_of_parts(bits, before & 0x3F, after >> 6)
            if is_part
            else bit_of_pair(bits, before, after),
        )
        return
    n_open = 6 * (width - n_known - 1)
    for rest in range(1 << n_open):
        mark(bits, bit_of_parts(bits, before & 0x3F, after << n_open | rest))


def mark_places(
    lefts: Int64s,
    rights: Int64s,
    made: Int64s,
    byte_ids: Int32s,
    heads: Int64s,
    tails: Int64s,
    sizes: Int64s,
    bits: Bytes,
) -> bool:
    """Mark the places at which merges apply.

    Returns false if these are not known, because a token may have several texts.

    Args:
        lefts: (m,) int64, the left token of each merge.
        rights: (m,) int64, its right token.
        made: (m,) int64, the token that it makes.
        byte_ids: (256,) int32, the symbol of each byte; -1 for none.
        heads: (t,) int64, scratch: the first bytes of each token.
        tails: (t,) int64, scratch: the last bytes.
        sizes: (t,) int64 zeros, scratch: the number of these bytes; 0 for a token that is not made,
            -1 if a merge uses it.
        bits: (b,) uint8 zeros, b a power of two; receives the marks.
    """
    for byte in range(256):
        number = byte_ids[byte]
        if number >= 0:
            if sizes[number] != 0:
                return False
            heads[number] = byte
            tails[number] = byte
            sizes[number] = 1
    for k in range(len(lefts)):
        left = lefts[k]
        right = rights[k]
        new = made[k]
        n_left = sizes[left]
        n_right = sizes[right]
        if n_left <= 0 or n_right <= 0:
            # The merge never applies, unless its tokens are made by a merge that comes later.
            sizes[left] = n_left if n_left != 0 else -1
            sizes[right] = n_right if n_right != 0 else -1
            continue
        mark_place(bits, tails[left], n_left, heads[right], n_right)
        size = min(n_left + n_right, MOST_BYTES)
        n_head = MOST_BYTES - n_left
        n_tail = MOST_BYTES - n_right
        n_head = min(n_head, n_right)
        n_tail = min(n_tail, n_left)
        head = heads[left] << (8 * n_head) | heads[right] >> (8 * (n_right - n_head))
        tail = (tails[left] & (1 << 8 * n_tail) - 1) << (8 * n_right) | tails[right]
        if sizes[new] != 0 and (sizes[new] != size or heads[new] != head or tails[new] != tail):
            return False
        heads[new] = head
        tails[new] = tail
        sizes[new] = size
    return True


def find_wholes(
    lefts: Int64s,
    rights: Int64s,
    made: Int64s,
    byte_ids: Int32s,
    heads: Int64s,
    sizes: Int64s,
    pairs: Pairs,
    as_left: Int64s,
    as_right: Int64s,
    wholes: Int64s,
) -> None:
    """Find the characters whose bytes always become one token, whatever is around them.

    Args:
        lefts: this and the next five are those of `mark_places`, which has returned true.
        rights: see `mark_places`.
        made: see `mark_places`.
        byte_ids: see `mark_places`.
        heads: see `mark_places`.
        sizes: see `mark_places`.
        pairs: the merges; see `closing.py`.
        as_left: (t,) int64, the size of the vocabulary, scratch.
        as_right: (t,) int64, scratch.
        wholes: (N_WHOLES,) int64 zeros; receives, at the code point of each such character of three
            or four bytes, its token and the highest rank of the merges that make it: `rank << 32 |
            token`, plus 1.
    """
    for token in range(len(as_left)):
        as_left[token] = as_right[token] = len(lefts)
    for rank in range(len(lefts) - 1, -1, -1):
        as_left[lefts[rank]] = as_right[rights[rank]] = rank
    for k in range(len(made)):
        n = sizes[made[k]]
        head = heads[made[k]]
        if n < 3:
            continue
        lead = head >> (8 * (n - 1)) & 0xFF
        if width_of(lead) != n:
            continue
        code = lead & (0x7F >> n)
        is_character = True
        for j in range(n - 2, -1, -1):
            is_character = is_character and head >> (8 * j) & 0xC0 == 0x80
            code = code << 6 | head >> (8 * j) & 0x3F
        if is_character and code < LETTER:
            value = whole_of(head, n, byte_ids, pairs, as_left, as_right)
            wholes[code] = value + 1 if value != NO_PAIR else 0


def find_letters(
    lefts: Int64s,
    rights: Int64s,
    byte_ids: Int32s,
    tails: Int64s,
    sizes: Int64s,
    pairs: Pairs,
    as_left: Int64s,
    as_right: Int64s,
    wholes: Int64s,
) -> None:
    """Find the characters of two bytes that become one token, and what may be before them.

    Args:
        lefts: this and the next four are those of `mark_places`, which has returned true.
        rights: see `mark_places`.
        byte_ids: see `mark_places`.
        tails: see `mark_places`.
        sizes: see `mark_places`.
        pairs: the merges; see `closing.py`.
        as_left: (t,) int64, the size of the vocabulary, scratch.
        as_right: (t,) int64, scratch.
        wholes: (N_WHOLES,) int64; receives, from `LETTER` on, the token of each character whose
            bytes become one unless its first is merged with what is before it, and the rank: `rank
            << 32 | token`, or `NO_PAIR`; from `SPACED` on, the same of a space and a character at
            the beginning of a pre-token; from `BOUNDS` on, the lowest rank of a merge of a first
            byte with what ends with a character, or may be before it.
    """
    for token in range(len(as_left)):
        as_left[token] = as_right[token] = len(lefts)
    for rank in range(len(lefts) - 1, -1, -1):
        as_left[lefts[rank]] = rank
    for code in range(LEAST_LETTER, LETTERS):
        # Nothing is before the space, so no token is the right one of a merge.
        head = 0x20C080 | code >> 6 << 8 | code & 0x3F
        wholes[SPACED + code] = whole_of(head, 3, byte_ids, pairs, as_left, as_right)
    for rank in range(len(lefts) - 1, -1, -1):
        as_right[rights[rank]] = rank
    for code in range(LEAST_LETTER, LETTERS):
        last = byte_ids[0x80 | code & 0x3F]
        value = value_of(pairs, byte_ids[0xC0 | code >> 6], last)
        rank = value >> 32
        token = value & 0xFFFFFFFF
        if value != NO_PAIR and min(as_left[last], as_left[token], as_right[token]) <= rank:
            value = NO_PAIR
        wholes[LETTER + code] = value
    for k in range(BOUNDS, N_WHOLES):
        wholes[k] = NEVER
    for rank in range(len(lefts) - 1, -1, -1):
        left = lefts[rank]
        right = rights[rank]
        lead = tails[right] & 0xFF
        last = tails[left] & 0xFF
        before = tails[left] >> 8 & 0xFF
        if sizes[right] != 1 or sizes[left] <= 0 or width_of(lead) != 2:
            continue
        at = BOUNDS + (lead & 0x1F)
        wholes[at + ANYTHING * LEADS] = rank
        if last < 0x80:
            wholes[at + last * LEADS] = rank
        elif sizes[left] == 1:
            for high in range(LEADS):
                wholes[at + (high << 6 | last & 0x3F) * LEADS] = rank
        elif width_of(before) == 2:
            wholes[at + ((before & 0x1F) << 6 | last & 0x3F) * LEADS] = rank


def whole_of(head: int, n: int, byte_ids: Any, pairs: Any, as_left: Any, as_right: Any) -> int:
    """The highest rank and the token of a character, from its bytes, the first one highest;
    `NO_PAIR` for none.
    """
    # The parts are the last n of these; when two are merged, those before them move towards the
    # end.
    one = -1
    two = -1
    three = byte_ids[head >> 8 & 0xFF]
    four = byte_ids[head & 0xFF]
    if n > 2:
        two = byte_ids[head >> 16 & 0xFF]
    if n > 3:
        one = byte_ids[head >> 24 & 0xFF]
    highest = 0
    while n > 1:
        first = value_of(pairs, one, two) if n > 3 else NO_PAIR
        second = value_of(pairs, two, three) if n > 2 else NO_PAIR
        third = value_of(pairs, three, four)
        best = min(first, second, third)
        if best == NO_PAIR:
            return NO_PAIR
        highest = max(highest, best >> 32)
        new = best & 0xFFFFFFFF
        begin = three
        beginning = third
        if n > 2:
            begin = two
            beginning = second
        if n > 3:
            begin = one
            beginning = first
        if (best == beginning and as_right[begin] <= highest) or (
            best == third and as_left[four] <= highest
        ):
            return NO_PAIR
        if best == first:
            two = new
        elif best == second:
            three = new
            two = one
        else:
            four = new
            three = two
            two = one
        n -= 1
    return (
        NO_PAIR if as_left[four] <= highest or as_right[four] <= highest else highest << 32 | four
    )


def has_wide(eight: Any, start: int, end: int) -> bool:
    """Whether a part of a text, or what follows soon, may have a pre-token worth dividing.

    It may if there is a character of three or four bytes that is not from U+2000 to U+2FFF:
    quotation marks, dashes and joiners occur in texts of all scripts, and few stand side by side.
    """
    found = 0
    for i in range(start, end, 8):
        one = eight[i & INDEX]
        is_e2 = ~(one << 3 | one << 4 | one << 5 | one << 7) & one << 6
        found |= one & one << 1 & one << 2 & ~is_e2
    return found & _WIDE_BYTES != 0


def divide(
    b: Any,
    eight: Any,
    starts: Any,
    ends: Any,
    first: int,
    n: int,
    whole: int,
    bits: Any,
    firsts: Any,
    lasts: Any,
) -> tuple[int, int]:
    """Write the starts and ends of the parts of the pre-tokens of a batch, until its end or until
    the arrays are full.

    Args:
        b: uint8, the text, valid UTF-8.
        eight: int64, the eight bytes that begin at each byte as one number.
        starts: the starts of the pre-tokens; that of one that is not finished becomes the start of
            its rest.
        ends: their ends.
        first: the number of the first pre-token.
        n: the number of pre-tokens.
        whole: pre-tokens of up to this many bytes are not divided; eight or more.
        bits: the marks.
        firsts: receives the starts of the parts.
        lasts: receives their ends.

    Returns:
        The number of the pre-token to continue with, and the number of parts.
    """
    k = first
    n_parts = 0
    room = len(firsts)
    while k < n and n_parts < room:
        start = starts[k]
        end = ends[k]
        firsts[n_parts] = start
        lasts[n_parts] = end
        n_parts += 1
        k += 1
        if end - start <= whole:
            continue
        # Those of other scripts are not worth a look at each of their characters.
        begin = eight[start & INDEX]
        tail = eight[end - 8 & INDEX]
        if (begin & begin << 1 & begin << 2 | tail & tail << 1 & tail << 2) & _WIDE_BYTES == 0:
            continue
        i = start
        before = 0
        while i < end:
            c = b[i & INDEX]
            if c < WIDE:
                before = 0
                i += 1 if c < 0x80 else 2
                continue
            code = (b[i + 1 & INDEX] & 0x3F) << 6 | b[i + 2 & INDEX] & 0x3F
            width = 3
            if c < 0xF0:
                code |= (c & 0xF) << 12
            else:
                code = (c & 7) << 18 | code << 6 | b[i + 3 & INDEX] & 0x3F
                width = 4
            if before != 0 and are_apart(bits, before, code):
                lasts[n_parts - 1] = i
                if n_parts == room:
                    k -= 1
                    starts[k] = i
                    break
                firsts[n_parts] = i
                lasts[n_parts] = end
                n_parts += 1
            before = code
            i += width
    return k, n_parts
