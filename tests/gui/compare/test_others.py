"""Other runs and opened tokenizers in the comparison: their rows, texts and words, and the list of
what is compared.
"""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QToolButton

from bpe_studio import Corpus, TrainingConfig, train
from bpe_studio.gui.compare.panel import ComparePanel
from bpe_studio.workspace.session import ROOT
from bpe_studio.workspace.state import State
from tests.gui.cells import cells, place_of

TEXT = (
    "the theme then other thin thing with this that these those low lower newest widest سلام دنیا "
    "سلام\n" * 12
)
OTHER = (
    "rivers run to the sea, and the seas run over the rivers; سلام به دنیا 你好世界 👩‍👩‍👧 naïve\n"
    * 9
)
TYPED = "the newest rivers سلام 👩‍👩‍👧"
CONFIG = TrainingConfig.preset("gpt2", merges=40)


@pytest.fixture
def workspace(trained_workspace):
    return trained_workspace(TEXT, CONFIG)


@pytest.fixture
def panel(shown, workspace):
    panel = shown(ComparePanel(workspace), 1256, 520)
    workspace.set_typed_text(TYPED)
    panel.refresh()
    return panel


@pytest.fixture(scope="module")
def tokenizers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tokenizers")
    found = []
    for name, preset in (("GPT-2 here", "gpt2"), ("cl100k here", "cl100k")):
        config = TrainingConfig.preset(preset, merges=50)
        train(Corpus.from_text(OTHER, config), config).tokenizer().save(folder / name)
        found.append(folder / name)
    return found


def added(qtbot, panel, workspace, paths):
    panel.add_tokenizers(paths)
    n = len(paths)

    def is_counted():
        entries = workspace.tokenizers.entries
        return len(entries) >= n and all(
            each.corpus_counts is not None or each.why_not for each in entries
        )

    qtbot.waitUntil(is_counted)
    qtbot.waitUntil(lambda: panel.is_up_to_date)
    panel.refresh()
    return workspace.tokenizers.entries


def text_column(panel, name):
    """The column of a text whose title has a name in it."""
    (found,) = (each for each in panel.texts.columns if name in each.title.text())
    return found


def plain(text):
    return text.replace("\u2068", "").replace("\u2069", "")


def show(qtbot, panel, title):
    panel.show_page(title)
    panel.refresh()


def test_a_tokenizer_is_measured_next_to_the_sizes_and_the_run_stays(
    qtbot, panel, workspace, tokenizers
):
    before = (workspace.run, workspace.config, workspace.step, workspace.compared_steps)
    panel.add_tokenizers(tokenizers[:1])
    assert "GPT-2 here" in panel.numbers.verdict.text(), "the verdict is not one of another pair"
    entries = added(qtbot, panel, workspace, tokenizers[1:])
    assert (workspace.run, workspace.config, workspace.step, workspace.compared_steps) == before
    rows = panel.model.rows
    assert [row.subject.name for row in rows[2:]] == ["GPT-2 here", "cl100k here"]
    panel.choose("size 1")
    qtbot.waitUntil(
        lambda: not {"–", "…"} & {cells(panel.model, k)["reference: in common"] for k in (1, 2, 3)}
    )
    for k, entry in enumerate(entries, 2):
        ids = entry.tokenizer.encode(TYPED).ids
        found = cells(panel.model, k)
        assert (
            plain(found["step"]) == entry.name
            and found["vocabulary"] == f"{entry.tokenizer.vocab_size:,}"
        )
        assert found["typed text: tokens"] == str(len(ids))
        assert found["typed text: bytes/token"] == f"{len(TYPED.encode()) / len(ids):.2f}"
        assert found["typed text: unused"] == str(entry.tokenizer.vocab_size - 1 - len(set(ids)))
        n_corpus = sum(
            len(entry.tokenizer.encode_ids(line)) for line in TEXT.splitlines(keepends=True)
        )
        assert found["corpus: tokens"] == f"{n_corpus:,}"
        assert found["corpus: bytes/token"] == f"{len(TEXT.encode()) / n_corpus:.2f}"
        assert found["corpus: unused"] == str(int(np.count_nonzero(entry.corpus_counts == 0)) - 1)
        own = {entry.tokenizer.content(number) for number in entry.tokenizer.tokens} - {
            b"<|endoftext|>"
        }
        run = workspace.run
        reference = {run.token_content(token) for token in run.ids_at(rows[0].step)}
        assert found["reference: in common"] == str(len(own & reference))
        vocabulary = place_of(panel.model, "vocabulary")
        assert not panel.model.is_link(k, vocabulary), (
            "the vocabulary of a tokenizer is not that of the run"
        )


def test_the_verdict_begins_with_the_corpus_and_names_both(qtbot, panel, workspace, tokenizers):
    (entry,) = added(qtbot, panel, workspace, tokenizers[:1])
    qtbot.waitUntil(lambda: "Counting" not in panel.numbers.verdict.text())
    headline = panel.numbers.verdict.text()
    details = panel.numbers.by_kind.text()
    n_own = workspace.run.n_tokens_at(40)
    n_theirs = int(entry.corpus_counts.sum())
    assert (
        n_own < n_theirs
        and "On a text, your tokenizer of 297 needs" in headline
        and "fewer" in headline
    )
    assert "GPT-2 here" in headline and "your text" not in headline
    assert (
        details.startswith("On your text (28 characters)") and "current" not in headline + details
    )


def test_the_text_is_drawn_as_each_cuts_it(qtbot, panel, workspace, tokenizers):
    show(qtbot, panel, "Text")
    (entry, _) = added(qtbot, panel, workspace, tokenizers)
    column = text_column(panel, "GPT-2 here")
    assert text_column(panel, "cl100k here").title.text().startswith("B: ")
    ids = entry.tokenizer.encode(TYPED).ids
    assert column.count.text() == f"{len(ids)} tokens" and column.ids.toPlainText() == " ".join(
        map(str, ids)
    )
    qtbot.waitUntil(
        column.isVisible
    )  # Qt shows what was added to a layout in the next turn of the event loop
    assert len(column.text.content.starts) == len(entry.tokenizer.encode(TYPED).ids)
    step = workspace.step
    shown = text_column(panel, "Current step")
    own = workspace.run.tokenizer(step).encode(TYPED).ids
    assert shown.count.text() == f"{len(own)} tokens" and shown.ids.toPlainText() == " ".join(
        map(str, own)
    )
    panel.choose("tokenizer 1", "step")
    assert column.title.text().startswith("A: ") and shown.title.text().startswith("B: ")


def test_another_run_is_a_row_a_column_and_an_item_of_the_list(qtbot, panel, workspace):
    workspace.side_runs.train(CONFIG.replace(split="cl100k"), "other split")
    qtbot.waitUntil(
        lambda: len(workspace.runs.entries) == 2 and workspace.state is not State.loading
    )
    qtbot.waitUntil(lambda: panel.is_up_to_date and panel.model.rowCount() == 3)
    entry = workspace.runs.entries[1]
    n_merges = entry.position.n_merges
    found = cells(panel.model, 2)
    assert (
        plain(found["step"]) == "other split"
        and found["corpus: tokens"] == f"{entry.run.n_tokens_at(n_merges):,}"
    )
    assert found["typed text: tokens"] == str(len(entry.run.tokenizer(n_merges).encode(TYPED).ids))
    assert [item.text for item in panel.list.items][2:] == ["other split"]
    panel.table.doubleClicked.emit(panel.model.index(2, 0))
    assert workspace.runs.shown.number == entry.number, "a double click shows the run"
    qtbot.waitUntil(lambda: panel.is_up_to_date)
    assert [row.subject.name for row in panel.model.rows if not row.is_size] == ["Main run"]
    panel.list.removed.emit(f"run {ROOT}")
    panel.refresh()
    assert not [row for row in panel.model.rows if not row.is_size]
    menu = panel.add.runs
    menu.aboutToShow.emit()
    assert [action.text() for action in menu.actions() if action.text()] == [
        "Main run",
        "Other settings…",
    ]
    menu.actions()[0].trigger()
    panel.refresh()
    assert [row.subject.name for row in panel.model.rows if not row.is_size] == ["Main run"]


def test_the_list_names_sizes_runs_and_tokenizers_and_each_is_removed_there(
    qtbot, panel, workspace, tokenizers
):
    workspace.set_compared_steps([5, 20])
    added(qtbot, panel, workspace, tokenizers[:1])
    run = workspace.run
    texts = [item.text for item in panel.list.items]
    sizes = [str(run.vocab_size_at(step)) for step in (5, 20, workspace.step)]
    assert texts == [*sizes[:2], f"Current step ({sizes[2]})", "GPT-2 here"]
    shown = [panel.findChild(QToolButton, f"compare.item_{number}") for number in (1, 2, 3, 4)]
    assert [label.text() for label in shown] == texts and all(label.isVisible() for label in shown)
    assert not panel.findChild(QToolButton, "compare.remove_item_3").isVisible(), (
        "the step of the window stays"
    )
    panel.findChild(QToolButton, "compare.remove_item_1").click()
    assert workspace.compared_steps == (20,)
    panel.refresh()
    panel.findChild(QToolButton, "compare.remove_item_3").click()
    qtbot.waitUntil(lambda: not workspace.tokenizers.entries)
    panel.refresh()
    assert len(panel.list.items) == 2


def test_without_a_corpus_there_is_nothing_to_count(qtbot, tokenizers):
    from bpe_studio.workspace.workspace import Workspace

    workspace = Workspace()
    panel = ComparePanel(workspace)
    qtbot.addWidget(panel)
    panel.show()
    workspace.opener.open_files([tokenizers[0]])
    qtbot.waitUntil(lambda: workspace.state is State.done)
    workspace.set_typed_text(TYPED)
    panel.add_tokenizers([tokenizers[1]])
    qtbot.waitUntil(lambda: len(workspace.tokenizers.entries) == 1)
    qtbot.waitUntil(lambda: panel.is_up_to_date and panel.model.rowCount() == 3)
    panel.refresh()
    found = cells(panel.model, 2)
    assert found["corpus: tokens"] == found["corpus: unused"] == "–", (
        "nothing that would be counted later"
    )
    assert int(found["typed text: tokens"]) == len(
        workspace.tokenizers.entries[0].tokenizer.encode(TYPED).ids
    )
    workspace.shutdown()
