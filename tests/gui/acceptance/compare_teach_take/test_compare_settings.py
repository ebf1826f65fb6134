"""Two runs over the same text by other settings: where they part, why, and what they share, as a person reads it.

An acceptance test: see `tests/gui/acceptance/conftest.py`.
"""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import Qt

from bpe_studio.gui.main_window import MainWindow
from bpe_studio.workspace.state import State
from tests.gui.acceptance.compare_teach_take.comparer import ALPHABET, PHRASES, Comparer, number, recounted
from tests.gui.acceptance.compare_teach_take.recount_sizes import plain, shown
from tests.gui.hand import CONTROL, SHIFT

OTHERS = {
    "split cl100k": ({"split": "cl100k"}, "The text is split into words differently"),
    "split none": ({"split": "none"}, "The text is split into words differently"),
    "characters": ({"units": "characters"}, "The runs break a tie differently"),
    "ties first-seen": ({"ties": "first-seen"}, "The runs break a tie differently"),
    "lowercased text": ({"is_lowercase": True}, "The text is normalized differently before it is counted"),
    "subword-nmt": (
        {"split": "whitespace", "units": "characters", "ties": "subword-nmt", "has_end": True},
        "",
    ),
}
"""Other settings, for the recount, and the reason that the window is to give; none where several may be meant."""


def learn_other(comparer, other):
    """Ask for a run by other settings: by the buttons, the dialog or the palette."""
    if other in ("characters", "ties first-seen"):
        comparer.show_panel("Difference")
        comparer.click(f"branches.try_{other.split()[0]}")
    elif other == "lowercased text":
        comparer.key(Qt.Key.Key_P, CONTROL | SHIFT)
        comparer.type("lowercased text")
        comparer.key(Qt.Key.Key_Return)
    else:
        comparer.ask_for_a_run()
        if other == "subword-nmt":
            comparer.choose("new_run.preset", other)
        else:
            comparer.choose("new_run.split", {"split cl100k": "cl100k (GPT-4)"}.get(other, "none"))
        comparer.click("new_run.learn")
    comparer.learned_beside(2)


def pair_words(learned):
    """A pair in a sentence: what is punctuation alone is in quotes."""
    names = [shown(token) for token in learned.pair]
    return " + ".join(f"“{each}”" if set(each.lstrip("␣")) & set(".,;:'\"") and len(each.lstrip("␣")) == 1 else each
                      for each in names)  # fmt: skip


def times(n):
    return "once" if n == 1 else f"{n} times"


@pytest.mark.parametrize("other", OTHERS)
def test_where_two_runs_part_and_why(comparer, other):
    settings, headline = OTHERS[other]
    comparer.opened("english")
    a, b = recounted("english"), recounted("english", **settings)
    learn_other(comparer, other)
    comparer.show_difference()
    rank = a.divergence(b)
    assert comparer.text("difference.first") == f"Go to merge {rank}, the first difference"
    facts = comparer.facts()
    for side, run in enumerate((a, b)):
        assert facts[f"merge {rank}"][side] == pair_words(run.merges[rank])
        assert number(facts["its count"][side]) == run.merges[rank].count
    if headline:
        assert comparer.text("difference.why_headline") == headline
    said = plain(comparer.text("difference.why_text"))
    own = [run.pairs(rank)[run.merges[rank].pair] for run in (a, b)]
    its = [a.pairs(rank)[b.merges[rank].pair], b.pairs(rank)[a.merges[rank].pair]]
    assert own == [run.merges[rank].count for run in (a, b)]
    if len({*own, *its}) == 1:
        assert f"each of the two pairs occurs {own[0]} times" in said
    else:
        for k, (letter, run) in enumerate((("A", a), ("B", b))):
            assert f"{letter} merges {pair_words(run.merges[rank])}, which occurs {times(own[k])} there" in said
            pair = pair_words((b, a)[k].merges[rank])
            if f"as {letter} lacks one of its tokens" not in said:
                occurs = f"occurs {times(its[k])} there" if its[k] else "never occurs there"
                assert f"pair, {pair}, {occurs}" in said
            else:
                assert not its[k]


@pytest.mark.parametrize("other", ("split none", "ties first-seen", "lowercased text"))
def test_what_they_share_as_they_grow(comparer, other):
    comparer.opened("english")
    a, b = recounted("english"), recounted("english", **OTHERS[other][0])
    learn_other(comparer, other)
    end = min(len(a.merges), len(b.merges))
    comparer.show_sizes("Numbers")
    comparer.write_sizes(f"{ALPHABET + 300} {ALPHABET + 60}")
    for step in (end, 300, 60):
        comparer.show_difference()
        comparer.choose("difference.a", "Main run" if step == end else f"size {ALPHABET + step}")
        comparer.compared()
        said = plain(comparer.find("difference.overlap").accessibleDescription())
        shares = [float(found) for found in re.findall(r"([\d.]+) ?%", said)]
        assert any(abs(share - 100 * a.overlap(b, step)) <= 0.0501 for share in shares), said
        own, its = set(a.vocabulary(step)), set(b.vocabulary(step))
        found = [int(number(each)) for each in re.findall(r"[\d,]*\d", comparer.text("difference.shares"))]
        assert found[:3] == [len(own - its), len(its - own), len(own & its)]
        facts = comparer.facts()
        for side, run in enumerate((a, b)):
            assert number(facts["vocabulary"][side]) == ALPHABET + step
            assert number(facts["corpus tokens"][side]) == run.curve[step]
        names = {row[0] for row in comparer.rows("difference.own_a")}
        assert names == {shown(token) for token in own - its}


def test_the_way_to_the_parting_and_back_by_undo(comparer):
    comparer.opened("persian")
    a, b = recounted("persian"), recounted("persian", ties="first-seen")
    learn_other(comparer, "ties first-seen")
    comparer.show_difference()
    comparer.click("difference.first")
    comparer.rest()
    assert comparer.step == a.divergence(b) + 1
    comparer.undo()
    comparer.wait(lambda: len(comparer.workspace.runs.entries) == 1)
    comparer.rest()
    assert len(comparer.rows("merges.table")) == len(a.merges)


def everything(comparer):
    """All that the two panels say of what is open."""
    comparer.show_sizes("Numbers")
    found = {"numbers": comparer.table("compare.table")}
    comparer.show_sizes("Curve")
    comparer.wait(lambda: "your text" in comparer.find("compare.curve").accessibleDescription())
    found["curve"] = comparer.find("compare.curve").accessibleDescription()
    found["marks"] = comparer.marks()
    comparer.show_sizes("Advice")
    comparer.wait(lambda: "From 290 to" in plain(comparer.text("compare.advice")))
    found["advice"], found["held"] = comparer.text("compare.advice"), comparer.text("compare.held")
    found["savings"] = comparer.table("compare.savings")
    comparer.show_panel("Difference")
    comparer.compared()
    found["runs"] = comparer.rows("runs.table")
    comparer.show_difference()
    found["parting"] = [comparer.text(f"difference.{name}") for name in ("first", "shares", "cost")]
    found["why"] = comparer.text("difference.why_text")
    return found


@pytest.mark.parametrize("sample", ("english", "persian"))
def test_a_document_opens_on_a_fresh_start_as_it_was(comparer, qtbot, sample, tmp_path, monkeypatch):
    comparer.open_sample(sample)
    comparer.show_panel("Compare")
    comparer.click_tab("compare.tab_bar", "Advice")
    comparer.type_into("compare.hold_share", "15")
    comparer.key(Qt.Key.Key_Tab)
    comparer.click("compare.hold_out")
    comparer.wait(lambda: comparer.workspace.state is State.ready and "15 %" in comparer.text("compare.held"))
    comparer.rest()
    comparer.learn()
    comparer.click("text.input")
    comparer.type(PHRASES[sample])
    comparer.show_sizes("Numbers")
    comparer.write_sizes("290 350 410")
    learn_other(comparer, "split cl100k")
    before = everything(comparer)
    path = comparer.save_document(monkeypatch, tmp_path / "mine.bpestudio")
    fresh = MainWindow()
    qtbot.addWidget(fresh)
    fresh.resize(1720, 1040)
    fresh.show()
    try:
        other = Comparer(fresh, qtbot)
        fresh.activateWindow()
        other.wait(fresh.isActiveWindow)
        other.open_file(monkeypatch, path)
        other.wait(lambda: other.workspace.n_merges > 0)
        after = everything(other)
        for name, said in before.items():
            assert after[name] == said
        assert "held-out text" in after["curve"] and len(after["runs"]) == 2
        assert "15 % is held out" in after["held"]
    finally:
        fresh.close()
        fresh.workspace.shutdown()
