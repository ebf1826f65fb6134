"""The characters of many words, decoded block by block, are those of each word decoded by
itself.
"""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.engine.text import alphabet

WORDS = st.lists(st.text("aé中🙂", min_size=1), max_size=12)


@given(WORDS, st.booleans(), st.integers(1, 9))
def test_blocks_change_nothing(words, has_stray_byte, n_bytes):
    contents = [word.encode() for word in words] + [b"a\xff"] * has_stray_byte
    offsets = np.concatenate([[0], np.cumsum([len(each) for each in contents], dtype=np.int64)])
    with patch.object(alphabet, "_BLOCK_BYTES", n_bytes):
        codes, lengths = alphabet._characters(
            np.frombuffer(b"".join(contents), np.uint8), offsets.astype(np.int64)
        )
    expected = [content.decode("utf-8", "replace") for content in contents]
    assert codes.tolist() == [ord(char) for char in "".join(expected)]
    assert lengths.tolist() == [len(each) for each in expected]


def test_stray_bytes_of_two_words_are_no_character():
    blob = np.frombuffer("aé".encode(), np.uint8)
    offsets = np.array([0, 2, 3])
    codes, lengths = alphabet._characters(blob, offsets)
    assert "".join(map(chr, codes)) == "a\ufffd\ufffd" and lengths.tolist() == [2, 1]
