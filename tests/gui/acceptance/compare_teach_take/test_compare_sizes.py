"""Sizes side by side on the typed text and on the corpus, and the curve with its marks, as a person has them.

An acceptance test: see `tests/gui/acceptance/conftest.py`.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from bpe_studio.workspace.state import State
from tests.gui.acceptance.compare_teach_take.comparer import (
    ALPHABET,
    PHRASES,
    TEN,
    number,
    recounted,
    text_of,
)
from tests.gui.acceptance.compare_teach_take.recount_sizes import Measured, shown
from tests.gui.hand import SHIFT

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


def test_what_is_rare_is_what_the_person_calls_rare(comparer):
    plain_run = compare_ten(comparer, "english")
    comparer.type_into("compare.rare", "3")
    comparer.key(Qt.Key.Key_Return)
    comparer.settle()
    for size, row in comparer.sizes().items():
        step = size - ALPHABET
        corpus = Measured.of(plain_run.tokens(step), text_of("english"), plain_run.vocabulary(step))
        assert number(row["corpus: rare"]) == corpus.n_rare(3)


def test_the_typed_text_changes_and_its_numbers_follow(comparer):
    plain_run = compare_ten(comparer, "english")
    typed = "unbelievable bridges\nand the river 🌉"
    n_tokens = len(plain_run.tokens_of(typed, len(plain_run.merges)))
    comparer.type_into("text.input", typed)
    comparer.wait(lambda: number(comparer.table("compare.table")[-1]["typed text: tokens"]) == n_tokens)
    comparer.settle()
    for size, row in comparer.sizes().items():
        step = size - ALPHABET
        held_to(
            row, "typed text", Measured.of(plain_run.tokens_of(typed, step), typed, plain_run.vocabulary(step))
        )  # fmt: skip


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


def test_the_text_stands_side_by_side_with_the_differences_lit(comparer):
    plain_run = compare_ten(comparer, "english")
    comparer.clear_sizes("330 500")
    comparer.show_sizes("Text")
    phrase = PHRASES["english"]
    cuts = [plain_run.tokens_of(phrase, size - ALPHABET) for size in (330, 500, ALPHABET + 573)]
    comparer.wait(lambda: "|" in comparer.find("compare.text_3").accessibleDescription())
    for n, cut in enumerate(cuts, 1):
        said = comparer.find(f"compare.text_{n}").accessibleDescription()
        assert f"{len(cut)} tokens" in said
        assert said.endswith("|".join(token.decode() for token in cut))
    # Cuts that another column has joined are lit; the last column has the fewest, and in it the others' are joined.
    contents = [comparer.find(f"compare.text_{n}").content for n in (1, 2, 3)]
    ends = [places(cut) for cut in cuts]
    for own, content in zip(ends, contents, strict=True):
        others = [each for each in ends if each is not own]
        assert set(content.cut_here) == {end for end in own if any(end not in each for each in others)}
        assert set(content.joined_here) == {end for each in others for end in each} - own


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


def test_a_mark_is_dragged_past_another_and_no_size_is_lost(comparer):
    plain_run = compare_ten(comparer, "english")
    comparer.clear_sizes("300 400 500")
    comparer.show_sizes("Curve")
    beyond = comparer.find("compare.mark_3").geometry().center().x() + 60
    comparer.drag_mark(1, beyond)
    read = [comparer.read_curve(said) for said in comparer.marks()]
    assert len(read) == 3 and {400, 500} < {each["vocabulary"] for each in read}
    assert max(each["vocabulary"] for each in read) > 520
    assert all(each["corpus"] == plain_run.curve[each["step"]] for each in read)


def test_a_mark_is_moved_by_keys_and_taken_out(comparer):
    plain_run = compare_ten(comparer, "english")
    comparer.clear_sizes("300 500")
    comparer.show_sizes("Curve")
    comparer.click("compare.mark_1")

    def size():
        comparer.settle()
        read = comparer.read_curve(comparer.marks()[0])
        assert read["corpus"] == plain_run.curve[read["step"]]
        return read["vocabulary"]

    assert size() == 300
    comparer.key(Qt.Key.Key_Right, SHIFT)
    assert size() == 301
    comparer.key(Qt.Key.Key_Left, SHIFT)
    comparer.key(Qt.Key.Key_Left, SHIFT)
    assert size() == 299
    comparer.key(Qt.Key.Key_Right)
    by_arrow = size()
    assert by_arrow > 299
    comparer.key(Qt.Key.Key_PageUp)
    assert size() > by_arrow + 5
    comparer.key(Qt.Key.Key_Home)
    assert size() == ALPHABET
    comparer.key(Qt.Key.Key_Return)
    comparer.wait(lambda: comparer.step == 0)
    comparer.key(Qt.Key.Key_Delete)
    comparer.settle()
    assert [comparer.read_curve(said)["vocabulary"] for said in comparer.marks()] == [500]


def test_what_is_no_size_is_said_and_can_be_mended(comparer):
    compare_ten(comparer, "persian")
    comparer.type_into("compare.sizes", "300, 9000")
    comparer.key(Qt.Key.Key_Return)
    assert "9,000" in comparer.text("compare.bad") and "658" in comparer.text("compare.bad")
    assert list(comparer.sizes()) == list(TEN)
    comparer.write_sizes("301, 0.5k")
    assert sorted(comparer.sizes()) == sorted({*TEN, 301})


def test_it_invites_before_there_is_a_run_and_counts_while_it_learns(newcomer):
    newcomer.open_sample("english")
    newcomer.show_panel("Compare")
    newcomer.click_tab("compare.tab_bar", "Curve")
    assert "train" in newcomer.find("compare.curve").accessibleDescription()
    assert not any(each.isVisible() for each in newcomer.window.findChildren(object, "compare.bad"))
    plain_run = recounted("english")
    for _ in range(3):
        newcomer.key(Qt.Key.Key_F8)
    newcomer.wait(lambda: newcomer.step == 3)
    newcomer.wait(lambda: "step 3" in newcomer.find("compare.curve").accessibleDescription())
    newcomer.find("transport.speed").setFocus(Qt.FocusReason.TabFocusReason)
    newcomer.key(Qt.Key.Key_Home)
    newcomer.click_tab("compare.tab_bar", "Numbers")
    newcomer.key(Qt.Key.Key_F5)
    newcomer.wait(lambda: newcomer.workspace.state is State.running and newcomer.workspace.n_merges > 4)
    newcomer.wait(lambda: number(newcomer.table("compare.table")[-1]["step"]) > 3)
    row = newcomer.table("compare.table")[-1]
    group = next(head.partition(":")[0] for head in row if head.endswith("corpus: tokens"))
    assert number(row[f"{group}: tokens"]) == plain_run.curve[int(number(row["step"]))]
    newcomer.key(Qt.Key.Key_F5)
    newcomer.wait(lambda: newcomer.workspace.state is State.paused)
