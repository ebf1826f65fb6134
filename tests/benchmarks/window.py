"""Section on the window: whether it stays live while a large text is opened, trained, looked
through and saved.

A 5 ms timer of the window's thread notes the time between its calls. The window is a real one: on a
virtual X server of its own where Xvfb is installed, else on the display that there is, else on Qt's
offscreen platform."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tests.benchmarks import texts
from tests.benchmarks.measuring import Bench, Series, call
from tests.benchmarks.tables import table

TEXT_MB = 100.0
QUICK_MB = 4.0
N_TABLE = 250_000
QUICK_N_TABLE = 20_000
SCREEN = "1920x1200x24"
GAPS = (17.0, 50.0)
FRAME = 1000 / 60

GOALS: dict[str, tuple[float | None, float | None]] = {
    "making panels after the first paint": (None, 350.0),
    "opening and counting": GAPS,
    "preparing": GAPS,
    "showing the corpus": GAPS,
    "training": GAPS,
    "saving": GAPS,
    "scrubbing": GAPS,
    "frame while scrubbing": (FRAME, None),
    "a step of a chart": (3.0, None),
    "heavy panels after the hand rests": (None, 100.0),
    "typing": GAPS,
    "key to repainted": (16.0, None),
    "training on for the table": GAPS,
    "merge table: open": (None, 50.0),
    "merge table: scroll": (None, 50.0),
    "merge table: filter": (None, 50.0),
    "merge table: sort": (None, 50.0),
    "vocabulary: open": (None, 50.0),
    "vocabulary: scroll": (None, 50.0),
    "vocabulary: filter": (None, 50.0),
    "vocabulary: sort": (None, 50.0),
    "compiling for the first time": (None, 50.0),
    "cancel: opening": (None, 100.0),
    "cancel: counting": (None, 100.0),
    "cancel: preparing": (None, 100.0),
    "pause: training": (None, 100.0),
    "cancel: saving": (None, 100.0),
}
"""What is noted, and the goals of its 99th percentile and its longest time, in milliseconds."""


def window(bench: Bench) -> str:
    """The window's liveliness in each phase."""
    path = texts.grown(bench, QUICK_MB if bench.is_quick else TEXT_MB)
    n_table = QUICK_N_TABLE if bench.is_quick else N_TABLE
    with screen() as environment:
        driven = call(
            "window_driving:drive",
            environment,
            path=str(path),
            vocab_size=bench.vocab_size,
            n_table=n_table,
        )
        compiled = call("window_driving:compile_kernels", environment)
        measured = bench.measure(
            {"the window": driven, "compiling in a new cache folder": compiled}
        )
    series, first = measured.values()
    if series.failure or first.failure:
        return series.failure or first.failure
    rows = [_row(name, first if name.startswith("compiling") else series) for name in GOALS]
    return (
        f"A window on the platform `{series.value('platform')}`, {path.stat().st_size / 1e6:.0f} "
        "MB of the lines of "
        f"{texts.describe(bench)}, {bench.vocab_size:,} tokens; {series.value('n_typed'):,} "
        "characters typed into, a "
        f"merge table of {series.value('n_rows'):,} rows. In milliseconds: gaps between the calls "
        "of a 5 ms timer of "
        "the window's thread, and for frames, keys, rests, pauses and cancels the time until all "
        "is done and the "
        "worker is free. Served: less the time in which the window's thread could run and other "
        "processes had all "
        "processors (0 where the system does not tell). Medians of the rounds, the longest of all "
        "rounds in "
        "brackets.\n\n"
        + table(["phase", "p99", "longest", "p99 served", "longest served", "goal"], rows)
    )


def _row(name: str, series: Series) -> list[str]:
    outcomes = series.rounds
    if not all(f"{name} max" in outcome for outcome in outcomes):
        return [name, *["too short to be noted"] * 4, _goal(name)]
    cells = []
    for kind in ("", "served "):
        longest = f"{name} {kind}max"
        cells.append(f"{series.median(f'{name} {kind}p99'):.1f}")
        cells.append(f"{series.median(longest):.1f} ({max(series.values(longest)):.1f})")
    return [name, *cells, _goal(name)]


def _goal(name: str) -> str:
    goals = zip(("p99", "longest"), GOALS[name], strict=True)
    return ", ".join(f"{what} {limit:.3g}" for what, limit in goals if limit is not None)


@contextmanager
def screen() -> Iterator[Mapping[str, str]]:
    """Somewhere to show a window: variables of the environment that name it."""
    server = shutil.which("Xvfb")
    if server is None:
        yield {} if os.environ.get("DISPLAY") else {"QT_QPA_PLATFORM": "offscreen"}
        return
    reading, writing = os.pipe()
    arguments = [
        server,
        "-displayfd",
        str(writing),
        "-screen",
        "0",
        SCREEN,
        "-nolisten",
        "tcp",
        "-noreset",
    ]
    process = subprocess.Popen(arguments, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    try:
        with os.fdopen(reading, encoding="ascii") as stream:
            number = stream.readline().strip()
        if not number:
            raise RuntimeError("Xvfb did not start")
        yield {"DISPLAY": f":{number}", "QT_QPA_PLATFORM": "xcb"}
    finally:
        process.terminate()
        process.wait()
