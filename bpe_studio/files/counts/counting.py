"""Counts files with any executor of `concurrent.futures`: threads, processes, or a Dask cluster.

Tasks are run in any order, and their tables are added up in the order of the text. So the table, its order included, is
that of one process, byte for byte, whatever the executor and the number of its workers; all tie rules can be used.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import astuple
from os import PathLike
from pathlib import Path

import numpy as np

from bpe_studio.engine.config import TrainingConfig, checked_config
from bpe_studio.engine.counting.counter import Counter
from bpe_studio.engine.counting.plain_counting import TextMeasures
from bpe_studio.engine.counting.word_table import Words
from bpe_studio.errors import BpeError, ConfigError, CorpusError
from bpe_studio.files.atomic_file import atomic_write
from bpe_studio.files.counts.tasks import Outcome, Task, plan, run_task
from bpe_studio.files.records.broken_records import RecordCount
from bpe_studio.files.text.places import paths_of
from bpe_studio.files.text.reading import Reading
from bpe_studio.files.text.sources import Sources, left_out_notice

MOST_ATTEMPTS = 3
_AHEAD = 256
"""How many tasks are submitted ahead of the one that is awaited, which limits memory."""
Progress = Callable[[int, int], None]


def count(
    sources: Iterable[str | PathLike[str]] | str | PathLike[str],
    config: TrainingConfig,
    executor: Executor | None = None,
    *,
    encoding: str | None = None,
    column: str | None = None,
) -> Counter:
    """Count the pre-tokens of files, with as many workers as an executor has.

    Args:
        sources: files, folders, patterns or addresses, or one of them; the workers must find them by the same names.
        config: the options for splitting text.
        executor: runs the tasks: a `ThreadPoolExecutor`, a `ProcessPoolExecutor`, the `get_executor()` of a Dask
            client, or any other; `None` for this process alone.
        encoding: the encoding of the files; `None` to detect it for each.
        column: the column of records that holds the text; `None` to find it.

    Returns:
        The same table, byte for byte, whatever the executor; its `notices` say what was left out.

    Raises:
        SourceError: a file cannot be read as text.
        CorpusError: the executor's workers ended again and again.
        ConfigError: the options or the executor are something else.
    """
    paths, reading = paths_of(sources), Reading(encoding, column)
    checked_config(config)
    if executor is not None:
        if not isinstance(executor, Executor) and not hasattr(executor, "submit"):
            raise ConfigError(
                f"{executor!r:.60} is no executor: give one of concurrent.futures, such as ThreadPoolExecutor(2), or "
                "the get_executor() of a Dask client"
            )
        return count_tasks(plan(paths, config, reading), config, executor)
    counter = Counter(config)
    files = Sources(paths, reading)
    for source in files:
        for content, ends, *_ in source.pieces():
            for _ in counter.feed(content, ends):
                pass
        counter.add_sources([source.name])
        counter.notices += source.notices
    counter.notices += files.notices
    return counter


def count_tasks(
    tasks: list[Task],
    config: TrainingConfig,
    executor: Executor,
    kept: KeptOutcomes | None = None,
    progress: Progress = lambda done, total: None,
) -> Counter:
    """Runs tasks, and adds up their tables in order.

    Args:
        tasks: what `plan` gives.
        config: the options for splitting text.
        executor: runs them.
        kept: outcomes of an earlier attempt that was interrupted, which receives those of this one.
        progress: called with the bytes that are done, and all.

    Raises:
        SourceError: a file cannot be read as text.
        CorpusError: the executor's workers ended again and again.
    """
    total = sum(task.size_bytes for task in tasks)
    counter, left_out, done = Counter(config), list[str](), 0
    results = _in_order(tasks, config, executor, kept)
    for file in _files(tasks):
        # The parts of a file are added up apart, because it may have to be counted as a whole.
        sum_of_file, notices, records = Counter(config), list[str](), RecordCount()
        is_whole = True
        for task in file:
            outcome = next(results)
            done += task.size_bytes
            if outcome.counter is None:
                is_whole = False
            elif len(file) == 1:
                sum_of_file = outcome.counter
            elif is_whole:
                sum_of_file.merge(outcome.counter)
            notices += outcome.notices
            left_out += outcome.left_out
            records.absorb(outcome.records)
            progress(done, total)
        if records.n_records and records.n_broken == records.n_records:
            is_whole = False  # reading it as a whole says what is wrong
        if not is_whole:
            outcome = next(_in_order([file[0].as_whole()], config, executor, None))
            assert outcome.counter is not None
            sum_of_file, notices, records = outcome.counter, outcome.notices, RecordCount()
        if len(counter):
            counter.merge(sum_of_file)
        else:
            sum_of_file.notices, counter = counter.notices, sum_of_file
        counter.notices += notices + records.notices(os.path.basename(file[0].paths[0]))
    if not counter.n_sources:
        why = f" ({left_out[0]})" if left_out else ""
        raise CorpusError(f"No file there holds text{why}: choose others")
    counter.notices += left_out_notice(left_out, "the corpus")
    return counter


def _files(tasks: list[Task]) -> Iterator[list[Task]]:
    """The tasks, those of one file together."""
    file: list[Task] = []
    for task in tasks:
        if file and (task.end is None or file[0].end is None or task.number != file[0].number):
            yield file
            file = []
        file.append(task)
    if file:
        yield file


def _in_order(
    tasks: list[Task], config: TrainingConfig, executor: Executor, kept: KeptOutcomes | None
) -> Iterator[Outcome]:
    """The outcomes of tasks in their order, while later ones run."""
    waiting: deque[tuple[int, Task, Future[Outcome] | None]] = deque()
    following = enumerate(tasks)
    try:
        while True:
            while len(waiting) < _AHEAD and (found := next(following, None)) is not None:
                is_kept = kept is not None and kept.has(found[0])
                waiting.append((*found, None if is_kept else executor.submit(run_task, found[1], config)))
            if not waiting:
                return
            number, task, future = waiting.popleft()
            if future is None:
                assert kept is not None
                yield kept.outcome(number, config)
                continue
            outcome = _result(future, task, config, executor)
            if kept is not None:
                kept.keep(number, outcome)
            yield outcome
    finally:
        for _, _, future in waiting:
            if future is not None:
                future.cancel()


def _result(future: Future[Outcome], task: Task, config: TrainingConfig, executor: Executor) -> Outcome:
    """The outcome of a task, which is run again where its worker died."""
    for attempt in range(1, MOST_ATTEMPTS + 1):
        try:
            return future.result()
        except BpeError:
            raise
        except BrokenExecutor:
            raise CorpusError(
                "A process that counted has ended (perhaps it was killed, or the memory was not enough): count again, "
                "with fewer processes"
            ) from None
        except Exception as error:
            if attempt == MOST_ATTEMPTS:
                raise CorpusError(
                    f"{task.paths[0]} could not be counted in {MOST_ATTEMPTS} attempts "
                    f"({type(error).__name__}: {error!s:.200}): look at the workers, and count again"
                ) from error
            future = executor.submit(run_task, task, config)
    raise AssertionError("unreachable")


class KeptOutcomes:
    """The outcomes of tasks in a folder, so that counting goes on after an interruption.

    Args:
        folder: made if it does not exist; outcomes of other tasks in it are removed.
        tasks: the tasks.
        config: the options for splitting text.

    Raises:
        CorpusError: the folder holds other things.
    """

    def __init__(self, folder: Path, tasks: list[Task], config: TrainingConfig) -> None:
        self._folder = folder
        key = _key(tasks, config)
        place = folder / "tasks.json"
        if not place.is_file() and folder.exists() and any(folder.iterdir()):
            raise CorpusError(f"{folder} holds other files than counts that were interrupted: choose another name")
        if not place.is_file() or place.read_text("utf-8") != key:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            atomic_write(place, key)
        self._done = {name for name in os.listdir(folder) if name.endswith(".npz")}

    def __len__(self) -> int:
        return len(self._done)

    def has(self, number: int) -> bool:
        """Whether a task is done."""
        return _name(number) in self._done

    def keep(self, number: int, outcome: Outcome) -> None:
        """Write the outcome of a task."""
        if outcome.counter is None:
            return
        counter, stream = outcome.counter, io.BytesIO()
        about = {
            "measures": astuple(counter.measures),
            "sources": counter.sources,
            "n_sources": counter.n_sources,
            "notices": outcome.notices,
            "left_out": outcome.left_out,
            "records": outcome.records.to_list(),
        }
        words = counter.words()
        np.savez(
            stream, blob=words.blob, offsets=words.offsets, counts=words.counts,
            about=np.frombuffer(json.dumps(about).encode(), np.uint8),
        )  # fmt: skip
        atomic_write(self._folder / _name(number), stream.getvalue())

    def outcome(self, number: int, config: TrainingConfig) -> Outcome:
        """The outcome of a task that is done."""
        with np.load(self._folder / _name(number), allow_pickle=False) as parts:
            about = json.loads(parts["about"].tobytes())
            words = Words(parts["blob"], parts["offsets"], parts["counts"])
        counter = Counter.from_words(config, words, TextMeasures(*about["measures"]))
        counter.add_sources(about["sources"], about["n_sources"])
        return Outcome(counter, about["notices"], about["left_out"], RecordCount.from_list(about["records"]))

    def remove(self) -> None:
        """Remove the folder, when all is counted."""
        shutil.rmtree(self._folder, ignore_errors=True)


def _name(number: int) -> str:
    return f"{number:07}.npz"


def _key(tasks: list[Task], config: TrainingConfig) -> str:
    """Identifies tasks: the files as they are now, and how they are cut."""
    digest = hashlib.sha256(json.dumps(config.to_dict(), sort_keys=True).encode())
    for task in tasks:
        states = [(status.st_size, status.st_mtime_ns) for path in task.paths if (status := _status(path))]
        digest.update(repr((task, states)).encode("utf-8", "surrogatepass"))
    return json.dumps({"version": 1, "key": digest.hexdigest(), "n_tasks": len(tasks)})


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None
