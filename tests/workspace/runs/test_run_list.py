"""Branches of a run, and going back to what was open, with the real engine."""

from __future__ import annotations

import time

import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.engine.training.trainer import Trainer, train
from bpe_studio.workspace.session import ROOT

TEXT = "hug pug pun bun hugs hug hug pun bunny bus rub tub\n" * 20


@pytest.fixture
def trained(make_workspace, watched, wait_for):
    workspace = make_workspace(config=TrainingConfig.preset("textbook", merges=8))
    workspace.watch = watched(workspace)
    workspace.changes = []
    workspace.undo_step_added.connect(workspace.changes.append)
    workspace.opener.open_text(TEXT, "Words")
    wait_for(workspace, "ready")
    workspace.transport.run_training()
    wait_for(workspace, "done")
    return workspace


def pairs(run):
    return [(merge.left, merge.right) for merge in run.merges]


def forced(step, left, right):
    return Override(step, OverrideKind.force, left, right)


def branched(workspace, wait_for, override, name=""):
    workspace.runs.branch_off(override, name)
    wait_for(workspace, "done")
    return workspace.runs.shown


def test_a_branch_begins_where_it_is_told_and_the_first_run_stays(trained, wait_for):
    main = trained.run
    before = pairs(main)
    branch = branched(trained, wait_for, forced(2, "b", "u"))
    assert trained.run is not main and branch.parent == ROOT and branch.number != ROOT
    assert pairs(trained.run)[:3] == [*before[:2], ("b", "u")]
    assert trained.run.columns.forced[:3].tolist() == [False, False, True]
    assert len(trained.run.merges) == trained.n_merges == 8  # as much as the other has learned
    assert trained.step == 3  # the merge that was forced is to be seen
    assert pairs(main) == before and len(trained.runs.entries) == 2


def test_switching_is_at_once_and_comes_back_to_where_one_was(trained, wait_for):
    main = trained.run
    trained.transport.go_to(5)
    branch = branched(trained, wait_for, forced(2, "b", "u"), "bu first")
    trained.transport.go_to(7)
    trained.runs.show(ROOT)
    assert (trained.run, trained.step, trained.n_merges, trained.state.name) == (main, 5, 8, "done")
    trained.runs.show(branch.number)
    assert trained.step == 7 and trained.runs.shown.name == "bu first"


def test_a_branch_that_was_left_learns_on_as_if_it_had_not_been(trained, wait_for):
    branched(trained, wait_for, forced(2, "b", "u"))
    trained.runs.show(ROOT)
    trained.transport.extend_target(3)
    trained.transport.run_training()
    wait_for(trained, "done")
    config = TrainingConfig.preset("textbook", merges=11)
    alone = train(Corpus.from_text(TEXT, config), config)
    assert pairs(trained.run) == pairs(alone)
    assert [merge.count for merge in trained.run.merges] == [merge.count for merge in alone.merges]


def test_making_a_branch_is_undone_and_redone(trained, wait_for):
    main = trained.run
    branch = branched(trained, wait_for, forced(2, "b", "u"))
    change = trained.changes[-1]
    trained.transport.go_to(6)
    change.undo()
    assert trained.run is main and len(trained.runs.entries) == 1
    change.redo()
    assert trained.run is branch.run and trained.step == 6 and len(trained.runs.entries) == 2


def test_names_are_changed_and_told_apart(trained, wait_for):
    one = branched(trained, wait_for, forced(2, "b", "u"), "try")
    trained.runs.show(ROOT)
    two = branched(trained, wait_for, forced(3, "b", "u"), "try")
    assert (one.name, two.name) == ("try", "try (2)")
    trained.runs.rename(two.number, "  later ")
    assert trained.runs.shown.name == "later"
    trained.changes[-1].undo()
    assert trained.runs.shown.name == "try (2)"
    n = len(trained.changes)
    trained.runs.rename(two.number, " ")
    assert len(trained.changes) == n and trained.runs.shown.name == "try (2)"


def test_what_cannot_be_forced_is_told_and_nothing_is_lost(trained, wait_for):
    before = (trained.run, trained.step, len(trained.runs.entries))
    trained.runs.branch_off(forced(2, "no", "such"))
    wait_for(trained, "failed")
    assert "no" in trained.watch.failures[-1].message
    assert (trained.run, trained.step, len(trained.runs.entries)) == before
    trained.leave_failure()
    assert trained.state.name == "done"


def test_a_branch_that_is_cancelled_in_the_middle_leaves_everything_as_it_was(
    trained, wait_for, qtbot, monkeypatch
):
    before = (trained.run, trained.step, trained.n_merges)
    merges = pairs(trained.run)
    advance = Trainer.advance

    def one_by_one(trainer, _, budget_s):
        time.sleep(0.05)
        return advance(trainer, 1, budget_s)

    monkeypatch.setattr(Trainer, "advance", one_by_one)
    trained.runs.branch_off(forced(2, "b", "u"))
    qtbot.waitUntil(
        lambda: trained.progress is not None and trained.progress.what == "Training the branch"
    )
    trained.cancel()
    wait_for(trained, "done")
    assert (trained.run, trained.step, trained.n_merges) == before and pairs(trained.run) == merges
    assert len(trained.runs.entries) == 1


def test_other_settings_begin_anew_and_undoing_them_brings_every_branch_back(trained, wait_for):
    branch = branched(trained, wait_for, forced(2, "b", "u"))
    trained.settings.apply(trained.config.replace(ties="greatest-bytes"))
    wait_for(trained, "ready")
    assert len(trained.runs.entries) == 1 and trained.n_merges == 0
    trained.changes[-1].undo()
    assert (
        trained.config.ties == "first-seen"
        and trained.run is branch.run
        and len(trained.runs.entries) == 2
    )
    trained.changes[-1].redo()
    assert trained.config.ties == "greatest-bytes" and trained.n_merges == 0
