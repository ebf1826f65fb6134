"""A person who compares sizes and runs: the hand of the acceptance tests that knows its way about these two panels."""

from __future__ import annotations

import re
from functools import cache

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from bpe_studio.files.samples import find_sample
from bpe_studio.workspace.state import State
from tests.gui.acceptance.compare_teach_take.recount_sizes import SPECIAL, OtherRun, plain
from tests.gui.acceptance.lasting_window import LastingWindow
from tests.gui.acceptance.see_why.conftest import Person
from tests.gui.hand import CONTROL

PATIENCE_MS = 20_000
ALPHABET = 256 + SPECIAL
"""The vocabulary before the first merge, in the settings that the window begins with."""
TEN = (270, 300, 333, 350, 400, 430, 500, 512, 600, 650)
PHRASES = {
    "english": "the old bridge over the river, and the water below the bridges",
    "persian": "مادربزرگ در باغ نشسته بود و آب از جوی می‌گذشت",
}


def text_of(sample: str) -> str:
    """The text of a sample."""
    return find_sample(sample).path.read_text(encoding="utf-8")


@cache
def recounted(sample: str, **settings: object) -> OtherRun:
    """A sample learned by settings, in plain Python; worked out once."""
    return OtherRun(text_of(sample), **settings)  # type: ignore[arg-type]


def number(text: str) -> float:
    """A number that the window shows, whatever unit follows it."""
    return float(re.sub(r"[^\d.+-]", "", plain(text).replace("−", "-").removesuffix(".")))


class Comparer(Person):
    """A person in front of a window.

    Args:
        window: the window.
        qtbot: waits for it.
        lasting: the window as one that tests share, which has the samples trained already.
    """

    def __init__(self, window, qtbot, lasting: LastingWindow | None = None) -> None:
        qtbot.waitExposed(window)
        super().__init__(window, qtbot)
        self._lasting = lasting
        self._wait_until = lambda is_so: qtbot.waitUntil(is_so, timeout=PATIENCE_MS)

    def opened(self, sample: str) -> Comparer:
        """With a sample opened and learned to the end."""
        if self._lasting is None:
            self._train(sample)
        else:
            self._lasting.open_trained(sample, lambda: self._train(sample))
            self.rest()
        assert self.workspace.state is State.done
        return self

    def _train(self, sample: str) -> None:
        self.open_sample(sample)
        self.learn()

    def click_tab(self, bar_name: str, title: str) -> None:
        """Click on a tab of a panel."""
        bar = self.find(bar_name)
        titles = [bar.tabText(k).replace("&", "") for k in range(bar.count())]
        self.click(bar, bar.tabRect(titles.index(title)).center())

    def show_sizes(self, title: str) -> None:
        """Go to a page of "Compare"."""
        self.show_panel("Compare")
        self.click_tab("compare.tab_bar", title)
        self.wait(lambda: not self.panels["compare"].visibleRegion().isEmpty())
        self.settle()

    def write_sizes(self, text: str) -> None:
        """Write sizes to be compared, and press Enter."""
        self.add("Sizes…")
        self.type_into("compare.sizes", text)
        self.key(Qt.Key.Key_Return)
        self.settle()

    def add(self, *texts: str) -> None:
        """Choose from the menu + Add, through the menus between."""
        self.click("compare.add")
        for text in texts:
            self.pick_in_popup(text)

    def settle(self) -> None:
        """Let what was asked for be counted: no cell waits for its number any more."""
        QTest.qWait(30)
        self.rest()
        panel = self.panels["compare"]

        def is_there() -> bool:
            model = panel.model
            if model.rowCount() < 2 or not panel.is_up_to_date:
                return False
            return not any(
                model.text(row, column) == "…" or model.is_old(row, column)
                for row in range(model.rowCount())
                for column in range(model.columnCount())
            )

        is_learned = self.workspace.n_merges and self.workspace.state is not State.running
        if is_learned and not panel.visibleRegion().isEmpty():
            self.wait(is_there)
            self.wait(lambda: all(each.isVisible() for each in panel.texts.columns) or not panel.texts.isVisible())
            if panel.tabs.tabText(panel.tabs.currentIndex()) in ("Curve", "Advice"):
                self.wait(lambda: _are_counted(panel.curve.curves, self.workspace))

    def table(self, name: str) -> list[dict[str, str]]:
        """A table, row for row, by its headings as they are said."""
        model = self.find(name).model()
        across, said = Qt.Orientation.Horizontal, Qt.ItemDataRole.AccessibleTextRole
        heads = [
            str(model.headerData(k, across, said) or model.headerData(k, across)) for k in range(model.columnCount())
        ]
        return [dict(zip(heads, map(plain, row), strict=True)) for row in self.rows(name)]

    def sizes(self) -> dict[int, dict[str, str]]:
        """The table of numbers by vocabulary size, but for the row of the window."""
        return {int(number(row["vocabulary"])): row for row in self.table("compare.table")[:-1]}

    def clear_sizes(self, text: str) -> None:
        """Compare these sizes and no others."""
        self.add("Clear sizes")
        self.write_sizes(text)

    def marks(self) -> list[str]:
        """What the marks on the curve say, in their order."""
        found = []
        while any(each.isVisible() for each in self.window.findChildren(object, f"compare.mark_{len(found) + 1}")):
            found.append(self.find(f"compare.mark_{len(found) + 1}").accessibleDescription())
        return found

    def drag_mark(self, n: int, to_x: float) -> None:
        """Drag a mark along the curve, to a place of the curve."""
        mark = self.find(f"compare.mark_{n}")
        middle = QPointF(mark.width() / 2, mark.height() / 3)
        self.press(mark, middle)
        begin = mark.mapToParent(middle.toPoint()).x()
        for k in range(1, 9):
            self.pull(mark, QPointF(mark.mapFromParent(QPoint(round(begin + (to_x - begin) * k / 8), 40))))
            QTest.qWait(1)
        self.release(mark, middle)
        self.settle()

    def read_curve(self, words: str) -> dict[str, int]:
        """What a place of the curve says: step, vocabulary, and tokens by the name of each curve."""
        found = {"step": int(number(re.findall(r"step ([\d,]+)", words)[0]))}
        found["vocabulary"] = int(number(re.findall(r"Vocabulary ([\d,]+)", words)[0]))
        for line in re.split(r"[\n;]", words)[1:]:
            name, _, said = line.strip().partition(": ")
            found[name] = int(number(said.split(" tokens")[0]))
        return found

    # Runs.

    def learned_beside(self, n: int) -> None:
        """Wait until so many runs stand beside each other, and are compared."""
        self.wait(lambda: len(self.workspace.runs.entries) == n and self.workspace.state is not State.loading)
        self.window.activateWindow()
        self.compared()

    def compared(self) -> None:
        """Wait until what is chosen is compared."""
        QTest.qWait(20)
        self.wait(lambda: self.panels["branches"].is_up_to_date)
        self.rest()

    def show_difference(self) -> None:
        """Go to the difference of two of what is compared."""
        self.show_panel("Difference")
        self.compared()

    def facts(self) -> dict[str, list[str]]:
        """What is said of A and B, by its name."""
        return {row[0]: [*map(plain, row[1:])] for row in self.rows("difference.facts")}

    def ask_for_a_run(self) -> None:
        """Open the dialog that asks for other settings."""
        self.choose_from_menu("Run", "New run with other settings…")
        self.wait(lambda: any(each.isVisible() for each in self.window.findChildren(object, "new_run.learn")))

    def undo(self) -> None:
        """Press Ctrl+Z, out of every field, in which it undoes what was typed there."""
        self.find("corpus.words").setFocus(Qt.FocusReason.TabFocusReason)
        self.key(Qt.Key.Key_Z, CONTROL)

    def type_text(self, text: str) -> None:
        """Type into the text in the middle, over what stands there."""
        self.click("text.input")
        self.key(Qt.Key.Key_A, CONTROL)
        self.write(text)
        self.wait(lambda: self.workspace.typed_text == text)

    def open_file(self, monkeypatch, path) -> None:
        """Open a file or a document."""
        from PySide6.QtWidgets import QFileDialog

        monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_, **__: ([str(path)], ""))
        before = self.workspace.run
        self.key(Qt.Key.Key_O, CONTROL)
        self.wait(lambda: self.workspace.run is not before and self.workspace.state not in (State.empty, State.loading))
        self.wait(self.window.views.isVisible)
        self.rest()


def _are_counted(curves, workspace) -> bool:
    return (
        curves is not None
        and curves.run is workspace.run
        and curves.n_merges == workspace.n_merges
        and (curves.held_out is not None or workspace.corpus.held_out is None)
    )
