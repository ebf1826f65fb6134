"""Runs beside: the open text learned once more by other settings, with the real engine."""

from __future__ import annotations

import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.engine.training.trainer import train
from bpe_studio.workspace.session import ROOT

TEXT = "Hug pug 1234 pun bun hugs hug's hug pun bunny bus rub tub été\n" * 20
CONFIG = TrainingConfig.preset("gpt2", vocab_size=257 + 20)
SPLIT = CONFIG.replace(split="cl100k")
TIES = CONFIG.replace(ties="first-seen")


@pytest.fixture
def trained(make_workspace, watched, wait_for, tmp_path):
    path = tmp_path / "words.txt"
    path.write_text(TEXT, "utf-8")
    workspace = make_workspace(config=CONFIG)
    workspace.watch = watched(workspace)
    workspace.changes = []
    workspace.undo_step_added.connect(workspace.changes.append)
    workspace.opener.open_files([path])
    wait_for(workspace, "ready")
    workspace.transport.run_training()
    wait_for(workspace, "done")
    return workspace


def pairs(run):
    return [(merge.left, merge.right) for merge in run.merges]


def beside(workspace, qtbot, config, name=""):
    n = len(workspace.runs.entries)
    workspace.side_runs.train(config, name)
    qtbot.waitUntil(lambda: len(workspace.runs.entries) > n or workspace.state.name == "failed")
    return workspace.runs.entries[-1]


def test_another_split_has_a_corpus_of_its_own_and_what_is_shown_stays(trained, qtbot):
    run = trained.run
    corpus = trained.corpus
    trained.transport.go_to(11)
    one = beside(trained, qtbot, SPLIT)
    assert (trained.run, trained.corpus, trained.step, trained.state.name) == (
        run,
        corpus,
        11,
        "done",
    )
    assert (one.name, one.parent, one.override, one.is_side_run) == (
        "split GPT-4 (cl100k)",
        None,
        None,
        True,
    )
    assert one.corpus is not corpus and one.corpus.request is corpus.request
    alone = train(Corpus.from_text(TEXT, SPLIT), SPLIT)
    assert pairs(one.run) == pairs(alone) and one.run.gaps.tolist() == alone.gaps.tolist()
    assert list(one.corpus.corpus.items()) == list(alone.corpus.items())
    heard = []
    trained.corpus_changed.connect(lambda: heard.append(trained.corpus))
    trained.runs.show(one.number)
    assert (trained.run, trained.corpus, trained.config.split) == (one.run, one.corpus, "cl100k")
    assert heard == [one.corpus] and trained.step == 11 and trained.state.name == "done"
    trained.runs.show(ROOT)
    assert heard == [one.corpus, corpus] and (trained.run, trained.step) == (run, 11)


@pytest.mark.parametrize("merges", [5, 500])
def test_it_learns_to_the_vocabulary_size_that_the_run_shown_has_reached(
    make_workspace, wait_for, qtbot, merges
):
    workspace = make_workspace(config=CONFIG.replace(full_alphabet=False, vocab_size=36))
    workspace.opener.open_text(TEXT)
    wait_for(workspace, "ready")
    workspace.transport.run_training()
    wait_for(workspace, "done")
    one = beside(workspace, qtbot, TrainingConfig.preset("textbook", merges=merges))
    assert one.run.n_alphabet != workspace.run.n_alphabet
    assert (
        one.run.vocab_size_at(one.position.n_merges)
        == 36
        == workspace.run.vocab_size_at(workspace.n_merges)
    )
    assert (
        one.position.n_merges == len(one.run.merges) and one.position.step == one.position.n_merges
    )
    assert one.position.target == max(one.position.n_merges, merges) == one.config.merges
    assert one.name == "Textbook"


def test_it_branches_and_is_removed_with_its_branches(trained, qtbot, wait_for):
    one = beside(trained, qtbot, SPLIT)
    trained.runs.show(one.number)
    trained.runs.branch_off(Override(2, OverrideKind.force, "b", "u"))
    wait_for(trained, "done")
    branch = trained.runs.shown
    assert branch.parent == one.number and branch.corpus is one.corpus and not branch.is_side_run
    trained.runs.remove(one.number)
    assert [each.number for each in trained.runs.entries] == [ROOT] == [trained.runs.shown.number]
    assert trained.corpus.corpus.config.split == "gpt2"
    trained.changes[-1].undo()
    assert trained.runs.shown.number == branch.number and trained.corpus is one.corpus


def test_it_learns_on_when_it_is_shown(trained, qtbot, wait_for):
    one = beside(trained, qtbot, SPLIT)
    trained.runs.show(one.number)
    trained.transport.extend_target(9)
    trained.transport.run_training()
    wait_for(trained, "done")
    alone = train(Corpus.from_text(TEXT, SPLIT), SPLIT.replace(vocab_size=257 + 29))
    assert pairs(one.run) == pairs(alone) and one.run is trained.run


def test_names_are_told_apart_and_the_same_settings_are_not_learned_twice(trained, qtbot):
    names = [beside(trained, qtbot, SPLIT, name).name for name in ("other",)]
    names.append(beside(trained, qtbot, TIES, " other ").name)
    assert names == ["other", "other (2)"]
    trained.side_runs.train(SPLIT.replace(vocab_size=900))
    assert "“other” has these settings already" in trained.watch.notices[-1]
    trained.side_runs.train(CONFIG)
    assert "“Main run”" in trained.watch.notices[-1] and len(trained.runs.entries) == 3


def test_what_is_picked_is_found_again_where_another_cut_is_shown(trained, qtbot):
    one = beside(trained, qtbot, SPLIT)
    trained.selection.select_word(0)
    trained.selection.select_token(trained.run.find_token("un"))
    trained.runs.show(one.number)
    assert one.run.token_name(trained.selection.current.token) == "un"
    trained.selection.go_back()
    assert trained.selection.current.kind.value == "token", "a word is of one cut"


def everything(workspace):
    return {
        "branches": [
            (
                each.number,
                each.name,
                each.parent,
                each.override,
                each.config,
                each.position,
                list(each.corpus.corpus.items()),
                pairs(each.run),
                each.run.gaps.tolist(),
            )
            for each in workspace.runs.entries
        ],
        "shown": (
            workspace.runs.shown.number,
            workspace.step,
            workspace.config,
            list(workspace.corpus.corpus.items()),
        ),
    }


@pytest.fixture
def saved(trained, qtbot, wait_for, tmp_path):
    """A document of a run, one beside with a branch, one beside over the same words, and the branch
    shown.
    """
    one = beside(trained, qtbot, SPLIT)
    beside(trained, qtbot, TIES)
    trained.runs.show(one.number)
    trained.runs.branch_off(Override(3, OverrideKind.force, "b", "u"))
    wait_for(trained, "done")
    trained.transport.go_to(5)
    path = tmp_path / "words.bpestudio"
    with qtbot.waitSignal(trained.document_changed):
        trained.saver.save_document(path)
    return path


def test_a_document_brings_runs_beside_back(trained, saved, make_workspace, wait_for, qtbot):
    other = make_workspace()
    other.opener.open_files([saved])
    wait_for(other, "done")
    assert everything(other) == everything(trained)
    requests = {id(each.corpus.request) for each in other.runs.entries}
    assert len(requests) == 1 and other.runs.entries[2].corpus is other.runs.entries[0].corpus
    assert other.runs.entries[3].corpus is other.runs.entries[1].corpus
    other.runs.show(ROOT)
    trained.runs.show(ROOT)
    again = saved.with_name("again.bpestudio")
    with qtbot.waitSignal(other.document_changed):
        other.saver.save_document(again)
    with qtbot.waitSignal(trained.document_changed):
        trained.saver.save_document(saved)
    assert again.read_bytes() == saved.read_bytes()
    other.opener.locate_text(trained.corpus.request.paths)
    wait_for(other, "done")
    assert beside(other, qtbot, CONFIG.replace(split="whitespace")).name == "split white space"
