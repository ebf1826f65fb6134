"""File > Export: every table, every plot, the coloured text, the run, and an animation of its
steps.
Tables and plots are found in the window by their classes, so a new panel needs no change here. Each
entry is also in the context menu of its table or plot, and in the palette. `tables/export.py`,
`picture.py` and `files/exports` make the content; this module has the menu, asks for the file, and
reports the outcome.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractItemView, QApplication, QMenu, QTabWidget, QWidget

from bpe_studio.errors import BpeError, SaveError
from bpe_studio.explain.wording import number
from bpe_studio.files.atomic_file import atomic_write
from bpe_studio.files.exports.csv_tables import csv_in_pieces
from bpe_studio.files.languages import known_language
from bpe_studio.gui.actions_on.context_menu import HasContextMenu
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.background.scheduling import RefreshSlot
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.qt_menus import pop_up_actions
from bpe_studio.gui.shell.banner import NOTICE
from bpe_studio.gui.tables.export import ExportsTable, n_rows_of, table_in_pieces
from bpe_studio.gui.tokens import colours
from bpe_studio.gui.views.layouts import PANELS
from bpe_studio.gui.widgets.controls import on_trigger, remembered_action
from bpe_studio.gui.widgets.file_dialogs import ask_for_place
from bpe_studio.workspace.messages import sentence
from bpe_studio.workspace.runs.script_source import script_source, why_no_script
from bpe_studio.workspace.state import Failure, Notice

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.tokenizer import Tokenizer
    from bpe_studio.engine.run import Run
    from bpe_studio.files.exports.html_text import CutText
    from bpe_studio.files.exports.living_page import PageView
    from bpe_studio.files.exports.run_script import ScriptSource
    from bpe_studio.gui.background.sliced_save import Making, SlicedSave
    from bpe_studio.gui.present.presentation import Presentation
    from bpe_studio.gui.shell.banner import Banner
    from bpe_studio.gui.views.frame import Views
    from bpe_studio.gui.widgets.window_settings import WindowSettings
    from bpe_studio.workspace.workspace import Workspace

SOON_MS = 400
FIND_AFTER_MS = 500
"""A pause longer than the one between two panels that are prepared one after the other."""
MOST_WAITS = 50
"""The number of times that the menu waits for a plot whose values are being counted."""
MOST_COPIED_CHARACTERS = 100_000
BUSY = "Something is still being saved: wait for it, or cancel it."


class ExportMenu(QObject):
    """The menu, and the functions of its entries.

    Args:
        window: the window with the tables and plots; the parent of the dialogs.
        workspace: the open run and text.
        views: brings panels to the front.
        banner: shows the outcome.
        memory: remembers the folder that was chosen last, and the entries that are ticked.
        make_all: makes the panels that have not been shown yet, whose tables and plots can be
            exported too.
        make_stage: makes a presentation, which an animation records.
    Signals:
        progress_made: QWidget, the progress of a file, when it is first needed; the window gives it
            a place.
    """

    progress_made = Signal(object)

    def __init__(
        self,
        window: QWidget,
        workspace: Workspace,
        views: Views,
        banner: Banner,
        memory: WindowSettings,
        make_all: Callable[[], object],
        make_stage: Callable[[], Presentation],
    ) -> None:
        super().__init__(window)
        self._window = window
        self._workspace = workspace
        self._views = views
        self._make_all = make_all
        self._banner = banner
        self._memory = memory
        self._make_stage = make_stage
        self.menu = QMenu("&Export", window)
        self.menu.setObjectName("menu.export")
        self.menu.setToolTipsVisible(True)
        self._tables = self._submenu("&Tables", "menu.export_tables")
        self._pictures = self._submenu("&Pictures", "menu.export_pictures")
        self._listed: dict[QMenu, list[tuple[str, QWidget]]] = {}
        self._own = {key: self._action(key, *words) for key, words in _WORDS.items()}
        self.for_paper, self.for_excel = (
            self._choice(key, *words) for key, words in _CHOICES.items()
        )
        self._own["text_html"].triggered.connect(self._on_save_text)
        self._own["text_copy"].triggered.connect(self._on_copy_text)
        self._own["script"].triggered.connect(self._on_save_script)
        self._own["worksheet"].triggered.connect(self._on_save_worksheet)
        self.menu.addActions([*self._own.values()])
        self.menu.addSeparator()
        self.menu.addActions([self.for_paper, self.for_excel])
        # Panels are made one after the other; their plots are searched once, after the last one.
        self._last_made = QTimer(self, singleShot=True, interval=FIND_AFTER_MS)
        self._turn = RefreshSlot(workspace, self)
        self._last_made.timeout.connect(self._turn.request)
        self._turn.granted.connect(self._give_menus)
        self.menu.aboutToShow.connect(self.find_all)
        for signal in (self._workspace.run_changed, self._workspace.shown_text_changed):
            signal.connect(self._enable)
        self._enable()

    @Slot()
    def give_menus_soon(self) -> None:
        """Give each plot its menu in a moment, as after a panel was made.
        The menu Export itself is filled when it is shown.
        """
        self._last_made.start()

    def _submenu(self, title: str, name: str) -> QMenu:
        menu = QMenu(title, self.menu)
        self.menu.addMenu(menu)
        menu.setObjectName(name)
        menu.setToolTipsVisible(True)
        return menu

    def _action(self, key: str, text: str, tip: str) -> QAction:
        action = QAction(text, self)
        action.setObjectName(f"export.{key}")
        action.setToolTip(tip)
        return action

    def _choice(self, key: str, text: str, tip: str) -> QAction:
        """An entry whose state is remembered."""
        return remembered_action(
            text, f"export.{key}", tip, self._memory, f"export_{key}", self, is_on=False
        )

    @cached_property
    def saving(self) -> SlicedSave:
        """The maker and writer of files."""
        from bpe_studio.gui.background.sliced_save import SlicedSave

        saving = SlicedSave(self)
        saving.ended.connect(self._on_ended)
        self.progress_made.emit(saving.strip)
        return saving

    @property
    def run(self) -> Run | None:
        """The run that is open, for the names of tokens."""
        return self._workspace.run

    # The tables and plots that can be exported.

    @Slot()
    def find_all(self) -> None:
        """Make the panels that have not been shown yet, and fill the menu."""
        self._make_all()
        self.find()

    @Slot()
    def find(self) -> None:
        """Find the tables and plots of the panels that are made, and fill the menu."""
        views = self._window.findChildren(QAbstractItemView)
        tables = [each for each in views if each.objectName() and isinstance(each, ExportsTable)]
        keys = {each: self._views.panel_of(each) for each in tables}
        # The tables of a panel are together, in the order of the panels.
        tables.sort(key=lambda each: [*PANELS, ""].index(keys[each]))
        titled = [(_with_panel(title_of(each), keys[each]), each) for each in tables]
        self._fill_tables(titled)
        self._fill_pictures(self._give_menus())
        self._enable()

    @Slot()
    def _give_menus(self) -> list[QWidget]:
        """Give each plot that is made a menu of its own, and return the plots."""
        plots = self.plots()
        for plot in plots:
            self._give_menu(plot)
        return plots

    def plots(self) -> list[QWidget]:
        """The plots of the window that are made."""
        from bpe_studio.gui.export.picture import is_plot, name_of

        return sorted(filter(is_plot, self._window.findChildren(QWidget)), key=name_of)

    def _fill_tables(self, entries: Sequence[tuple[str, QAbstractItemView]]) -> None:
        menu = self._tables
        if not self._is_other(menu, [*entries]):
            return
        menu.clear()
        for title, table in entries:
            action = menu.addAction(f"{title}…".replace("&", "&&"))
            action.setObjectName(f"export.table.{table.objectName()}")
            action.setToolTip("Saves all rows of the table as CSV, sorted and filtered as shown")
            on_trigger(action, partial(self.save_table, table))

    def _fill_pictures(self, plots: list[QWidget]) -> None:
        """Fill the menu of pictures: a menu for each plot, with the forms of its file."""
        from bpe_studio.gui.export.picture import forms_of, name_of

        menu = self._pictures
        entries = [(name_of(plot), plot) for plot in plots]
        if not self._is_other(menu, entries):
            return
        for action in menu.actions():
            inner = action.menu()
            menu.removeAction(action)
            if isinstance(inner, QMenu):
                inner.setParent(None)  # its plot may be gone already
                inner.deleteLater()
        for name, plot in entries:
            inner = menu.addMenu(name.replace("&", "&&"))
            inner.setObjectName(f"menu.export_picture.{_as_key(plot.objectName() or name)}")
            inner.setToolTipsVisible(True)
            for suffix, scale, kind in forms_of(plot):
                action = inner.addAction(f"{kind}…")
                action.setObjectName(_as_key(f"export.picture.{plot.objectName() or name}.{kind}"))
                action.setToolTip("Saves all of the plot as it is shown")
                on_trigger(action, partial(self.save_picture, plot, suffix, scale))

    def _is_other(self, menu: QMenu, entries: list[tuple[str, QWidget]]) -> bool:
        """Whether a menu is to list other widgets than it does, even under the same names."""
        is_other = entries != self._listed.get(menu)
        self._listed[menu] = entries
        return is_other

    def _give_menu(self, plot: QWidget) -> None:
        """Give a plot a menu of its own on the right button, if it has none."""
        if plot.property("has_export_menu") or (
            _has_menu(plot) and not isinstance(plot, HasContextMenu)
        ):
            return
        from bpe_studio.gui.export.picture import forms_of

        plot.setProperty("has_export_menu", True)
        for suffix, scale, kind in forms_of(plot):
            action = QAction(f"Save as {kind}…", plot)
            action.setToolTip("Saves all of the plot as it is shown")
            on_trigger(action, partial(self.save_picture, plot, suffix, scale))
            plot.addAction(action)
        if not isinstance(plot, HasContextMenu):
            pop_up_actions(plot)

    @Slot()
    def _enable(self) -> None:
        run = self.run
        no_text = "open a text, then type some text"
        if run is not None and self._workspace.shown_text:
            no_text = ""
        no_words = "open a text"
        if run is not None and len(run.corpus):
            no_words = ""
        self._enable_own("text_html", no_text)
        self._enable_own("text_copy", no_text)
        self._enable_own("worksheet", no_words)
        self._enable_own("script", _lower(why_no_script(self._workspace.runs)))

    def _enable_own(self, key: str, why_not: str) -> None:
        """Enable an entry, or say in its tooltip why it is disabled."""
        tip = _WORDS[key][1]
        if why_not:
            tip += f"\nNot now: {why_not}"
        self._own[key].setEnabled(not why_not)
        self._own[key].setToolTip(tip)

    # Export.

    def save_table(self, table: QAbstractItemView, *, has_waited: bool = False) -> None:
        """Ask for a file, and save all rows of a table, list or tree."""
        title = title_of(table)
        if not has_waited and self._bring_to_front(table) and not n_rows_of(table):
            # A panel that was behind a tab has its rows a moment after it comes to the front.
            QTimer.singleShot(SOON_MS, table, partial(self.save_table, table, has_waited=True))
            return
        if not n_rows_of(table):
            self._notify(f"“{title}” has no rows yet: show something in its panel, then save it.")
            return
        is_marked = self.for_excel.isChecked()
        self._save(
            title,
            ".csv",
            "Tables",
            lambda path: table_in_pieces(table, self.run, is_marked=is_marked),
        )

    def save_picture(
        self, plot: QWidget, suffix: str, scale: float = 1.0, n_waited: int = 0
    ) -> None:
        """Ask for a file, and save a plot as soon as it is up to date."""
        from bpe_studio.gui.export.picture import has_content, is_late, name_of

        title = name_of(plot)
        # Once only: two plots that are waited for would keep bringing each other to the front.
        has_come = not n_waited and self._bring_to_front(plot)
        if has_come or (is_late(plot) and n_waited < MOST_WAITS):
            # A plot that was behind a tab is up to date a moment after it comes to the front.
            QTimer.singleShot(
                SOON_MS, plot, partial(self.save_picture, plot, suffix, scale, n_waited + 1)
            )
            return
        if not has_content(plot):
            self._notify(f"“{title}” is still empty: show something in its panel, then save it.")
            return
        kind = {".svg": "Drawings", ".csv": "Tables", ".html": "Web pages"}.get(suffix, "Pictures")
        self._save(title, suffix, kind, lambda path: self._picture(plot, suffix, scale))

    @Slot()
    def save_window(self) -> None:
        """Ask for a file, and save a picture of the window as it is now."""
        from bpe_studio.gui.export.picture import drawn

        picture = self._window.grab().toImage()
        if self.saving.is_busy:
            self._notify(BUSY)
            return
        path = ask_for_place(
            self._window, self._memory, "Save a picture", "bpe-studio.png", "Pictures"
        )
        if path is not None:
            self.saving.begin("Picture of the window", path, partial(drawn, picture))

    def _picture(self, plot: QWidget, suffix: str, scale: float) -> Making:
        from bpe_studio.gui.export.picture import (
            ExportsPage,
            ExportsValues,
            drawn,
            picture_in_pieces,
        )

        if suffix == ".csv":
            assert isinstance(plot, ExportsValues)
            heads, rows = plot.export_values()
            return csv_in_pieces(heads, rows, len(rows), is_marked=self.for_excel.isChecked())
        if suffix == ".html":
            assert isinstance(plot, ExportsPage)
            return drawn(plot.export_page())
        return picture_in_pieces(plot, suffix, is_for_paper=self.for_paper.isChecked(), scale=scale)

    def _cut_text(self) -> CutText:
        """The typed text, cut into the tokens of the step."""
        from bpe_studio.explain.text_export import cut_text

        workspace = self._workspace
        run = workspace.run
        corpus = workspace.corpus
        assert run is not None
        name = corpus.name if corpus is not None else ""
        step = workspace.step
        n_merges = workspace.n_merges
        return cut_text(run, workspace.shown_text, step, n_merges, name, colours.by_name())

    @Slot()
    def _on_save_text(self) -> None:
        from bpe_studio.files.exports.html_text import page_in_pieces

        self._save(
            "Coloured text", ".html", "Web pages", lambda path: page_in_pieces(self._cut_text())
        )

    @Slot()
    def _on_copy_text(self) -> None:
        from bpe_studio.files.exports.html_text import fragment

        text = self._workspace.shown_text
        if len(text) > MOST_COPIED_CHARACTERS:
            most = number(MOST_COPIED_CHARACTERS)
            self._notify(
                f"The clipboard takes {most} characters at most: save the coloured text as HTML"
                " instead."
            )
            return
        is_dark = theme.is_dark(self._window.palette()) and not self.for_paper.isChecked()
        data = QMimeData()
        data.setText(text)
        shown_theme = "dark" if is_dark else "light"
        data.setHtml(fragment(self._cut_text(), shown_theme))
        QApplication.clipboard().setMimeData(data)
        self._notify("The coloured text is on the clipboard: paste it into a document or a slide.")

    @Slot()
    def _on_save_script(self) -> None:
        source = script_source(self._workspace, self._workspace.runs)
        self._save("Run", ".py", "Python scripts", lambda path: _script(source, path))

    @Slot()
    def share(self) -> None:
        """Ask for a file, and write the run there as an interactive page, in a thread."""
        from bpe_studio.files.exports.living_page import PageView, usual_title

        workspace = self._workspace
        run = workspace.run
        name = workspace.corpus.name if workspace.corpus is not None else "Run"
        path = ask_for_place(
            self._window,
            self._memory,
            "Share a page",
            f"{Path(name).stem or 'run'}.html",
            "Web pages",
        )
        if run is not None and path is not None:
            view = PageView(
                usual_title(name),
                workspace.shown_text,
                workspace.step,
                is_by_token=colours.is_by_token(),
            )
            others = {each.name: each.tokenizer for each in workspace.tokenizers.entries}
            self._pages.ask(run, view, others, path)

    @cached_property
    def _pages(self) -> LatestAnswer:
        pages = LatestAnswer(_write_page, self)
        pages.answered.connect(self._on_page_written)
        return pages

    @Slot()
    def _on_save_worksheet(self) -> None:
        run = self.run
        corpus = self._workspace.corpus
        language = known_language(self._memory.lesson_language)
        if run is not None and corpus is not None:
            self._save(
                "Worksheet",
                ".pdf",
                "PDF documents",
                lambda path: _worksheet(run, corpus.name, language),
            )

    @Slot()
    def export_animation(self) -> None:
        """Ask for two steps and a file, and save an animation of the steps between them."""
        from bpe_studio.gui.export.animation import AnimationDialog

        dialog = AnimationDialog(self._workspace, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(self._on_steps_chosen)
        dialog.open()

    @Slot(object, float, str)
    def _on_steps_chosen(self, steps: list[int], seconds: float, form: str) -> None:
        from bpe_studio.gui.export.animation import recorded

        self._save(
            f"Steps {steps[0]}-{steps[-1]}",
            f".{form}",
            "Animations",
            lambda path: recorded(self._workspace, self._make_stage(), steps, seconds, form),
        )

    def refuse_to_copy(self, n_rows: int, most: int) -> None:
        """Say that a table has too many rows to be copied."""
        said = (
            f"The table has {number(n_rows)} rows; the clipboard takes {number(most)} at most: save"
            " the table as CSV instead."
        )
        self._notify(said)

    def _save(self, title: str, suffix: str, kind: str, make: Callable[[Path], Making]) -> None:
        if self.saving.is_busy:
            self._notify(BUSY)
            return
        corpus = self._workspace.corpus
        stem = Path(corpus.name).stem if corpus is not None else ""
        name = re.sub(r'[\\/:*?"<>|\x00-\x1f]+', "-", f"{stem} {title}".strip())[:80] + suffix
        path = ask_for_place(self._window, self._memory, f"Save {_lower(title)}", name, kind)
        if path is not None:
            self.saving.begin(title, path, partial(make, path))

    def _bring_to_front(self, widget: QWidget) -> bool:
        """Show the panel and the tab of a widget, which are only up to date while they are seen.

        Returns:
            Whether the widget was behind others.
        """
        views = self._views
        was_behind = False
        if not views.isVisible():
            return False  # the game or the start page is in its place, and stays there
        key = views.panel_of(widget)
        if key and key not in views.in_sight():
            views.show_panel(key)
            was_behind = True
        for tabs in self._window.findChildren(QTabWidget):
            pages = [page for page in map(tabs.widget, range(tabs.count())) if page is not None]
            page = next((page for page in pages if page.isAncestorOf(widget)), None)
            if page is not None and page is not tabs.currentWidget():
                tabs.setCurrentWidget(page)
                was_behind = True
        return was_behind

    @Slot(object)
    def _on_ended(self, ended: tuple[str, Path, str]) -> None:
        title, path, problem = ended
        if problem:
            self._banner.show_failure(Failure(f"Save {_lower(title)}", problem))
        else:
            self._notify(f"Saved the {_lower(title)} as {path}.")

    @Slot(object)
    def _on_page_written(self, ended: tuple[Path, str, list[str]]) -> None:
        path, problem, left_out = ended
        if problem:
            self._banner.show_failure(Failure("Save page", problem))
        else:
            self._notify(" ".join([f"Saved the page as {path}.", *map(sentence, left_out)]))

    def _notify(self, message: str) -> None:
        self._banner.clear(NOTICE)
        self._banner.show_notice(Notice(message, is_report=True))


_WORDS = {
    "text_html": (
        "Coloured text as &HTML…",
        "Saves the typed text with its coloured tokens as a web page in one file",
    ),
    "script": (
        "&Run as a Python script…",
        (
            "Saves a script that repeats this run with the public API and checks that the result is"
            " the same"
        ),
    ),
    "worksheet": (
        "&Worksheet with its key…",
        (
            "Saves a PDF on which students make eight merges of words of the text by hand, with the"
            " key"
        ),
    ),
    "text_copy": (
        "&Copy coloured text",
        "Copies the typed text with its coloured tokens, for a document or a slide",
    ),
}


_CHOICES = {
    "for_paper": (
        "Light pictures for &print",
        "Exports pictures and coloured text in light colours, whatever the window's theme",
    ),
    "for_excel": (
        "CSV for &Excel",
        (
            "Begins CSV files with a byte-order mark: Excel needs it for letters beyond ASCII;"
            " other programs do not"
        ),
    ),
}


def _write_page(
    run: Run, view: PageView, others: Mapping[str, Tokenizer], path: Path
) -> tuple[Path, str, list[str]]:
    """Write a page.

    Returns:
        Its path, the reason why it could not be written, or "", and the reasons why tokenizers are
        left out.
    """
    from bpe_studio.files.exports.living_page import data_beside, living_page

    beside = []
    left_out = []
    for name, tokenizer in others.items():
        try:
            beside.append(data_beside(name, tokenizer))
        except SaveError as error:
            left_out.append(str(error))
    try:
        atomic_write(path, living_page(run, view, beside=beside))
    except BpeError as error:
        return path, str(error), left_out
    return path, "", left_out


def _script(source: ScriptSource, path: Path) -> Making:
    """The content of the script, and of the files that it needs in its folder."""
    from bpe_studio.files.exports.run_script import script_files
    from bpe_studio.gui.background.file_writing import WithCompanions

    files = yield from script_files(source, path.name)
    return WithCompanions(files.pop(path.name), files)


def _worksheet(run: Run, title: str, language: str) -> Making:
    """A sheet with words of a run, under its settings."""
    from bpe_studio.explain.worksheet import make_worksheet
    from bpe_studio.gui.worksheet.pdf import worksheet_pdf

    yield None
    sheet = make_worksheet(run.corpus, run.config, title, language=language)
    yield None
    return worksheet_pdf(sheet)


def title_of(table: QWidget) -> str:
    """The name of a table in menus and files."""
    return table.accessibleName() or table.objectName()


def _with_panel(title: str, key: str) -> str:
    """A table's title behind the name of its panel, unless the title contains that name."""
    panel = PANELS.get(key, "")
    return title if panel.lower() in title.lower() else f"{panel}: {_lower(title)}"


def _as_key(text: str) -> str:
    return text.replace(" ", "_").lower()


def _lower(title: str) -> str:
    return title[:1].lower() + title[1:]


def _has_menu(widget: QWidget) -> bool:
    """Whether its class makes a menu of its own on the right button."""
    own = [each for each in type(widget).__mro__ if each.__module__.startswith("bpe_studio")]
    return any("contextMenuEvent" in vars(each) for each in own)
