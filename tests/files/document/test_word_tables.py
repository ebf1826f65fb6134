"""Whether the words of a document's table are all different, held to a plain set."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.document import word_tables
from tests.examples import examples

WORDS = st.lists(st.binary(min_size=1, max_size=4) | st.text("ab", min_size=1, max_size=3).map(str.encode), max_size=30)


def check(words: list[bytes]) -> None:
    blob = np.frombuffer(b"".join(words), np.uint8)
    offsets = np.cumsum([0, *map(len, words)]).astype(np.int64)
    for _ in word_tables._check_distinct(blob, offsets):
        pass


def is_refused(words: list[bytes]) -> bool:
    try:
        check(words)
    except TokenizerFormatError:
        return True
    return False


@settings(max_examples=examples(150))
@given(words=WORDS, chunk=st.sampled_from([2, 7, 1 << 20]), n_factors=st.sampled_from([2, 1 << 10]))
def test_a_table_with_a_word_twice_is_refused_and_no_other(words: list[bytes], chunk: int, n_factors: int) -> None:
    """Also where the table is looked at in several pieces, and where words are longer than there are factors."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(word_tables, "_CHUNK", chunk)
        patch.setattr(word_tables, "_N_FACTORS", n_factors)
        assert is_refused(words) == (len(set(words)) < len(words))


@pytest.mark.parametrize("number", [0, 1])
def test_words_that_share_their_number_are_compared(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setattr(word_tables, "_numbers_of", lambda blob, offsets, factors: np.uint64(number))
    assert not is_refused([b"hug", b"pug", b"gu", "سلام".encode()])
    assert is_refused([b"hug", b"pug", b"gu", b"hug"])
