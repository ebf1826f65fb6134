"""Counts files with any executor of `concurrent.futures`: threads, processes, or a Dask cluster.

Tasks are run in any order, and their tables are added up in the order of the text. So the table,
its order included, is that of one process, byte for byte, whatever the executor and the number of
its workers; all tie rules can be used.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from itertools import islice
from os import PathLike

from bpe_studio.engine.arguments import shown
from bpe_studio.engine.config import TrainingConfig, checked_config
from bpe_studio.engine.counting.counter import Counter
from bpe_studio.engine.counting.source_weights import check_patterns
from bpe_studio.errors import BpeError, ConfigError, CorpusError
from bpe_studio.files.counts.tasks import Outcome, Task, plan, run_task
from bpe_studio.files.records.broken_records import RecordCount
from bpe_studio.files.text.places import paths_of
from bpe_studio.files.text.reading import Reading
from bpe_studio.files.text.sources import Sources, left_out_notice

MOST_ATTEMPTS = 3
_AHEAD = 256
"""Tasks that are submitted ahead of the one that is awaited, which limits memory."""
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
        sources: files, folders, patterns or addresses, or one of them; the workers must find them
            by the same names.
        config: the options for splitting text.
        executor: runs the tasks: a `ThreadPoolExecutor`, a `ProcessPoolExecutor`, the
            `get_executor()` of a Dask client, or any other; `None` for this process alone.
        encoding: the encoding of the files; `None` to detect it for each.
        column: the column of records that holds the text; `None` to find it.

    Returns:
        The same table, byte for byte, whatever the executor; its `notices` say what was left out.

    Raises:
        SourceError: a file cannot be read as text.
        CorpusError: the executor's workers ended again and again.
        ConfigError: the options or the executor have another type, or a weight is that of no file.
    """
    paths = paths_of(sources)
    reading = Reading(encoding, column)
    checked_config(config)
    if executor is not None:
        if not isinstance(executor, Executor) and not hasattr(executor, "submit"):
            raise ConfigError(
                f"{shown(executor)} is not an executor: give one such as ThreadPoolExecutor(2), or "
                "the get_executor() of a Dask client"
            )
        return count_tasks(plan(paths, config, reading), config, executor)
    counter = Counter(config)
    files = Sources(paths, reading)
    check_patterns(config, files.paths)
    for source in files:
        counter.begin_source(source.path)
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
    progress: Progress = lambda done, total: None,
) -> Counter:
    """Runs tasks, and adds up their tables in order.

    Args:
        tasks: the tasks of a `plan`.
        config: the options for splitting text.
        executor: runs them.
        progress: called with the bytes that are done, and all.

    Raises:
        SourceError: a file cannot be read as text.
        CorpusError: the executor's workers ended again and again.
    """
    paths: list[str] = []
    for task in tasks:
        paths += task.paths
    check_patterns(config, paths)
    total = sum(task.size_bytes for task in tasks)
    counter = Counter(config)
    left_out = list[str]()
    done = 0
    results = _in_order(tasks, config, executor)
    for file in _files(tasks):
        # The parts of a file are added up apart, because it may have to be counted as a whole.
        sum_of_file = Counter(config)
        notices = list[str]()
        records = RecordCount()
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
            outcome = next(_in_order([file[0].as_whole()], config, executor))
            assert outcome.counter is not None
            sum_of_file = outcome.counter
            notices = outcome.notices
            records = RecordCount()
        if len(counter):
            counter.merge(sum_of_file)
        else:
            sum_of_file.notices = counter.notices
            counter = sum_of_file
        counter.notices += notices + records.notices(os.path.basename(file[0].paths[0]))
    if not counter.n_sources:
        why = f" ({left_out[0]})" if left_out else ""
        raise CorpusError(f"None of these files contains text{why}: choose others")
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


def _in_order(tasks: list[Task], config: TrainingConfig, executor: Executor) -> Iterator[Outcome]:
    """The outcomes of tasks in their order, while later ones run."""
    waiting: deque[tuple[Task, Future[Outcome]]] = deque()
    following = iter(tasks)
    try:
        while True:
            for task in islice(following, _AHEAD - len(waiting)):
                waiting.append((task, executor.submit(run_task, task, config)))
            if not waiting:
                return
            task, future = waiting.popleft()
            yield _result(future, task, config, executor)
    finally:
        for _, future in waiting:
            future.cancel()


def _result(
    future: Future[Outcome], task: Task, config: TrainingConfig, executor: Executor
) -> Outcome:
    """The outcome of a task, which is run again if its worker died."""
    for attempt in range(1, MOST_ATTEMPTS + 1):
        try:
            return future.result()
        except BpeError:
            raise
        except BrokenExecutor:
            raise CorpusError(
                "A counting process ended unexpectedly (perhaps it ran out of memory): count again"
                " with fewer processes"
            ) from None
        except Exception as error:
            if attempt == MOST_ATTEMPTS:
                raise CorpusError(
                    f"{task.paths[0]} could not be counted in {MOST_ATTEMPTS} attempts "
                    f"({type(error).__name__}: {error!s:.200}): check the workers, then count again"
                ) from error
            future = executor.submit(run_task, task, config)
    raise AssertionError("unreachable")
