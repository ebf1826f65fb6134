"""The pairs that could be merged next, and why the first of them wins."""

from __future__ import annotations

from bpe_studio.engine.tie_rules import TIE_RULES
from bpe_studio.engine.training.branch import branch
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.explain.candidates import list_candidates
from tests.facts import says
from tests.trained import WORDS, run_of_words


def test_every_step_has_its_own_reason():
    run = run_of_words({"ab": 2, "cd": 1})
    assert says(list_candidates(run, 0).reason, "a + b", "2 times", "1 more")
    assert says(list_candidates(run, 1).reason, "c + d", "once", "no other pair")
    assert says(list_candidates(run, 2).reason, "No pair is left")


def test_a_pair_below_the_least_count_is_not_next():
    answer = list_candidates(run_of_words({"ab": 2, "cd": 1}, min_frequency=2), 1)
    assert [row.mark for row in answer.rows] == [""]
    assert says(answer.reason, "no pair occurs twice")


def test_a_forced_pair_is_next_whatever_its_count():
    answer = list_candidates(run_of_words(WORDS, force=(("b", "u"),)), 0)
    assert [row.left + row.right for row in answer.rows if row.mark == "next"] == ["bu"]
    assert answer.reason.startswith("b + u is next because the settings force it")


def test_a_branch_says_who_forced_a_pair_and_which_rule_held_when():
    run = run_of_words({"cd": 3, "ab": 3, "e": 1, "xy": 2})
    changed = branch(run, Override(1, OverrideKind.ties, ties="huggingface")).run_record
    assert TIE_RULES["first-seen"].words in list_candidates(changed, 0).reason
    trainer = branch(run, Override(0, OverrideKind.force, "x", "y"))
    trainer.run()
    assert says(list_candidates(trainer.run_record, 0).reason, "x + y", "you forced it")
    assert says(list_candidates(trainer.run_record, 1).reason, "2 pairs", "3 times")


def test_the_winner_is_the_merge_that_the_run_took():
    run = run_of_words(WORDS)
    for step, merge in enumerate(run.merges):
        (row,) = [row for row in list_candidates(run, step).rows if row.mark == "next"]
        assert (row.left, row.right, row.count) == (merge.left, merge.right, merge.count)
