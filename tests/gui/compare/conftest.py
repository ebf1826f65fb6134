"""The view Compare without the rest of the window."""

from __future__ import annotations

import pytest

from bpe_studio.gui.compare.difference_page import DifferencePage
from bpe_studio.gui.compare.panel import ComparePanel


@pytest.fixture
def compare_panel(shown):
    """Makes the panel for a workspace, with its page Difference in front."""

    def make(workspace, width=1300, height=640):
        panel = ComparePanel(workspace)
        page = DifferencePage(workspace)
        panel.pair_changed.connect(page.show_pair)
        panel.hold("Difference", page)
        panel.show_page("Difference")
        panel.difference = page
        return shown(panel, width, height)

    return make
