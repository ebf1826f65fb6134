"""What "why" draws: links to follow, the tree of a derivation, words with tokens lit."""

from __future__ import annotations

from functools import partial

import pytest
from PySide6.QtCore import QPoint, Qt

from bpe_studio.engine.analysis.derivation import derive
from bpe_studio.explain.names import display_name
from bpe_studio.explain.why.answers import Piece, WordRow
from bpe_studio.gui.tokens.links import Link, TokenLinks
from bpe_studio.gui.why.derivation_view import DerivationView
from bpe_studio.gui.why.words_section import ContainingWordsTable
from tests.gui.cells import place_of
from tests.trained import run_of_words


def shown(qtbot, widget, width=300, height=200):
    qtbot.addWidget(widget)
    widget.resize(width, height)
    widget.show()
    qtbot.waitExposed(widget)
    return widget


def click(qtbot, widget, place):
    qtbot.mouseClick(
        widget,
        Qt.MouseButton.LeftButton,
        pos=place.toPoint() if hasattr(place, "toPoint") else place,
    )


@pytest.fixture
def links(qtbot):
    widget = shown(qtbot, TokenLinks())
    widget.set_links(
        [
            Link("t", 3),
            Link("+", is_sign=True),
            Link("he", 7),
            Link("→", is_sign=True),
            Link("the", 9),
        ]
    )
    return widget


def test_the_keys_walk_over_tokens_and_pick_one(links, qtbot):
    selected = []
    links.selected.connect(selected.append)
    links.setFocus()
    qtbot.keyClick(links, Qt.Key.Key_Right)
    qtbot.keyClick(links, Qt.Key.Key_Return)
    qtbot.keyClick(links, Qt.Key.Key_End)
    qtbot.keyClick(links, Qt.Key.Key_Space)
    qtbot.keyClick(links, Qt.Key.Key_Home)
    qtbot.keyClick(links, Qt.Key.Key_Enter)
    assert selected == [7, 9, 3]


def tree_of(qtbot, run, token, width=400):
    view = DerivationView()
    shown(qtbot, view.area, width=width)
    view.show_tree(derive(run, token), partial(display_name, run))
    return view


def test_a_click_in_the_tree_picks_a_token(qtbot):
    run = run_of_words()
    view = tree_of(qtbot, run, run.find_token("hug"))
    selected = []
    view.selected.connect(selected.append)
    click(qtbot, view, view.spots[2].rect.center())
    assert selected == [run.find_token("ug")] and len(view.spots) == 5


def test_the_tree_is_walked_by_keys(qtbot):
    run = run_of_words()
    view = tree_of(qtbot, run, run.find_token("hug"))
    selected = []
    view.selected.connect(selected.append)
    walk = [
        Qt.Key.Key_Down,
        Qt.Key.Key_Right,
        Qt.Key.Key_Return,
        Qt.Key.Key_Down,
        Qt.Key.Key_Return,
    ]
    for key in walk:
        qtbot.keyClick(view, key)
    assert selected == [run.find_token("ug"), run.find_token("u")]
    qtbot.keyClick(view, Qt.Key.Key_Up)
    qtbot.keyClick(view, Qt.Key.Key_Up)
    qtbot.keyClick(view, Qt.Key.Key_Up)
    assert view.current == 0
    assert "made by merge" in view.accessibleDescription()


def pieces(*names):
    return tuple(Piece(k, name) for k, name in enumerate(names))


def rows(n):
    return tuple(
        WordRow(
            100 + k,
            pieces("t", "he", "n"),
            frozenset({0, 1}),
            pieces("the", "n"),
            frozenset({0}),
            90 - k,
            1,
        )
        for k in range(n)
    )


def test_a_click_on_a_token_picks_it_and_beside_it_the_word(qtbot):
    table = shown(qtbot, ContainingWordsTable(of_pairs=True), width=420)
    table.show_rows(rows(3))
    words = []
    tokens = []
    table.word_selected.connect(words.append)
    table.token_selected.connect(tokens.append)
    cell = table.visualRect(table.words.index(1, 0))
    click(qtbot, table.viewport(), QPoint(cell.left() + 10, cell.center().y()))
    assert (tokens, words) == ([0], [])
    count = table.words.index(2, place_of(table.words, "count"))
    click(qtbot, table.viewport(), table.visualRect(count).center())
    assert words == [102]
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_Up)
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert words == [102, 101]
    assert table.words.text(0, 0) == "t | he | n"
    assert "90 times" in table.words.tip(0, 0)
