"""The strip with messages, below the panels and over none of them.

What asks for nothing leaves by itself.
"""

from __future__ import annotations

import pytest
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from bpe_studio.gui.shell import banner as module
from bpe_studio.gui.shell.banner import FAILURE, NOTICE, OFFER, Banner
from bpe_studio.gui.widgets.containers import column
from bpe_studio.workspace.state import Failure, Notice


@pytest.fixture
def page(qtbot, monkeypatch):
    monkeypatch.setattr(module, "STAYS_MS", {NOTICE: 20, OFFER: 20})
    page = QWidget()
    page.field = QLineEdit()
    page.panels = QLabel("panels")
    page.status = QLabel("status")
    page.banner = Banner()
    column(page.field, (page.panels, 1), page.banner, page.status, parent=page)
    qtbot.addWidget(page)
    page.resize(900, 600)
    page.show()
    QCursor.setPos(0, 0)
    page.field.setFocus()
    return page


def test_a_message_lies_over_nothing(qtbot, page):
    page.resize(420, 600)
    message = "The table was saved as a file with a long name. " * 4
    buttons = [(name, lambda: None) for name in ("Report…", "Copy path", "Open folder")]
    page.banner.show_notice(Notice(message, is_report=True), buttons)
    others = (page.panels, page.status)
    qtbot.waitUntil(lambda: page.panels.geometry().bottom() < page.banner.y())
    assert not any(page.banner.geometry().intersects(each.geometry()) for each in others)
    assert page.banner.message.height() >= page.banner.message.heightForWidth(
        page.banner.message.width()
    )
    page.banner.dismiss()
    qtbot.waitUntil(lambda: page.panels.geometry().bottom() >= page.status.y() - 20)


def test_notices_and_offers_leave_by_themselves_and_failures_stay(qtbot, page):
    page.banner.show_notice(Notice("The table was saved."))
    qtbot.waitUntil(page.banner.isHidden)
    page.banner.offer("The game is paused.", [("Resume the game", lambda: None)])
    qtbot.waitUntil(page.banner.isHidden)
    assert page.banner.kind == ""
    page.banner.show_failure(Failure("Open a.txt", "It is gone."))
    assert not page.banner._time.isActive() and page.banner.kind == FAILURE


def test_a_report_stays_with_its_actions_until_it_is_dismissed_or_replaced(qtbot, page):
    banner = page.banner
    banner.show_notice(Notice("Saved as /tmp/x.", is_report=True), (("Report…", lambda: None),))
    assert not banner._time.isActive()
    banner.show_notice(Notice("There is no text on the clipboard."))
    assert not banner._time.isActive() and banner.isVisible()
    assert banner.message.text() == "Saved as /tmp/x.\nThere is no text on the clipboard."
    assert banner.actions_row[0].isVisible() and banner.actions_row[0].text() == "Report…"
    banner.dismiss()
    assert banner.isHidden()
    banner.show_notice(Notice("There is no text on the clipboard."))
    assert not banner.actions_row[0].isVisible()
    qtbot.waitUntil(banner.isHidden)


def test_a_notice_may_have_actions_and_replaces_a_line_that_it_repeats(page):
    done = []
    page.banner.offer("The game is paused.", [("Resume the game", lambda: None)])
    page.banner.show_notice(Notice("Saved as /tmp/x."))
    assert (
        page.banner.message.text() == "The game is paused.\nSaved as /tmp/x."
        and page.banner.kind == OFFER
    )
    page.banner.show_notice(
        Notice("Saved as /tmp/x."), (("Copy path", lambda: done.append("copy")),)
    )
    page.banner.show_notice(
        Notice("Saved as /tmp/x. All words are equal."),
        (("Report…", lambda: done.append("report")),),
    )
    assert page.banner.message.text() == "Saved as /tmp/x. All words are equal."
    shown = [button for button in page.banner.actions_row if button.isVisible()]
    assert [button.text() for button in shown] == ["Report…"]
    shown[0].click()
    assert done == ["report"] and page.banner.isVisible(), "it stays, as the path may be wanted too"
    page.banner.show_failure(Failure("Open a.txt", "It is gone."))
    assert not any(button.isVisible() for button in page.banner.actions_row)
