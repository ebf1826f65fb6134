"""The jobs that train merges and that save a tokenizer. Generators for the worker."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from functools import partial
from math import log1p
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from bpe_studio.engine.generators import relay
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.reading import ESTIMATE_AFTER_S, Countdown
from bpe_studio.workspace.marks import Breakpoint, Watch
from bpe_studio.workspace.state import Progress
from bpe_studio.workspace.thread_job import run_in_thread

if TYPE_CHECKING:
    from bpe_studio.engine.counting.corpus import Corpus
    from bpe_studio.engine.encoding.tokenizer import Tokenizer
    from bpe_studio.engine.run import Run
    from bpe_studio.engine.training.trainer import Trainer
    from bpe_studio.explain.export_report import ExportReport

SLICE_S = 0.02
FREED_FROM = 1 << 20
"""From this many symbols on, as a text of 12 MB has, the buffers of a run are freed at its end."""
_MOMENT_S = 0.5
_SETTLED = 0.1
"""From this share of the merges on, the last moment tells something about those that follow."""
_ASKED = 2048
"""The number of merges for which breakpoints are evaluated at a time; that takes a few ms."""
_WATCHED = 32
_MOST_WATCHED = 512
"""The limits for the number of merges that are trained at a time if a breakpoint may stop the run:
few at first, then a share of the run, so that little is trained beyond the stop."""


@dataclass(frozen=True, eq=False)
class Growth:
    """The growth of a run.

    Attributes:
        run: the run.
        n_merges: the number of its merges; all of them may be read.
        n_asked: the number of merges for which breakpoints were evaluated; all of them, if there
            are no breakpoints.
        stop_reason: why training has ended, or "".
        seconds_left: the estimated time to the goal, or None.
        stop: the rank of the merge at which a breakpoint stops the run, and that breakpoint; or
            None.
    """

    run: Run
    n_merges: int
    n_asked: int
    stop_reason: str = ""
    seconds_left: float | None = None
    stop: tuple[int, Breakpoint] | None = None


class TrainingCountdown(Countdown):
    """Estimates the remaining time of training; the first merges, of frequent pairs, take longest.

    The time of a merge is about proportional to its count, which falls with its rank. So the
    logarithm of the rank measures progress. Later, when merges take about the same time, the merges
    of the last moment count, too.
    """

    def __init__(self, done: int = 0) -> None:
        super().__init__(done)
        self._marks = [(self._start_s, float(done))]

    def seconds_left(self, done: float, total: float) -> float | None:
        """Remaining seconds, or None while it is too early to tell."""
        now_s = monotonic()
        passed_s = now_s - self._start_s
        before = self._done_before
        if now_s - self._marks[-1][0] > _MOMENT_S:
            self._marks = [self._marks[-1], (now_s, done)]
        if passed_s < ESTIMATE_AFTER_S or done <= before:
            return None
        left = passed_s * max(0.0, log1p(total) - log1p(done)) / (log1p(done) - log1p(before))
        then_s, then = self._marks[0]
        if done < total * _SETTLED or done <= then:
            return left
        return (left + (now_s - then_s) * max(0.0, total - done) / (done - then)) / 2


def _free_at_end(trainer: Trainer) -> None:
    """Frees the buffers of a large corpus whose run has reached its end.

    For 40 MB of text, they take a fifth of the window's memory. Making them again takes a fraction
    of a second.
    """
    run = trainer.run_record
    if len(run.gaps) >= FREED_FROM and (trainer.finished or len(run.merges) >= trainer.target):
        trainer.release()


def train(
    trainer: Trainer, goal: int, breakpoints: Iterable[Breakpoint] = (), begin: int | None = None
) -> Generator[Growth, None, Growth]:
    """Trains until the run has `goal` merges, no pair is left, or a breakpoint stops it.

    Args:
        trainer: a prepared trainer, which nothing else may advance meanwhile.
        goal: the number of merges in all, with those that exist already.
        breakpoints: the breakpoints that may stop it; some merges beyond the stop may be trained.
        begin: the rank of the first merge for which breakpoints are evaluated; None for the first
            new one.
    """
    run = trainer.run_record
    watch = Watch(run, breakpoints)
    asked = len(run.merges) if begin is None else begin
    if trainer.target < goal:
        trainer.target = goal
    countdown = TrainingCountdown(len(run.merges))
    if len(run.merges) < goal:
        for _ in trainer.prepare():
            yield Growth(run, len(run.merges), min(asked, len(run.merges)))
    while True:
        n_merges = len(run.merges)
        if watch and asked < n_merges:
            end = min(n_merges, asked + _ASKED)
            stop = watch.first(asked, end)
            asked = end
            if stop is not None:
                return Growth(run, n_merges, asked, stop=stop)
            yield Growth(run, n_merges, asked, "", countdown.seconds_left(n_merges, goal))
        elif n_merges >= goal:
            _free_at_end(trainer)
            return Growth(run, n_merges, n_merges)
        else:
            most = max(_WATCHED, min(_MOST_WATCHED, n_merges // 16)) if watch else goal
            trainer.advance(min(goal - n_merges, most), SLICE_S)
            n_merges = len(run.merges)
            if trainer.finished and n_merges < goal and not (watch and asked < n_merges):
                _free_at_end(trainer)
                return Growth(run, n_merges, n_merges, trainer.stop_reason)
            if not watch:
                yield Growth(run, n_merges, n_merges, "", countdown.seconds_left(n_merges, goal))


def save_tokenizer(
    backend: Backend, run: Run, step: int, path: Path, form: str
) -> Generator[Progress, None, Path]:
    """Writes the tokenizer after `step` merges.

    Raises:
        SaveError: it cannot be written.
    """
    what = f"Saving {path.name}"
    yield Progress(what, 0, 0, "%")
    tokenizer = yield from run_in_thread(partial(_made, run, step))
    yield Progress(what, 50, 100, "%")
    backend.save(tokenizer, path, form)
    return path


def check_saved(
    backend: Backend, run: Run, step: int, path: Path, form: str, words_from: Corpus
) -> Generator[Progress, None, ExportReport]:
    """Reads a saved tokenizer again, and compares how it encodes the distinct words of a corpus.

    Raises:
        TokenizerFormatError: it cannot be read.
    """
    what = f"Comparing {path.name} with the run"
    yield Progress(what, 0, 0, "words")
    from bpe_studio.explain.export_report import reporting

    made = partial(run.tokenizer, step)
    read_again = partial(backend.load, path)
    comparing = run_in_thread(partial(reporting, made, read_again, path, form, words_from))
    report: ExportReport = yield from relay(
        comparing, lambda done: done and Progress(what, done[0], done[1], "words")
    )
    return report


def _made(run: Run, step: int) -> Generator[None, None, Tokenizer]:
    yield
    return run.tokenizer(step)
