"""The menus of the window, with the actions of the table and the recent files."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Mapping

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QCheckBox, QMenu, QMenuBar

from bpe_studio.files.samples import Sample
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.look import icons
from bpe_studio.gui.look.qt_text import plain_tip
from bpe_studio.gui.widgets.window_settings import Recent

SEPARATOR = ""
_FILE = (
    "file.locate_text",
    "check.show",
    SEPARATOR,
    "file.save_tokenizer",
    "file.save_document",
    "file.save_whole_document",
    "file.save_picture",
    "file.share",
    "file.export_animation",
    SEPARATOR,
    "file.quit",
)
ENCODINGS = (
    ("", "Detect"),
    ("utf-8", "UTF-8"),
    ("utf-16-le", "UTF-16 little-endian"),
    ("utf-16-be", "UTF-16 big-endian"),
    ("cp1252", "Western European (Windows-1252)"),
    ("iso8859-15", "Western European (ISO 8859-15)"),
    ("cp1250", "Central European (Windows-1250)"),
    ("cp1251", "Cyrillic (Windows-1251)"),
    ("koi8-r", "Cyrillic (KOI8-R)"),
    ("cp1253", "Greek (Windows-1253)"),
    ("cp1255", "Hebrew (Windows-1255)"),
    ("cp1256", "Arabic and Persian (Windows-1256)"),
    ("gb18030", "Chinese (GB 18030)"),
    ("big5", "Chinese (Big5)"),
    ("shift_jis", "Japanese (Shift JIS)"),
    ("euc-kr", "Korean (EUC-KR)"),
)
"""The names and titles of the encodings that are offered for files; the first detects it."""

_RUN = (
    "transport.run",
    "transport.step",
    "transport.step_n",
    "transport.back",
    SEPARATOR,
    "transport.start",
    "transport.end",
    "transport.jump",
    SEPARATOR,
    "transport.new_run",
    "transport.add_tokenizer",
    "compare.every_tokenizer",
    SEPARATOR,
    "doctor.show",
    "extend.show",
    "prune.show",
    SEPARATOR,
    "transport.cancel",
)
_EDIT = ("edit.undo", "edit.redo", SEPARATOR, "text.as_corpus")
_SELECTION = (
    "selection.forbid",
    "selection.force",
    "selection.skip",
    "selection.stop",
    SEPARATOR,
    "selection.step",
    "selection.lines",
    "selection.vocabulary",
    SEPARATOR,
    "selection.copy_text",
    "selection.copy_ids",
    "selection.copy_bytes",
    SEPARATOR,
    "selection.menu",
)
_GO = (
    "go.why",
    "go.why_border",
    SEPARATOR,
    "go.back",
    "go.forward",
    "go.nothing",
    SEPARATOR,
    "go.next_stop",
    "go.previous_stop",
    SEPARATOR,
    "go.bookmark",
)
_LEARN = (
    "learn.open",
    "learn.template",
    SEPARATOR,
    "learn.next",
    "learn.back",
    "learn.leave",
    SEPARATOR,
    "learn.game",
)
_VIEWS = (
    "view.start",
    "view.explore",
    "view.vocabulary",
    "view.compare",
    "view.corpus",
    "view.learn",
    SEPARATOR,
    "view.present",
    SEPARATOR,
    "view.settings",
    "view.marks",
    SEPARATOR,
    "view.maximize",
)
_VIEW = (
    "text.layer",
    SEPARATOR,
    "view.timeline_log",
    "view.timeline_fit",
    SEPARATOR,
    "view.zoom_in",
    "view.zoom_out",
    "view.zoom_reset",
    SEPARATOR,
    "view.reset_layout",
    "view.full_screen",
)
_HELP = (
    "help.manual",
    "help.glossary",
    SEPARATOR,
    "help.palette",
    "help.shortcuts",
    SEPARATOR,
    "help.about",
)


class Menus(QObject):
    """Fills a menu bar.

    Signals:
        sample_chosen: str, a sample's id.
        recent_chosen: list of str, the paths of a recent entry.
        recent_listed: list of Recent, the entries that are listed.
        recent_cleared: the user wants to clear the list of recent files.
        encoding_chosen: str, the encoding of the open files; empty to detect it.
    """

    sample_chosen = Signal(str)
    recent_chosen = Signal(object)
    recent_listed = Signal(object)
    recent_cleared = Signal()
    encoding_chosen = Signal(str)

    def __init__(
        self, bar: QMenuBar, actions: Mapping[str, QAction], samples: Iterable[Sample]
    ) -> None:
        super().__init__(bar)
        self.file = file = _menu(bar, "&File", "menu.file")
        opening = [actions[f"file.{key}"] for key in ("open", "open_address", "look_at_tokenizer")]
        file.addActions(opening)
        self.recent = _submenu(file, "Open &recent", "menu.recent", "recent")
        file.addAction(actions["file.paste"])
        self.samples = _submenu(file, "S&amples", "menu.samples", "sample")
        for sample in samples:
            action = self.samples.addAction(sample.title)
            action.setObjectName(f"file.sample.{sample.id}")
            action.setToolTip(sample.about)
            action.setData(sample.id)
        self.samples.menuAction().setEnabled(bool(self.samples.actions()))
        self.encodings = QMenu("Reopen with encodin&g", file)
        self.encodings.setObjectName("menu.encodings")
        file.addMenu(self.encodings)
        for name, title in ENCODINGS:
            action = self.encodings.addAction(title)
            action.setObjectName(f"file.encoding.{name or 'detect'}")
            action.setCheckable(True)
            action.setData(name)
        self.show_encoding(None)
        _fill(file, actions, _FILE)
        _fill(_menu(bar, "&Edit", "menu.edit"), actions, _EDIT)
        _fill(_menu(bar, "&Run", "menu.run"), actions, _RUN)
        self.selection = _menu(bar, "&Selection", "menu.selection")
        _fill(self.selection, actions, _SELECTION)
        _fill(_menu(bar, "&Go", "menu.go"), actions, _GO)
        self.learn = _menu(bar, "&Learn", "menu.learn")
        self.lessons = _submenu(self.learn, "&Take a lesson", "menu.lessons", "lesson")
        _fill(self.learn, actions, _LEARN)
        self.view = _menu(bar, "&View", "menu.view")
        self._view_actions = actions
        _fill(_menu(bar, "&Help", "menu.help"), actions, _HELP)
        self._looking = LatestAnswer(_that_exist, self)
        self._looking.answered.connect(self._list_recent)
        self.samples.triggered.connect(self._on_sample_triggered)
        self.recent.triggered.connect(self._on_recent_triggered)
        self.encodings.triggered.connect(self._on_encoding_triggered)

    def fill_view(
        self,
        theme: QMenu,
        panels: Iterable[QAction],
        more: Iterable[QAction],
        windows: Iterable[QAction] = (),
    ) -> None:
        """Fill the menu View, once the panels exist.

        Args:
            theme: the choice of light and dark.
            panels: the actions that bring a panel to the front.
            more: the actions that show or hide something else.
            windows: the actions that open a panel in its own window, or bring it back.
        """
        _fill(self.view, self._view_actions, _VIEWS)
        _named(self.view.addMenu("&Panels"), "menu.panels").addActions([*panels])
        own_windows = [*windows]
        if own_windows:
            _named(self.view.addMenu("Panel in its &own window"), "menu.own_windows").addActions(
                own_windows
            )
        self.view.addSeparator()
        self.view.addMenu(theme)
        for action in more:
            self.view.addAction(action)
        self.view.addSeparator()
        _fill(self.view, self._view_actions, _VIEW)

    def show_recent(self, entries: Iterable[Recent]) -> None:
        """List the corpora, tokenizers and documents that were opened last.
        Those whose files are gone are left out as soon as this is known.
        """
        entries = list(entries)
        self._list_recent(entries)
        if entries:
            self._looking.ask(entries)
        else:
            self._looking.forget()

    @Slot(object)
    def _list_recent(self, entries: list[Recent]) -> None:
        self.recent.clear()
        for each in entries:
            action = self.recent.addAction(f"{each.name} · {each.kind}".replace("&", "&&"))
            action.setToolTip(plain_tip("\n".join(each.paths)))
            action.setData(list(each.paths))
        opener = self.recent.menuAction()
        opener.setEnabled(bool(entries))
        if entries:
            opener.setToolTip("Opens a corpus, a tokenizer or a document again")
            self.recent.addSeparator()
            self.recent.addAction("Clear this list").setObjectName("file.recent_clear")
        else:
            opener.setToolTip("Nothing has been opened yet")
        self.recent_listed.emit(entries)

    def show_encoding(self, encoding: str | None) -> None:
        """Tick the encoding that was chosen for the open files.

        Args:
            encoding: its name; "" if it was detected, None if no files are open.
        """
        for action in self.encodings.actions():
            action.setChecked(encoding is not None and action.data() == encoding)
        opener = self.encodings.menuAction()
        opener.setEnabled(encoding is not None)
        if encoding is None:
            opener.setToolTip("The corpus was not read from files")
        else:
            opener.setToolTip("Reads the open files again with another encoding")

    @Slot(QAction)
    def _on_encoding_triggered(self, action: QAction) -> None:
        self.encoding_chosen.emit(str(action.data()))

    @Slot(QAction)
    def _on_sample_triggered(self, action: QAction) -> None:
        self.sample_chosen.emit(str(action.data()))

    @Slot(QAction)
    def _on_recent_triggered(self, action: QAction) -> None:
        if action.objectName() == "file.recent_clear":
            self.recent_cleared.emit()
        else:
            self.recent_chosen.emit(action.data())


def _that_exist(entries: list[Recent]) -> list[Recent]:
    """The entries whose files exist; called in the thread pool.
    Addresses are not checked, because a missing server would take long to answer.
    """
    return [each for each in entries if each.is_address or all(map(_exists, each.paths))]


def _exists(path: str) -> bool:
    """Whether a file or folder exists, or one that a pattern describes; assumed for servers."""
    is_on_server = path.startswith(("//", "\\\\"))
    if is_on_server or os.path.exists(path):
        return True
    return next(glob.iglob(path, recursive=True), None) is not None


def action_of(box: QCheckBox, name: str, text: str) -> QAction:
    """A checkable action that is synchronized with a check box."""
    action = QAction(text, box)
    action.setObjectName(name)
    action.setCheckable(True)
    action.setChecked(box.isChecked())
    action.setToolTip(box.toolTip())
    action.toggled.connect(box.setChecked)
    box.toggled.connect(action.setChecked)
    return action


def _menu(bar: QMenuBar, title: str, name: str) -> QMenu:
    # The menu is made here: shiboken deletes its object for a menu that Qt makes together with the
    # object of a widget above it.
    menu = QMenu(title, bar)
    bar.addMenu(menu)
    return _named(menu, name)


def _submenu(above: QMenu, title: str, name: str, icon: str) -> QMenu:
    menu = QMenu(title, above)
    menu.setIcon(icons.icon(icon))
    above.addMenu(menu)
    return _named(menu, name)


def _named(menu: QMenu, name: str) -> QMenu:
    menu.setObjectName(name)
    menu.setToolTipsVisible(True)
    return menu


def _fill(menu: QMenu, actions: Mapping[str, QAction], ids: Iterable[str]) -> None:
    for key in ids:
        if key == SEPARATOR:
            menu.addSeparator()
        else:
            menu.addAction(actions[key])
