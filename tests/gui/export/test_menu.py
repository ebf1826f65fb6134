"""Everything that the window shows can be taken away: tables, plots, the coloured text."""

from __future__ import annotations

import csv
import html
import re
import xml.etree.ElementTree as ElementTree

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTreeView

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.generators import result_of
from bpe_studio.explain.names import display_name
from bpe_studio.gui.actions_on.context_menu import HasContextMenu
from bpe_studio.gui.background import file_writing, sliced_save
from bpe_studio.gui.export import menu
from bpe_studio.gui.export.picture import has_content, name_of, picture_in_pieces
from bpe_studio.gui.main_window import MainWindow
from bpe_studio.gui.skyline import view as skyline_view
from bpe_studio.gui.tables.view import CompactTable
from bpe_studio.workspace.state import OpeningRequest
from tests.gui.hand import Hand

whole_window = pytest.mark.slow(
    buys=(
        "each saves something else from a whole window; a table, a plot and a text are saved in the"
        " quick ones"
    )
)

TEXT = "hug pug pun bun hugs سلام سلام 🙂🙂 =SUM(A1) -1 +1 @a 'b " * 20
WAIT_MS = 20_000


def train(window, qtbot):
    workspace = window.workspace
    before = window.workspace.run
    request = OpeningRequest("A text: of two scripts", text=TEXT)
    workspace.opener.open(request, TrainingConfig.preset("gpt2", merges=20))
    qtbot.waitUntil(
        lambda: workspace.run is not before and workspace.state.name == "ready", timeout=WAIT_MS
    )
    workspace.transport.run_training()
    qtbot.waitUntil(
        lambda: workspace.n_merges == 20 and workspace.state.name == "done", timeout=WAIT_MS
    )


def typed_in(window):
    window.resize(1280, 800)
    window.workspace.set_typed_text("سلام 🙂 hugs\nbun <b>")
    window.export_menu.find()
    return window


@pytest.fixture
def window(lasting_window, qtbot):
    lasting_window.put_back(qtbot)
    window = lasting_window.window
    window.set_theme("system")
    window.export_menu.for_paper.setChecked(False)
    lasting_window.open_trained("the text", lambda: train(window, qtbot))
    return typed_in(window)


def hand_of(window, qtbot):
    return Hand(window, lambda is_so: qtbot.waitUntil(is_so, timeout=WAIT_MS))


@pytest.fixture
def hand(window, qtbot):
    return hand_of(window, qtbot)


@pytest.fixture
def places(monkeypatch, tmp_path):
    """What the dialog was asked, and where it says to save."""
    asked = []

    def ask(parent, memory, title, name, kind):
        asked.append((title, name, kind))
        return tmp_path / name

    monkeypatch.setattr(menu, "ask_for_place", ask)
    return asked


def saved(window, qtbot, tmp_path):
    qtbot.waitUntil(lambda: not window.export_menu.saving.is_busy, timeout=WAIT_MS)
    return max(tmp_path.glob("*.*"), key=lambda each: each.stat().st_mtime_ns)


def test_the_merges_are_saved_whole_and_exact_from_the_menu(window, hand, qtbot, tmp_path, places):
    hand.choose_from_menu("File", "Export", "Tables", "Merges…")
    path = saved(window, qtbot, tmp_path)
    assert places == [("Save merges", "A text- of two scripts Merges.csv", "Tables")]
    with open(path, encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    run = window.workspace.run
    assert len(rows) == 20
    for merge, row in zip(run.merges, rows, strict=True):
        names = [row[title].removeprefix("'") for title in ("left", "right", "token")]
        assert names == [merge.left, merge.right, merge.token]
        numbers = [
            int(row[title]) for title in ("rank", "count", "tied", "forced", "tokens afterwards")
        ]
        assert numbers == [merge.rank, merge.count, merge.tied, merge.forced, merge.n_tokens]
        assert row["token as shown"].removeprefix("'") == display_name(
            run, run.token_of(merge.rank)
        )
    shown = {row["token as shown"] for row in rows}
    assert {"ا⟨D9⟩", "bun"} <= shown, "bytes are read as letters where they are"
    assert "Saved the" in window.banner.message.text()


def test_a_worksheet_is_saved_from_the_menu(window, hand, qtbot, tmp_path, places):
    hand.choose_from_menu("File", "Export", "Worksheet with its key…")
    assert saved(window, qtbot, tmp_path).read_bytes().startswith(b"%PDF")
    assert places[0][2] == "PDF documents"


@whole_window
def test_the_filter_and_the_order_are_kept(window, hand, qtbot, tmp_path, places):
    hand.click("merges.filter")
    hand.type("ug") if hasattr(hand, "type") else QTest.keyClicks(QApplication.focusWidget(), "ug")
    table = window.findChild(CompactTable, "merges.table")
    qtbot.waitUntil(lambda: 0 < table.model().rowCount() < 20, timeout=WAIT_MS)
    window.export_menu.save_table(table)
    with open(saved(window, qtbot, tmp_path), encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert rows and all("ug" in row["token"] for row in rows)
    assert len(rows) == table.model().rowCount()


@whole_window
def test_every_table_has_the_entries_in_its_own_menu(window):
    window.make_panels()
    tables = window.findChildren(CompactTable)
    assert len(tables) > 5
    window.views.show_panel("marks")
    window.views.show_panel("branches")
    tables += [
        window.findChild(QTreeView, name) for name in ("marks.breakpoints", "marks.bookmarks")
    ]
    for table in tables:
        has_own_menu = isinstance(
            table, HasContextMenu
        )  # which shows these entries below those on the thing
        policies = Qt.ContextMenuPolicy
        wanted = policies.DefaultContextMenu if has_own_menu else policies.CustomContextMenu
        assert table.contextMenuPolicy() is wanted
        shown = table.menu_below() if has_own_menu else table.actions()
        assert {"Save as CSV…", "Copy row", "Copy all rows"} <= {action.text() for action in shown}


def test_a_long_table_is_cancelled_and_nothing_is_written(
    window, qtbot, tmp_path, places, monkeypatch
):
    saving = window.export_menu.saving
    monkeypatch.setattr(sliced_save, "_PIECE_S", 0.0)
    window.export_menu.save_table(window.findChild(CompactTable, "merges.table"))
    assert saving.is_busy
    saving.strip.stop.click()
    assert not saving.is_busy and not saving.strip.isVisible()
    QApplication.processEvents()
    assert not list(tmp_path.glob("*.csv"))


def own_action(window, name):
    return window.findChild(QAction, f"export.{name}")


def test_without_a_text_it_says_why_not(qtbot):
    window = MainWindow()
    qtbot.addWidget(window)
    window.export_menu.find()
    action = own_action(window, "text_html")
    assert not action.isEnabled() and "Not now: open a text" in action.toolTip()


def test_tables_without_rows_in_one_place_bring_each_other_to_the_front_once(
    window, monkeypatch, places
):
    monkeypatch.setattr(menu, "SOON_MS", 0)
    window.export_menu.find_all()
    shown = []
    show_panel = window.views.show_panel
    monkeypatch.setattr(
        window.views, "show_panel", lambda key: (shown.append(key), show_panel(key))
    )
    for name in ("inspection.table", "enough.table"):
        window.export_menu.save_table(window.findChild(CompactTable, name))
    for _ in range(20):
        QApplication.processEvents()
    assert shown == ["inspection", "enough"] and not places
    assert "has no rows yet" in window.banner.message.text()


@pytest.fixture
def skyline(window, qtbot):
    """The skyline of a text of many rows."""
    typed = "hugs bun\n" * 40
    window.workspace.set_typed_text(typed)
    window.views.show_panel("skyline")
    skyline = window.panels["skyline"].view
    qtbot.waitUntil(
        lambda: skyline.picture.text is not None and skyline.picture.text.source == typed,
        timeout=WAIT_MS,
    )
    return skyline


@whole_window
def test_the_skyline_is_saved_by_its_own_button(window, skyline, qtbot, tmp_path, monkeypatch):
    panel = window.panels["skyline"]
    banner = window.banner
    chosen = [tmp_path / "mine.svg", tmp_path / "mine.png", tmp_path / "no" / "a.svg", None]
    asked = []

    def ask(parent, memory, title, name, kind):
        asked.append((name.rpartition(".")[2], kind))
        return chosen[len(asked) - 1]

    monkeypatch.setattr(menu, "ask_for_place", ask)
    for action, path in zip((panel.save_svg, panel.save_png), chosen, strict=False):
        action.trigger()
        assert (
            window.export_menu.saving.is_busy
            and path.name in window.export_menu.saving.strip.what.text()
        )
        qtbot.waitUntil(lambda path=path: f" as {path}" in banner.message.text(), timeout=WAIT_MS)
        assert banner.isVisible()
    assert ElementTree.parse(chosen[0]).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert not QImage(str(chosen[1])).isNull()
    panel.save_svg.trigger()
    qtbot.waitUntil(lambda: "folder" in banner.message.text(), timeout=WAIT_MS)
    panel.save_png.trigger()
    assert asked == [
        ("svg", "Drawings"),
        ("png", "Pictures"),
        ("svg", "Drawings"),
        ("png", "Pictures"),
    ]
    monkeypatch.setattr(skyline_view, "MOST_ROWS", 0)
    chosen.append(tmp_path / "b.svg")
    panel.save_svg.trigger()
    qtbot.waitUntil(lambda: "too long" in banner.message.text(), timeout=WAIT_MS)
    assert not chosen[-1].exists()


@whole_window
def test_what_goes_wrong_in_writing_is_told_and_the_next_thing_can_be_saved(
    window, qtbot, places, monkeypatch
):
    def fail(made, path):
        raise MemoryError

    monkeypatch.setattr(file_writing, "write_file", fail)
    saving = window.export_menu.saving
    with qtbot.waitSignal(saving.ended, timeout=WAIT_MS) as ended:
        window.export_menu.save_table(window.findChild(CompactTable, "merges.table"))
    assert "MemoryError" in ended.args[0][2] and not saving.is_busy


def test_every_plot_with_something_in_it_is_drawn_as_svg_and_png(window):
    window.workspace.selection.select_token(window.workspace.run.n_alphabet)
    window.export_menu.find_all()
    plots = {name_of(plot): plot for plot in window.export_menu.plots() if has_content(plot)}
    assert {"Tokens in the corpus by merges", "Skyline", "Timeline"} <= set(plots)
    for name, plot in plots.items():
        svg, png = (result_of(picture_in_pieces(plot, suffix)) for suffix in (".svg", ".png"))
        assert len(list(ElementTree.fromstring(svg).iter())) > 5, name
        assert (
            len(
                {
                    png.pixel(x, y)
                    for x in range(0, png.width(), 3)
                    for y in range(0, png.height(), 3)
                }
            )
            > 1
        ), name


def test_a_chart_is_saved_as_the_numbers_that_it_shows(window, hand, qtbot, tmp_path, places):
    hand.choose_from_menu("File", "Export", "Pictures", "Tokens in the corpus by merges", "CSV…")
    with open(saved(window, qtbot, tmp_path), encoding="utf-8", newline="") as stream:
        heads, *rows = csv.reader(stream)
    run = window.workspace.run
    assert heads == ["merge", "tokens in the corpus"]
    assert rows == [[str(step), str(run.n_tokens_at(step))] for step in range(21)]


def test_a_row_is_copied_by_the_keyboard(window, hand):
    hand.click_row("merges.table", 3)
    QTest.keyClick(
        window.findChild(CompactTable, "merges.table"),
        Qt.Key.Key_C,
        Qt.KeyboardModifier.ControlModifier,
    )
    (row,) = csv.DictReader(QApplication.clipboard().text().splitlines(), delimiter="\t")
    assert row["rank"] == "3"


def test_the_coloured_text_and_the_script_are_taken_from_the_menu(window, qtbot, tmp_path, places):
    qtbot.waitUntil(own_action(window, "text_html").isEnabled, timeout=WAIT_MS)
    own_action(window, "text_html").trigger()
    page = saved(window, qtbot, tmp_path).read_text(encoding="utf-8")
    assert (
        "bun <b>" in html.unescape(re.sub("<[^>]*>", "", page))
        and "<b>" not in page
        and "<script" not in page
    )
    own_action(window, "text_copy").trigger()
    data = QApplication.clipboard().mimeData()
    assert data.text() == "سلام 🙂 hugs\nbun <b>" and "background-color" in data.html()
    own_action(window, "script").trigger()
    script = saved(window, qtbot, tmp_path)
    assert script.suffix == ".py" and compile(
        script.read_text(encoding="utf-8"), script.name, "exec"
    )


@whole_window
def test_the_menu_lists_the_plots_that_are_there_be_they_called_the_same(
    window, hand, qtbot, tmp_path, places
):
    menu = window.export_menu
    window.present()
    menu.find_all()
    window.presentation.close()
    window.present()
    qtbot.waitUntil(
        lambda: window.presentation.isVisible() and window.presentation.is_up_to_date,
        timeout=WAIT_MS,
    )
    menu.find_all()
    entry = next(
        each for each in window.findChildren(QAction, "export.picture.present.skyline.view.svg")
    )
    entry.trigger()
    assert b"<svg" in saved(window, qtbot, tmp_path).read_bytes()
    window.presentation.close()
