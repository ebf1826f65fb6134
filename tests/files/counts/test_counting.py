"""Counting with executors: the same table byte for byte, whatever runs the tasks."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

import bpe_studio as bpe
from bpe_studio.errors import CorpusError, SourceError
from bpe_studio.files.counts import tasks as tasks_module
from bpe_studio.files.counts.tasks import Task, plan, run_task
from bpe_studio.files.counts.tsv import tsv_parts
from bpe_studio.files.text.reading import Reading

LINES = bpe.TrainingConfig.preset("gpt2", vocab_size=300, ties="first-seen")
TEXTS = bpe.TrainingConfig.preset("o200k", documents="file", vocab_size=300, normalize=("nfc",))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of several kinds, small and large, one of which is not UTF-8 far behind."""
    folder = tmp_path_factory.mktemp("corpus")
    chooser = random.Random(3)
    words = ["the ", "of ", "سلام ", "日本語", "e\u0301", "naïve ", "x1 ", "\n", "\r\n", "  ", "…", "don't "]
    words += [f"w{chooser.randrange(10**6)} " for _ in range(3000)]
    lines = ["".join(chooser.choices(words, k=10)) for _ in range(6000)]
    (folder / "a.txt").write_text("\ufeff" + "\n".join(lines[:3000]), "utf-8")
    rows = [json.dumps({"text": line}) for line in lines[3000:]]
    rows[700] = '{"text": '
    rows[2900] = '{"text": null}'
    (folder / "b.jsonl").write_text("\n".join(rows), "utf-8")
    (folder / "c.txt").write_bytes("\n".join(lines[:1500]).encode() + b"\ncaf\xe9 \xff stray\n" + lines[7].encode())
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
    [LINES, pytest.param(TEXTS, marks=pytest.mark.slow(buys="the same with documents that are records"))],
    ids=["lines", "texts"],
)
def test_threads_and_any_order_give_the_same_table(folder: Path, config: bpe.TrainingConfig) -> None:
    alone = bpe.count(folder, config)
    corpus = bpe.Corpus.from_files(folder, config)
    assert list(alone.rows()) == [(word.encode("utf-8", "surrogateescape"), n) for word, n in corpus.items()]
    with ThreadPoolExecutor(7) as executor:
        threads = bpe.count(folder, config, executor)
    backwards = bpe.count(str(folder), config, Backwards())
    assert _table(threads) == _table(backwards) == _table(alone)
    assert sorted(threads.notices) == sorted(alone.notices)
    assert any("2 of the 3,000 records of b.jsonl could not be read" in notice for notice in alone.notices)
    assert any(re.search(r"record 701 is not JSON \(.*\); record 2,901 has null", notice) for notice in threads.notices)
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
    by_file = {Path(task.paths[0]).name for task in plan([folder], TEXTS, Reading()) if task.end is not None}
    assert by_file == {"b.jsonl"}
    with pytest.raises(SourceError, match="Standard input cannot be counted by other processes"):
        plan(["-"], LINES, Reading())


@pytest.fixture(scope="module")
def tables(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables with row groups and batches."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    place = tmp_path_factory.mktemp("tables")
    lines = (folder / "a.txt").read_text("utf-8").split("\n")[:2000]
    table = pa.table({"n": range(len(lines)), "text": [None if k == 1234 else line for k, line in enumerate(lines)]})
    pq.write_table(table, place / "a.parquet", row_group_size=100)
    with pa.ipc.new_file(place / "b.arrow", table.schema) as writer:
        writer.write_table(table, max_chunksize=150)
    return place


def test_row_groups_and_batches_are_tasks(tables: Path) -> None:
    tasks = plan([tables], TEXTS, Reading())
    n_parts = {name: sum(task.paths[0].endswith(name) for task in tasks) for name in ("a.parquet", "b.arrow")}
    assert all(n > 3 for n in n_parts.values()), n_parts
    alone = bpe.count(tables, TEXTS)
    with ThreadPoolExecutor(2) as executor:
        threads = bpe.count(tables, TEXTS, executor)
    assert _table(threads) == _table(alone) == _table(bpe.count(tables, TEXTS, Backwards()))
    assert threads.notices == alone.notices
    assert "record 1,235 has no text" in alone.notices[0]


def test_seven_processes_give_the_same_table(folder: Path) -> None:
    with ProcessPoolExecutor(7) as executor:
        assert _table(bpe.count(folder, LINES, executor)) == _table(bpe.count(folder, LINES))


def _killed(task: Task, config: bpe.TrainingConfig) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_pool_that_breaks_is_one_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bpe_studio.files.counts.counting.run_task", _killed)
    with ProcessPoolExecutor(1) as executor, pytest.raises(CorpusError, match="A process that counted has ended"):
        bpe.count(folder, LINES, executor)


class Flaky(ThreadPoolExecutor):
    """Fails each task a number of times."""

    def __init__(self, n_failures: int) -> None:
        super().__init__(2)
        self.n_failures = n_failures
        self.seen: dict[Task, int] = {}
        self.lock = threading.Lock()

    def submit(self, function, /, *arguments, **named):
        def fail_first(task, config):
            with self.lock:
                self.seen[task] = self.seen.get(task, 0) + 1
                n = self.seen[task]
            if n <= self.n_failures:
                raise OSError("the worker is gone")
            return function(task, config)

        return super().submit(fail_first, *arguments, **named)


def test_a_task_is_run_again_where_its_worker_died(folder: Path) -> None:
    with Flaky(2) as executor:
        assert _table(bpe.count(folder, LINES, executor)) == _table(bpe.count(folder, LINES))
    with Flaky(3) as executor, pytest.raises(CorpusError, match="could not be counted in 3 attempts"):
        bpe.count(folder, LINES, executor)


def test_a_file_that_changes_between_its_parts_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("hug\n" * 1000)
    tasks = plan([path], LINES, Reading(), task_bytes=1000)
    assert len(tasks) > 1
    run_task(tasks[0], LINES)
    os.utime(path, ns=(0, 0))
    with pytest.raises(SourceError, match=r"a\.txt changed while it was read"):
        run_task(tasks[1], LINES)


@pytest.mark.slow("a cluster of two processes, one of which is killed half-way")
def test_a_dask_cluster_with_a_killed_worker_gives_the_same_table(folder: Path, tmp_path: Path) -> None:
    # In a process of its own, for the threads of Dask do not end before it.
    outcome = subprocess.run(
        [sys.executable, "-m", "tests.files.counts.dask_count", folder, tmp_path / "out.tsv"],
        cwd=Path(__file__).resolve().parents[3], capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert outcome.returncode == 0, outcome.stderr
    assert "No Dask scheduler answers at tcp://127.0.0.1:1" in outcome.stderr
    assert "killed 1 worker" in outcome.stdout
    assert (tmp_path / "out.tsv").read_bytes() == _table(bpe.count(folder, bpe.TrainingConfig.preset("gpt2")))
    assert sorted(os.listdir(tmp_path)) == ["out.tsv"]


def test_arguments_of_another_type_are_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hug hugs")
    counter = bpe.Counter(LINES)
    for call, error, says in [
        (lambda: bpe.Counter("gpt2"), bpe.ConfigError, "'gpt2' is no TrainingConfig: make one"),
        (lambda: bpe.Corpus.from_text("a", None), bpe.ConfigError, "None is no TrainingConfig"),
        (lambda: bpe.Corpus.from_counts({"a": 1}, "gpt2"), bpe.ConfigError, "is no TrainingConfig"),
        (lambda: bpe.train(counter.corpus(), "gpt2"), bpe.ConfigError, "is no TrainingConfig"),
        (lambda: bpe.count([tmp_path], "gpt2"), bpe.ConfigError, "is no TrainingConfig"),
        (lambda: bpe.count([tmp_path], LINES, "threads"), bpe.ConfigError, "'threads' is no executor"),
        (lambda: bpe.count(3, LINES), SourceError, "3 is no path"),
        (lambda: bpe.count([tmp_path, None], LINES), SourceError, "None is no path"),
        (lambda: bpe.count("", LINES), SourceError, "'' does not exist"),
        (lambda: bpe.count(tmp_path, LINES, encoding=3), SourceError, "There is no text encoding 3"),
        (lambda: bpe.Corpus.from_files(3, LINES), SourceError, "3 is no path"),
        (lambda: bpe.inspect(3), SourceError, "3 is no path"),
        (lambda: bpe.inspect(tmp_path, "gpt2"), bpe.ConfigError, "is no TrainingConfig"),
        (lambda: bpe.enough(tmp_path, "gpt2"), bpe.ConfigError, "is no TrainingConfig"),
        (lambda: bpe.Counter.load(3), SourceError, "3 is no path"),
        (lambda: counter.merge(counter.corpus()), TypeError, "merge takes a Counter and no Corpus"),
        (lambda: counter.update({"hug": 10}), TypeError, "is no text"),
        (lambda: bpe.Corpus.from_text(3, LINES), TypeError, "3 is no text"),
        (lambda: bpe.train(counter, LINES), TypeError, "takes a Corpus and no Counter"),
    ]:
        with pytest.raises(error, match=re.escape(says)):
            call()
    assert bpe.count(bytes(tmp_path / "a.txt"), LINES).corpus().n_words == 2


def test_a_counter_has_no_corpus_of_another_cut() -> None:
    counter = bpe.Counter(LINES)
    counter.update(["hug hugs"])
    with pytest.raises(
        CorpusError, match="because its text was cut with split gpt2 and not o200k, documents line and not file"
    ):
        counter.corpus(TEXTS)
    assert counter.corpus(LINES.replace(vocab_size=None, merges=3)).n_words == 2
