"""The run chooser: what names the run that is shown, how the others differ, and what is seen where
room is short.
"""

from __future__ import annotations

import pytest

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


def test_it_names_run_preset_and_text(workspace, chooser):
    assert chooser.shown_text == f"forbid {pair_of(workspace)} from step 3 on · GPT-2 · a text"
    assert chooser.accessibleDescription() == chooser.shown_text
    assert f"Branches from Main run at step 3: forbid {pair_of(workspace)}" in chooser.toolTip()
    workspace.runs.show(0)
    assert chooser.shown_text == "Main run · GPT-2 · a text"
    assert "30 merges learned" in chooser.toolTip()


def test_a_tokenizer_alone_is_named_by_its_file_and_by_no_preset(
    qtbot, tmp_path, workspace, chooser
):
    path = tmp_path / "mine"
    workspace.run.tokenizer(20).save(path, format="huggingface")
    workspace.opener.open_files([path])
    qtbot.waitUntil(lambda: chooser.shown_text == "mine · tokenizer without a text")
    assert "mine" in chooser.itemText(0) and "GPT-2" not in chooser.itemText(0)
    assert "The tokenizer mine, without a text" in chooser.toolTip()
