"""The candidates: counts at a step, the winner's mark and reason, and how they keep up with the
step.
"""

from __future__ import annotations

import threading

import pytest

from bpe_studio.engine.tie_rules import TIE_RULES
from bpe_studio.gui.merges.candidates_panel import CandidateModel, CandidatesPanel
from tests.facts import says
from tests.gui.stage import Stage
from tests.trained import WORDS, run_of_words


class SlowRun:
    """A run whose counting waits until the test lets it go on."""

    def __init__(self, run):
        self._run = run
        self.config = run.config
        self.gate = threading.Event()
        self.asked = []

    def __getattr__(self, name):
        return getattr(self._run, name)

    def check_step(self, step):
        # What ranks the candidates does this first.
        self.asked.append((step, threading.get_ident()))
        assert self.gate.wait(10)


@pytest.fixture
def stage(qtbot):
    return Stage()


@pytest.fixture
def panel(shown, stage):
    return shown(CandidatesPanel(stage), 420, 300)


def column(panel, number):
    return [panel.model.index(row, number).data() for row in range(panel.model.rowCount())]


def test_the_winner_its_count_and_why(panel, stage, qtbot):
    stage.open(run_of_words(WORDS), 6, 0)
    qtbot.waitUntil(lambda: panel.is_up_to_date)
    assert column(panel, CandidateModel.PAIR)[:2] == ["u + g → ug", "p + u → pu"]
    assert column(panel, CandidateModel.COUNT)[:2] == ["20", "17"]
    assert column(panel, CandidateModel.MARK)[:2] == ["next", ""]
    assert panel.model.count_share(0) == 1.0
    assert panel.model.count_share(1) == pytest.approx(17 / 20)
    assert says(panel.reason.text(), "u + g", "20 times", "3 more")


def test_ties_name_the_rule_that_decides(panel, stage, qtbot):
    stage.open(run_of_words({"ab": 3, "cd": 3, "ef": 3, "gh": 1}), 4, 0)
    qtbot.waitUntil(lambda: panel.is_up_to_date)
    assert column(panel, CandidateModel.MARK) == ["next", "tied", "tied", ""]
    assert TIE_RULES["first-seen"].words in panel.reason.text()


def test_counting_is_done_beside_the_window_and_old_answers_are_dropped(panel, stage, qtbot):
    run = SlowRun(run_of_words(WORDS))
    shown = []
    panel._job.answered.connect(lambda answer: shown.append(answer.step))
    stage.open(run, 6, 0)
    qtbot.waitUntil(lambda: bool(run.asked))
    assert run.asked[0][1] != threading.get_ident()
    for step in (1, 2, 3):
        stage.set_step(step)
    qtbot.waitUntil(lambda: not panel.is_refresh_pending)
    run.gate.set()
    qtbot.waitUntil(lambda: panel.is_up_to_date)
    assert shown[-1] == 3 and set(shown) <= {0, 3}
    assert [step for step, _ in run.asked] == [0, 3], "steps that were passed over are not counted"
