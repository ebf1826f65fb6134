"""The manual inside the program: pages, links between them, search, terms, and the way back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QTextTable

from bpe_studio.files.manual import heading_anchor, list_pages, list_terms
from bpe_studio.gui.help.window import HelpWindow
from bpe_studio.gui.look import theme


@pytest.fixture
def window(qtbot):
    window = HelpWindow()
    qtbot.addWidget(window)
    window.show_page()
    return window


def titles(window):
    return [window.pages.item(row).text() for row in range(window.pages.count())]


def test_each_page_is_listed_by_its_title_and_can_be_read(window):
    pages = list_pages()
    assert titles(window) == [page.title for page in pages] and len(pages) > 10
    for row, page in enumerate(pages):
        window.pages.setCurrentRow(row)
        assert window.page.name == page.name
        assert window.page.document().firstBlock().text() == page.title


def test_code_in_a_table_has_no_backslashes(window):
    window.show_page("presets")
    text = window.page.toPlainText()
    assert "--special <|endoftext|>" in text and "\\|" not in text


def test_links_lead_to_pages_and_headings_and_the_buttons_back(window, monkeypatch):
    outside = []
    monkeypatch.setattr(QDesktopServices, "openUrl", outside.append)
    assert not window.back.isEnabled()
    window.page.anchorClicked.emit(QUrl("formats.md"))
    assert (window.page.name, window.pages.currentItem().text()) == ("formats", "Formats")
    window.page.anchorClicked.emit(QUrl("measurements.md#campaigns"))
    assert window.page.textCursor().block().text() == "Campaigns"
    window.back.click()
    assert window.page.name == "formats" and window.forward.isEnabled()
    window.page.anchorClicked.emit(QUrl("https://example.org"))
    assert window.page.name == "formats" and [url.host() for url in outside] == ["example.org"]


def test_every_link_of_the_manual_leads_somewhere():
    from tests.workspace.test_docs import ROOT

    names = {page.name for page in list_pages()}
    for page in list_pages():
        for part in page.text.split("](")[1:]:
            target, _, anchor = part.partition(")")[0].partition("#")
            if target.endswith(".md") and "/" not in target:
                assert target.removesuffix(".md") in names, (page.name, target)
            elif target and "://" not in target:
                assert (ROOT / "docs" / target).exists(), (page.name, target)
            if anchor and (not target or target.endswith(".md")):
                other = next(
                    each for each in list_pages() if each.name == (target or page.path.name)[:-3]
                )
                headings = [
                    line.lstrip("# ") for line in other.text.splitlines() if line.startswith("#")
                ]
                assert anchor in map(heading_anchor, headings), (page.name, part)


def test_a_search_lists_the_pages_that_contain_it_and_marks_it(window, qtbot):
    qtbot.keyClicks(window.search, "ffttf")
    assert window.pages.count() == 0
    window.search.setText("Fertility")
    expected = [page.title for page in list_pages() if "fertility" in page.text.lower()]
    assert titles(window) == expected and 0 < len(expected) < len(list_pages())
    qtbot.keyClick(window.search, Qt.Key.Key_Return)
    assert window.page.name == next(page.name for page in list_pages() if page.title == expected[0])
    assert window.page.extraSelections()
    window.search.clear()
    assert len(titles(window)) == len(list_pages()) and not window.page.extraSelections()


def test_a_term_is_shown_in_the_glossary(window):
    assert dict(list_terms())["fertility"].startswith("tokens per word")
    window.show_term("fertility")
    assert window.page.name == "glossary" and window.page.textCursor().block().text() == "fertility"


def test_the_page_follows_the_theme(window, qapp, qtbot):
    def is_dark():
        tables = [
            each
            for each in window.page.document().rootFrame().childFrames()
            if isinstance(each, QTextTable)
        ]
        line = tables[0].format().toTableFormat().borderBrush().color()
        return theme.is_dark(window.page.palette()) and line == window.page.palette().mid().color()

    theme.apply(qapp, "light")
    window.show_term("fertility")
    assert not is_dark()
    theme.apply(qapp, "dark")
    qtbot.waitUntil(is_dark)
    theme.apply(qapp, "light")
