"""The lines at places of a text, whatever pieces it is read in."""

from __future__ import annotations

import pytest

from bpe_studio.workspace.corpus.place_lines import lines_at

TEXT = (
    "one\nan <s> old 👩 cat\n" + "x" * 300 + "\u200b" + "y" * 300 + "\n\nسلام\u200bکتاب\nlast\u00ad"
)
PLACES = ((2, 4), (2, 12), (3, 301), (5, 5), (6, 5))


@pytest.mark.parametrize("size", [1, 7, 64, 200, 1000])
def test_the_line_of_each_place_and_what_is_there(size):
    pieces = [TEXT[start : start + size].encode() for start in range(0, len(TEXT), size)]
    found = [each for each in lines_at(pieces, PLACES, "special_tokens") if each is not None]
    assert [each.line for each in found] == [2, 2, 3, 5, 6]
    marked = [each.text[int(each.start) : int(each.end)] for each in found]
    assert marked == ["<s>", "👩", "\u200b", "\u200b", "\u00ad"]
    assert found[0].text == found[1].text == "an <s> old 👩 cat"
    assert (
        found[2].text.startswith("x" * 60 + "\u200by")
        and found[2].is_cut_before
        and found[2].is_cut_after
    )
    assert (
        found[3].text == "سلام\u200bکتاب"
        and not found[3].is_cut_before
        and not found[3].is_cut_after
    )
    assert found[4].text == "last\u00ad" and not found[4].is_cut_after
