"""The window for an hour: texts, runs, branches, documents and views, again and again.

Memory at the end must be within a tenth of what it was after the first minute's work, before which
everything is done once. Both are measured in the same state: texts are opened and trained until the
changes that can be undone, which keep texts, are all of that kind, and the window rests, as while
it works up to a quarter of it are free pages of the heap, which it returns to the system some
seconds later. Between them it holds what chance has opened.

The window's thread has a timer of 5 ms; no time between two of its calls may be over 200 ms. Of
such a time the part is left out in which the thread could run and had no processor, because others
had them all."""

from __future__ import annotations

import gc
import itertools
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.gui.app import take_apart
from bpe_studio.gui.main_window import MainWindow
from bpe_studio.gui.shell.undo import MOST_CHANGES
from bpe_studio.gui.views.layouts import PANELS
from bpe_studio.workspace.state import State
from tests.benchmarks.window_driving import own_folder
from tests.benchmarks.window_probe import Probe, wait, wait_until
from tests.engine import texts

MOST_GROWTH = 0.10
MOST_GAP_S = 0.200
_SAID_EVERY_S = 60.0
_TYPED = (
    "the quick brown fox",
    "سلام دنیا",
    "日本語 😀👩‍👩‍👧",
    "e\u0301te\u0301 ﬁne",
    "aaaaaaaaaaaaaaaa",
)


def soak(seed: int, minutes: float, say: Callable[[str], None]) -> bool:
    """Drives the window for so long; says how it went, and whether that is as promised."""
    with own_folder() as folder:
        window = MainWindow()
        window.resize(1440, 900)
        window.show()
        hand = Hand(window, folder, random.Random(f"soak {seed}"))
        try:
            return _measured(hand, minutes, say)
        finally:
            hand.probe.stop()
            window.close()
            take_apart(window)


def _measured(hand: Hand, minutes: float, say: Callable[[str], None]) -> bool:
    begun = said = time.monotonic()
    for act in hand.acts():
        hand.do(act)
    while time.monotonic() - begun < 60:
        hand.do(hand.rng.choice(hand.acts()))
    hand.fill_with_texts()
    first = hand.memory_mb()
    longest = 0.0
    say(f"after the first minute of work: {first:.0f} MB")
    hand.longest_gap_s()
    while time.monotonic() - begun < 60 * minutes:
        hand.do(hand.rng.choice(hand.acts()))
        if time.monotonic() - said > _SAID_EVERY_S:
            said = time.monotonic()
            gap = hand.longest_gap_s()
            longest = max(longest, gap)
            say(
                f"{(said - begun) / 60:5.1f} min: {hand.memory_mb():6.0f} MB; longest gap"
                f" {1000 * gap:4.0f} ms"
            )
    hand.fill_with_texts()
    longest = max(longest, hand.longest_gap_s())
    last = hand.memory_mb()
    say(f"done: {', '.join(f'{name} {n:,}' for name, n in sorted(hand.n_done.items()))}")
    say(
        f"soak: {first:.0f} MB after the first minute, {last:.0f} MB at the end; longest gap"
        f" {1000 * longest:.0f} ms"
    )
    return last <= first * (1 + MOST_GROWTH) and longest <= MOST_GAP_S


class Hand:
    """Does what a person does in an hour.

    Attributes:
        probe: notes the gaps of the window's thread.
        n_done: how often each thing was done.
    """

    def __init__(self, window: MainWindow, folder: Path, rng: random.Random) -> None:
        self.window = window
        self.workspace = window.workspace
        self.rng = rng
        self.probe = Probe()
        self.n_done: Counter[str] = Counter()
        self._folder = folder
        self._texts = list(self._made_texts())
        self._turn = itertools.cycle(range(len(self._texts)))
        self._n_documents = 0

    def _made_texts(self) -> Iterator[Path]:
        for number, (name, make) in enumerate(texts.KINDS.items()):
            path = self._folder / f"{number} {name}.txt"
            path.write_text((make(4000, seed=number) * 6)[:300_000].replace("\0", ""), "utf-8")
            yield path

    def acts(self) -> list[Callable[[], None]]:
        """All that it does, as often as it does it."""
        return [
            self.open_text,
            self.train,
            self.scrub,
            self.type,
            self.show_panels,
            self.select,
            self.branch,
            self.side_run,
            self.save_and_open,
            self.undo,
            self.cancel_opening,
        ]

    def do(self, act: Callable[[], None]) -> None:
        """Does one thing, and waits until the window rests."""
        name = act.__name__.replace("_", " ")
        self.probe.enter(name)
        act()
        wait_until(self._is_resting, 120)
        wait(0.1)
        self.probe.enter("")
        self.n_done[name] += 1

    def fill_with_texts(self) -> None:
        """Opens and trains the same texts until nothing else is kept by the changes that can be
        undone.
        """
        self._turn = itertools.cycle(range(len(self._texts)))
        for _ in range(MOST_CHANGES):
            self.do(self.open_next_text)
            self.do(self.train)

    def longest_gap_s(self) -> float:
        """The longest gap since the last time, without the wait for a processor."""
        longest = max(itertools.chain([0.0], *self.probe.served_s.values()))
        for kept in (self.probe.gaps_s, self.probe.served_s, self.probe.worked_s):
            kept.clear()
        return longest

    def memory_mb(self) -> float:
        """What is resident after a search for garbage, once the window has rested."""
        gc.collect()
        wait(2.0)
        if sys.platform == "linux":
            pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
            return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6

    def _is_resting(self) -> bool:
        resting = (State.empty, State.ready, State.paused, State.done, State.failed)
        return self.workspace.state in resting and not self.workspace.saver.is_saving

    @property
    def _n(self) -> int:
        return self.workspace.n_merges

    # What it does.

    def open_text(self) -> None:
        kind = self.rng.random()
        if kind < 0.7:
            self.open_next_text()
        elif kind < 0.85:
            self.workspace.opener.open_sample(
                self.rng.choice(("english", "persian", "python", "many-scripts"))
            )
        else:
            self.workspace.opener.open_text(texts.mixed(2000, seed=self.rng.randint(0, 5)))

    def open_next_text(self) -> None:
        self.window.open_files([self._texts[next(self._turn)]])

    def train(self) -> None:
        if self.workspace.run is not None and self._n < 2000:
            self.workspace.transport.run_training()

    def scrub(self) -> None:
        slider = self.window.transport.slider
        for k in range(40):
            share = abs(1 - 2 * k / 40)
            place = QPointF(
                slider.place_of(round(share * slider.maximum())), slider.height() / 2
            ).toPoint()
            (QTest.mousePress if k == 0 else QTest.mouseMove)(
                slider, *(() if k else (Qt.MouseButton.LeftButton,)), pos=place
            )
            wait(0.016)
        QTest.mouseRelease(slider, Qt.MouseButton.LeftButton)

    def type(self) -> None:
        editor = self.window.text_panel.editor
        editor.setFocus()
        if len(editor.toPlainText()) > 2000:
            editor.selectAll()
            QTest.keyClick(editor, Qt.Key.Key_Delete)
        for letter in self.rng.choice(_TYPED) + " ":
            if letter.isascii():
                QTest.keyClick(editor, letter)
            else:
                editor.insertPlainText(letter)
            wait(0.01)

    def show_panels(self) -> None:
        for key in PANELS:
            self.window.views.show_panel(key)
            wait(0.05)

    def select(self) -> None:
        if self.workspace.run is None or not self._n:
            return
        for _ in range(4):
            self.workspace.selection.select_merge(self.rng.randrange(self._n))
            self.window.views.show_panel(self.rng.choice(("why", "lines", "skyline", "corpus")))
            wait(0.15)
        self.workspace.selection.clear()

    def branch(self) -> None:
        run = self.workspace.run
        if run is None or self._n < 5 or len(self.workspace.runs.entries) > 4:
            return
        step = self.rng.randrange(self._n - 1)
        merge = run.merges[step]
        override = self.rng.choice(
            (
                Override(step, OverrideKind.forbid, merge.left, merge.right),
                Override(step, OverrideKind.skip, merge.left, merge.right),
                Override(step, OverrideKind.ties, ties="first-seen"),
            )
        )
        self.workspace.runs.branch_off(override)
        wait_until(self._is_resting)
        self.workspace.runs.show(self.rng.choice(self.workspace.runs.entries).number)

    def side_run(self) -> None:
        if self.workspace.run is None or len(self.workspace.runs.entries) > 4:
            return
        config = self.workspace.config
        if self.workspace.corpus is not None and not self.workspace.corpus.corpus.is_counted:
            self.workspace.side_runs.train(config.replace(min_frequency=self.rng.randint(1, 9)))

    def save_and_open(self) -> None:
        if self.workspace.run is None:
            return
        self._n_documents = (self._n_documents + 1) % 5
        path = self._folder / f"{self._n_documents}.bpestudio"
        self.workspace.saver.save_document(
            path, self.window.document_view.to_dict(), holds_text=self.rng.random() < 0.5
        )
        wait_until(self._is_resting)
        self.workspace.saver.save_tokenizer(self._folder / "tokenizer")
        wait_until(self._is_resting)
        self.window.open_files([path if self.rng.random() < 0.7 else self._folder / "tokenizer"])

    def undo(self) -> None:
        for name in ("undo", "undo", "redo", "undo"):
            self.window.actions_by_id[f"edit.{name}"].trigger()
            wait_until(self._is_resting)
            wait(0.05)

    def cancel_opening(self) -> None:
        self.open_text()
        wait(self.rng.random() * 0.1)
        self.workspace.cancel()
