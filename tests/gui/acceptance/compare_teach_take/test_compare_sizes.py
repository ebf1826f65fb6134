"""Sizes side by side on the typed text and on the corpus, and the curve with its marks, as a person has them.

An acceptance test: see `tests/gui/acceptance/conftest.py`.
"""

from __future__ import annotations

import pytest

from tests.gui.acceptance.compare_teach_take.comparer import (
    ALPHABET,
    PHRASES,
    TEN,
    number,
    recounted,
    text_of,
)
from tests.gui.acceptance.compare_teach_take.recount_sizes import Measured, shown

SAMPLES = ("english", "persian")


def compare_ten(comparer, sample):
    comparer.opened(sample)
    comparer.click("text.input")
    comparer.type(PHRASES[sample])
    comparer.show_sizes("Numbers")
    comparer.write_sizes(", ".join(map(str, TEN)))
    return recounted(sample)


def is_share(cell, share):
    return abs(number(cell) - 100 * share) <= 0.0501


def is_ratio(cell, ratio):
    return abs(number(cell) - ratio) <= 0.00501


def held_to(row, group, measured):
    assert number(row[f"{group}: tokens"]) == measured.n_tokens
    assert is_ratio(row[f"{group}: bytes/token"], measured.n_bytes / measured.n_tokens)
    assert is_ratio(row[f"{group}: fertility"], measured.n_tokens / measured.n_words)
    assert number(row[f"{group}: unused"]) == measured.n_unused
    assert is_share(row[f"{group}: 90 % coverage"], measured.n_working / measured.n_entries)


@pytest.mark.parametrize("sample", SAMPLES)
def test_ten_sizes_say_of_text_and_corpus_what_a_recount_says(comparer, sample):
    plain_run = compare_ten(comparer, sample)
    table = comparer.table("compare.table")
    assert [int(number(row["vocabulary"])) for row in table] == [*TEN, ALPHABET + len(plain_run.merges)]
    text, phrase = text_of(sample), PHRASES[sample]
    first_text, first_corpus = (number(table[0][f"{group}: tokens"]) for group in ("typed text", "corpus"))
    for k, row in enumerate(table):
        step = int(number(row["step"]))
        assert number(row["vocabulary"]) == ALPHABET + step
        vocabulary = plain_run.vocabulary(step)
        corpus = Measured.of(plain_run.tokens(step), text, vocabulary)
        held_to(row, "corpus", corpus)
        assert number(row["corpus: rare"]) == corpus.n_rare(20)
        typed = Measured.of(plain_run.tokens_of(phrase, step), phrase, vocabulary)
        held_to(row, "typed text", typed)
        assert is_ratio(row["typed text: chars/token"], len(phrase) / typed.n_tokens)
        if k:
            assert is_share(row["typed text: change"], typed.n_tokens / first_text - 1)
            assert is_share(row["corpus: change"], corpus.n_tokens / first_corpus - 1)


def places(tokens):
    """Where each token ends, in bytes."""
    ends, at = set(), 0
    for token in tokens:
        at += len(token)
        ends.add(at)
    return ends


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_longest_words_are_cut_by_each_size(newcomer, sample):
    plain_run = compare_ten(newcomer, sample)
    newcomer.show_sizes("Words")
    newcomer.wait(lambda: len(newcomer.rows("compare.words")) > len(TEN))
    rows = newcomer.table("compare.words")
    model = newcomer.find("compare.words").model()
    words = list(dict.fromkeys(row["word"] for row in rows))
    assert [len(word) for word in words] == [len(word) for word in plain_run.longest_words(len(words))]
    by_name = {shown(word.encode()): word for word in plain_run.counts}
    assert len(rows) == len(words) * (len(TEN) + 1)
    n_lit = 0
    for k, row in enumerate(rows):
        word, step = by_name[row["word"]], int(number(row["vocabulary"])) - ALPHABET
        cut, first = plain_run.cut(word, step), plain_run.cut(word, TEN[0] - ALPHABET)
        assert int(number(row["tokens"])) == len(cut)
        assert row["cut"].split(" | ") == [shown(token) for token in cut]
        # Outlined is what the size that the others are compared with does not have there.
        ends, begin, lit = places(first), 0, set()
        for at, token in enumerate(cut):
            if (
                begin not in ends | {0}
                or begin + len(token) not in ends
                or any(begin < end < begin + len(token) for end in ends)
            ):
                lit.add(at)
            begin += len(token)
        assert set(model.highlighted(k)) == lit
        n_lit += len(lit)
    assert n_lit > 20


def test_the_curve_is_that_of_one_run_from_end_to_end(comparer):
    plain_run = compare_ten(comparer, "english")
    comparer.show_sizes("Curve")
    words = comparer.find("compare.curve").accessibleDescription()
    phrase = PHRASES["english"]
    ends = words.removeprefix("From ").partition(". The knee")[0].split(" to ")
    for said, step in zip(ends, (0, len(plain_run.merges)), strict=True):
        read = comparer.read_curve(said)
        assert (read["step"], read["corpus"]) == (step, plain_run.curve[step])
        assert read["your text"] == len(plain_run.tokens_of(phrase, step))
    for size, said in zip(TEN, comparer.marks(), strict=True):
        read = comparer.read_curve(said)
        assert (read["vocabulary"], read["step"]) == (size, size - ALPHABET)
        assert read["corpus"] == plain_run.curve[size - ALPHABET]
        assert read["your text"] == len(plain_run.tokens_of(phrase, size - ALPHABET))


@pytest.mark.parametrize("is_log", (True, False))
def test_a_mark_is_dragged_and_the_numbers_follow(comparer, is_log):
    plain_run = compare_ten(comparer, "english")
    comparer.clear_sizes("300 500")
    comparer.show_sizes("Curve")
    if not is_log:
        comparer.click("compare.log")
    first, second = (comparer.find(f"compare.mark_{n}").geometry().center().x() for n in (1, 2))
    wanted = (first + second) // 2
    comparer.drag_mark(1, wanted)
    mark = comparer.find("compare.mark_1")
    assert abs(mark.geometry().center().x() - wanted) <= 2
    read = comparer.read_curve(mark.accessibleDescription())
    halfway = 400 if not is_log else round((300 * 500) ** 0.5)
    assert abs(read["vocabulary"] - halfway) <= 4
    assert read["corpus"] == plain_run.curve[read["step"]]
    comparer.show_sizes("Numbers")
    assert list(comparer.sizes()) == [read["vocabulary"], 500]
    assert number(comparer.sizes()[read["vocabulary"]]["corpus: tokens"]) == plain_run.curve[read["step"]]
