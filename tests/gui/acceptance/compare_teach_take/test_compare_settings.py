"""Two runs over the same text by other settings: where they part, why, and what they share, as a person reads it.

An acceptance test: see `tests/gui/acceptance/conftest.py`.
"""

from __future__ import annotations

import pytest

from tests.gui.acceptance.compare_teach_take.comparer import number, recounted
from tests.gui.acceptance.compare_teach_take.recount_sizes import plain, shown

OTHERS = {
    "split cl100k": ({"split": "cl100k"}, "The text is split into words differently"),
    "ties first-seen": ({"ties": "first-seen"}, "The runs break a tie differently"),
}
"""Other settings, for the recount, and the reason that the window is to give."""


def learn_other(comparer, other):
    """Ask for a run by other settings: by one click or the dialog."""
    if other == "ties first-seen":
        comparer.show_panel("Compare")
        comparer.add("Run", "Ties first-seen")
    else:
        comparer.ask_for_a_run()
        comparer.choose("new_run.split", "cl100k (GPT-4)")
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
