"""What is asked for a selection, and the line above the answers."""

from __future__ import annotations

import pytest

from bpe_studio.explain.why.answers import answer_pair
from bpe_studio.gui.why.panel import header_text
from bpe_studio.gui.why.questions import questions_of
from bpe_studio.workspace.selection import Kind, Selected
from tests.facts import says
from tests.trained import run_of_words


@pytest.mark.parametrize(
    ("pick", "asked"),
    [
        (None, {"pair": (None, 3)}),
        (Selected(Kind.word, word=2), {"word": (2, 3, 6)}),
        (Selected(Kind.token, 1), {"token": (1, 6), "containing_words": (1, 3)}),
        (Selected(Kind.pair, -1, 1, 2), {"pair": ((1, 2), 3)}),
    ],
)
def test_what_is_asked_for_a_pick(pick, asked):
    run = run_of_words(merges=6)
    found = questions_of(pick, run, 3, 6)
    assert {kind: question[1:] for kind, question in found.items()} == asked


def test_a_merge_is_asked_about_where_it_was_merged_and_a_candidate_at_the_step():
    run = run_of_words(merges=6)
    rank = 1
    left = int(run.columns.left[rank])
    right = int(run.columns.right[rank])
    token = run.token_of(rank)
    merge = Selected(Kind.merge, token, left, right)
    assert questions_of(merge, run, 5, 6)["pair"] == (run, (left, right), rank)
    assert set(questions_of(merge, run, 5, 6)) == {"pair", "token", "containing_words"}
    pair = Selected(Kind.pair, token, left, right)
    assert questions_of(pair, run, 5, 6)["pair"][2] == rank
    assert questions_of(pair, run, 0, 6)["pair"][2] == 0
    early = Selected(Kind.pair, -1, run.token_of(4), 0)
    assert questions_of(early, run, 1, 6)["pair"][2] == 5
    assert header_text(run, merge, None, 5) == "Merge 2"
    assert says(header_text(run, early, None, 1), "pair", "step 5")
    assert says(header_text(run, pair, None, 0), "candidate", "step 0", "merge 2")


def test_the_end_of_a_run_has_no_next_merge():
    run = run_of_words(words={"a": 3}, merges=6)
    assert header_text(run, None, answer_pair(run, None, 0), 0) == "There is no next merge"
