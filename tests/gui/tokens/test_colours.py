"""Colours by token, the default: the same token has one colour wherever it is painted, at every
step.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import QRectF

from bpe_studio.explain.names import display_name
from bpe_studio.gui.tokens import colours
from bpe_studio.gui.tokens.chips import ChipRow
from bpe_studio.gui.tokens.colours import ColoursOfRun, colour_number
from tests.trained import run_of_text


@pytest.fixture
def by_place():
    colours.set_by_token(False)
    yield
    colours.set_by_token(True)


def test_by_place_a_colour_is_its_place(by_place):
    assert [colour_number(place, "ing") for place in range(8)] == [0, 1, 2, 3, 4, 5, 0, 1]
    assert ColoursOfRun().of(run_of_text(), [1, 2]) is None


def test_by_token_a_colour_is_that_of_the_name_everywhere():
    run = run_of_text()
    found = ColoursOfRun()
    numbers = {}
    for token in run.ids_at(len(run.merges)):
        numbers[token] = colour_number(0, display_name(run, token))
        assert found.of(run, [token]) == [numbers[token]]
    assert set(numbers.values()) == set(range(colours.N_COLOURS)), "all colours are used"


def test_neighbours_never_have_one_colour():
    run = run_of_text()
    tokens = list(run.ids_at(len(run.merges)))
    in_text = ColoursOfRun().of(run, [each for token in tokens for each in [token] * 3])
    in_chips = ChipRow(["h", "m", "m", "m"], [QRectF()] * 4).colour_numbers()
    for numbers in (in_text, in_chips):
        assert all(left != right for left, right in pairwise(numbers))
    assert in_chips[1] == in_chips[3] == colour_number(0, "m")


def test_the_choice_is_in_the_menu_and_remembered(make_window, qapp):
    window = make_window(1000, 700)
    action = window.by_token
    assert action in window.menus.view.actions() and action.isChecked() and colours.is_by_token()
    action.trigger()
    assert not colours.is_by_token() and not window.memory.get("colour_by_token", True)
    window.close()
    assert not make_window(1000, 700).by_token.isChecked()
    action.trigger()
    assert colours.is_by_token()
