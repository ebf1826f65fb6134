"""Sections on training: against every peer, and memory."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks import tables, texts
from tests.benchmarks.measuring import Bench, Job, Series, call, is_installed
from tests.benchmarks.tables import mib, ratio, table, time_of
from tests.benchmarks.trainers import END, PEERS

OURS = {
    "ours, huggingface by lines": ("huggingface", "line", END),
    "ours, raw-ids by lines": ("raw-ids", "line", ""),
    "ours, huggingface whole": ("huggingface", "file", ""),
    "ours, raw-ids whole": ("raw-ids", "file", ""),
}
"""Ours by what it is compared with: tie rule, documents and special token as the peer has them."""

BESIDE = {
    "tokenizers": "ours, huggingface by lines",
    "rustbpe": "ours, raw-ids by lines",
    "gigatoken": "ours, huggingface whole",
    "ffbpe": "ours, raw-ids whole",
    "bpeasy": "ours, raw-ids whole",
}


def compile_kernels(bench: Bench) -> None:
    """Have the kernels compiled and kept on disk, so that no measured process has that in its time
    and memory.
    """
    bench.measure({"compiling": _ours(bench, texts.warm_text(bench), "huggingface", "line", "")}, 1)


def train(bench: Bench) -> str:
    """From a file to finished merges, beside each peer on the same file."""
    measured = bench.measure(_contenders(bench))
    rows = []
    for name, series in measured.items():
        if name in PEERS:
            own = measured[BESIDE[name]]
            told = [
                agreement(series, own),
                BESIDE[name].removeprefix("ours, "),
                f"**{ratio(series, own)}**",
                ratio(series, own, "cpu_s"),
            ]
        else:
            told = ["", "", "", ""]
        rows.append([name, time_of(series), _median_of(series, "cpu_s"), _parts(series), *told])
    heads = [
        "trainer",
        "file to merges",
        "processor",
        "counting + merging",
        "result",
        "beside ours",
        "ours times as fast",
        "by processor time",
    ]
    return (
        f"Training on {texts.describe(bench)}, GPT-2 split, {bench.vocab_size:,} tokens.\n\n"
        + table(heads, rows)
    )


def memory(bench: Bench) -> str:
    """The most memory of each trainer's process, with its libraries and all."""
    measured = bench.measure(_contenders(bench))
    rows = [
        [
            name,
            *(
                (series.failure, "-")
                if series.failure
                else (mib(series.median("peak_bytes")), _added(series))
            ),
        ]
        for name, series in measured.items()
    ]
    return (
        f"Peak resident memory of the process while training on {texts.describe(bench)}, "
        f"{bench.vocab_size:,} tokens; "
        "in the last column less what it had after the small text.\n\n"
        + table(["trainer", "peak", "over warm"], rows)
    )


def agreement(theirs: Series, ours: Series) -> str:
    """How far a peer's result is ours."""
    if theirs.failure or ours.failure:
        return "-"
    if ours.value("tokens") == theirs.value("tokens"):
        digests = {ours.value("pairs_digest"), theirs.value("pairs_digest")}
        return (
            "same tokens, same order"
            if None in digests
            else "same merges"
            if len(digests) == 1
            else "same tokens"
        )
    own = set(ours.value("tokens").split())
    other = set(theirs.value("tokens").split())
    return f"{len(own & other) / max(1, len(own)):.2%} of our tokens"


def superwords(bench: Bench) -> str:
    """Two stages, of which the second one begins where published tokenizers have it."""
    first_size = bench.vocab_size * 26_000 // 32_768
    job = call(
        "trainers:train_superwords",
        path=str(texts.text(bench)),
        warm=str(texts.warm_text(bench)),
        vocab_size=bench.vocab_size,
        first_size=first_size,
    )
    series = bench.measure({"superwords": job})["superwords"]
    rows = [["-"] * 5]
    if not series.failure:
        before, after = series.rounds[0]["bytes_per_token"]
        rows = [
            [
                time_of(series),
                _median_of(series, "cpu_s"),
                _parts(series),
                mib(series.median("peak_bytes")),
                f"{before:.2f} > {after:.2f}",
            ]
        ]
    heads = ["file to merges", "processor", "counting + merging", "peak", "bytes per token"]
    return (
        f"Training on {texts.describe(bench)} to {bench.vocab_size:,} tokens, with superwords from"
        f" {first_size:,}. {series.failure}\n\n" + table(heads, rows)
    )


def _contenders(bench: Bench) -> dict[str, Job]:
    path = texts.text(bench)
    jobs = {name: _ours(bench, path, *options) for name, options in OURS.items()}
    return jobs | {name: _peer(bench, name, path) for name in PEERS if is_installed(name)}


def _ours(bench: Bench, path: Path, ties: str, documents: str, special: str) -> Job:
    return call(
        "trainers:train_ours",
        path=str(path),
        warm=str(texts.warm_text(bench)),
        vocab_size=bench.vocab_size,
        ties=ties,
        documents=documents,
        special=special,
    )


def _peer(bench: Bench, name: str, path: Path) -> Job:
    warm = str(texts.warm_text(bench))
    return call(
        "trainers:train_peer", name=name, path=str(path), warm=warm, vocab_size=bench.vocab_size
    )


def _parts(series: Series) -> str:
    if series.failure or "count_s" not in series.rounds[0]:
        return ""
    return (
        f"{tables.seconds(series.median('count_s'))} + {tables.seconds(series.median('merge_s'))}"
    )


def _median_of(series: Series, name: str) -> str:
    return "-" if series.failure else tables.seconds(series.median(name))


def _added(series: Series) -> str:
    added = [
        peak - before
        for peak, before in zip(
            series.values("peak_bytes"), series.values("peak_before_bytes"), strict=True
        )
    ]
    return mib(sorted(added)[len(added) // 2])
