"""Tables added up, in a dictionary and in the hash table of the kernels: the same sum, in the same
order.
"""

from __future__ import annotations

import numpy as np
import pytest

from bpe_studio.engine.counting import word_sum
from bpe_studio.engine.counting.corpus import MOST_SYMBOLS
from bpe_studio.engine.counting.plain_counting import words_of
from bpe_studio.engine.counting.word_sum import WordSum
from bpe_studio.engine.counting.word_table import WordTable
from bpe_studio.engine.kernels.counting import ENTRY
from bpe_studio.errors import CorpusError


def _tables() -> list[dict[bytes, int]]:
    rng = np.random.default_rng(5)
    tables = []
    for _ in range(6):
        table: dict[bytes, int] = {}
        for number in rng.integers(0, 400, 300).tolist():
            word = bytes([number % 251]) * (number % 40 + 1) + (
                b"x" * 70_000 if number == 7 else b""
            )
            table[word] = table.get(word, 0) + number % 5
        tables.append(table)
    return tables


@pytest.mark.parametrize("few", [0, 300, 1 << 16])
def test_sums_do_not_depend_on_how_they_are_added_up(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_sum, "FEW", few)
    total = WordSum()
    expected = dict[bytes, int]()
    for table in _tables():
        total.add(words_of(table))
        for word, count in table.items():
            if count:
                expected[word] = expected.get(word, 0) + count
        assert len(total) == len(expected)
    assert list(total.words().rows()) == list(expected.items())


@pytest.mark.parametrize("few", [0, 1 << 16])
def test_counts_that_need_more_than_63_bits_are_refused(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_sum, "FEW", few)
    total = WordSum()
    total.add(words_of({b"a": MOST_SYMBOLS - 1, b"b": 1}))
    with pytest.raises(CorpusError, match="too many"):
        total.add(words_of({b"b": 1000}))


def _step(h: int) -> int:
    """What a word's hash becomes before its next eight bytes are added, as 64 bits.

    The last shift keeps the sign.
    """
    signed = h - (h >> 63 << 64)
    return (signed ^ signed >> 31) * 0x165667B19E3779F9 % (1 << 64)


def test_long_words_with_equal_keys_are_told_apart() -> None:
    """Words of 32 bytes of which the table compares the same 16: their ends are made for that."""
    total = WordTable()
    alike = []
    for number in range(9):
        middle = b"%016d" % number
        h = 32
        for k in (0, 8):
            h = (_step(h) + int.from_bytes(middle[k : k + 8], "little")) % (1 << 64)
        alike.append(b"the same" + middle + ((7 - _step(h)) % (1 << 64)).to_bytes(8, "little"))
    for _ in range(2):
        total.add(words_of(dict.fromkeys(alike, 3)))
    keys = {
        tuple(total._slots[i : i + 2])
        for i in range(0, len(total._slots), ENTRY)
        if total._slots[i + 3]
    }
    assert len(keys) == 1
    assert list(total.words().rows()) == [(word, 6) for word in alike]
