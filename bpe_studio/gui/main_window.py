"""The main window: it puts panels, views and transport together and connects each action.

It owns the workspace. It draws nothing itself and decides nothing about tokenizers. The whole
window is built before it is shown; slow parts are made after its first paint.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from glob import has_magic
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QThreadPool, QTimer, Slot
from PySide6.QtGui import QAction, QCloseEvent, QGuiApplication, QKeyEvent, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QStackedWidget, QWidget

from bpe_studio.files.text.addresses import address_of
from bpe_studio.files.third_party.hub import is_address
from bpe_studio.gui.actions_on.context_menu import ActionsOn
from bpe_studio.gui.actions_on.table import FOR_SELECTION, shown_target, use
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.background.scheduling import RefreshSlot
from bpe_studio.gui.compare.panel import ComparePanel
from bpe_studio.gui.corpus.panel import CorpusPanel, samples
from bpe_studio.gui.corpus.words import WordsView
from bpe_studio.gui.export.menu import ExportMenu
from bpe_studio.gui.game.controller import Game
from bpe_studio.gui.lessons.controller import Lessons, is_lesson_file
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.qt_text import write_numbers_in_locale
from bpe_studio.gui.merges.candidates_panel import CandidatesPanel
from bpe_studio.gui.merges.panel import MergesPanel
from bpe_studio.gui.settings.panel import SettingsPanel
from bpe_studio.gui.shell.actions import make_actions, refresh_actions, refresh_selection_actions
from bpe_studio.gui.shell.banner import FAILURE, Banner
from bpe_studio.gui.shell.colour_choice import colour_action
from bpe_studio.gui.shell.commands import Commands, FileCommands
from bpe_studio.gui.shell.document_view import DocumentView
from bpe_studio.gui.shell.keyboard_focus import FocusFollower, focus_next
from bpe_studio.gui.shell.menus import Menus, action_of
from bpe_studio.gui.shell.merge_motion import Area, MergeMotion
from bpe_studio.gui.shell.panel_links import PanelLinks
from bpe_studio.gui.shell.progress_bar import ProgressStrip
from bpe_studio.gui.shell.session_offer import SessionOffer
from bpe_studio.gui.shell.start_page import StartPage
from bpe_studio.gui.shell.status_bar import StatusBar
from bpe_studio.gui.shell.text_size import TextSize
from bpe_studio.gui.shell.theme_switch import ThemeSwitch
from bpe_studio.gui.shell.title_and_recent import TitleAndRecent
from bpe_studio.gui.shell.undo import Undo
from bpe_studio.gui.shell.unsaved_guard import UnsavedGuard
from bpe_studio.gui.shell.window_place import WindowPlace
from bpe_studio.gui.text.layer import Layer
from bpe_studio.gui.text.panel import TextPanel
from bpe_studio.gui.timeline.run_chooser import RunChooser
from bpe_studio.gui.timeline.transport_bar import TransportBar
from bpe_studio.gui.views.frame import Views
from bpe_studio.gui.views.layouts import DRAWER, EXPLORE, TOKENIZER, VIEWS, VOCABULARY_ALONE
from bpe_studio.gui.views.lazy_panels import LazyPanels, makers
from bpe_studio.gui.views.view_bar import ViewBar
from bpe_studio.gui.vocabulary.panel import VocabularyPanel
from bpe_studio.gui.widgets.containers import StableSize, column, divided, scrolled, would_be_shown
from bpe_studio.gui.widgets.controls import finish_controls, named, on_trigger, remembered_action
from bpe_studio.gui.widgets.drop_target import DropTarget
from bpe_studio.gui.widgets.question import UNSEEN
from bpe_studio.gui.widgets.window_settings import WindowSettings
from bpe_studio.workspace.keeping import TYPED_BEFORE, keep_draft, kept_draft, sessions_folder
from bpe_studio.workspace.state import Failure, Notice, OpeningRequest, State
from bpe_studio.workspace.workspace import Workspace

if TYPE_CHECKING:
    from bpe_studio.engine.option_types import PresetName
    from bpe_studio.gui.actions_on.table import Action
    from bpe_studio.gui.command_palette.palette import CommandPalette
    from bpe_studio.gui.present.presentation import Presentation

WARM_UP_AFTER_MS = 100
BREATH_MS = 10
PATIENCE_MS = 2000
GUIDE_SHARE = 30
"""The initial width of a lesson, or of the game beside *Why*, is at most this percentage of the
window's width.
"""

NEED_NO_TEXT = ("learn", "compare")
"""The views that are useful before a text is open: lessons, and the page Tokenizers."""


class MainWindow(QMainWindow):
    """The window.

    Attributes:
        workspace: the open corpus and its runs.
        preloads: whether panels and kernels are prepared after the first paint.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("window")
        self.preloads = True
        self.memory = WindowSettings()
        application = QApplication.instance()
        if isinstance(application, QApplication):
            theme.apply(application, self.memory.theme)
            if application.findChild(FocusFollower) is None:
                FocusFollower(application)
        write_numbers_in_locale()
        self.text_size = TextSize(self, self.memory)
        self._place = WindowPlace(self, self.memory)
        self.workspace = Workspace(self)
        self.actions_by_id = make_actions(self)
        self.addActions(list(self.actions_by_id.values()))
        self._turn = RefreshSlot(self.workspace, self)
        self._page_turn = RefreshSlot(self.workspace, self)
        self._was_painted = False
        self._is_home = True
        self._keeps = False
        self._opened: OpeningRequest | None = None
        self.workspace.backend.splits.update(self.memory.splits)
        self._build()
        self._connect()
        self._connect_actions()
        self._restore()
        self._on_state_changed(self.workspace.state)

    def _build(self) -> None:
        workspace = self.workspace
        actions = self.actions_by_id
        self.transport = TransportBar(workspace, actions)
        self.theme_switch = ThemeSwitch(self.memory.theme)
        self.strip = ProgressStrip(workspace, actions, self)
        self.start_page = StartPage()
        self.text_panel = TextPanel(workspace)
        self._corpus = CorpusPanel(workspace)
        self._words = WordsView(workspace)
        self._merges = MergesPanel(workspace)
        self._compare = ComparePanel(workspace, self.memory)
        self._candidates = CandidatesPanel(workspace)
        self._vocabulary = VocabularyPanel(workspace)
        made: dict[str, QWidget] = {
            "text": self.text_panel,
            "words": self._words,
            "corpus": self._corpus,
            "settings": SettingsPanel(workspace),
            "compare": self._compare,
            "merges": self._merges,
            "candidates": self._candidates,
            "vocabulary": self._vocabulary,
        }
        later = {"growth": self._make_growth, **makers(workspace), "learn": self._make_chooser}
        self.panels = LazyPanels(made, later, self)
        named(self.panels.place("growth"), "growth.plot", "Growth of the vocabulary")
        self._compare.hold("Difference", self.panels.place("branches"))
        self.views = Views(self.panels)
        self.view_bar = ViewBar(self.views, actions, RunChooser(workspace))
        self.pages = QStackedWidget()
        self.pages.addWidget(self.start_page)
        self.pages.addWidget(self.views)
        self.guide = QStackedWidget()
        self.guide.hide()
        beside = divided(Qt.Orientation.Horizontal, (self.guide, 0), (self.pages, 1))
        self.status_line = StatusBar(workspace)
        self._whole = whole = QWidget()
        self._beside = beside
        self.banner = Banner()
        status = StableSize(self.status_line)
        parts = (self.view_bar, self.transport, (beside, 1), self.banner, status)
        self._column = column(*parts, parent=whole, spacing=0)
        scroll = scrolled(whole, "window.scroll")
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setCentralWidget(scroll)
        motion = remembered_action(
            "&Animate single steps",
            "view.motion",
            "Shows a merge in motion when you step by one",
            self.memory,
            "motion",
            self,
        )
        self.motion = MergeMotion(workspace, motion, whole)
        editor = self.text_panel.editor
        self.motion.watch(
            Area(editor, pairs=editor.merged_pairs),
            Area(self._words.table, pairs=self._words.merged_pairs),
            Area(self._candidates, candidate=self._candidates.pair_rect),
            Area(self._merges.table, row=self._merges.row_rect),
            Area(self.panels.place("growth")),
        )
        self.by_token = colour_action(self.memory, self)
        special = action_of(
            self.text_panel.special, "view.special_tokens", "&Special tokens in typed text"
        )
        self.menus = Menus(self.menuBar(), actions, samples())
        self.menuBar().setCornerWidget(self.theme_switch)
        self.menus.fill_view(
            self.theme_switch.menu_of_modes,
            self.views.panel_actions.values(),
            [self.text_panel.white_space, special, self.by_token, self.motion.action],
            self.views.window_actions.values(),
        )
        self.drops = DropTarget(self)
        self._palette_of_actions: CommandPalette | None = None
        self.presentation: Presentation | None = None
        self.document_view = DocumentView(self.views, self.text_panel.white_space, workspace)
        self.files = FileCommands(self, workspace, self.document_view, self.banner, self.memory)
        self.guard = UnsavedGuard(self, workspace, self.files)
        self.session_offer = SessionOffer(workspace, self.document_view, self.banner)
        self.commands = Commands(
            self, workspace, actions, self.transport, self.text_panel, self.views, self.panels
        )
        self.undo = Undo(workspace, actions, self)
        self._title = TitleAndRecent(self, workspace, self.menus, self.document_view, self.memory)
        tables = (self._merges.table, self._words.table)
        self.links = PanelLinks(workspace, self.panels, self.views, tables, self)
        self.actions_on = ActionsOn(workspace, self.links, self)
        self.game = Game(self, workspace, actions["learn.game"], self.views)
        self.lessons = Lessons(
            self,
            workspace,
            actions,
            self.menus,
            self.views,
            self.panels,
            self.game,
            self.banner,
            self.memory,
        )
        self.export_menu = ExportMenu(
            self,
            workspace,
            self.views,
            self.banner,
            self.memory,
            self.make_panels,
            self._still_stage,
        )
        self.menus.file.insertMenu(actions["file.save_picture"], self.export_menu.menu)
        self.text_panel.editor.addAction(actions["compare.every_tokenizer"])
        finish_controls(self)

    def _connect(self) -> None:
        workspace = self.workspace
        workspace.state_changed.connect(self._on_state_changed)
        workspace.run_changed.connect(self.show_strip)
        workspace.corpus_changed.connect(self._on_corpus_changed)
        workspace.failed.connect(self._on_failed)
        workspace.noticed.connect(self._on_noticed)
        workspace.saver.saved.connect(self._on_saved)
        for signal in (
            workspace.run_changed,
            workspace.run_grew,
            workspace.step_changed,
            workspace.transport.speed_changed,
            workspace.target_changed,
            workspace.progress_changed,
            workspace.selection.changed,
            workspace.marks.changed,
        ):
            signal.connect(self._on_changed)
        self._turn.granted.connect(self.refresh_actions)
        self._page_turn.granted.connect(self.show_page)
        self.panels.made.connect(self._on_panel_made)
        self._compare.made.connect(partial(self.panels.made.emit, "compare"))
        self.banner.dismissed.connect(workspace.leave_failure)
        self.files.files_chosen.connect(self.open_files)
        self.files.lesson_requested.connect(self.lessons.start_titled)
        start = self.start_page
        start.text_chosen.connect(self._on_text_typed)
        start.open_requested.connect(self.files.choose_files)
        start.tokenizer_requested.connect(self.files.look_at_tokenizer)
        start.every_requested.connect(self.show_every_tokenizer)
        start.lessons_requested.connect(partial(self.show_view, "learn"))
        start.back_requested.connect(self._leave_home)
        start.sample_chosen.connect(workspace.opener.open_sample)
        start.recent_chosen.connect(self.open_files)
        self.menus.recent_listed.connect(start.show_recent)
        self.menus.show_recent(self.memory.recent)
        self._corpus.open_requested.connect(self.files.choose_files)
        self._corpus.paste_requested.connect(self.files.paste)
        self._corpus.locate_requested.connect(self.files.choose_text)
        self._corpus.said_of_tokenizer.connect(self.text_panel.show_about)
        self.status_line.vocabulary_requested.connect(self.links.show_all_tokens)
        self._vocabulary.chosen.connect(self.links.show_why)
        self._compare.tokens_requested.connect(self.links.show_vocabulary)
        self._compare.new_run_requested.connect(self.commands.new_run)
        self._compare.add.add_suggestions = self.links.add_suggested_runs
        self._compare.tokenizer_requested.connect(self.files.choose_tokenizers)
        self._compare.why_requested.connect(self.links.show_why)
        self.files.tokenizers_chosen.connect(self._compare.add_tokenizers)
        self.text_panel.why_requested.connect(self.links.show_why)
        self._candidates.counted.connect(self.strip.show_next)
        self.strip.branch_compare_requested.connect(self.links.compare_branch)
        self.strip.compare_requested.connect(self.links.compare_texts)
        self.theme_switch.mode_chosen.connect(self.set_theme)
        self.menus.sample_chosen.connect(workspace.opener.open_sample)
        self.menus.recent_chosen.connect(self.open_files)
        self.menus.recent_cleared.connect(self._on_recent_cleared)
        self.menus.selection.aboutToShow.connect(self._refresh_selection_actions)
        self.menus.selection.aboutToHide.connect(self.refresh_actions)
        self.drops.files_dropped.connect(self._on_files_dropped)
        self.drops.text_dropped.connect(self._on_text_dropped)
        self.drops.hovered.connect(self.start_page.set_drop_target)
        self.game.shown_changed.connect(self._on_game_shown_changed)
        workspace.lesson.changed.connect(self.show_guide)
        self.views.asked.connect(self._leave_home)
        self.views.changed.connect(self.show_strip)
        workspace.lesson.changed.connect(self.refresh_actions)
        self.export_menu.progress_made.connect(self._on_export_progress_made)

    def _connect_actions(self) -> None:
        """Connect each action to its function; lessons, game, undo and export connect theirs."""
        workspace = self.workspace
        selection = self.workspace.selection
        files = self.files
        commands = self.commands
        slots: dict[str, Callable[[], object]] = {
            "file.open": files.choose_files,
            "file.open_address": files.choose_address,
            "file.look_at_tokenizer": files.look_at_tokenizer,
            "file.locate_text": files.choose_text,
            "file.paste": files.paste,
            "file.save_tokenizer": files.choose_place_to_save,
            "file.save_document": files.choose_document,
            "file.save_whole_document": partial(files.choose_document, holds_text=True),
            "file.save_picture": self.export_menu.save_window,
            "file.share": self.export_menu.share,
            "file.export_animation": self.export_menu.export_animation,
            "file.quit": self.close,
            "transport.run": commands.run_or_pause,
            "transport.start": workspace.transport.go_to_start,
            "transport.back": workspace.transport.step_back,
            "transport.step": workspace.transport.step_forward,
            "transport.step_n": commands.step_n,
            "transport.end": workspace.transport.go_to_end,
            "transport.cancel": workspace.cancel,
            "transport.jump": self._begin_jump,
            "transport.new_run": commands.new_run,
            "transport.add_tokenizer": self._add_tokenizer,
            "compare.every_tokenizer": self.show_every_tokenizer,
            "doctor.show": commands.examine,
            "extend.show": files.extend,
            "prune.show": files.prune,
            "check.show": files.check_trainer,
            "go.next_stop": workspace.transport.go_to_stop,
            "go.previous_stop": partial(workspace.transport.go_to_stop, is_back=True),
            "go.bookmark": commands.bookmark,
            "go.back": selection.go_back,
            "go.forward": selection.go_forward,
            "go.why": commands.ask_why,
            "go.why_border": commands.ask_why_border,
            "go.nothing": selection.clear,
            **{
                f"selection.{each.id}": partial(self._use_on_selection, each)
                for each in FOR_SELECTION
            },
            "view.start": self.show_home,
            **{f"view.{key}": partial(self.show_view, key) for key in VIEWS},
            **{f"view.{key}": partial(self.views.toggle_drawer, key) for key in DRAWER.keys},
            "selection.menu": commands.show_context_menu,
            "text.layer": self.text_panel.show_next_layer,
            "text.as_corpus": self.text_panel.use_as_corpus,
            "view.maximize": self.views.maximize,
            "view.timeline_fit": self.transport.slider.fit,
            "view.reset_layout": self.views.arrange,
            "view.zoom_in": self.text_size.enlarge,
            "view.zoom_out": self.text_size.reduce,
            "view.zoom_reset": self.text_size.reset,
            "view.present": self.present,
            "view.full_screen": self._place.turn_full_screen,
            "help.palette": self.open_palette,
            "help.manual": commands.show_manual,
            "help.glossary": commands.show_glossary,
            "help.shortcuts": commands.show_shortcuts,
            "help.about": commands.show_about,
        }
        for key, slot in slots.items():
            on_trigger(self.actions_by_id[key], slot)

    @Slot()
    def show_every_tokenizer(self) -> None:
        """Show the typed text, or that of the start page, in every known tokenizer."""
        typed = self.start_page.text
        if self.pages.currentWidget() is self.start_page and typed.strip():
            self.workspace.set_typed_text(typed)
        self.links.show_every_tokenizer()

    @Slot()
    def _add_tokenizer(self) -> None:
        """Ask for tokenizers, in the view that compares them."""
        self.views.show_panel("compare")
        self.files.choose_tokenizers()

    def _use_on_selection(self, action: Action) -> None:
        use(
            action,
            self.workspace,
            self.links,
            shown_target(self.workspace, self.workspace.selection.current),
        )

    def open_files(self, paths: Sequence[str | PathLike[str]]) -> None:
        """Opens files as one corpus, as the dialog does once they are chosen.

        A lesson file is followed.
        """
        if len(paths) == 1 and is_lesson_file(Path(paths[0])):
            self.lessons.start_file(Path(paths[0]))
        elif paths:
            place = paths[0]
            if address_of(place) is None and not is_address(place) and not has_magic(str(place)):
                self.memory.folder = Path(paths[0]).absolute().parent
            self.workspace.opener.open_files(paths)

    @Slot(str)
    def set_theme(self, mode: str) -> None:
        """Apply a theme and remember it."""
        self.memory.theme = mode
        self.theme_switch.set_mode(mode)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            theme.apply(application, mode)

    @Slot()
    def _on_changed(self) -> None:
        # Loading a text emits many of these signals; the last, `state_changed`, refreshes anyway.
        if self.workspace.state in (State.running, State.loading):
            self._turn.request()
        else:
            self.refresh_actions()

    @Slot()
    def refresh_actions(self) -> None:
        """Enable the actions that can be used now."""
        self._turn.cancel()
        refresh_actions(self.actions_by_id, self.workspace, is_playing=self.game.is_open)

    @Slot()
    def _refresh_selection_actions(self) -> None:
        self.refresh_actions()
        refresh_selection_actions(self.actions_by_id, self.workspace)

    @Slot(object)
    def _on_state_changed(self, state: State) -> None:
        if state in (State.loading, State.running):
            self.banner.clear()
        elif state is not State.failed:
            self.banner.clear(FAILURE)
        if self.isVisible() and self._page() is not self.pages.currentWidget():
            self._page_turn.request()  # the page has just been filled, which took some time
        else:
            self.show_page()
        self.show_strip()
        self.refresh_actions()

    @Slot(str)
    def _on_panel_made(self, key: str) -> None:
        self.export_menu.give_menus_soon()
        if key == "learn":
            from bpe_studio.gui.lessons.chooser import LessonChooser

            chooser = self.panels.typed(key, LessonChooser)
            chooser.lesson_chosen.connect(self.lessons.start_file)
            chooser.language_chosen.connect(self.lessons.choose_language)
        elif key == "doctor":
            from bpe_studio.gui.doctor.panel import DoctorPanel

            self.panels.typed(key, DoctorPanel).save_requested.connect(self.files.save_report)
        elif key == "skyline":
            from bpe_studio.gui.skyline.panel import SkylinePanel

            skyline = self.panels.typed(key, SkylinePanel)
            self.motion.watch(Area(skyline.view, joints=skyline.view.merged_joints))
            skyline.export_requested.connect(partial(self.export_menu.save_picture, skyline.view))

    def make_panels(self) -> None:
        """Make every panel that has neither been shown nor preloaded."""
        self.panels.values()
        self._compare.make_parts()

    def _make_growth(self, parent: QWidget) -> QWidget:
        from bpe_studio.gui.plots.growth_panel import GrowthPanel

        return GrowthPanel(self.workspace, self.memory, parent)

    def _make_chooser(self, parent: QWidget) -> QWidget:
        from bpe_studio.gui.lessons.chooser import LessonChooser

        lessons = self.lessons
        return LessonChooser(
            self.workspace, lessons.entries, lessons.language, self.actions_by_id, parent
        )

    def _page(self) -> QWidget:
        has_panels = self.workspace.corpus is not None or self.views.current in NEED_NO_TEXT
        return self.views if has_panels and not self._is_home else self.start_page

    @Slot()
    def show_home(self) -> None:
        """Show the start page; what is open stays open."""
        info = self.workspace.corpus
        self._is_home = True
        name = "" if info is None else info.name
        self.start_page.show_open(name)
        self.show_page()
        self.session_offer.show()

    @Slot()
    def _leave_home(self) -> None:
        """Show the view, if it has anything to show."""
        self._is_home = self.workspace.corpus is None and self.views.current not in NEED_NO_TEXT
        if self.workspace.is_loading or self.workspace.state is not State.loading:
            self.show_page()  # a text that is being opened shows the page when the state changes

    @Slot()
    def _on_corpus_changed(self) -> None:
        """Show a new text, or a tokenizer, where it is explored."""
        info = self.workspace.corpus
        before = self._opened
        self.views.lay_out_explore(self._explore_layout())
        self._opened = None if info is None else replace(info.request, held_out=0.0)
        if self._opened is not None and self._opened != before:
            self.views.show_view("explore")

    def _explore_layout(self) -> str:
        info = self.workspace.corpus
        run = self.workspace.run
        if info is None or run is None or info.has_words:
            return EXPLORE
        return VOCABULARY_ALONE if run.why_no_merges else TOKENIZER

    @Slot(str, str)
    def _on_text_typed(self, text: str, preset: PresetName) -> None:
        self.workspace.opener.open_typed(text, preset)

    @Slot(str)
    def show_view(self, key: str) -> None:
        """Show a view, and move the keyboard focus into it."""
        self.views.show_view(key)
        if key == "compare" and self.workspace.run is None:
            self.show_every_tokenizer()  # the other pages need a run
        if not self.views.isAncestorOf(self.focusWidget() or self):
            self.views.setFocus()

    @Slot()
    def show_strip(self) -> None:
        """Show the transport where the user can step, and the next merge unless it is to be
        guessed.
        """
        workspace = self.workspace
        info = workspace.corpus
        is_playing = self.game.is_open
        has_lesson = workspace.lesson.lesson is not None
        has_panels = self.pages.currentWidget() is self.views
        is_exploring = has_panels and self.views.current == "explore"
        has_steps = info is not None and (info.has_words or workspace.n_merges > 0)
        has_place = is_exploring or (has_panels and has_lesson)
        self.transport.setVisible(has_steps and has_place and not is_playing)
        if is_exploring:
            self.text_panel.add_below(self.strip)
        else:
            self.view_bar.hold(self.strip)
        self.strip.place(is_wanted=not is_playing and not has_lesson, is_brief=not is_exploring)

    @Slot()
    def _begin_jump(self) -> None:
        """Focus the field for the step, in a view that has one."""
        if not self.transport.isVisible():
            self.show_view("explore")
        self.transport.begin_jump()

    @Slot(object)
    def _on_export_progress_made(self, widget: QWidget) -> None:
        self._column.insertWidget(self._column.indexOf(self._beside), widget)

    @Slot()
    def _on_game_shown_changed(self) -> None:
        is_open = self.game.is_open
        self.view_bar.setVisible(not is_open)
        self.refresh_actions()
        self.show_guide()
        if not is_open:
            self.text_panel.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def show_guide(self) -> None:
        """Show the game, the lesson next to the panels, or neither."""
        has_lesson = self.workspace.lesson.lesson is not None
        guide: QWidget | None = self.lessons.panel if has_lesson else None
        if self.game.is_open:
            guide = self.game.page
        if guide is not None and (self.guide.isHidden() or guide is not self.guide.currentWidget()):
            if self.guide.indexOf(guide) < 0:
                self.guide.addWidget(guide)
                finish_controls(guide)
            self.guide.setCurrentWidget(guide)
            self.guide.show()
            width = min(guide.sizeHint().width(), self.width() * GUIDE_SHARE // 100)
            self._beside.setSizes([width, self.width() - width])
            guide.setFocus(Qt.FocusReason.OtherFocusReason)
        self.guide.setVisible(guide is not None)
        self.pages.setVisible(not self.game.is_alone)
        self.show_strip()

    @Slot()
    def present(self) -> None:
        """Show a presentation above the window, or end it."""
        if self.presentation is not None:
            self.presentation.close()
            return
        self.presentation = self._stage(self.motion.action)
        self.presentation.left.connect(self._on_presentation_left)
        self.presentation.showFullScreen()

    def _stage(self, motion: QAction) -> Presentation:
        from bpe_studio.gui.present.presentation import Presentation

        return Presentation(
            self,
            self.workspace,
            self.actions_by_id,
            motion,
            lambda key: key in self.game.hidden | self.lessons.covers.keys,
            is_playing=self.game.is_open,
        )

    def _still_stage(self) -> Presentation:
        """A presentation without motion, to be recorded."""
        return self._stage(QAction(self))

    @Slot()
    def _on_presentation_left(self) -> None:
        if self.presentation is not None:
            self.presentation.deleteLater()
            self.presentation = None
            self._whole.setUpdatesEnabled(True)
            self.activateWindow()

    @Slot()
    def show_page(self) -> None:
        """Show the page for the current state: the views, or the start page."""
        self._page_turn.cancel()
        page = self._page()
        self.view_bar.show_page(is_home=page is self.start_page)
        if page is not self.pages.currentWidget():
            self.pages.setCurrentWidget(page)
            widget = self.start_page if page is self.start_page else self.text_panel.editor
            widget.setFocus()
        self.show_strip()
        if would_be_shown(self.panels.place("growth")):
            _ = self.panels["growth"]  # nothing else makes it in a window that is never shown

    @Slot(object)
    def _on_failed(self, failure: Failure) -> None:
        self.banner.show_failure(failure)

    @Slot(object)
    def _on_noticed(self, notice: Notice) -> None:
        self.banner.show_notice(notice)

    @Slot(object)
    def _on_saved(self, path: Path) -> None:
        self.memory.folder = path.absolute().parent

    @Slot()
    def _on_recent_cleared(self) -> None:
        self.memory.clear_recent()
        self.menus.show_recent([])

    @Slot(object)
    def _on_files_dropped(self, paths: Sequence[str]) -> None:
        """Offers to check a dropped trainer, and opens anything else.

        While the page for checking a trainer is open, it takes everything that is dropped.
        """
        if self.files.trainer_check is not None:
            self.files.trainer_check.take(paths)
            return
        if len(paths) == 1 and paths[0].endswith(".py"):
            from bpe_studio.explain.check.function import trainers_in

            if trainers_in(paths[0]):
                self.files.check_trainer(Path(paths[0]))
                return
        self.open_files(paths)

    @Slot(str)
    def _on_text_dropped(self, text: str) -> None:
        self.workspace.opener.open_text(text, "Dropped text")

    def begin_keeping(self) -> None:
        """Starts to ask questions and to keep unsaved work, and offers the work kept before."""
        if QGuiApplication.platformName() not in UNSEEN:
            self.guard.asks = True
            self.workspace.opener.choose_column = self.files.choose_column
            self.workspace.opener.choose_split = self.files.choose_split
        self.workspace.keeping.begin(sessions_folder(), self.document_view.to_dict)
        self.start_page.show_draft(kept_draft(sessions_folder()))
        self.workspace.typed_before = kept_draft(sessions_folder(), TYPED_BEFORE)
        self._keeps = True

    def show_in_place(self) -> None:
        """Shows the window where it was when it was closed, and maximized if it was."""
        self._place.show()

    @property
    def palette_of_actions(self) -> CommandPalette:
        """The command palette; created when it is first needed."""
        if self._palette_of_actions is None:
            from bpe_studio.gui.command_palette.palette import CommandPalette

            self._palette_of_actions = CommandPalette(
                self, self.workspace.transport.go_to, self._last_step
            )
            self._palette_of_actions.set_used(self.memory.used_actions)
            for key in DRAWER.keys:
                self._palette_of_actions.do_instead(
                    f"view.{key}", partial(self.views.show_panel, key)
                )
            self.links.offer(self._palette_of_actions)
            self._palette_of_actions.add_provider(self.commands.terms)
            self._palette_of_actions.add_provider(self.files.published_tokenizers)
        return self._palette_of_actions

    @Slot()
    def open_palette(self) -> None:
        """Open the command palette."""
        self.lessons.fill_menu()
        self.export_menu.find_all()
        self._refresh_selection_actions()
        self.palette_of_actions.open_palette()

    def _last_step(self) -> int:
        return self.workspace.n_merges

    def _restore(self) -> None:
        log_timeline = self.actions_by_id["view.timeline_log"]
        log_timeline.setChecked(self.memory.get("timeline_log", False))
        log_timeline.toggled.connect(partial(self.memory.put, "timeline_log"))
        self.text_panel.white_space.setChecked(self.memory.get("white_space", False))
        shown = (
            each for each in (Layer.ids, Layer.bytes) if self.memory.get(f"text_{each.name}", False)
        )
        self.text_panel.set_layer(next(shown, Layer.nothing))
        if not self.memory.get("special_tokens", True):
            self.workspace.set_recognizes_special(False)
        layout = self.memory.layout
        if layout is not None:
            self.views.restore_state(layout)
            self._is_home = True

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.presentation is not None:
            # The window paints nothing behind a presentation, unless the user returns to it with
            # Alt+Tab.
            self._whole.setUpdatesEnabled(self.isActiveWindow())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh_actions()
        if self.pages.currentWidget() is self.start_page:
            self.start_page.setFocus()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.preloads and not self._was_painted:
            self._was_painted = True
            QTimer.singleShot(WARM_UP_AFTER_MS, self, self._begin_preloading)

    @Slot()
    def _begin_preloading(self) -> None:
        if self.views.isHidden():
            # Panels are drawn ahead in their places, but Qt gives a hidden page no size.
            self.views.setGeometry(self.pages.contentsRect())
        self._preload()

    @Slot()
    def _preload(self) -> None:
        """Make the next part that the start does not need, then let keys and painting come."""
        waiting = self.panels.waiting()
        if waiting:
            _ = self.panels[waiting[0]]
        elif not self._compare.are_parts_made:
            self._compare.make_parts()
        else:
            self.workspace.backend.begin_warm_up()
            return
        QTimer.singleShot(BREATH_MS, self, self._preload)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go back with Esc from the start page, or to it from lessons while nothing is open."""
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self.workspace.corpus is None:
            self.show_home()
        elif self._is_home:
            self._leave_home()

    def focusNextPrevChild(self, forwards: bool) -> bool:
        before = self.focusWidget()
        is_gone = before is not None and not (before.isEnabled() and before.isVisible())
        if is_gone and self.pages.currentWidget() is self.views:
            # Qt also moves on when the focused control is disabled or hidden. A key would then
            # reach a control that the user has not chosen, such as "Rename" after a new run, or the
            # run chooser after a lesson.
            self.views.setFocus(Qt.FocusReason.OtherFocusReason)
            return True
        return focus_next(self, forwards)

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.guard.may_close():
            event.ignore()
            return
        self.game.leave()  # so that the panels it hides are there next time
        if self._keeps:
            keep_draft(sessions_folder(), self.start_page.draft)
            keep_draft(sessions_folder(), self.workspace.typed_before, TYPED_BEFORE)
        self._place.store()
        self.memory.layout = self.views.save_state()
        self.memory.put("white_space", self.text_panel.white_space.isChecked())
        for layer in (Layer.ids, Layer.bytes):
            self.memory.put(f"text_{layer.name}", self.text_panel.kept_layer is layer)
        self.memory.put("special_tokens", self.workspace.recognizes_special is not False)
        if self._palette_of_actions is not None:
            self.memory.used_actions = self._palette_of_actions.used
        self.memory.sync()
        if "lines" not in self.panels.waiting():
            from bpe_studio.gui.corpus.concordance_panel import ConcordancePanel

            self.panels.typed("lines", ConcordancePanel).shutdown()
        self.workspace.shutdown()
        for answer in self.findChildren(LatestAnswer):
            answer.forget()
        QThreadPool.globalInstance().clear()
        QThreadPool.globalInstance().waitForDone(PATIENCE_MS)
        super().closeEvent(event)
