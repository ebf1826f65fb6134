"""Sections on training: against every peer, memory, the tie rules, growth, and texts of other kinds."""

from __future__ import annotations

import functools
from pathlib import Path

from bpe_studio.engine.presets import TIES
from tests.benchmarks import tables, texts
from tests.benchmarks.measuring import Bench, Job, Series, call, is_installed
from tests.benchmarks.tables import megabytes, mib, ratio, table, time_of
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
    """Have the kernels compiled and kept on disk, so that no measured process has that in its time and memory."""
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
    return f"Training on {texts.describe(bench)}, GPT-2 split, {bench.vocab_size:,} tokens.\n\n" + table(heads, rows)


def memory(bench: Bench) -> str:
    """The most memory of each trainer's process, with its libraries and all."""
    measured = bench.measure(_contenders(bench))
    rows = [
        [name, *((series.failure, "-") if series.failure else (mib(series.median("peak_bytes")), _added(series)))]
        for name, series in measured.items()
    ]
    return (
        f"Peak resident memory of the process while training on {texts.describe(bench)}, {bench.vocab_size:,} tokens; "
        "in the last column less what it had after the small text.\n\n" + table(["trainer", "peak", "over warm"], rows)
    )


def rules(bench: Bench) -> str:
    """Every tie rule beside `huggingface`."""
    own = functools.partial(_ours, bench, texts.text(bench), documents="line", special=END)
    measured = bench.measure({ties: own(ties=ties) for ties in TIES})
    base = measured["huggingface"]
    rows = [
        [name, time_of(series), _parts(series), ratio(series, base), ratio(series, base, "merge_s")]
        for name, series in measured.items()
    ]
    heads = ["tie rule", "file to merges", "counting + merging", "times huggingface", "merging alone"]
    return f"Tie rules on {texts.describe(bench)}, {bench.vocab_size:,} tokens.\n\n" + table(heads, rows)


def growth(bench: Bench) -> str:
    """The same kind of text in growing sizes."""
    sizes = [size / 20 for size in bench.growth_mb] if bench.is_quick else bench.growth_mb
    rows, last = [], None
    for size in sizes:
        path = texts.grown(bench, size)
        jobs = {"ours": _ours(bench, path, "huggingface", "line", END)}
        if size <= 20 and is_installed("tokenizers"):
            jobs["tokenizers"] = _peer(bench, "tokenizers", path)
        measured = bench.measure(jobs)
        path.unlink()
        ours = measured["ours"]
        theirs = measured.get("tokenizers")
        if ours.failure:
            rows.append([f"{size:g} MB", ours.failure, *["-"] * 5])
            continue
        rows.append(
            [
                f"{size:g} MB",
                time_of(ours),
                _parts(ours),
                f"{size / ours.median():.1f}",
                "-" if last is None else f"{ours.median() / last[1]:.2f} for {size / last[0]:.3g} times the text",
                mib(ours.median("peak_bytes")),
                "-" if theirs is None else f"{time_of(theirs)}, {ratio(theirs, ours)} times ours",
            ]
        )
        last = (size, ours.median())
    heads = ["text", "file to merges", "counting + merging", "MB/s", "times the row above", "peak memory", "tokenizers"]
    return (
        f"Growth: the lines of {texts.describe(bench)}, repeated and shuffled; `huggingface` by lines, "
        f"{bench.vocab_size:,} tokens.\n\n" + table(heads, rows)
    )


def other_texts(bench: Bench) -> str:
    """Several scripts, source code, and input that is nasty to a trainer."""
    share = 0.1 if bench.is_quick else 1.0
    large = texts.QUICK_MB if bench.is_quick else texts.TEXT_MB
    nasty = int(5e6 * share)
    paths = {
        "multilingual": texts.write_lines(bench.folder / "multilingual.txt", texts.multilingual(), large),
        "source code": texts.write_lines(bench.folder / "source.txt", texts.source_code(), large),
        "one word of a": texts.write(bench, "a", texts.one_letter, nasty),
        "one word of ab": texts.write(bench, "ab", texts.two_letters, nasty),
        "one word of random letters": texts.write(bench, "letters", texts.random_letters, nasty),
        "distinct words of five letters": texts.write(bench, "words", texts.distinct_words, int(6e6 * share)),
    }
    halves = {
        "one word of a": texts.write(bench, "a", texts.one_letter, nasty // 2),
        "one word of ab": texts.write(bench, "ab", texts.two_letters, nasty // 2),
        "one word of random letters": texts.write(bench, "letters", texts.random_letters, nasty // 2),
        "distinct words of five letters": texts.write(bench, "words", texts.distinct_words, int(3e6 * share)),
    }
    rows = []
    for name, path in paths.items():
        jobs = {f"{name}, ours": _ours(bench, path, "huggingface", "line", END)}
        if name in halves:
            jobs[f"{name}, half"] = _ours(bench, halves[name], "huggingface", "line", END)
        if is_installed("tokenizers"):
            jobs[f"{name}, tokenizers"] = _peer(bench, "tokenizers", path)
        measured = bench.measure(jobs)
        ours = measured[f"{name}, ours"]
        half, theirs = measured.get(f"{name}, half"), measured.get(f"{name}, tokenizers")
        rows.append(
            [
                f"{name}, {megabytes(path.stat().st_size)}",
                time_of(ours),
                _parts(ours),
                "-" if ours.failure else f"{ours.value('n_merges'):,}",
                "-" if half is None else ratio(ours, half),
                "-" if theirs is None else time_of(theirs),
                "-" if theirs is None else f"{agreement(theirs, ours)}, {ratio(theirs, ours)}",
            ]
        )
    heads = [
        "text",
        "ours",
        "counting + merging",
        "merges",
        "times its half",
        "tokenizers",
        "result, ours times as fast",
    ]
    return (
        f"Other texts, made from a seed (source code: Python's standard library), `huggingface` by lines, "
        f"{bench.vocab_size:,} tokens.\n\n" + table(heads, rows)
    )


def agreement(theirs: Series, ours: Series) -> str:
    """How far a peer's result is ours."""
    if theirs.failure or ours.failure:
        return "-"
    if ours.value("tokens") == theirs.value("tokens"):
        digests = {ours.value("pairs_digest"), theirs.value("pairs_digest")}
        return "same tokens, same order" if None in digests else "same merges" if len(digests) == 1 else "same tokens"
    own, other = set(ours.value("tokens").split()), set(theirs.value("tokens").split())
    return f"{len(own & other) / max(1, len(own)):.2%} of our tokens"


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
    return call("trainers:train_peer", name=name, path=str(path), warm=warm, vocab_size=bench.vocab_size)


def _parts(series: Series) -> str:
    if series.failure or "count_s" not in series.rounds[0]:
        return ""
    return f"{tables.seconds(series.median('count_s'))} + {tables.seconds(series.median('merge_s'))}"


def _median_of(series: Series, name: str) -> str:
    return "-" if series.failure else tables.seconds(series.median(name))


def _added(series: Series) -> str:
    added = [
        peak - before
        for peak, before in zip(series.values("peak_bytes"), series.values("peak_before_bytes"), strict=True)
    ]
    return mib(sorted(added)[len(added) // 2])
