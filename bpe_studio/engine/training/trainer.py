"""The trainer: trains merges from a corpus, one at a time or at full speed.

The definition is `engine/textbook.py`; the loop that does the same, fast, is `kernels/merging.py`.
`Trainer` calls it in slices, so that a caller can pause or stop, and appends the merges to a `Run`.
Forced merges come first; forbidden pairs are never merged. It knows no threads and no screen.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from bpe_studio.engine.arguments import as_number, expect
from bpe_studio.engine.config import TrainingConfig, checked_config
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.counting.counter import cut_difference
from bpe_studio.engine.generators import Report, relay
from bpe_studio.engine.kernels import buffers as k
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.progress_bar import reported
from bpe_studio.engine.run import Run
from bpe_studio.engine.training.candidates import forced_ids
from bpe_studio.engine.training.merge_log import Merge
from bpe_studio.engine.training.overrides import OverrideKind, Plan
from bpe_studio.engine.training.special_tokens import check_special_tokens
from bpe_studio.engine.training.staged_run import new_run
from bpe_studio.engine.training.training_state import TrainingState, build_state
from bpe_studio.errors import ArgumentError, ConfigError, TrainingError

if TYPE_CHECKING:
    from bpe_studio.engine.option_types import Options

_PLAIN_SLICE = 2_000
_COMPILED_SLICE = 250_000
_PREPARE_SLICE = {True: 1_000, False: 500_000}
_JOB_SLICE = 1 << 12
_JOB_SLICE_S = 0.1
_TARGET_IS_REACHED = "the target is reached"


class Trainer:
    """Trains merges from a corpus.

    Iterating over it gives the merges one by one until training ends.

    Args:
        corpus: the counted pre-tokens.
        config: the options; `None` for those that the corpus was split with.
        use_compiled: compile the kernels whatever the size of the corpus; otherwise a small one
            starts without them.

    Attributes:
        run_record: the run; it grows.
        target: the requested number of merges; may be raised while training.
        stop_reason: the reason why training ended, as a phrase; empty until then.

    Raises:
        ConfigError: the corpus was split with other options, the vocabulary size is below the
            alphabet, a special token is a symbol of the alphabet, or could be made by merges, or a
            weight is that of no file.

    >>> trainer = Trainer(Corpus.from_counts({"hug": 10, "pug": 5}, TrainingConfig.preset("textbook")))
    >>> trainer.step().token
    'ug'
    """  # noqa: E501

    def __init__(
        self, corpus: Corpus, config: TrainingConfig | None = None, *, use_compiled: bool = False
    ) -> None:
        if not isinstance(corpus, Corpus):
            raise ArgumentError(
                f"Training takes a Corpus, not a {type(corpus).__name__}: give one, or the corpus()"
                " of a Counter"
            )
        config = corpus.config if config is None else checked_config(config)
        if not corpus.is_counted and not config.same_cut(corpus.config):
            raise ConfigError(
                f"The corpus cannot be used, because {cut_difference(corpus.config, config)}:"
                " create it again with the options of this run"
            )
        run = new_run(corpus.weighed(config), config)
        check_special_tokens(run.layout, config.stages[0])
        self._begin_run(run, config.target_merges(run.alphabet.n_own), use_compiled)
        for _ in self._build():
            pass

    @classmethod
    def from_run(
        cls,
        run: Run,
        step: int,
        plan: Plan,
        *,
        target: int | None = None,
        use_compiled: bool = False,
    ) -> Trainer:
        """A trainer that continues from a step of a run, in a run of its own.

        Its buffers, which are as large as those of any trainer, are made by `prepare`.

        Args:
            run: the run; it does not change, and may grow meanwhile.
            step: how many of its merges are kept.
            plan: the plan from there on; before that step it is the run's.
            target: the requested number of merges; `None` for as many as the run's options ask for.
            use_compiled: compile the kernels whatever the size of the corpus.

        Raises:
            TrainingError: the run has fewer merges.
            ConfigError: the plan changes the tie rule after the step, which takes another branch
                there.
        """
        if not 0 <= step <= len(run.merges):
            raise TrainingError(
                f"Step {step:,} is after the last of the {len(run.merges):,} merges; train up to it"
                " first"
            )
        later = [o for o in plan.overrides if o.kind is OverrideKind.ties and o.step > step]
        if later:
            raise ConfigError(
                f"A branch from step {step:,} cannot change its tie rule at step {later[0].step:,};"
                " train up to there, then branch off again"
            )
        trainer = cls.__new__(cls)
        wanted = run.config.target_merges(run.alphabet.n_own) if target is None else target
        trainer._begin_run(run.until(step, plan), max(wanted, step), use_compiled)
        return trainer

    @classmethod
    def finished_with(cls, run: Run) -> Trainer:
        """The trainer of a run that has no corpus to train on, such as that of an opened
        tokenizer.
        """
        trainer = cls.__new__(cls)
        trainer._begin_run(run, len(run.merges), False)
        trainer.stop_reason = _TARGET_IS_REACHED
        return trainer

    def _begin_run(self, run: Run, target: int, use_compiled: bool) -> None:
        self.run_record = run
        self.target = target
        self.stop_reason = ""
        self._config = run.config
        self._use_compiled = use_compiled
        self._state_now: TrainingState | None = None
        self._is_prepared = False
        self._forget_pairs()

    def __getstate__(self) -> dict[str, Any]:
        names = ("run_record", "target", "stop_reason", "_config", "_use_compiled")
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._state_now = None
        self._is_prepared = False
        self._forget_pairs()

    def _forget_pairs(self) -> None:
        # The forbidden pairs that have not come into being, and those that each token has a part
        # in.
        self._to_forbid: set[tuple[str, str]] = set()
        self._forbidden_with: dict[str, list[tuple[str, str]]] = {}
        self._n_forbidden = 0
        # The forbidden pairs that exist so far, by their ids; one of them may still be forced.
        self._out: dict[tuple[int, int], int] = {}

    @property
    def _state(self) -> TrainingState:
        assert self._state_now is not None, "prepare makes it"
        return self._state_now

    def _build(self) -> Iterator[float]:
        """Make the buffers for continuing at the end of the run."""
        run = self.run_record
        if run.is_due:
            yield from relay(run.open(), lambda _: 0.0)
        state = yield from relay(build_state(run.at(len(run.merges))), lambda _: 0.0)
        work = loader.ANY_WORK if self._use_compiled else len(state.gaps)
        self._kernel, is_compiled = loader.choose("merging", work)
        self._pair_counting = loader.sibling(self._kernel, "pair_counting")
        if not is_compiled:
            state.to_lists()
        self._state_now = state

    @property
    def finished(self) -> bool:
        """Whether training has ended."""
        return bool(self.stop_reason)

    def __iter__(self) -> Iterator[Merge]:
        while (merge := self.step()) is not None:
            yield merge

    def step(self) -> Merge | None:
        """Train one merge; `None` if training has ended."""
        learned = self.run(1)
        return learned[0] if learned else None

    def run(self, n: int | None = None) -> list[Merge]:
        """Train up to `n` more merges, or all that are left; returns them."""
        before = len(self.run_record.merges)
        wanted = k.NEVER if n is None else as_number(n, "A number of merges")
        while wanted > len(self.run_record.merges) - before:
            if not self.advance(wanted - (len(self.run_record.merges) - before), 3600.0):
                break
        return self.run_record.merges[before:]

    def prepare(self) -> Iterator[float]:
        """Count all pairs, the work before the first merge; yields the share that is done, every
        few milliseconds.

        If it is abandoned half-way, the next call begins again.
        """
        if not self._is_prepared:
            try:
                yield from self._prepare()
            except GeneratorExit:
                self.release()
                raise
            self._is_prepared = True

    def to_the_end(self) -> Iterator[float]:
        """Train until training ends, as a job.

        Yields the share of the requested merges that is done.
        """
        for _ in self.prepare():
            yield 0.0
        while not self.finished:
            self.advance(_JOB_SLICE, _JOB_SLICE_S)
            yield min(1.0, len(self.run_record.merges) / max(1, self.target))

    def advance(self, max_merges: int, budget_s: float) -> int:
        """Train up to `max_merges` merges, and stop soon after `budget_s` seconds.

        Returns:
            The number of merges trained; at least one, however short the time, unless training has
            ended.

        Raises:
            TrainingError: a forced merge names a token that does not exist.
        """
        deadline = time.perf_counter() + budget_s
        merges = self.run_record.merges
        begun = len(merges)
        if begun < self.target:
            for _ in self.prepare():
                pass
        while (learned := len(merges) - begun) < max_merges:
            if time.perf_counter() > deadline and learned:
                break
            step = begun + learned
            if step >= self.target:
                self.stop_reason = _TARGET_IS_REACHED
                break
            self.stop_reason = ""
            self._follow_compilation()
            if not self._merge_next(step, max_merges - learned):
                break
            if self.run_record.is_due:
                self._open_stage()
        return len(merges) - begun

    def _open_stage(self) -> None:
        self.release()
        is_done = len(self.run_record.merges) == self.target
        work = self._build() if is_done else self.prepare()
        for _ in work:
            pass

    def _merge_next(self, step: int, most: int) -> bool:
        """Merge what comes next: a forced pair, or the best pairs that are neither skipped nor
        forbidden.

        `kernels/heap.py` finds the best pairs. Returns false if training has ended.
        """
        plan = self.run_record.plan
        self._forbid_from(step)
        pair = plan.forced_at(step)
        if pair is not None:
            self._take_forced(pair)
            return True
        if plan.skipped_at(step):
            return self._train_without(plan.skipped_at(step))
        change = plan.next_change(step)
        if change is not None:
            most = min(most, change - step)
        return self._train_slice(most)

    def release(self) -> None:
        """Free the buffers and what was derived from the corpus, which take most of the memory;
        they are made again when needed.

        The later merges are the same as without this call.
        """
        run = self.run_record
        for stage in (run, run.at(0)):
            stage.layout.forget_words()
        self._state_now = None
        self._is_prepared = False
        self._forget_pairs()

    def extend_target(self, target: int) -> None:
        """Raise the target to a number of merges in all; training continues where it ended."""
        self.target = max(target, len(self.run_record.merges))
        is_further = self.target > len(self.run_record.merges)
        if self.stop_reason == _TARGET_IS_REACHED and is_further:
            self.stop_reason = ""

    def _prepare(self) -> Iterator[float]:
        if self._state_now is None:
            yield from self._build()
        state = self._state
        kernel = self._pair_counting
        kernel.refill_texts(state.buffers)
        n = len(state.gaps)
        size = _PREPARE_SLICE[state.is_plain]
        place = 1
        while place < n:
            stop = min(place + size, n)
            reached = kernel.count_pairs(state.buffers, place, stop)
            if reached < stop:
                b = state.buffers
                is_full = (b.numbers[k.N_TABLE] + 1) * 2 * k.TABLE > len(b.table)
                status = k.GROW_TABLE if is_full else k.GROW_PAIRS
                state.make_room(kernel, status)
            place = reached
            yield 0.5 * place / n
        kernel.lay_out_places(state.buffers)
        for place in range(1, n, size):
            kernel.fill_places(state.buffers, place, min(place + size, n))
            yield 0.5 + 0.5 * place / n
        n_pairs = state.buffers.numbers[k.N_PAIRS]
        while n_pairs * 2 * k.TIE > len(state.buffers.tie_table):
            state.make_room(kernel, k.GROW_TIES)
        b = state.buffers
        kernel.tally_pairs(b.numbers, b.table, b.tie_counts, b.tie_table)
        step = len(self.run_record.merges)
        for at, left, right in self.run_record.passed:
            if at < step:
                state.take_out(left, right)
        self._forbid_from(step)
        yield 1.0

    def _train_slice(self, max_merges: int) -> bool:
        """Run one slice of the merge loop; False if training has ended."""
        state = self._state
        limit = 1 if self._to_forbid else max_merges
        before = int(state.buffers.numbers[k.N_MERGES])
        work = _PLAIN_SLICE if state.is_plain else _COMPILED_SLICE
        target = self.target
        if before < self.run_record.n_first:
            target = min(target, self.run_record.n_first)
        status = self._kernel.advance(state.buffers, target, min(limit, k.NEVER), work)
        self._after_merges(before, forced=False)
        if status == k.EXHAUSTED:
            self.stop_reason = no_pair(self._config.min_frequency)
            return False
        if status == k.PASSED:
            ids = int(state.buffers.numbers[k.PASSED_PAIR])
            self.run_record.passed.append(
                (len(self.run_record.merges), ids >> 32, ids & 0xFFFFFFFF)
            )
        elif status not in (k.WORKING, k.TARGET):
            self._answer(status)
        return True

    def _train_without(self, skipped: Sequence[tuple[str, str]]) -> bool:
        """Train one merge with some pairs left out; False if training has ended."""
        state = self._state
        step = len(self.run_record.merges)
        out = []
        for names in skipped:
            left, right = map(self.run_record.find_token, names)
            if left is None or right is None or (left, right) in self._out:
                continue
            number = state.number_of(left, right)
            if number is not None and (step, left, right) not in self.run_record.passed:
                state.take_out(left, right)
                out.append(number)
        goes_on = True
        while goes_on and len(self.run_record.merges) == step:
            goes_on = self._train_slice(1)
        for number in out:
            state.put_back(self._pair_counting, number)
        return goes_on

    def _follow_compilation(self) -> None:
        """Switch to the compiled kernels once they are ready."""
        if self._state.is_plain:
            kernel, is_compiled = loader.choose("merging", 0)
            if is_compiled:
                self._state.to_arrays()
                self._kernel = kernel
                self._pair_counting = loader.sibling(kernel, "pair_counting")

    def _take_forced(self, pair: tuple[str, str]) -> None:
        state = self._state
        step = len(self.run_record.merges)
        left, right = forced_ids(self.run_record.at(step), pair, step)
        number = self._out.pop((left, right), None)
        if number is not None:
            state.put_back(self._pair_counting, number)
        before = int(state.buffers.numbers[k.N_MERGES])
        status = self._kernel.take(state.buffers, left, right)
        while status not in (k.WORKING, k.EXHAUSTED):
            self._answer(status)
            status = self._kernel.take(state.buffers, left, right)
        if status == k.EXHAUSTED:
            raise TrainingError(
                f"The forced merge of {pair[0]!r} and {pair[1]!r} makes a token that already exists"
            )
        self._after_merges(before, forced=True)

    def _answer(self, status: int) -> None:
        """Do what the merge loop needs to go on."""
        if status != k.NAME_CLASS:
            self._state.make_room(self._pair_counting, status)
            return
        pair = int(self._state.buffers.numbers[k.NAMED_PAIR])
        content_of = self.run_record.token_content
        self._state.name_class(content_of(pair >> 32) + content_of(pair & 0xFFFFFFFF))

    def _forbid_from(self, step: int) -> None:
        """Collect the pairs that are forbidden from a step on."""
        forbidden = self.run_record.plan.forbidden_at(step)
        if len(forbidden) > self._n_forbidden:
            added = set(forbidden[self._n_forbidden :])
            self._to_forbid |= added
            for left, right in added:
                self._forbidden_with.setdefault(left, []).append((left, right))
                self._forbidden_with.setdefault(right, []).append((left, right))
            self._n_forbidden = len(forbidden)
            self._drop_forbidden(added)

    def _drop_new_forbidden(self, step: int) -> None:
        """Exclude the forbidden pairs that the merges from a step on have made possible."""
        if self._to_forbid:
            run = self.run_record
            for token in range(run.token_of(step), run.token_of(len(run.merges))):
                self._drop_forbidden(self._forbidden_with.get(run.token_name(token), ()))

    def _drop_forbidden(self, pairs: Iterable[tuple[str, str]]) -> None:
        for left, right in self._to_forbid.intersection(pairs):
            ids = self.run_record.find_token(left), self.run_record.find_token(right)
            if ids[0] is not None and ids[1] is not None:
                number = self._state.number_of(ids[0], ids[1])
                if number is not None:
                    self._out[ids[0], ids[1]] = number
                self._state.take_out(ids[0], ids[1])
                # Both tokens exist, and so does the pair, if ever: it cannot arise again.
                self._to_forbid.discard((left, right))

    def _after_merges(self, before: int, *, forced: bool) -> None:
        """Do what follows the merges from a step on: record them, and exclude forbidden pairs of
        their tokens. Nothing else is removed or added.
        """
        self._record(before, forced=forced)
        self._drop_new_forbidden(before)

    def _record(self, before: int, *, forced: bool) -> None:
        b = self._state.buffers
        after = int(b.numbers[k.N_MERGES])
        log = np.array(b.log[before * k.LOG : after * k.LOG], np.int64).reshape(-1, k.LOG)
        whole_words = self.run_record.whole_words
        if whole_words is not None:
            log[:, 4] += whole_words.follow(self.run_record, log[:, 0], log[:, 1])
        self.run_record.extend(
            left=log[:, 0],
            right=log[:, 1],
            count=log[:, 2],
            tied=log[:, 3],
            n_tokens=log[:, 4],
            forced=np.full(after - before, forced),
        )


def no_pair(least: int, others: str = "pair") -> str:
    """The reason why training ends if no pair, or no other, has the minimum frequency.

    >>> no_pair(1), no_pair(2), no_pair(1000)
    ('no pair is left', 'no pair occurs twice', 'no pair occurs 1,000 times')
    """
    if least <= 1:
        return f"no {others} is left"
    if least == 2:
        return f"no {others} occurs twice"
    return f"no {others} occurs {least:,} times"


def train(
    corpus: Corpus,
    config: TrainingConfig | None = None,
    progress: Report | bool | None = None,
    **options: Unpack[Options],
) -> Run:
    """Train merges from a corpus until the target is reached or no pair is left to merge.

    Args:
        corpus: the counted pre-tokens.
        config: the options; `None` for those that the corpus was split with.
        progress: true for a progress bar; or a function that is called several times a second with
            the number of merges so far and the number requested.
        options: those that replace some of `config`, such as `pad_token="<pad>"`.

    Raises:
        ConfigError: the corpus was split with other options, or the vocabulary size is below the
            alphabet.
        TrainingError: a forced merge names a token that does not exist.
    """
    expect(corpus, Corpus, "give one, such as Corpus.from_text(text, config)")
    if options:
        config = corpus.config if config is None else checked_config(config)
        config = config.replace(**options)
    trainer = Trainer(corpus, config)
    with reported(progress, "Learning") as report:
        while not trainer.finished:
            trainer.advance(k.NEVER, 0.1)
            report(len(trainer.run_record.merges), trainer.target)
    return trainer.run_record


def compile_kernels() -> None:
    """Compile the kernels of training, or load them from disk, by using them."""
    config = TrainingConfig.preset("textbook", merges=3, force=[("a", "c")], forbid=[("b", "a")])
    trainer = Trainer(Corpus.from_counts({"abab": 2, "abac": 1}, config), config, use_compiled=True)
    trainer.run()
    for status in (k.GROW_TABLE, k.GROW_TIES, k.GROW_TEXTS):
        trainer._state.make_room(trainer._pair_counting, status)
    loader.mark_ready("merging")
