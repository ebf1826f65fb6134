"""How the panels lead to each other: what a click in one brings to the front, and what the palette offers of them.

Panels show what is picked by themselves (`workspace.picks`); only what no panel can know, that there are others, is
here.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from bpe_studio.gui.look.numbers_text import grouping_locale

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.gui.command_palette.entries import Entry
    from bpe_studio.gui.command_palette.palette import CommandPalette
    from bpe_studio.gui.main_window import MainWindow
    from bpe_studio.workspace.selection import Selected


class PanelLinks(QObject):
    """Connects the panels of a window.

    Args:
        window: the window, built.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._workspace = window.workspace
        panels, selection = window.panels, window.workspace.selection
        for table in (panels["merges"].table, panels["corpus"].words.table):
            table.clicked.connect(self.show_why)
            table.activated.connect(self.show_why)
        panels.made.connect(self._on_made)
        selection.changed.connect(self._on_selected)

    def offer(self, palette: CommandPalette) -> None:
        """Has the runs, those worth learning beside, and the bookmarks found in the palette too."""
        palette.add_provider(self._branches)
        palette.add_provider(self._suggested_runs)
        palette.add_provider(self._bookmarks)

    @Slot(str)
    def _on_made(self, key: str) -> None:
        panel = self._window.panels[key]
        if key == "skyline":
            panel.merge_selected.connect(self._on_joint_selected)
            panel.token_selected.connect(self._workspace.selection.select_token)
            panel.export_requested.connect(partial(self._window.export_menu.save_picture, panel.view))
            self._on_selected(self._workspace.selection.current)
        elif key == "why":
            panel.lines_requested.connect(partial(self._window.workbench.show_dock, "lines"))
        if key in ("lines", "why"):
            self._window.workbench.docks[key].visibilityChanged.connect(panel.set_in_front)

    @Slot()
    def show_why(self) -> None:
        """Brings the answers about what is picked to the front."""
        self._window.workbench.show_dock("why")

    @Slot(object)
    def _on_joint_selected(self, rank: int) -> None:
        self._workspace.selection.select_merge(rank)
        self.show_why()

    @Slot(object)
    def _on_selected(self, pick: Selected | None) -> None:
        if "skyline" in self._window.panels.waiting():
            return
        tokens = () if pick is None else (pick.token,) if pick.token >= 0 else (pick.left, pick.right)
        self._window.panels["skyline"].show_selected(frozenset(token for token in tokens if token >= 0))

    def _branches(self) -> Iterator[Entry]:
        from bpe_studio.gui.command_palette.entries import Entry

        shown = self._workspace.branch
        for branch in self._workspace.branches if shown is not None else ():
            is_shown = branch.number == shown.number
            yield Entry(
                f"branch.{branch.number}",
                f"{'Run' if branch.parent is None else 'Branch'}: {branch.name}",
                partial(self._workspace.switch_to, branch.number),
                "Shows this run, or this branch of one, where it was left",
                why_not=partial(str, "it is shown already" if is_shown else ""),
            )

    def _suggested_runs(self) -> Iterator[Entry]:
        from bpe_studio.gui.command_palette.entries import Entry
        from bpe_studio.gui.runs.new_run_button import suggested
        from bpe_studio.gui.runs.new_run_dialog import why_not_beside

        for each in suggested(self._workspace) if self._workspace.run is not None else ():
            yield Entry(
                f"new_run.{each.key}",
                f"New run: {each.title}",
                partial(self._learn_beside, each.config, each.name),
                f"Learns the same text with {each.tip}, and compares the two",
                why_not=partial(why_not_beside, self._workspace, each.config),
            )

    def _learn_beside(self, config: TrainingConfig, name: str) -> None:
        self._window.workbench.show_dock("branches")
        self._workspace.learn_beside(config, name)

    def _bookmarks(self) -> Iterator[Entry]:
        from bpe_studio.gui.command_palette.entries import Entry

        for mark in self._workspace.marks.bookmarks:
            step = grouping_locale().toString(mark.step)
            yield Entry(
                f"bookmark.{mark.step}",
                f"Bookmark: {mark.name} (step {step})",
                partial(self._workspace.go_to, mark.step),
                "Goes to the step that has this name",
            )
