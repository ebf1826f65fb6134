"""What "why" draws: links to follow, the tree of a derivation, the curve of a life, words with tokens lit."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QSizeF, Qt
from PySide6.QtWidgets import QApplication, QWidget

from bpe_studio.engine.analysis.derivation import derive
from bpe_studio.engine.analysis.token_life import token_life
from bpe_studio.explain.why.answers import Names, Piece, WordRow
from bpe_studio.gui.plots.token_life import TokenLifeCurve
from bpe_studio.gui.tokens.links import Link, TokenLinks
from bpe_studio.gui.why import derivation_view
from bpe_studio.gui.why.derivation_view import DerivationView
from bpe_studio.gui.why.words_table import N_FIRST, ContainingWordsTable
from bpe_studio.gui.widgets.containers import column, scrolled
from tests.trained import run_of_words

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)


def shown(qtbot, widget, width=300, height=200):
    qtbot.addWidget(widget)
    widget.resize(width, height)
    widget.show()
    qtbot.waitExposed(widget)
    return widget


def click(qtbot, widget, place):
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, pos=place.toPoint() if hasattr(place, "toPoint") else place)


@pytest.fixture
def links(qtbot):
    widget = shown(qtbot, TokenLinks())
    widget.set_links([Link("t", 3), Link("+", is_sign=True), Link("he", 7), Link("→", is_sign=True), Link("the", 9)])
    return widget


def test_a_click_follows_a_token_and_none_a_sign(links, qtbot):
    selected = []
    links.selected.connect(selected.append)
    for number in range(5):
        click(qtbot, links, links.rect_of(number).center())
    assert selected == [3, 7, 9]


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


def test_links_that_run_to_the_left_begin_at_the_right_and_walk_there(qtbot):
    widget = shown(qtbot, TokenLinks())
    widget.set_links([Link("سلا", 1), Link("م", 2)], is_rtl=True)
    assert widget.rect_of(0).left() > widget.rect_of(1).right()
    selected = []
    widget.selected.connect(selected.append)
    qtbot.keyClick(widget, Qt.Key.Key_Left)
    qtbot.keyClick(widget, Qt.Key.Key_Return)
    assert selected == [2]


def test_links_flow_in_as_many_lines_as_they_need(qtbot):
    widget = shown(qtbot, TokenLinks(), width=100)
    widget.set_links([Link(f"token{k}", k, after="1,000") for k in range(5)])
    assert widget.heightForWidth(100) > 3 * widget.heightForWidth(2000)
    assert all(widget.rect_of(k).right() <= 100 for k in range(5))


def test_links_without_a_token_take_no_focus(qtbot):
    widget = shown(qtbot, TokenLinks())
    widget.set_links([Link("word", is_outlined=True)])
    assert widget.focusPolicy() == Qt.FocusPolicy.NoFocus


def tree_of(qtbot, run, token, width=400):
    view = shown(qtbot, DerivationView(), width=width)
    view.show_tree(derive(run, token), Names(run).of)
    return view


class _Counted(DerivationView):
    """Counts its resizes, and ends what would not end."""

    n_resizes = 0

    def resizeEvent(self, event):
        self.n_resizes += 1
        if self.n_resizes < 100:
            super().resizeEvent(event)


@pytest.mark.parametrize("height", [200, 270, 280, 400])
def test_a_tree_that_is_almost_as_wide_as_its_room_comes_to_rest(qtbot, monkeypatch, height):
    """Its scroll bars came and went for ever, and the window stopped."""
    run, size = run_of_words(), QSizeF()
    laid_out = derivation_view.lay_out

    def lay_out(*arguments, **options):
        return laid_out(*arguments, **options)[0], size

    monkeypatch.setattr(derivation_view, "lay_out", lay_out)
    inside, view = QWidget(), _Counted()
    column(view, parent=inside).addStretch(1)
    area = shown(qtbot, scrolled(inside, "area"), width=330, height=210)
    for less in range(-6, 36):
        size = QSizeF(area.viewport().width() - less, height)
        view.n_resizes = 0
        view.show_tree(derive(run, run.find_token("hug")), Names(run).of)
        QCoreApplication.processEvents()
        QCoreApplication.processEvents()
        assert view.n_resizes < 20, less
        # All of the drawing can be reached.
        for bar, drawn, page in (
            (view.horizontalScrollBar(), view._size.width(), view.viewport().width()),
            (view.verticalScrollBar(), view._size.height(), view.viewport().height()),
        ):
            assert bar.maximum() == max(0, drawn - page)
            assert bar.isVisible() == (drawn > page)


def test_a_tree_has_a_token_over_the_middle_of_its_parts(qtbot):
    run = run_of_words()
    token = run.find_token("hug")
    view = tree_of(qtbot, run, token)
    names = {run.token_name(derive(run, token).nodes[k].token): spot.rect for k, spot in view.spots.items()}
    assert set(names) == {"hug", "h", "ug", "u", "g"}
    assert names["h"].right() < names["ug"].left()
    assert names["u"].right() < names["g"].left()
    assert names["hug"].bottom() < names["h"].top() == names["ug"].top() < names["u"].top()
    assert names["h"].left() <= names["hug"].center().x() <= names["ug"].right()


def test_a_tree_that_runs_to_the_left_has_its_first_part_on_the_right(qtbot):
    run = run_of_words({"سلام": 9, "سلا": 3})
    token = run.find_token("سلام")
    view = tree_of(qtbot, run, token)
    root = derive(run, token).root
    assert view.spots[root.left].rect.left() > view.spots[root.right].rect.right()


def test_a_click_in_the_tree_picks_and_a_knot_folds(qtbot):
    run = run_of_words()
    view = tree_of(qtbot, run, run.find_token("hug"))
    selected = []
    view.selected.connect(selected.append)
    click(qtbot, view.viewport(), view.place_of(2).center())
    assert selected == [run.find_token("ug")]
    assert len(view.spots) == 5
    below = view.place_of(2)
    click(qtbot, view.viewport(), QPoint(int(below.center().x()), int(below.bottom()) + 10))
    assert len(view.spots) == 3
    assert not view.is_open(2)
    assert selected == [run.find_token("ug")]


def test_the_tree_is_walked_and_folded_by_keys(qtbot):
    run = run_of_words()
    view = tree_of(qtbot, run, run.find_token("hug"))
    selected = []
    view.selected.connect(selected.append)
    walk = [Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Return, Qt.Key.Key_Space, Qt.Key.Key_Down, Qt.Key.Key_Return]
    for key in walk:
        qtbot.keyClick(view, key)
    assert selected == [run.find_token("ug"), run.find_token("u")]
    assert view.is_open(2)
    qtbot.keyClick(view, Qt.Key.Key_Up)
    qtbot.keyClick(view, Qt.Key.Key_Up)
    qtbot.keyClick(view, Qt.Key.Key_Up)
    assert view.current == 0
    assert "made at step" in view.accessibleDescription()


def test_a_tree_of_thousands_of_symbols_is_drawn_folded(qtbot):
    run = run_of_words({"a" * 4096: 2, "ab": 1}, merges=12)
    token = run.n_alphabet + len(run.merges) - 1
    view = tree_of(qtbot, run, token)
    assert len(derive(run, token).nodes) > 1000
    assert len(view.spots) < 100
    view.grab()
    assert view.height() <= 300


def life_of(qtbot, run, token, n_merges, step, width=300):
    curve = shown(qtbot, TokenLifeCurve(), width=width)
    curve.ensure_plot()
    curve.show_life(token_life(run, token, n_merges), n_merges)
    curve.set_step(step)
    return curve


def test_a_life_goes_from_birth_to_the_end_and_a_press_goes_there(qtbot):
    run = run_of_words(merges=6)
    token = run.find_token("ug")
    curve = life_of(qtbot, run, token, 6, 3)
    assert curve.birth == token - run.n_alphabet + 1
    assert not curve.is_log
    assert curve.x_of(curve.birth) < curve.x_of(3) < curve.x_of(6)
    assert [curve.step_at(curve.x_of(step)) for step in range(curve.birth, 7)] == list(range(curve.birth, 7))
    chosen = []
    curve.step_chosen.connect(chosen.append)
    click(qtbot, curve, QPoint(int(curve.x_of(4)), 40))
    assert chosen == [4]
    curve.grab()


def test_a_line_of_a_life_is_at_the_step_under_the_mouse_and_goes_with_it(qtbot):
    run = run_of_words(merges=6)
    curve = life_of(qtbot, run, run.find_token("ug"), 6, 3)
    curve.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the frame of the focus is another matter
    curve.clearFocus()
    before = curve.grab().toImage()
    qtbot.mouseMove(curve, QPoint(int(curve.x_of(5)), 40))
    assert curve.hovered == 5 and curve.grab().toImage() != before
    QApplication.sendEvent(curve, QEvent(QEvent.Type.Leave))
    assert curve.hovered is None and curve.grab().toImage() == before


def test_keys_go_to_where_the_count_changes(qtbot):
    run = run_of_words(merges=6)
    token = run.find_token("ug")
    life = token_life(run, token, 6)
    curve = life_of(qtbot, run, token, 6, int(life.steps[0]))
    chosen = []
    curve.step_chosen.connect(chosen.append)
    qtbot.keyClick(curve, Qt.Key.Key_Right)
    qtbot.keyClick(curve, Qt.Key.Key_End)
    qtbot.keyClick(curve, Qt.Key.Key_Home)
    assert chosen == [int(life.steps[1]), 6, int(life.steps[0])]
    assert "when created, at step" in curve.accessibleDescription()


def test_a_token_that_falls_at_once_is_drawn_by_logarithm(qtbot):
    rare = {chr(0x4E00 + k) + chr(0x5E00 + k): 2 for k in range(300)}
    run = run_of_words({f"ab{chr(99 + k)}": 100 - k for k in range(20)} | rare)
    n = len(run.merges)
    curve = life_of(qtbot, run, run.find_token("ab"), n, n)
    assert curve.is_log
    assert curve.step_at(curve.x_of(20)) == 20
    curve.grab()


def pieces(*names):
    return tuple(Piece(k, name) for k, name in enumerate(names))


def rows(n):
    return tuple(
        WordRow(100 + k, pieces("t", "he", "n"), frozenset({0, 1}), pieces("the", "n"), frozenset({0}), 90 - k, 1)
        for k in range(n)
    )


def test_a_table_of_words_shows_some_then_all_and_is_as_high_as_they_are(qtbot):
    table = shown(qtbot, ContainingWordsTable(of_pairs=True))
    table.show_rows(rows(20))
    assert table.words.rowCount() == N_FIRST
    assert table.n_hidden == 14
    low = table.height()
    table.set_whole(True)
    assert table.words.rowCount() == 20
    assert table.height() > 2 * low
    table.show_rows(rows(2))
    table.set_whole(False)
    assert table.height() < low
    table.set_steady(True)
    assert table.height() == low


def test_a_click_on_a_token_picks_it_and_beside_it_the_word(qtbot):
    table = shown(qtbot, ContainingWordsTable(of_pairs=True), width=420)
    table.show_rows(rows(3))
    words, tokens = [], []
    table.word_selected.connect(words.append)
    table.token_selected.connect(tokens.append)
    cell = table.visualRect(table.words.index(1, 0))
    click(qtbot, table.viewport(), QPoint(cell.left() + 10, cell.center().y()))
    assert (tokens, words) == ([0], [])
    click(qtbot, table.viewport(), table.visualRect(table.words.index(2, 2)).center())
    assert words == [102]
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_Up)
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert words == [102, 101]
    assert table.words.text(0, 0) == "t | he | n"
    assert "90 times" in table.words.tip(0, 0)
