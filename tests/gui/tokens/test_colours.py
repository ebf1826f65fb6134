"""Colours by token: the same token has one colour wherever it is painted, at every step; the default is by place."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF, QImage, QPainter

from bpe_studio.explain.names import display_name
from bpe_studio.gui.look import theme
from bpe_studio.gui.tokens import colours
from bpe_studio.gui.tokens.chips import ChipRow
from bpe_studio.gui.tokens.colours import ColoursOfRun, colour_number
from bpe_studio.gui.tokens.geometry import Fragment, LineShape
from bpe_studio.gui.tokens.painting import Looks, paint_tokens
from tests.trained import run_of_text


@pytest.fixture
def by_token():
    colours.set_by_token(True)
    yield
    colours.set_by_token(False)


def test_by_place_a_colour_is_its_place():
    assert [colour_number(place, "ing") for place in range(8)] == [0, 1, 2, 3, 4, 5, 0, 1]
    assert ColoursOfRun().of(run_of_text(), [1, 2]) is None


def test_by_token_a_colour_is_that_of_the_name_everywhere(by_token):
    run = run_of_text()
    found = ColoursOfRun()
    tokens = list(range(run.n_alphabet + len(run.merges)))
    numbers = found.of(run, tokens)
    assert numbers == [colour_number(place, display_name(run, token)) for place, token in enumerate(tokens)]
    assert set(numbers) == set(range(colours.N_COLOURS)), "all colours are used"
    assert found.of(run, [5, 5, 7]) == [numbers[5], numbers[5], numbers[7]]


def test_chips_have_the_colours_of_their_tokens_also_where_they_are_elided(by_token, qapp):
    metrics = QFontMetricsF(qapp.font())
    names = ["low", "est", "low", "est"]
    for width in (400.0, 60.0):
        row = ChipRow.fitted(names, QRectF(0, 0, width, 20), metrics)
        assert [row.colour_number(k) for k in range(len(row.texts))] == [
            colour_number(0, name) for name in names[: len(row.texts)]
        ]
    row = ChipRow.around(names, {3}, QRectF(0, 0, 60, 20), metrics)
    assert row.first > 0 and row.colour_number(3) == colour_number(0, "est")


def test_neighbours_of_one_colour_are_told_apart_by_a_gap(qapp):
    image = QImage(60, 20, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFFFF)
    palette = theme.light_palette()
    shape = LineShape(0.0, 20.0, 15.0, [Fragment(0, 0.0, 30.0, False), Fragment(1, 30.0, 60.0, False)])
    with QPainter(image) as painter:
        paint_tokens(painter, [shape], Looks(0, colours=[1, 1]), palette)
    ground = theme.token_colours(palette)[1].lightness()
    assert image.pixelColor(15, 10).lightness() == image.pixelColor(45, 10).lightness() == ground
    assert max(image.pixelColor(x, 10).lightness() for x in (29, 30)) > ground + 10


def test_the_choice_is_in_the_menu_and_remembered(make_window, qapp):
    window = make_window(1000, 700)
    action = window.by_token.action
    assert action in window.menus.view.actions() and not action.isChecked()
    action.trigger()
    assert colours.is_by_token() and window.memory.get("colour_by_token", False)
    window.close()
    assert make_window(1000, 700).by_token.action.isChecked()
    action.trigger()
    assert not colours.is_by_token()
