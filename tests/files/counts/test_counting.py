"""Counting with executors: the same table byte for byte, whatever runs the tasks."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path

import pytest

import bpe_studio as bpe
from bpe_studio.errors import CorpusError, SourceError
from bpe_studio.files.counts import tasks as tasks_module
from bpe_studio.files.counts.tasks import plan
from bpe_studio.files.counts.tsv import tsv_parts
from bpe_studio.files.text.reading import Reading

LINES = bpe.TrainingConfig.preset("gpt2", vocab_size=300, ties="first-seen")
TEXTS = bpe.TrainingConfig.preset("o200k", documents="file", vocab_size=300, normalize=("nfc",))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of several kinds, small and large, one of which is not UTF-8 far behind."""
    folder = tmp_path_factory.mktemp("corpus")
    chooser = random.Random(3)
    words = [
        "the ",
        "of ",
        "سلام ",
        "日本語",
        "e\u0301",
        "naïve ",
        "x1 ",
        "\n",
        "\r\n",
        "  ",
        "…",
        "don't ",
    ]
    words += [f"w{chooser.randrange(10**6)} " for _ in range(3000)]
    lines = ["".join(chooser.choices(words, k=10)) for _ in range(6000)]
    (folder / "a.txt").write_text("\ufeff" + "\n".join(lines[:3000]), "utf-8")
    rows = [json.dumps({"text": line}) for line in lines[3000:]]
    rows[700] = '{"text": '
    rows[2900] = '{"text": null}'
    (folder / "b.jsonl").write_text("\n".join(rows), "utf-8")
    (folder / "c.txt").write_bytes(
        "\n".join(lines[:1500]).encode() + b"\ncaf\xe9 \xff stray\n" + lines[7].encode()
    )
    (folder / "d.txt").write_text("last " * 10, "utf-8")
    (folder / "e.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (folder / "f.txt").write_text("z" * 300_000, "utf-8")
    return folder


@pytest.fixture(autouse=True)
def small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks_module, "TASK_BYTES", 20_000)
    monkeypatch.setattr(plan, "__defaults__", (20_000,))


def _table(counter: bpe.Counter) -> bytes:
    return b"".join(tsv_parts(counter))


class Backwards(Executor):
    """Runs the last task first."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Future, object, tuple]] = []

    def submit(self, function, /, *arguments, **named):
        future: Future = Future()
        result = future.result

        def run_all(timeout=None):
            while self.waiting:
                other, what, with_them = self.waiting.pop()
                other.set_running_or_notify_cancel()
                other.set_result(what(*with_them))
            return result(timeout)

        future.result = run_all
        self.waiting.append((future, function, arguments))
        return future


@pytest.mark.parametrize(
    "config",
    [
        LINES,
        pytest.param(
            TEXTS, marks=pytest.mark.slow(buys="the same with documents that are records")
        ),
    ],
    ids=["lines", "texts"],
)
def test_threads_and_any_order_give_the_same_table(
    folder: Path, config: bpe.TrainingConfig
) -> None:
    alone = bpe.count(folder, config)
    corpus = bpe.Corpus.from_files(folder, config)
    assert list(alone.rows()) == [
        (word.encode("utf-8", "surrogateescape"), n) for word, n in corpus.items()
    ]
    with ThreadPoolExecutor(7) as executor:
        threads = bpe.count(folder, config, executor)
    backwards = bpe.count(str(folder), config, Backwards())
    assert _table(threads) == _table(backwards) == _table(alone)
    assert sorted(threads.notices) == sorted(alone.notices)
    assert any(
        "2 of the 3,000 records of b.jsonl could not be read" in notice for notice in alone.notices
    )
    assert any(
        re.search(r"record 701 is not JSON \(.*\); record 2,901 has null", notice)
        for notice in threads.notices
    )
    assert any("e.png is a PNG image" in notice for notice in alone.notices)
    log = [merge.to_log() for merge in bpe.train(corpus, config).merges]
    assert [merge.to_log() for merge in bpe.train(threads.corpus(), config).merges] == log


def test_the_plan_divides_where_documents_end(folder: Path) -> None:
    tasks = plan([folder], LINES, Reading())
    parts = [task for task in tasks if task.end is not None]
    assert {Path(task.paths[0]).name for task in parts} == {"a.txt", "b.jsonl", "c.txt", "f.txt"}
    for task in parts:
        data = Path(task.paths[0]).read_bytes()
        assert task.start == 0 or data[task.start - 1 : task.start] == b"\n"
    assert len([task for task in parts if task.paths[0].endswith("f.txt")]) == 1
    by_file = {
        Path(task.paths[0]).name
        for task in plan([folder], TEXTS, Reading())
        if task.end is not None
    }
    assert by_file == {"b.jsonl"}
    with pytest.raises(SourceError, match="cannot read standard input"):
        plan(["-"], LINES, Reading())


@pytest.mark.slow("a cluster of two processes, one of which is killed half-way")
def test_a_dask_cluster_with_a_killed_worker_gives_the_same_table(
    folder: Path, tmp_path: Path
) -> None:
    # In a process of its own, for the threads of Dask do not end before it.
    outcome = subprocess.run(
        [sys.executable, "-m", "tests.files.counts.dask_count", folder, tmp_path / "out.tsv"],
        cwd=Path(__file__).resolve().parents[3],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stderr
    assert "No Dask scheduler answers at tcp://127.0.0.1:1" in outcome.stderr
    assert "killed 1 worker" in outcome.stdout
    assert (tmp_path / "out.tsv").read_bytes() == _table(
        bpe.count(folder, bpe.TrainingConfig.preset("superbpe"))
    )
    assert sorted(os.listdir(tmp_path)) == ["out.tsv"]


def test_a_counter_has_no_corpus_of_another_cut() -> None:
    counter = bpe.Counter(LINES)
    counter.update(["hug hugs"])
    with pytest.raises(
        CorpusError,
        match="because its text was cut with split gpt2 and not o200k, documents line and not file",
    ):
        counter.corpus(TEXTS)
    with pytest.raises(CorpusError, match="split-digits no and not yes"):
        counter.corpus(LINES.replace(split_digits=True))
    assert counter.corpus(LINES.replace(vocab_size=None, merges=3)).n_words == 2
