"""Tabs stay where they are when another one is chosen."""

from __future__ import annotations

from bpe_studio.gui.look import theme
from bpe_studio.gui.widgets.tab_bar import SteadyTabBar


def test_tabs_keep_their_places(qtbot):
    bar = SteadyTabBar()
    qtbot.addWidget(bar)
    bar.setStyleSheet(theme.TAB_BAR_STYLE)
    bar.setExpanding(False)
    for text in ("Numbers", "Curve", "Text", "Words", "Advice"):
        bar.addTab(text)
    bar.show()
    places = []
    for number in range(bar.count()):
        bar.setCurrentIndex(number)
        places.append([bar.tabRect(k).left() for k in range(bar.count())])
    assert all(len(set(each)) == 1 for each in zip(*places, strict=True))
