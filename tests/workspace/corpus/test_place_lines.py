"""The lines at places of a text, whatever pieces it is read in."""

from __future__ import annotations

import pytest

from bpe_studio.workspace.corpus.place_lines import lines_at

TEXT = "one\nan <s> old 👩 cat\n" + "x" * 300 + "\u200b" + "y" * 300 + "\n\nسلام\u200bکتاب\nlast\u00ad"
BASE64 = "TWFueSBoYW5kcyBtYWtlIGxpZ2h0IHdvcmsuIEFuZCBtb3JlLg=="
PLACES = ((2, 4), (2, 12), (3, 301), (5, 5), (6, 5))


@pytest.mark.parametrize("size", [1, 7, 64, 200, 1000])
def test_the_line_of_each_place_and_what_is_there(size):
    pieces = [TEXT[start : start + size].encode() for start in range(0, len(TEXT), size)]
    found = [each for each in lines_at(pieces, PLACES, "special_tokens") if each is not None]
    assert [each.line for each in found] == [2, 2, 3, 5, 6]
    marked = [each.text[int(each.start) : int(each.end)] for each in found]
    assert marked == ["<s>", "👩", "\u200b", "\u200b", "\u00ad"]
    assert found[0].text == found[1].text == "an <s> old 👩 cat"
    assert found[2].text.startswith("x" * 60 + "\u200by") and found[2].is_cut_before and found[2].is_cut_after
    assert found[3].text == "سلام\u200bکتاب" and not found[3].is_cut_before and not found[3].is_cut_after
    assert found[4].text == "last\u00ad" and not found[4].is_cut_after


@pytest.mark.parametrize(
    ("finding", "text", "place", "marked"),
    [
        ("urls", "see (https://example.org/a?b=1) or", 10, "https://example.org/a?b=1"),
        ("base64", f"x:{BASE64}.", 2, BASE64),
        ("hashes", "id=d41d8cd98f00b204e9800998ecf8427e;", 3, "d41d8cd98f00b204e9800998ecf8427e"),
        ("special_tokens", "old<|im_start|>cat", 3, "<|im_start|>"),
        ("special_tokens", "old<thing>cat", 3, "<thing>"),
        ("mixed_scripts", "(p\u0430ypal)", 1, "p\u0430ypal"),
        ("mixed_scripts", "کتاب\u200cabc سلامabc", 9, "سلامabc"),
        ("character_runs", "a" + 30 * "-" + "b", 1, 30 * "-"),
        ("soft_hyphen", "wa\xadter", 2, "\xad"),
        ("repeated_lines", "Permission is granted", 0, "Permission"),
        ("repeated_lines", "        --Milton.", 0, "--Milton."),
        ("long_lines", 90 * " ", 0, " "),
        ("not_nfc", "名前はまだ無い。どこで生れたかとんと見当がつかぬ。", 0, "名前はまだ無い。どこで生れたかと"),
        ("urls", "no address here", 3, "a"),
    ],
)  # fmt: skip
def test_a_finding_is_marked_as_far_as_it_reaches(finding, text, place, marked):
    [found] = [each for each in lines_at([text], [(1, place + 1)], finding) if each is not None]
    assert found.text[int(found.start) : int(found.end)] == marked
