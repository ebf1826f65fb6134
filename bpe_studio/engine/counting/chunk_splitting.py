"""Splits counted chunks of text that white space bounds with an expression that has no automaton.

`fast_counting.py` counts the chunks between white space first (`splits/whitespace_bounded.py`), so that only the
distinct ones are split here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator

import regex

from bpe_studio.engine.counting.plain_counting import words_in_slices
from bpe_studio.engine.counting.word_table import Words
from bpe_studio.engine.splits.whitespace_bounded import bounded_form
from bpe_studio.engine.text.pretokenization import MATCH_TIMEOUT_S
from bpe_studio.engine.text.timed_matches import TimeBudget, match_batches

_CHUNKS_AT_ONCE = 1 << 11


def split_chunks(words: Words, split: str) -> Generator[None, None, Words]:
    """The pre-tokens of counted chunks; the text of each chunk follows a line feed.

    Raises:
        TimeoutError: the expression takes too long.
    """
    # Line feeds are found with the pieces, so that they show where each chunk begins.
    pattern = regex.compile(f"{bounded_form(split)}|\n")
    budget = TimeBudget()
    counted: Counter[str] = Counter()
    for low in range(0, len(words.counts), _CHUNKS_AT_ONCE):
        high = min(low + _CHUNKS_AT_ONCE, len(words.counts))
        text = words.blob[words.offsets[low] : words.offsets[high]].tobytes().decode("utf-8", "surrogatepass")
        budget.add_text(len(text))
        weight, weights = 0, iter(words.counts[low:high].tolist())
        for batch in match_batches(pattern, text, 0, budget, timeout_s=MATCH_TIMEOUT_S):
            for match in batch:
                piece = match.group()
                if piece == "\n":
                    weight = next(weights)
                else:
                    counted[piece] += weight
        yield
    return (yield from words_in_slices(counted))
