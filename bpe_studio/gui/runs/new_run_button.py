"""The button for a run with other settings, with a dialog and suggestions.

The suggestions follow from the settings of the open run; a run that exists already is not suggested.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QToolButton, QWidget

from bpe_studio.explain.comparison.suggestions import Suggestion, suggestions
from bpe_studio.gui.runs.new_run_dialog import NewRunDialog, why_no_new_run
from bpe_studio.gui.widgets.containers import STRETCH, column
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note
from bpe_studio.gui.widgets.wrapping_row import WrappingRow

if TYPE_CHECKING:
    from bpe_studio.workspace.workspace import Workspace

N_INVITED = 4
EMPTY = (
    "A branch is this run with one override from a step on. To make one, right click a merge, a pair or a token and "
    "choose Forbid, Force or Skip once, or choose another rule under Ties…"
)
_COMPARISONS = "Train on the same text with other settings, and see where and why the two runs diverge:"
_TIP = "Trains a comparison run on the same text with other settings"


def suggested(workspace: Workspace) -> tuple[Suggestion, ...]:
    """The runs that could be compared with the one that is shown."""
    return suggestions(
        workspace.config, [branch.config for branch in workspace.runs.entries if branch.override is None]
    )


def add_suggestions(
    menu: QMenu, workspace: Workspace, prefix: str, train: Callable[[Suggestion], None], lead: str = ""
) -> None:
    """Add an action for each suggested run to a menu.

    Args:
        menu: the menu.
        workspace: what is open.
        prefix: of the names of the actions.
        train: what an action does.
        lead: what the texts begin with.
    """
    for each in suggested(workspace):
        action = menu.addAction(f"{lead}{each.title}")
        action.setObjectName(f"{prefix}{each.key}")
        _offer(action, workspace, each)
        action.triggered.connect(partial(_on_triggered, train, each))


class NewRunButton(QToolButton):
    """A button that opens the dialog; its arrow lists the suggestions."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self.setText("New run…")
        self.setObjectName("branches.new")
        self.setAccessibleName("New run with other settings")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        menu = QMenu(self)
        menu.setObjectName("branches.new_menu")
        menu.setToolTipsVisible(True)
        self.setMenu(menu)
        menu.aboutToShow.connect(self._fill)
        self.clicked.connect(self.ask)
        workspace.state_changed.connect(self._enable)
        workspace.corpus_changed.connect(self._enable)
        self._enable()

    @Slot()
    def _enable(self) -> None:
        why_not = why_no_new_run(self._workspace)
        self.setEnabled(not why_not)
        self.setToolTip(f"{_TIP}\nNot now: {why_not}" if why_not else _TIP)

    @Slot()
    def ask(self) -> None:
        """Show the dialog, and train what is chosen in it."""
        dialog = NewRunDialog(self._workspace, self.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(self._workspace.side_runs.train)
        dialog.open()

    @Slot()
    def _fill(self) -> None:
        menu = self.menu()
        menu.clear()
        add_suggestions(menu, self._workspace, "branches.suggest_", partial(_learn, self._workspace))
        menu.addSeparator()
        other = menu.addAction("Other settings…")
        other.setObjectName("branches.new_other")
        other.triggered.connect(self.ask)


class RunsInvitation(QWidget):
    """The placeholder of the comparison: how to make a branch, and runs to train with one click."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._shown: tuple[Suggestion, ...] = ()
        self._is_stale = False
        self.note = Note("", "help", self)
        self.note.setObjectName("branches.empty")
        self.comparisons = Note(_COMPARISONS, "plain", self)
        self.comparisons.setObjectName("branches.empty_beside")
        for note in (self.note, self.comparisons):
            note.setAlignment(Qt.AlignmentFlag.AlignCenter)
            note.setMaximumWidth(680)
        self.buttons = tuple(QPushButton(self) for _ in range(N_INVITED))
        rows = WrappingRow(is_centred=True)
        for k, button in enumerate(self.buttons):
            named(button, f"branches.try_{k}", "A suggested run")
            button.clicked.connect(partial(self._on_clicked, k))
            rows.add(button)
        column(
            STRETCH,
            _centred(self.comparisons),
            rows,
            8,
            _centred(self.note),
            STRETCH,
            parent=self,
            spacing=12,
            margins=(24, 8, 24, 8),
        )
        workspace.config_changed.connect(self.refresh)
        workspace.state_changed.connect(self._enable)

    @Slot()
    def refresh(self) -> None:
        """Update the suggestions to the settings, now or when this becomes visible."""
        has_run = self._workspace.run is not None
        self.note.set_message(
            EMPTY if has_run else "Open a text and train on it: its runs and their branches are listed here"
        )
        self.comparisons.setVisible(has_run)
        # Otherwise the comparison is shown instead.
        is_wanted = has_run and len(self._workspace.runs.entries) < 2
        self._is_stale = is_wanted and not self.isVisible()
        if self._is_stale:
            return
        self._shown = suggested(self._workspace)[:N_INVITED] if is_wanted else ()
        for button in self.buttons:
            button.hide()
        for button, each in zip(self.buttons, self._shown, strict=False):
            button.setText(each.title)
            named(button, f"branches.try_{each.key}", f"Train comparison run: {each.title}")
            button.show()
        self._enable()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self.refresh()

    def _on_clicked(self, k: int, checked: bool = False) -> None:
        _learn(self._workspace, self._shown[k])

    @Slot()
    def _enable(self) -> None:
        for button, each in zip(self.buttons, self._shown, strict=False):
            _offer(button, self._workspace, each)


def _centred(widget: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.addStretch(1)
    row.addWidget(widget, 20)
    row.addStretch(1)
    return row


def _offer(control: QAction | QPushButton, workspace: Workspace, each: Suggestion) -> None:
    """Enable a control that trains a suggestion, or explain in its tooltip why it is disabled."""
    why_not = why_no_new_run(workspace, each.config)
    control.setEnabled(not why_not)
    tip = f"Trains on the same text with {each.tip}"
    control.setToolTip(f"{tip}\nNot now: {why_not}" if why_not else tip)


def _on_triggered(train: Callable[[Suggestion], None], suggestion: Suggestion, checked: bool = False) -> None:
    train(suggestion)


def _learn(workspace: Workspace, suggestion: Suggestion) -> None:
    workspace.side_runs.train(suggestion.config, suggestion.name)
