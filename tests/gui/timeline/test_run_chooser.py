"""The run chooser: what names the run that is shown, how the others differ, and what is seen where room is short."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.gui.timeline.run_chooser import RunChooser

TEXT = "the cat sat on the mat, and the rat that ate the oats was chased by a dog " * 4


@pytest.fixture
def workspace(qtbot, trained_workspace):
    workspace = trained_workspace(TEXT, TrainingConfig.preset("gpt2", merges=30))
    merge = workspace.run.merges[3]
    workspace.runs.branch_off(Override(3, OverrideKind.forbid, merge.left, merge.right))
    qtbot.waitUntil(lambda: len(workspace.runs.entries) == 2 and workspace.progress is None)
    return workspace


@pytest.fixture
def chooser(qtbot, workspace):
    chooser = RunChooser(workspace)
    qtbot.addWidget(chooser)
    chooser.resize(chooser.sizeHint())
    chooser.show()
    return chooser


def pair_of(workspace):
    override = workspace.runs.entries[1].override
    return f"{override.left} + {override.right}".replace("Ġ", "␣")


def test_a_branch_without_a_name_is_named_as_its_pair_is_seen(workspace):
    assert "Ġ" in workspace.runs.entries[1].override.left, "or this shows nothing"
    assert workspace.runs.entries[1].name == f"forbid {pair_of(workspace)} from step 3 on"


def test_it_names_run_preset_and_text(workspace, chooser):
    assert chooser.shown_text == f"forbid {pair_of(workspace)} from step 3 on · gpt2 · a text"
    assert chooser.accessibleDescription() == chooser.shown_text
    assert f"Branches from Main run at step 3: forbid {pair_of(workspace)}" in chooser.toolTip()
    workspace.runs.show(0)
    assert chooser.shown_text == "Main run · gpt2 · a text"
    assert "30 merges learned" in chooser.toolTip()


def test_the_list_says_how_runs_differ(qtbot, workspace, chooser):
    workspace.runs.rename(1, "An idea")
    workspace.side_runs.train(workspace.config.replace(split="whitespace"), "Spaces")
    qtbot.waitUntil(lambda: len(workspace.runs.entries) == 3 and workspace.progress is None)
    texts = [chooser.itemText(k).split() for k in range(3)]
    assert texts[0] == ["Main", "run", "gpt2"]
    assert texts[1] == ["An", "idea", "forbid", *pair_of(workspace).split()]
    assert texts[2][0] == "Spaces" and "whitespace" in texts[2]
    assert chooser.itemText(1).startswith("\u2003"), "a branch is below the run that it branches from"
    assert "Differs from Main run in: " in chooser.itemData(2, Qt.ItemDataRole.ToolTipRole)


def test_a_tokenizer_alone_is_named_by_its_file_and_by_no_preset(qtbot, tmp_path, workspace, chooser):
    path = tmp_path / "mine"
    workspace.run.tokenizer(20).save(path, format="huggingface")
    workspace.opener.open_files([path])
    qtbot.waitUntil(lambda: chooser.shown_text == "mine · tokenizer without a text")
    assert "mine" in chooser.itemText(0) and "gpt2" not in chooser.itemText(0)
    assert "The tokenizer mine, without a text" in chooser.toolTip()


def test_a_name_without_room_is_elided(workspace, chooser):
    before = chooser.grab().toImage()
    workspace.runs.rename(1, "a name that is much too long for the room that the transport has for it")
    named = chooser.grab().toImage()
    workspace.runs.rename(1, "a name that is much too long for the room that the transport has for anything")
    assert before != named == chooser.grab().toImage(), "only the end differs, which is not in sight"
