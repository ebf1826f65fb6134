"""A program that is killed in the midst of work offers everything at its next start, and restores
it as it was.
"""

from __future__ import annotations

import json
import os
import signal
import sys

import pytest

from tests.gui.programs import run_programs

PROGRAM = """
import json
import os
import signal
import sys
import threading
from pathlib import Path
from PySide6.QtCore import QTimer
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.gui import app
from bpe_studio.gui.main_window import MainWindow
from bpe_studio.workspace import keeping
from bpe_studio.workspace.marks import Breakpoint, Question
from bpe_studio.workspace.state import State

what, text = sys.argv[1], Path(sys.argv[2])
keeping.KEEP_EVERY_MS = 20
show = MainWindow.show_in_place


def seen(workspace):
    return {
        "runs": [
            (each.name, each.parent, each.config.to_dict(), repr(each.position), repr(each.override),
             [merge.to_log() for merge in each.run.merges[: each.position.n_merges]])
            for each in workspace.runs.entries
        ],
        "shown": (workspace.runs.shown.number, workspace.step, workspace.n_merges, workspace.state.name),
        "marks": repr((workspace.marks.bookmarks, workspace.marks.breakpoints)),
        "typed": workspace.typed_text,
        "compared": workspace.compared_steps,
        "corpus": (workspace.corpus.name, [list(map(str, each)) for each in workspace.corpus.sources]),
    }


def say(value):
    print(json.dumps(value), flush=True)


def begin(window):
    # One thing after another, each when the one before has ended.
    workspace = window.workspace
    merge = None

    def branch():
        merge = workspace.run.merges[9]
        workspace.runs.branch_off(Override(9, OverrideKind.forbid, merge.left, merge.right), "without")

    def marks():
        workspace.marks.set_breakpoints([Breakpoint(Question.length, number=30)])
        workspace.marks.add_bookmark(4, "four")
        workspace.set_typed_text("typed سلام")
        workspace.set_compared_steps([3, 7])
        workspace.transport.go_to(11)

    def train_on():
        workspace.transport.set_speed(50)  # however slow the machine is, there are merges left after some writes
        workspace.transport.extend_target(100_000)
        workspace.transport.run_training()
        later.stop()
        later.timeout.disconnect()
        later.timeout.connect(count)
        later.start()

    written = []

    def count():
        if workspace.n_merges > 40 and workspace.keeping._kept not in written:
            written.append(workspace.keeping._kept)
        if len(written) == 8 or workspace.state is not State.running:
            say(workspace.state.name)
            end()

    steps = [
        lambda: workspace.opener.open_files([text]), workspace.transport.run_training, branch, marks,
        *([train_on] if what == "growing" else []),
    ]

    def go_on():
        if workspace.state in (State.loading, State.running):
            return
        if steps:
            steps.pop(0)()
        elif keeping_is_done(workspace):
            say(seen(workspace))
            end()

    def end():
        later.stop()
        # From a thread, as from another process: the event loop may be waiting.
        threading.Timer(0.005, os.kill, (os.getpid(), signal.SIGKILL)).start()

    later = QTimer(window, interval=10)
    later.timeout.connect(go_on)
    later.start()


def keeping_is_done(workspace):
    kept = workspace.keeping
    project = workspace.runs.project()
    return not kept._n_writing and kept._kept == keeping._fingerprint(project, kept._view())


def restore(window):
    def look():
        if window.banner.kind == "offer" and later.property("is_asked") is None:
            later.setProperty("is_asked", True)
            say(window.banner.message.text())
            window.banner.actions_row[0].click()
        elif later.property("is_asked") and not window.workspace.keeping.sessions:
            later.stop()
            say(seen(window.workspace))
            say(window.banner.message.text() if window.banner.kind else "")
            window.close()

    later = QTimer(window, interval=10)
    later.timeout.connect(look)
    later.start()


def show_and_begin(self):
    show(self)
    self.workspace.settings.apply(TrainingConfig.preset("gpt2", merges=30))
    (restore if what == "restore" else begin)(self)


MainWindow.show_in_place = show_and_begin
sys.exit(app.run_app([]))
"""


@pytest.mark.slow(buys="two whole programs that are killed, and as many that find what they left")
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_it_offers_everything_and_restores_it_equal(tmp_path):
    text = tmp_path / "words.txt"
    text.write_text(
        "the hug of a pug in the sun, a bun for a pun\n" * 50 + " ".join(map(str, range(5000)))
    )
    cases = ("work", "growing")
    homes = [tmp_path / case for case in cases]
    places = [
        {name: str(home / name) for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME")} for home in homes
    ]
    first = [([what, str(text)], place) for what, place in zip(cases, places, strict=True)]
    killed = run_programs(PROGRAM, first)
    restored = run_programs(PROGRAM, [(["restore", str(text)], each) for each in places])
    for what, home, one, other in zip(cases, homes, killed, restored, strict=True):
        assert (one.status, one.problems) == (-signal.SIGKILL, ""), what
        assert (other.status, other.problems) == (0, ""), what
        (before,) = map(json.loads, one.out.splitlines())
        offer, after, notices = map(json.loads, other.out.splitlines())
        assert notices == "" and "Unsaved work on " in offer
        assert len(os.listdir(home / "XDG_STATE_HOME" / "bpe-studio" / "sessions")) == 1, (
            "it is kept again"
        )
        if what == "work":
            assert "1 branch, 2 marks and the typed text" in offer
            for name in before:
                assert after[name] == before[name], name
        else:
            # It has what was written last.
            number, _, n_merges, state = after["shown"]
            assert (before, number, state) == ("running", 1, "paused") and n_merges > 30
            assert after["runs"][1][0] == "without" and len(after["runs"][1][5]) == n_merges
