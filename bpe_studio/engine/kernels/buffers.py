"""The arrays that training works on, and the layout of the records in them.

Each array holds records of one kind, without gaps: record i of a kind with stride S begins at i *
S. This offset is called the record's slot.
"""

from __future__ import annotations

from typing import NamedTuple

from bpe_studio.engine.kernels.kinds import Bytes, Int32s, Int64s

# Scalars in `numbers`
N_PAIRS, N_PLACES, N_HEAP, N_VOCAB, N_MERGES, N_TOKENS, N_TABLE, N_TIE, N_NEAR = range(9)
MIN_COUNT, KEEP_COUNT, RULE, MAX_SYMBOLS, PREFIX_CUT, FLOOR = range(9, 15)
PASSED_PAIR = 15  # left << 32 | right, the pair that was skipped last
N_CLASSES, N_REFUSED = range(16, 18)
MADE = 18  # the class of a character that its parts make, before it is told by its bytes; or -1
NAMED_PAIR = 19  # left << 32 | right, the pair whose token has its class in the next number
NAMED_CLASS = 20
JOINS = 21
"""The place at which the table of piece classes begins in `numbers`, a row for each class.

An array of its own would be one more to pass at each call.
"""

# Strides and fields
PAIR = 4
IDS = 0
BORN = 1
FROM = 2
TO = 3
# after the key
TABLE = 3
COUNT = 1
NUMBER = 2
HEAP = 3  # pair, count, key
TIE = 2  # count, number of pairs with it
TOKEN = 3
LENGTH = 0
CHARACTERS = 1
CLASS = 2
TIE_DENSE = 1 << 16

# Tie rules
FIRST_SEEN, SMALLEST_IDS, GREATEST_TEXTS, SHORTEST_TEXT = range(4)


class Buffers(NamedTuple):
    """All arrays that training reads and writes, for n symbols and v tokens.

    Flat, with the strides above.
    """

    # Scalars, and the table of piece classes.
    numbers: Int64s
    # (n,) token ids at first and last symbols; -1 between pre-tokens, -2 inside tokens.
    symbols: Int32s
    # (n,) the count of each symbol's pre-token in the text; -1 - i for `heavy[i]`.
    weights: Int32s
    # The weights that need more than 31 bits.
    heavy: Int64s
    # (n,) the rank of the merge that closed the gap before each symbol.
    gaps: Int32s
    # (v * TOKEN) length in symbols, in characters, piece class.
    tokens: Int32s
    # (v + 1,) the start of each token's text in `texts`.
    text_starts: Int64s
    # The tokens' texts end to end, as the tie rules compare them.
    texts: Bytes
    # (r + 1,) the same for texts that no token may have.
    reserved_starts: Int64s
    # Open addressing by hash of the text: token id + 1, or -1 - number of a reserved text.
    text_table: Int32s
    # (p * PAIR) left << 32 | right, its first count, and its places as a slice of `places`.
    pairs: Int64s
    # Symbol positions of left tokens.
    places: Int32s
    # (t * TABLE) open addressing: left << 32 | right, plus 1 (0: free); count; number of the pair.
    table: Int64s
    # (h * HEAP) pair, count, key that orders equal counts (smaller is better).
    heap: Int64s
    # The number of pairs with each count.
    tie_counts: Int64s
    # (c * TIE) open addressing, the same for larger counts: count, number of pairs.
    tie_table: Int64s
    # (v * LOG) one record per merge: left, right, count, tied, remaining tokens.
    log: Int64s
    # (v * SUM) scratch: the changes of a merge, by left neighbour.
    lefts: Int64s
    # (v * SUM) scratch: the same by right neighbour.
    rights: Int64s
    # (v * 2) scratch: the distinct left and right neighbours.
    seen: Int32s
    # (b * NEAR) scratch, one record per place: left neighbour, place; right neighbour, place.
    near: Int32s


LOG = 5
# Scratch by neighbour: weight and number of new places, weight that was added and removed again,
# where the next place goes
SUM = 4
WEIGHT = 0
PLACES = 1
GONE = 2
FILL = 3
NEAR = 4
NEVER = 2**31 - 1
INDEX = 2**56 - 1
"""Masks an index that is read from an array, in hot loops: compiled code then knows that it is not
negative, and skips the check for indices that count from the end."""

# The results of `advance`
(
    WORKING,
    TARGET,
    EXHAUSTED,
    GROW_PAIRS,
    GROW_PLACES,
    GROW_HEAP,
    GROW_TABLE,
    GROW_TIES,
    GROW_SCRATCH,
    GROW_TEXTS,
    NAME_CLASS,
) = range(11)
PASSED = 11
