"""The advisor as a person has it: what a size saves and costs, the knee, the held-out part, the largest vocabulary.

An acceptance test: see `tests/gui/acceptance/conftest.py`.
"""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QToolTip

from bpe_studio.workspace.state import State
from tests.gui.acceptance.compare_teach_take.comparer import ALPHABET, number, recounted, text_of
from tests.gui.acceptance.compare_teach_take.recount_sizes import OtherRun, knee, plain

SHARE = 20


@pytest.fixture
def reader(comparer):
    return comparer.opened("english")


def hold_out(comparer, percent):
    comparer.show_sizes("Advice")
    comparer.type_into("compare.hold_share", str(percent))
    comparer.key(Qt.Key.Key_Tab)
    comparer.click("compare.hold_out")
    comparer.wait(lambda: comparer.workspace.state is State.ready)
    comparer.rest()


def words_in_window(comparer):
    """The words that are learned from, and how often each stands, as the panel Corpus says."""
    return {row["word"]: int(number(row["count"])) for row in comparer.table("corpus.words")}


def name(word):
    return word.replace(" ", "␣").replace("\n", "⏎").replace("\u200c", "⟨ZWNJ⟩")


def parted(text, learned):
    """The lines of a text, parted into those that words say are learned from and the others.

    Nearly every line is known by words that stand in no other; the few others are what is left of the words.
    """
    lines = text.splitlines(keepends=True)
    words = [Counter(name(word) for word in recounted("english").words_of(line)) for line in lines]
    homes = Counter(word for line in words for word in line)
    is_kept: list[bool | None] = []
    for own in words:
        counts = {learned.get(word, 0) for word in own if homes[word] == 1}
        assert counts <= {0} or 0 not in counts, "a line was parted"
        is_kept.append(None if not counts else counts != {0})
    left = sum(words, Counter()) - Counter(learned)
    left.subtract(sum((own for own, kept in zip(words, is_kept, strict=True) if kept is False), Counter()))
    unknown = [k for k, kept in enumerate(is_kept) if kept is None and lines[k].strip()]
    empty = [k for k, kept in enumerate(is_kept) if kept is None and not lines[k].strip()]
    assert len(unknown) < 10
    for choice in product((True, False), repeat=len(unknown)):
        aside = sum((words[k] for k, kept in zip(unknown, choice, strict=True) if not kept), Counter())
        n_empty = left["⏎"] - aside["⏎"]
        aside["⏎"] += n_empty
        if 0 <= n_empty <= len(empty) and all(left[word] == aside[word] for word in left.keys() | aside.keys()):
            # Which of the empty lines they are nobody can tell.
            for at, k in enumerate(empty):
                is_kept[k] = at >= n_empty
            for k, kept in zip(unknown, choice, strict=True):
                is_kept[k] = kept
            break
    sides = [
        [(line, own) for line, own, kept in zip(lines, words, is_kept, strict=True) if kept is side]
        for side in (True, False)
    ]
    assert sum(map(len, sides)) == len(lines), "what is learned from is not some of the lines"
    return sides[0], sides[1]


def test_each_further_stretch_saves_what_a_recount_says(reader):
    plain_run = recounted("english")
    reader.show_sizes("Advice")
    rows = reader.table("compare.savings")
    assert [int(number(row["up to"])) for row in rows] == [ALPHABET + k for k in (100, 200, 300, 400, 500)]
    for k, row in enumerate(rows):
        before, after = plain_run.curve[100 * k], plain_run.curve[100 * (k + 1)]
        assert number(row["saves"]) == before - after
        assert abs(number(row["corpus"]) - 100 * (before - after) / before) < 0.0051
        assert row["held out"] == "–"


@pytest.mark.parametrize("sample", ("english", "persian"))
def test_the_knee_stands_where_its_definition_puts_it(comparer, sample):
    comparer.opened(sample)
    plain_run = recounted(sample)
    comparer.show_sizes("Curve")
    curve = comparer.find("compare.curve")
    comparer.wait(lambda: "The knee: " in plain(curve.accessibleDescription()))
    read = comparer.read_curve(plain(curve.accessibleDescription()).partition("The knee: ")[2])
    # Its definition is told where the mouse rests on it.
    comparer.write_sizes(str(read["vocabulary"]))
    comparer.wait(lambda: f"step {read['step']}\n" in plain(comparer.marks()[0]).replace(",", ""))
    mark = comparer.find("compare.mark_1")
    said = ""
    for y in range(4, mark.height(), 6):
        comparer.hover(mark, QPointF(mark.width() / 2, y))
        said = max(said, QToolTip.text(), key=len)
    assert "up to here a further merge saves more than the average merge of this run, from here on less" in plain(said)
    sizes = [ALPHABET + step for step in range(len(plain_run.curve))]
    assert read["step"] == knee(sizes, plain_run.curve, is_log=False)
    assert read["corpus"] == plain_run.curve[read["step"]]
    comparer.show_sizes("Advice")
    comparer.wait(lambda: f"{read['vocabulary']}, its knee" in plain(comparer.text("compare.advice")))


def test_a_held_out_part_is_whole_lines_that_nothing_is_learned_from(comparer):
    text = text_of("english")
    comparer.opened("english")
    merges, everything = comparer.rows("merges.table"), words_in_window(comparer)
    comparer.show_sizes("Advice")
    assert comparer.text("compare.held") == "Nothing is held out"
    assert "573 merges" in comparer.text("compare.hold_lost") and "Undo" in comparer.text("compare.hold_lost")
    hold_out(comparer, SHARE)
    assert comparer.rows("merges.table") == [] and f"{SHARE} % is held out" in comparer.text("compare.held")
    learned = words_in_window(comparer)
    kept, aside = parted(text, learned)
    assert sum((own for _, own in kept), Counter()) == learned
    n_held = sum(len(line.encode()) for line, _ in aside)
    assert abs(n_held / len(text.encode()) - SHARE / 100) < 0.04
    # The lines lie all over the text.
    order = text.splitlines(keepends=True)
    at = [order.index(line) for line, _ in aside]
    assert min(at) < len(order) / 4 and max(at) > 3 * len(order) / 4

    # What is learned now is what is learned from the other lines alone.
    apart = OtherRun(text="".join(line for line, _ in kept))
    comparer.learn()
    assert [row[3] for row in comparer.rows("merges.table")] == [str(each.count) for each in apart.merges]
    assert [row[2] for row in comparer.rows("merges.table")] == [name(each.token.decode()) for each in apart.merges]
    held = "".join(line for line, _ in aside)
    comparer.show_sizes("Curve")
    comparer.write_sizes("300 400 500")
    for said in comparer.marks():
        read = comparer.read_curve(said)
        assert read["corpus"] == apart.curve[read["step"]]
        assert read["held-out text"] == len(apart.tokens_of(held, read["step"]))
    comparer.show_sizes("Advice")
    for k, row in enumerate(comparer.table("compare.savings")):
        before, after = (len(apart.tokens_of(held, 100 * n)) for n in (k, k + 1))
        assert abs(number(row["held out"]) - 100 * (before - after) / before) < 0.0051
    top = ALPHABET + len(apart.merges)
    comparer.wait(lambda: f"From 300 to {top} the corpus" in plain(comparer.text("compare.advice")))
    said = plain(comparer.text("compare.advice"))
    begin, end = 300 - ALPHABET, len(apart.merges)
    own = 100 * (apart.curve[begin] - apart.curve[end]) / apart.curve[begin]
    others = [len(apart.tokens_of(held, step)) for step in (begin, end)]
    aside_share = 100 * (others[0] - others[1]) / others[0]
    assert f"shrinks by {round(own)} %, the held-out text by {round(aside_share)} %" in said

    # And undone, all of it is learned from, with the merges that there were.
    comparer.undo()
    comparer.wait(lambda: comparer.text("compare.held") == "Nothing is held out")
    comparer.rest()
    assert comparer.rows("merges.table") == merges and words_in_window(comparer) == everything
