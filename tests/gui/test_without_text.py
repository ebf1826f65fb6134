"""A tokenizer that was opened without its text: nothing is said to be counted, tied or forced.

Empty places say why.
"""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel

import bpe_studio as bpe
from bpe_studio.engine.analysis.token_traits import TokenTraits
from bpe_studio.explain.candidates import list_candidates
from bpe_studio.explain.merges import WITHOUT_TEXT
from bpe_studio.explain.vocabulary import vocabulary_at
from bpe_studio.gui.compare.own_tokens import OwnTokensModel
from bpe_studio.gui.compare.table_model import CORPUS, columns_of
from bpe_studio.gui.merges.panel import MergeModel
from bpe_studio.gui.text.layer import Layer
from bpe_studio.workspace.corpus.text_files import why_no_text
from bpe_studio.workspace.state import OpeningRequest, State
from tests.facts import says
from tests.files.third_party.made import content_of


@pytest.fixture
def shared(lasting_window, qtbot):
    """A window with a text of no test."""
    lasting_window.put_back(qtbot)
    lasting_window.open_another(qtbot)
    return lasting_window.window


@pytest.fixture
def window(shared, qtbot, tmp_path):
    config = bpe.TrainingConfig.preset("gpt2", merges=12, vocab_size=None)
    run = bpe.train(
        bpe.Corpus.from_text("low lower lowest newer newest low low " * 4, config), config
    )
    run.tokenizer().save(tmp_path / "tokenizer")
    shared.open_files([tmp_path / "tokenizer"])
    qtbot.waitUntil(lambda: shared.workspace.state is State.done)
    return shared


def test_nothing_is_counted_where_there_is_no_text(window, qtbot):
    model = window.panels["merges"].model
    assert model.rowCount() == 12
    for row in range(12):
        assert model.text(row, MergeModel.COUNT) == model.text(row, MergeModel.TIED) == "–"
        assert "forced" not in model.tip(row, 0) and WITHOUT_TEXT in model.tip(row, 0)
    assert window.panels["words"].table.placeholder == WITHOUT_TEXT
    assert says(window.strip.what.text(), "without a text", 257 + 12)
    shown = {key for key, label in window.status_line.numbers.items() if not label.isHidden()}
    assert shown == {"vocab_size"}
    window.workspace.transport.go_to(3)
    window.strip.show_next(list_candidates(window.workspace.run, 3))
    assert "Comes next: " in window.strip.what.text() and "times" not in window.strip.what.text()


def test_explore_shows_only_what_a_tokenizer_has(window, qtbot):
    views = window.views
    panel = window.text_panel
    merges = window.panels["merges"]
    assert views.current == "explore"
    assert set(views.in_sight()) == {"text", "skyline", "merges", "why"}
    assert merges.table.isColumnHidden(MergeModel.COUNT) and merges.table.isColumnHidden(
        MergeModel.TIED
    )
    panel.set_layer(Layer.ids)
    for key in ("growth", "candidates"):
        assert (
            not views.panel_actions[key].isVisible() and not views.window_actions[key].isVisible()
        )
        views.show_panel(key)
    assert views.current == "explore"
    large = panel.editor.font().pointSizeF()
    views.show_panel("vocabulary")
    assert views.current == "explore" and "vocabulary" in views.in_sight(), "it is a tab there"
    window.workspace.opener.open_text("a rose is a rose", "Rose")
    qtbot.waitUntil(
        lambda: window.workspace.corpus.name == "Rose" and window.workspace.state is State.ready
    )
    assert {"text", "words", "growth", "merges"} <= set(views.in_sight())
    assert views.panel_actions["growth"].isVisible() and not merges.table.isColumnHidden(
        MergeModel.COUNT
    )
    assert (
        panel.editor.layer is panel.kept_layer is not Layer.ids
        and panel.editor.font().pointSizeF() < large
    )


def test_a_tokenizer_without_merges_has_its_vocabulary_beside_the_text(shared, qtbot, tmp_path):
    (tmp_path / "tokenizer.json").write_text(content_of("unigram"), "utf-8")
    shared.open_files([tmp_path / "tokenizer.json"])
    qtbot.waitUntil(
        lambda: shared.workspace.state is State.done and shared.workspace.run.why_no_merges != ""
    )
    assert set(shared.views.in_sight()) == {"text", "vocabulary", "why"}
    about = shared.text_panel.about
    assert not about.isHidden() and "There are no steps to show" in about.text()
    shared.workspace.opener.open_text("a rose is a rose", "Rose")
    qtbot.waitUntil(
        lambda: shared.workspace.corpus.name == "Rose" and shared.workspace.state is State.ready
    )
    assert about.isHidden()


def test_the_other_pages_of_compare_say_that_there_is_no_corpus(window, qtbot):
    window.views.show_panel("compare")
    panel = window.panels["compare"]
    window.workspace.set_typed_text("lower low")
    panel.show_page("Advice")
    qtbot.waitUntil(lambda: WITHOUT_TEXT in panel.advice.words.text())
    assert not panel.advice.headline.isVisible() and panel.advice.savings.rowCount() == 0
    rare = [column.title for column in panel.advice.costs.columns].index("rare")
    qtbot.waitUntil(
        lambda: panel.advice.costs.rowCount() and panel.advice.costs.text(0, rare) == "–"
    )
    panel.show_page("Curve")
    panel.curve.values.setCurrentIndex(0)
    qtbot.waitUntil(lambda: panel.curve.chart.message() == WITHOUT_TEXT)
    window.views.show_panel("branches")
    page = window.panels["branches"]
    qtbot.waitUntil(lambda: page.is_up_to_date)
    assert not page.facts.cost.isVisible()
    counting = [k for k, column in enumerate(OwnTokensModel.columns) if column.is_counted]
    assert counting and all(view.table.isColumnHidden(k) for view in page.own for k in counting)
    assert {row.name for row in page.facts.model.rows} == {"vocabulary"}


def test_a_tokenizer_without_a_text_has_no_unused_tokens_and_no_filter_of_the_text_before(
    shared, qtbot, tmp_path
):
    shared.views.show_panel("vocabulary")
    vocabulary = shared.panels["vocabulary"]
    words = shared.panels["words"]
    qtbot.waitUntil(lambda: vocabulary.is_up_to_date)
    vocabulary.filter.setText("ow")
    words.filter.setText("ow")
    vocabulary.filters.states["base"].click()
    config = bpe.TrainingConfig.preset("gpt2", merges=12, vocab_size=None)
    run = bpe.train(
        bpe.Corpus.from_text("low lower lowest newer newest low low " * 4, config), config
    )
    run.tokenizer().save(tmp_path / "tokenizer")
    shared.open_files([tmp_path / "tokenizer"])
    qtbot.waitUntil(lambda: shared.workspace.state is State.done)
    shared.views.show_panel("vocabulary")
    qtbot.waitUntil(lambda: vocabulary.is_up_to_date)
    assert (
        vocabulary.filter.text() == words.filter.text() == ""
        and vocabulary.model.rowCount() == 257 + 12
    )
    unused = vocabulary.filters.states["unused"]
    assert not unused.isEnabled() and not any(map(str.isdigit, unused.text()))
    assert "256" in vocabulary.filters.states["base"].text()


def test_a_tokenizer_without_merges_stays_open_when_a_corpus_without_words_is_refused(
    shared, qtbot, tmp_path
):
    config = bpe.TrainingConfig.preset("gpt2", split="regex:a+")
    bpe.train(bpe.Corpus.from_text("", config), config).tokenizer().save(tmp_path / "tokenizer")
    words = shared.panels["words"]
    sources = shared.panels["corpus"].facts.sources
    window = shared
    window.open_files([tmp_path / "tokenizer"])
    qtbot.waitUntil(lambda: words.table.placeholder == WITHOUT_TEXT)
    assert (
        sources.text() == WITHOUT_TEXT
        and window.panels["corpus"].facts.numbers["n_words"].isHidden()
    )
    qtbot.waitUntil(lambda: says(window.strip.what.text(), "without a text", 257))
    assert window.views.isVisible() and not window.transport.isVisible()
    window.workspace.opener.open(OpeningRequest("Text", text="no word of it"), config)
    qtbot.waitUntil(lambda: "no word" in window.banner.message.text())
    assert words.table.placeholder == WITHOUT_TEXT


def test_compare_has_no_number_of_a_corpus_that_is_not_there(window, qtbot):
    window.views.show_panel("compare")
    model = window.panels["compare"].table.model()
    window.workspace.set_typed_text("lower low")
    qtbot.waitUntil(
        lambda: model.rowCount() > 0 and not any(found.is_late for found in model.found)
    )
    assert {
        model.text(row, column) for row in range(model.rowCount()) for column in columns_of(CORPUS)
    } == {"–"}


def test_why_and_the_lines_claim_nothing_about_a_corpus_that_is_not_there(window, qtbot):
    why = window.panels["why"]
    lines = window.panels["lines"]
    workspace = window.workspace
    window.views.show_panel("why")
    workspace.selection.select_merge(3)
    qtbot.waitUntil(lambda: why.is_up_to_date and why.token.isVisible())
    shown = [label.text() for label in why.findChildren(QLabel) if label.isVisible()]
    assert "by merge 4" in shown
    assert not any("0 times" in text or "occurs" in text or "Words" in text for text in shown)
    for part in (why.pair.words, why.token.words, why.token.lines, why.token.curve):
        assert not part.isVisible()
    assert "0 times" not in why.token.tree.tip(0)
    window.views.show_panel("lines")
    qtbot.waitUntil(lambda: "without its text" in lines.table.placeholder)
    assert lines.status.text() == ""
    details = window.text_panel.details
    workspace.set_typed_text("low")
    window.text_panel.refresh()
    assert "…" not in details.text() and "corpus" not in details.text()
    assert "without its text" in why_no_text(workspace.corpus)


def test_a_corpus_without_pairs_is_a_corpus(shared, qtbot):
    workspace = shared.workspace
    workspace.opener.open_text("a b c a", "Letters", "textbook")
    qtbot.waitUntil(lambda: workspace.corpus.name == "Letters" and workspace.state is State.ready)
    vocabulary = vocabulary_at(workspace.run, 0, TokenTraits(workspace.run))
    assert vocabulary.is_counted
    assert "without" not in shared.panels["growth"].plot.tokens.message()
