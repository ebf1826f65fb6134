"""The twin itself, on examples small enough to be worked out on paper."""

from __future__ import annotations

from bpe_studio.engine.textbook import count_pairs, merge_pair
from tests.engine.rules import is_sentencepiece
from tests.engine.textbook_twin import (
    STAND_INS,
    Twin,
    content_of,
    encode,
    gap_ranks,
    stand_ins_of,
    symbols_of,
)


def test_stand_ins() -> None:
    assert stand_ins_of(b" a\n\xff") == "ĠaĊÿ"
    assert len(set(STAND_INS)) == 256
    assert all(content_of(stand_ins_of(bytes([byte]))) == bytes([byte]) for byte in range(256))


def test_symbols() -> None:
    assert symbols_of("hug", word_end="</w>", word_end_as="own-symbol") == ["h", "u", "g", "</w>"]
    assert symbols_of("hug", word_end="</w>", word_end_as="on-last-character") == [
        "h",
        "u",
        "g</w>",
    ]
    assert symbols_of("hug", continuing="##") == ["h", "##u", "##g"]
    assert symbols_of("é", units="bytes") == ["Ã", "©"]


def test_runs_overlap_when_counted_and_merge_from_the_left() -> None:
    assert count_pairs([(list("aaa"), 5)]) == {("a", "a"): 10}
    assert merge_pair(list("aaaaa"), ("a", "a"), "aa") == ["aa", "aa", "a"]


def test_each_rule_takes_its_own_among_equals() -> None:
    def first(ties: str, *words: str) -> tuple[str, str]:
        return Twin([(list(word), 1) for word in words], ties=ties).ranking()[0][0]

    assert first("first-seen", "cd", "ab") == ("c", "d")
    assert first("huggingface", "cd", "ab") == ("a", "b")
    assert first("raw-ids", "Ġx", "ab") == ("Ġ", "x")
    assert first("huggingface", "Ġx", "ab") == ("a", "b")
    assert first("greatest-bytes", "cd", "ab") == ("c", "d")
    assert first("subword-nmt", "cd", "ce") == ("c", "e")
    assert first("sentencepiece", "cd", "ab") == ("a", "b")


def test_forced_forbidden_and_tied() -> None:
    twin = Twin(
        [(list("ab"), 2), (list("cd"), 2), (list("ef"), 2)], force=[("x", "y")], forbid=[("a", "b")]
    )
    forced, best = twin.train(2).merges
    assert (forced.token, forced.count, forced.forced) == ("xy", 0, True)
    assert (best.token, best.count, best.tied, best.n_tokens) == ("cd", 2, 2, 10)


def test_encoding_takes_the_first_learned_pair_first() -> None:
    merges = [("b", "c", "bc"), ("a", "b", "ab"), ("a", "bc", "abc")]
    assert encode(list("abcab"), merges) == ["abc", "ab"]
    assert encode(list("abcab"), merges, limit=1) == ["a", "bc", "a", "b"]
    assert gap_ranks(list("abcab"), merges, never=99) == [2, 0, 99, 1]


def test_sentencepiece_rules() -> None:
    good = [
        "▁",
        "▁a",
        "▁1",
        "1.",
        "かな",
        "漢かナー",
        "a\u0301b",
        "\u03011",
        "س\u200cس",
        "▁" + "a" * 15,
    ]
    bad = ["a1", "a.", "漢a", "a\u03011", "a▁", "▁▁", "a\tb", "▁" + "a" * 16]
    assert [piece for piece in good if not is_sentencepiece(piece)] == []
    assert [piece for piece in bad if is_sentencepiece(piece)] == []
