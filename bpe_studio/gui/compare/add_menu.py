"""The menu *+ Add* of Compare: sizes of the open run, other runs of its text, tokenizers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from bpe_studio.explain.comparison.size_list import SizeRange, doublings, evenly_spaced
from bpe_studio.explain.names import elided
from bpe_studio.gui.widgets.controls import enable, named, on_trigger

EVENLY = (4, 8, 16)
NO_RUN = "open a text and train on it"
MOST_NAME = 60


class AddMenu(QMenu):
    """The things to add; each entry that cannot be used now says why.

    Attributes:
        add_suggestions: adds runs that could be trained; set by the window.

    Signals:
        current_chosen: the user wants to add the current step.
        sizes_requested: the user wants to type sizes.
        filled: list of int, steps that replace the chosen ones.
        run_chosen: int, the number of a hidden run to compare again.
        new_run_requested: the user wants to train another run.
        tokenizer_requested: the user wants to open a tokenizer.
    """

    current_chosen = Signal()
    sizes_requested = Signal()
    filled = Signal(object)
    run_chosen = Signal(int)
    new_run_requested = Signal()
    tokenizer_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.add_suggestions: Callable[[QMenu], None] | None = None
        self._range: SizeRange | None = None
        self._hidden_runs: list[tuple[int, str]] = []
        self.setObjectName("compare.add_menu")
        self.setToolTipsVisible(True)
        self.sizes = self._entry("Sizes…", "compare.add_sizes", self.sizes_requested.emit)
        self.current = self._entry("Current step", "compare.add_step", self.current_chosen.emit)
        self.fill = self._submenu("Fill in sizes", "compare.fill_menu")
        self._fill("Doublings", "doublings", doublings)
        for n in EVENLY:
            self._fill(f"{n} evenly spaced", str(n), partial(evenly_spaced, n=n))
        self.clear_sizes = self._entry(
            "Clear sizes", "compare.clear", partial(self.filled.emit, [])
        )
        self.addSeparator()
        self.runs = self._submenu("Run", "compare.add_run_menu")
        self.runs.setToolTipsVisible(True)
        self.runs.aboutToShow.connect(self._fill_runs)
        self.addSeparator()
        self.tokenizer = self._entry(
            "Tokenizer…", "compare.add_tokenizer", self.tokenizer_requested.emit
        )
        self.allow_adding(has_run=False)

    def _entry(
        self, text: str, name: str, do: Callable[[], object], menu: QMenu | None = None
    ) -> QAction:
        above = menu or self
        # Made here, because shiboken may drop its object for an action that Qt makes.
        action = named(QAction(text, above), name)
        above.addAction(action)
        on_trigger(action, do)
        return action

    def _submenu(self, text: str, name: str) -> QMenu:
        menu = QMenu(text, self)
        menu.setObjectName(name)
        self.addMenu(menu)
        return menu

    def _fill(self, text: str, name: str, steps: Callable[[SizeRange], list[int]]) -> None:
        def fill() -> None:
            if self._range is not None:
                self.filled.emit(steps(self._range))

        self._entry(text, f"compare.fill_{name}", fill, self.fill)

    def allow_adding(self, has_run: bool) -> None:
        """Enable the entries while a run is open; at once, so that a quick click is not lost."""
        why_not = "" if has_run else NO_RUN
        enable(self.sizes, "Adds the vocabulary sizes that you type", why_not)
        enable(
            self.tokenizer,
            "Compares any tokenizer on the compared text and on the corpus; the open run stays",
            why_not,
        )
        self.fill.setEnabled(has_run)
        self.runs.setEnabled(has_run)

    def set_sizes(self, within: SizeRange | None, why_not_current: str, why_not_clear: str) -> None:
        """Set the range of sizes, and why the step cannot be added or the sizes cleared."""
        self._range = within
        enable(
            self.current,
            "Adds the current step as a size that stays when you move on",
            why_not_current,
        )
        enable(self.clear_sizes, "Removes all chosen sizes", why_not_clear)

    def set_hidden_runs(self, runs: Sequence[tuple[int, str]]) -> None:
        """Set the number and the name of each run that is hidden."""
        self._hidden_runs = list(runs)

    @Slot()
    def _fill_runs(self) -> None:
        menu = self.runs
        menu.clear()
        for number, name in self._hidden_runs:
            shown = elided(name, MOST_NAME).replace("&", "&&")
            self._entry(
                shown, f"compare.add_run_{number}", partial(self.run_chosen.emit, number), menu
            )
        if self._hidden_runs:
            menu.addSeparator()
        if self.add_suggestions is not None:
            self.add_suggestions(menu)
            menu.addSeparator()
        new = self._entry("Other settings…", "compare.new_run", self.new_run_requested.emit, menu)
        new.setToolTip("Trains a comparison run on the same text with other settings")
