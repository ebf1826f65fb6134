"""The forms Extend… and Prune…: what they offer, what they say before anything is done, and what
they do.
"""

from __future__ import annotations

import pytest

import bpe_studio as bpe
from bpe_studio.explain.names import display_log_name
from bpe_studio.gui.extending import dialog as dialog_module
from bpe_studio.gui.extending.dialog import ChangeDialog
from bpe_studio.gui.widgets.window_settings import WindowSettings
from bpe_studio.workspace.state import State
from tests.facts import says
from tests.files.third_party.made import sentencepiece_model

SMALL = "low lower lowest newest widest new news\n" * 3
TEXT = (
    "the rivers run to the sea; سلام به دنیا سلام, 你好世界 你好 👩‍👩‍👧 naïve rivers over the river\n"
    "" * 6
)
SETTINGS = bpe.TrainingConfig.preset("gpt2", merges=20, vocab_size=None)


@pytest.fixture
def seed(tmp_path):
    config = bpe.TrainingConfig.preset("gpt2", merges=12, vocab_size=None)
    tokenizer = bpe.train(bpe.Corpus.from_text(SMALL, config), config).tokenizer()
    tokenizer.save(tmp_path / "small", format="huggingface")
    return tokenizer


@pytest.fixture
def workspace(trained_workspace):
    return trained_workspace(TEXT, SETTINGS)


def dialog_of(qtbot, workspace, *, prunes=False):
    dialog = ChangeDialog(workspace, WindowSettings(), prunes=prunes)
    dialog.open()
    qtbot.waitUntil(lambda: dialog.choice.ready is not None or bool(dialog.choice.why_not))
    return dialog


def choose_file(qtbot, dialog, path, monkeypatch):
    monkeypatch.setattr(
        dialog_module, "ask_for_tokenizer", lambda *_, is_folder: path if is_folder else None
    )
    folder = dialog.choice.tokenizer.findText("A folder…")
    dialog.choice.tokenizer.setCurrentIndex(folder)
    dialog.choice.tokenizer.activated.emit(folder)
    qtbot.waitUntil(
        lambda: dialog.choice.ready is not None and dialog.choice.ready.name == path.name
    )


def texts(box):
    return [box.itemText(place) for place in range(box.count())]


def test_without_anything_open_it_asks_for_both(qtbot, tmp_path, seed, monkeypatch):
    from bpe_studio.workspace.workspace import Workspace

    workspace = Workspace()
    dialog = dialog_of(qtbot, workspace)
    assert (
        dialog.choice.tokenizer.currentIndex() == -1
        and dialog.status.text() == "Choose a tokenizer"
    )
    assert not dialog.start.isEnabled() and not dialog.vocab_size.isEnabled()
    choose_file(qtbot, dialog, tmp_path / "small", monkeypatch)
    assert dialog.status.text() == "Choose a text" and "choose a text" in dialog.start.toolTip()
    (tmp_path / "text.txt").write_text(TEXT, encoding="utf-8")
    monkeypatch.setattr(dialog_module, "ask_for_texts", lambda *_: [str(tmp_path / "text.txt")])
    dialog.choice.corpus.activated.emit(0)
    assert dialog.choice.corpus.currentText() == "text.txt" and dialog.start.isEnabled()
    dialog.vocab_size.setValue(seed.vocab_size + 5)
    dialog.start.click()
    qtbot.waitUntil(lambda: workspace.state is State.done)
    assert workspace.corpus.name == "text.txt" and len(workspace.run.merges) == 17
    workspace.shutdown()


def test_extending_a_file_on_the_open_text(qtbot, workspace, tmp_path, seed, monkeypatch):
    dialog = dialog_of(qtbot, workspace)
    qtbot.waitUntil(lambda: dialog.choice.ready is not None)
    assert texts(dialog.choice.tokenizer) == [
        "Main run, step 20: 277 tokens",
        "A file…",
        "A folder…",
    ]
    assert texts(dialog.choice.corpus) == ["a text", "A text in files…"]
    choose_file(qtbot, dialog, tmp_path / "small", monkeypatch)
    assert (
        dialog.vocab_size.value() == seed.vocab_size + 1000
        and dialog.vocab_size.minimum() == seed.vocab_size
    )
    dialog.vocab_size.setValue(seed.vocab_size)
    assert says(dialog.status.text(), "small", 269, "no further merge")
    dialog.vocab_size.setValue(seed.vocab_size + 6)
    assert says(dialog.status.text(), "small", 269, 6)
    first = workspace.run
    dialog.start.click()
    qtbot.waitUntil(lambda: workspace.run is not first and workspace.state is State.done)
    assert [entry.name for entry in workspace.runs.entries] == ["Main run", "small, extended"]
    assert workspace.run.tokenizer().vocab_size == seed.vocab_size + 6


def test_what_pruning_costs_is_shown_for_each_size_before_it_is_done(qtbot, workspace):
    run = workspace.run
    dialog = dialog_of(qtbot, workspace, prunes=True)
    qtbot.waitUntil(lambda: dialog.plan is not None)
    plan = dialog.plan
    assert (dialog.vocab_size.minimum(), dialog.vocab_size.maximum()) == (plan.smallest, 277)
    assert dialog.vocab_size.value() == 277 - plan.n_free == dialog.slider.value()
    dialog.slider.setValue(267)
    assert dialog.vocab_size.value() == 267 and dialog.model.rowCount() == 10
    qtbot.waitUntil(lambda: dialog.cost_is_known)
    found = bpe.prune(run.tokenizer(), run.corpus, 267)
    before, after = found.n_tokens
    assert dialog.status.text().startswith(f"10 tokens removed: the corpus has {after} tokens (+")
    assert dialog.status.text().endswith(f"%) instead of {before}")
    assert [dialog.model.name(row) for row in range(10)] == [
        display_log_name(token.token, run.config) for token in found.removed
    ]
    dialog.start.click()
    qtbot.waitUntil(lambda: workspace.run is not run and workspace.state is State.done)
    assert workspace.runs.shown.name == "Main run, pruned"
    assert workspace.run.n_tokens_at(workspace.step) == after
    assert workspace.run.tokenizer().vocab_size == 267


@pytest.fixture
def of_others(sound_files, tmp_path):
    """A tokenizer that only its library runs."""
    (tmp_path / "llama").mkdir()
    (tmp_path / "llama" / "tokenizer.model").write_bytes(sentencepiece_model("llama"))
    return bpe.load(tmp_path / "llama")


IN_LIST = "The result is a new run"
IN_FILE = "own format"


def test_one_that_only_its_library_runs_is_extended_and_opened(
    qtbot, workspace, tmp_path, of_others, monkeypatch
):
    dialog = dialog_of(qtbot, workspace)
    qtbot.waitUntil(lambda: dialog.choice.ready is not None)
    assert IN_LIST in dialog.about.text() and IN_FILE not in dialog.about.text()
    choose_file(qtbot, dialog, tmp_path / "llama", monkeypatch)
    assert IN_FILE in dialog.about.text() and IN_LIST not in dialog.about.text()
    assert dialog.vocab_size.minimum() == of_others.vocab_size
    dialog.vocab_size.setValue(of_others.vocab_size + 6)
    assert dialog.status.text() == f"llama has {of_others.vocab_size} tokens; 6 further merges"
    first = workspace.run
    dialog.start.click()
    qtbot.waitUntil(lambda: workspace.run is not first and workspace.state is State.done)
    assert workspace.corpus.name == "llama, extended"
    assert workspace.run.tokenizer().vocab_size == of_others.vocab_size + 6
    assert workspace.opener.previous.current.run is first
    # The form then begins with what is open.
    dialog = dialog_of(qtbot, workspace)
    assert texts(dialog.choice.tokenizer)[0].startswith("llama, extended, step ")
    dialog.reject()
