"""Section on the first seconds: the real program is started on a file, which is trained, and never
leaves its window.

A 5 ms timer of the window's thread runs from the first paint until some seconds after the end of
the training: while libraries and kernels are loaded, the text is read and counted, and panels are
made. The goal is no gap above 50 ms, and 17 ms for 99 of 100."""

from __future__ import annotations

from tests.benchmarks import texts
from tests.benchmarks.measuring import FRESH_FOLDER, Bench, Series, Value, call
from tests.benchmarks.tables import table
from tests.benchmarks.window import screen

TEXT_MB = 40.0
QUICK_MB = 4.0
N_SHOWN = 5
FOLDERS = ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")
NEVER_COMPILED = {"XDG_CACHE_HOME": FRESH_FOLDER}


def live(bench: Bench) -> str:
    """The gaps in the window's thread from the first paint on."""
    path = texts.grown(bench, QUICK_MB if bench.is_quick else TEXT_MB)
    with screen() as shown:
        # Python's own compiled files are there, as after any installation.
        environment = {
            **shown,
            **dict.fromkeys(FOLDERS, FRESH_FOLDER),
            "PYTHONDONTWRITEBYTECODE": "",
            "PYTHONPYCACHEPREFIX": str(bench.folder / "compiled"),
        }
        what: dict[str, Value] = {"path": str(path), "vocab_size": bench.vocab_size}
        first = call("live_start:start", environment, path=str(path), vocab_size=1000, at_once=True)
        bench.measure({"a start that writes Python's compiled files": first}, 1)
        measured = bench.measure(
            {
                "the file as an argument": call(
                    "live_start:start", environment, **what, at_once=False
                ),
                "the file opened after the first paint": call(
                    "live_start:start", environment, **what, at_once=True
                ),
                "the file as an argument, kernels never compiled": call(
                    "live_start:start", {**environment, **NEVER_COMPILED}, **what, at_once=False
                ),
            }
        )
    if failures := [series.failure for series in measured.values() if series.failure]:
        return failures[0]
    rows = [_row(name, series) for name, series in measured.items()]
    return (
        f"The program started on {path.stat().st_size / 1e6:.0f} MB of the lines of "
        f"{texts.describe(bench)}, and "
        f"trained to {bench.vocab_size:,} tokens at once. Gaps between the calls of a 5 ms timer "
        "of the window's "
        "thread from the first paint on, in milliseconds; served: less the time in which the "
        "thread could run and "
        "other processes had all processors; worked: its processor time. Medians of the rounds, "
        "the longest of all in "
        "brackets; the goals are 17 and 50.\n\n"
        + table(
            ["started with", "p99 served", "longest served", "longest", "opened", "trained"], rows
        )
        + "\n\n"
        + "\n\n".join(_causes(name, series) for name, series in measured.items())
    )


def _row(name: str, series: Series) -> list[str]:
    longest = [outcome["longest"][0]["served"] for outcome in series.rounds]
    walls = series.values("wall max")
    return [
        name,
        f"{series.median('served p99'):.1f}",
        f"{sorted(longest)[len(longest) // 2]:.1f} ({max(longest):.1f})",
        f"{series.median('wall max'):.1f} ({max(walls):.1f})",
        f"{series.median('opened_s'):.1f} s",
        f"{series.median('trained_s'):.1f} s",
    ]


def _causes(name: str, series: Series) -> str:
    """What the window's thread did in the longest gaps of all rounds."""
    gaps = sorted(
        (gap for outcome in series.rounds for gap in outcome["longest"]),
        key=lambda gap: -gap["served"],
    )
    lines = [
        f"- {gap['served']:.0f} ms ({gap['worked']:.0f} worked, {gap['wall']:.0f} in all),"
        f" {gap['phase']}: {gap['where'] or 'not looked at'}"
        for gap in gaps[:N_SHOWN]
    ]
    return f"The longest with {name}:\n\n" + "\n".join(lines)
