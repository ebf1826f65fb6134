"""The page Alignment: the text in A above the text in B, in groups that begin and end together."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QThreadPool

from bpe_studio import Corpus, TrainingConfig, align, train
from bpe_studio.explain.alignment import summary
from bpe_studio.gui.compare.panel import ComparePanel

TEXT = "the theme then other thin thing low lower newest widest سلام دنیا سلام\n" * 12
TYPED = "the lower naïve سلام دنیا\n漢字 👩‍👩‍👧 then low " + "newest " * 40


@pytest.fixture
def workspace(trained_workspace):
    return trained_workspace(TEXT, TrainingConfig.preset("gpt2", merges=40))


@pytest.fixture
def panel(shown, workspace):
    panel = shown(ComparePanel(workspace), 900, 620)
    panel.show_page("Alignment")
    return panel


def settle(qtbot, panel):
    qtbot.waitUntil(lambda: not panel.is_refresh_pending and panel.alignment.is_up_to_date)


@pytest.fixture
def opened(qtbot, panel, workspace, tmp_path, sound_files):
    config = TrainingConfig.preset("textbook", merges=20)
    train(Corpus.from_text(TEXT, config), config).tokenizer().save(tmp_path / "words")
    workspace.set_typed_text(TYPED)
    panel.add_tokenizers([tmp_path / "words"])
    panel.show_page("Alignment")
    qtbot.waitUntil(lambda: panel.pair is not None and panel.pair[1].name == "words")
    settle(qtbot, panel)
    return panel


def test_the_page_shows_what_align_finds(qtbot, opened, workspace):
    page = opened.alignment
    a, b = (side.as_tokenizer() for side in opened.pair)
    found = align(a, b, TYPED)
    assert page.said.text().startswith(summary([found])) and page.said.isVisible()
    groups = page.answer.groups
    assert [tuple(map(len, each.names)) for each in groups] == [(len(g.a), len(g.b)) for g in found]
    assert "漢" not in "".join(groups[0].names[0]) and "cannot be lined up" in page.details.text()
    places = page.view.placed
    assert sorted(map(id, groups)) == sorted(id(each.group) for each in places)
    for one, other in zip(places, places[1:], strict=False):
        assert not one.area.intersects(other.area)
    for each in places:
        assert page.view.rect().toRectF().contains(each.area)
        for names, chips in zip(each.group.names, each.rows, strict=True):
            assert len(chips.rects) == len(names)
            assert all(each.area.contains(rect.center()) for rect in chips.rects)
        assert page.view.group_at(each.area.center()) is each.group
    left = {id(each.group): each.area.left() for each in places}
    arabic = [left[id(group)] for group in groups if group.direction]
    assert arabic == sorted(arabic, reverse=True) and len(arabic) > 1
    qtbot.waitUntil(lambda: not page.grab().isNull())
    workspace.set_typed_text("low")
    settle(qtbot, opened)
    assert page.said.text().startswith(summary([align(a, b, "low")]))


def test_without_a_pair_or_a_text_it_says_what_to_do(qtbot, panel, workspace, opened):
    page = opened.alignment
    page.show_pair(None)
    page.refresh()
    assert "add another" in page.said.text() and not page.answer.groups
    QThreadPool.globalInstance().waitForDone()


def test_a_text_that_cannot_be_encoded_is_said(qtbot, panel, workspace, tmp_path, sound_files):
    config = TrainingConfig.preset("textbook", merges=20, unknown=None)
    train(Corpus.from_text("low lower", config), config).tokenizer().save(tmp_path / "few")
    workspace.set_typed_text(TYPED)
    panel.add_tokenizers([tmp_path / "few"])
    panel.show_page("Alignment")
    qtbot.waitUntil(lambda: panel.pair is not None and panel.pair[1].name == "few")
    settle(qtbot, panel)
    page = panel.alignment
    assert "outside the alphabet" in page.details.text() and page.answer.is_failure
    assert not page.said.isVisible() and not page.view.placed
