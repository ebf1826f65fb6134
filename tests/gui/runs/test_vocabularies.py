"""The page Tokens with a tokenizer: the tokens that only it or only the run has, and the text as both cut it."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest

from bpe_studio import Corpus, TrainingConfig, train
from bpe_studio.gui.runs.compare.choice import tokenizer_data
from bpe_studio.gui.runs.compare.unique_tokens import OwnTokensModel
from bpe_studio.gui.runs.panel import RunsPanel
from bpe_studio.workspace.state import State

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)
TEXT = "the theme then other thin thing with this that these those low lower newest widest سلام دنیا سلام\n" * 12
OTHER = "rivers run to the sea, and the seas run over the rivers; سلام به دنیا 你好世界 naïve\n" * 9
TYPED = "the newest rivers سلام"
CONFIG = TrainingConfig.preset("gpt2", merges=40)


@pytest.fixture
def workspace(trained_workspace):
    return trained_workspace(TEXT, CONFIG)


@pytest.fixture
def panel(shown, workspace):
    panel = shown(RunsPanel(workspace), 1256, 420)
    workspace.set_typed_text(TYPED)
    return panel


@pytest.fixture
def entry(qtbot, workspace, tmp_path):
    config = TrainingConfig.preset("gpt2", merges=50)
    train(Corpus.from_text(OTHER, config), config).tokenizer().save(tmp_path / "theirs")
    workspace.tokenizers.add([tmp_path / "theirs"])
    qtbot.waitUntil(lambda: [each.counts is not None for each in workspace.tokenizers.entries] == [True])
    return workspace.tokenizers.entries[0]


def names(view):
    return [view.model.name(row) for row in range(view.model.rowCount())]


def test_the_tokens_of_a_tokenizer_are_compared_with_those_of_the_run(qtbot, panel, workspace, entry):
    panel.show_page("Tokens")
    qtbot.waitUntil(lambda: panel.is_up_to_date)
    run, tokenizer = workspace.run, entry.tokenizer
    mine = {run.token_content(token) for token in range(run.n_alphabet + workspace.n_merges)}
    special = set(tokenizer.special_ids.values())
    theirs = {tokenizer.content(token): token for token in tokenizer.tokens if token not in special}
    assert panel.choice.left.currentText() == "Main run" and panel.choice.right.currentText() == "theirs"
    own = panel._shown_vocabularies.own
    assert {run.token_content(token) for token in own[0].tokens.tolist()} == mine - set(theirs)
    assert set(own[1].tokens.tolist()) == {theirs[content] for content in set(theirs) - mine}
    assert panel._shown_vocabularies.n_shared == (len(mine & set(theirs)),) * 2
    assert own[1].uses.tolist() == sorted((int(entry.counts[t]) for t in own[1].tokens.tolist()), reverse=True)
    view = panel.own[1]
    assert view.isVisible() and "rivers" in "".join(names(view))
    assert view.table.isColumnHidden(OwnTokensModel.MERGE) and not panel.own[0].table.isColumnHidden(
        OwnTokensModel.MERGE
    )
    assert view.model.text(0, OwnTokensModel.MERGE) == "–" and f"id {view.model.token(0)}" in view.model.tip(0, 0)
    assert view.heading.text() == f"Only in B: {len(own[1].tokens)} of {len(theirs)}"
    assert len(view.model.plain_rows(0, view.model.rowCount(), None)) == view.model.rowCount()
    assert [cut.n_tokens for cut in panel._shown_vocabularies.cut] == [
        len(run.tokenizer(workspace.n_merges).encode(TYPED).ids), len(tokenizer.encode(TYPED).ids),
    ]  # fmt: skip
    assert panel.texts.isVisible() and panel.texts.texts[1].content is panel._shown_vocabularies.cut[1].content
    assert not panel.view.curve.isVisible(), "there are no merges whose overlap would be drawn"
    panel.own[0].selected.emit(panel.own[0].model.token(0))
    assert workspace.selection.current.token == panel.own[0].model.token(0)
    workspace.set_typed_text("lower")
    qtbot.waitUntil(lambda: panel.is_up_to_date and panel._shown_vocabularies.text == "lower")


def test_the_page_of_runs_offers_no_tokenizer(qtbot, panel, workspace, entry):
    panel.show_page("Tokens")
    qtbot.waitUntil(lambda: panel.is_up_to_date)
    panel.show_page("Runs")
    assert panel.empty.isVisible() and panel._shown_vocabularies is None
    workspace.side_runs.train(CONFIG.replace(split="cl100k"), "other split")
    qtbot.waitUntil(lambda: len(workspace.runs.entries) == 2 and workspace.state is not State.loading)
    qtbot.waitUntil(lambda: panel.is_up_to_date)
    assert [panel.choice.right.itemText(k) for k in range(panel.choice.right.count())] == ["Main run", "other split"]
    panel.show_page("Tokens")
    qtbot.waitUntil(lambda: panel.is_up_to_date)
    assert panel.shown is not None and panel.view.curve.isVisible(), "two runs are compared until a tokenizer is chosen"
    panel.choice.right.setCurrentIndex(panel.choice.right.findData(tokenizer_data(entry.number)))
    panel.choice.right.activated.emit(0)
    qtbot.waitUntil(lambda: panel.is_up_to_date and panel._shown_vocabularies is not None)
    assert panel.shown is None and not panel.choice.spin.isVisible()
    panel.show_page("Runs")
    qtbot.waitUntil(lambda: panel.is_up_to_date and panel.shown is not None)
    assert panel.choice.spin.isVisible()


def test_a_tokenizer_that_is_removed_is_compared_no_more(qtbot, panel, workspace, entry):
    panel.show_page("Tokens")
    qtbot.waitUntil(lambda: panel.is_up_to_date)
    workspace.tokenizers.remove(entry.number)
    qtbot.waitUntil(panel.empty.isVisible)
    assert panel._shown_vocabularies is None and names(panel.own[1]) == []
