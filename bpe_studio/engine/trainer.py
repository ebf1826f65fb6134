"""Byte-pair encoding: learn merges from a corpus, one at a time or as fast as it goes.

The definition, of which `kernels/merging.py` is the quick form:

    while there are fewer merges than asked for:
        count every pair of neighbouring tokens inside the pre-tokens, weighted by the pre-tokens' counts
        take the pair with the highest count; where several have it, the tie rule decides
        stop if it occurs fewer times than the minimum frequency
        make it one token wherever it stands, from left to right

`Trainer` drives that loop in slices, so that a caller can pause or stop between them, and writes what it learns into
a `Run`. Forced merges come first; forbidden pairs never. It knows no threads and no screen.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from bpe_studio.engine import bulk_encoding, kernels, layout, states
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.corpus import Corpus
from bpe_studio.engine.kernels import buffers as k
from bpe_studio.engine.merge_log import Merge
from bpe_studio.engine.run import Run
from bpe_studio.engine.training_state import TrainingState, describe_symbols, symbol_texts
from bpe_studio.errors import ConfigError, TrainingError

_PLAIN_SLICE, _COMPILED_SLICE = 2_000, 250_000
_PREPARE_SLICE = {True: 1_000, False: 500_000}


class Trainer:
    """Learns merges from a corpus.

    Iterating gives the merges one by one until training ends.

    Args:
        corpus: the counted pre-tokens.
        config: the options; `None` takes those that the corpus was cut with.
        use_compiled: compile the kernels whatever the corpus' size; else a small one starts without.

    Attributes:
        run_record: what has been learned; it grows.
        target: how many merges are asked for; may be raised while training.
        stop_reason: why training ended, as a phrase; empty while it has not.

    Raises:
        ConfigError: the corpus was cut with another split, the vocabulary size is below the alphabet, or a special
            token is a symbol of the alphabet.

    >>> trainer = Trainer(Corpus.from_counts({"hug": 10, "pug": 5}, TrainingConfig.preset("textbook")))
    >>> trainer.step().token
    'ug'
    """

    def __init__(self, corpus: Corpus, config: TrainingConfig | None = None, *, use_compiled: bool = False) -> None:
        config = config or corpus.config
        if not corpus.is_counted and not config.same_cut(corpus.config):
            raise ConfigError(
                f"The corpus was cut with split {corpus.config.split!r}, documents {corpus.config.documents!r}, "
                f"normalize {','.join(corpus.config.normalize) or 'nothing'}; make it anew with the options of this run"
            )
        laid_out = layout.lay_out(corpus, config)
        taken = set(config.all_special).intersection(laid_out.alphabet.names)
        if taken:
            raise ConfigError(
                f"The special token {sorted(taken)[0]!r} is also a symbol of the text's alphabet; "
                "choose another text for it"
            )
        self.target = config.target_merges(len(laid_out.alphabet))
        self.stop_reason = ""
        self.run_record = Run(corpus, config, laid_out)
        self._config = config
        self._forced = list(config.force)
        self._forbidden = set(config.forbid)
        keep_count = 1 if self._forced else max(1, config.min_frequency)
        self._state = TrainingState(
            laid_out,
            config,
            symbol_texts(laid_out.alphabet, config),
            gaps=self.run_record.gaps,
            n_merges=0,
            keep_count=keep_count,
            n_tokens=self.run_record.initial_n_tokens,
        )
        describe_symbols(self._state, laid_out.alphabet, config)
        self._kernel, is_compiled = kernels.choose(
            "merging", kernels.PLAIN_WORK + 1 if use_compiled else len(laid_out.symbols)
        )
        self._setting_up = kernels.sibling(self._kernel, "setting_up")
        if not is_compiled:
            self._state.to_lists()
        self._preparation: Iterator[float] | None = self._prepare()

    @property
    def finished(self) -> bool:
        """Whether there is nothing more to learn."""
        return bool(self.stop_reason)

    def __iter__(self) -> Iterator[Merge]:
        while (merge := self.step()) is not None:
            yield merge

    def step(self) -> Merge | None:
        """Learn one merge; `None` where training has ended."""
        learned = self.run(1)
        return learned[0] if learned else None

    def run(self, n: int | None = None) -> list[Merge]:
        """Learn up to `n` more merges, or all that are left; returns them."""
        before = len(self.run_record.merges)
        wanted = k.NEVER if n is None else n
        while wanted > len(self.run_record.merges) - before:
            if not self.advance(wanted - (len(self.run_record.merges) - before), 3600.0):
                break
        return self.run_record.merges[before:]

    def prepare(self) -> Iterator[float]:
        """Count all pairs, the work before the first merge; yields the share that is done, in slices of a few ms."""
        if self._preparation is not None:
            yield from self._preparation
            self._preparation = None

    def advance(self, max_merges: int, budget_s: float) -> int:
        """Learn up to `max_merges` merges, and stop soon after `budget_s` seconds.

        Returns:
            How many were learned; at least one, however little time there is, unless training has ended.

        Raises:
            TrainingError: a forced merge names a token that there is not.
        """
        deadline = time.perf_counter() + budget_s
        for _ in self.prepare():
            pass
        begun = len(self.run_record.merges)
        while len(self.run_record.merges) - begun < max_merges:
            if time.perf_counter() > deadline and len(self.run_record.merges) > begun:
                break
            if len(self.run_record.merges) >= self.target:
                self.stop_reason = "the target is reached"
                break
            self.stop_reason = ""
            self._follow_compilation()
            if self._forced:
                self._take_forced()
            elif not self._learn(max_merges - (len(self.run_record.merges) - begun)):
                break
        return len(self.run_record.merges) - begun

    def extend_target(self, target: int) -> None:
        """Ask for so many merges in all; training goes on where it ended."""
        self.target = max(target, len(self.run_record.merges))
        if self.stop_reason == "the target is reached" and self.target > len(self.run_record.merges):
            self.stop_reason = ""

    def _prepare(self) -> Iterator[float]:
        state, kernel = self._state, self._setting_up
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
                state.make_room(kernel, k.GROW_TABLE if is_full else k.GROW_PAIRS)
            place = reached
            yield 0.5 * place / n
        kernel.lay_out_places(state.buffers)
        for place in range(1, n, size):
            kernel.fill_places(state.buffers, place, min(place + size, n))
            yield 0.5 + 0.5 * place / n
        n_pairs = state.buffers.numbers[k.N_PAIRS]
        while n_pairs * 2 * k.TIE > len(state.buffers.tie_table):
            state.make_room(kernel, k.GROW_TIES)
        kernel.tally_pairs(state.buffers)
        self._drop_forbidden()
        yield 1.0

    def _learn(self, max_merges: int) -> bool:
        """One slice of the merge loop; False where training has ended."""
        state = self._state
        limit = 1 if self._forbidden else max_merges
        before = int(state.buffers.numbers[k.N_MERGES])
        work = _PLAIN_SLICE if state.is_plain else _COMPILED_SLICE
        status = self._kernel.advance(state.buffers, self.target, min(limit, k.NEVER), work)
        self._record(before, forced=False)
        if status == k.EXHAUSTED:
            least = max(1, self._config.min_frequency)
            self.stop_reason = "no pair is left" if least == 1 else f"no pair occurs {least:,} times or more"
            return False
        if status not in (k.WORKING, k.TARGET):
            state.make_room(self._setting_up, status)
        if self._forbidden:
            self._drop_forbidden()
        return True

    def _follow_compilation(self) -> None:
        """Go over to the compiled kernels once they are ready."""
        if self._state.is_plain:
            kernel, is_compiled = kernels.choose("merging", 0)
            if is_compiled:
                self._state.to_arrays()
                self._kernel = kernel
                self._setting_up = kernels.sibling(kernel, "setting_up")

    def _take_forced(self) -> None:
        state = self._state
        left, right = self._forced[0]
        ids = [self.run_record.find_token(name) for name in (left, right)]
        for name, token in zip((left, right), ids, strict=True):
            if token is None:
                raise TrainingError(
                    f"The forced merge of {left!r} and {right!r} needs the token {name!r}, which there is not yet; "
                    "force the merges that make it before, or mend its spelling"
                )
        before = int(state.buffers.numbers[k.N_MERGES])
        while (status := self._kernel.take(state.buffers, *ids)) not in (k.WORKING, k.EXHAUSTED):
            state.make_room(self._setting_up, status)
        if status == k.EXHAUSTED:
            raise TrainingError(
                f"The forced merge of {left!r} and {right!r} would make a token that there is already; leave it out"
            )
        self._forced.pop(0)
        self._record(before, forced=True)
        self._drop_forbidden()

    def _drop_forbidden(self) -> None:
        for left, right in list(self._forbidden):
            ids = self.run_record.find_token(left), self.run_record.find_token(right)
            if ids[0] is not None and ids[1] is not None:
                self._kernel.forbid(self._state.buffers, *ids)
                # Both tokens are there, and so is the pair if ever: it cannot come into being again.
                self._forbidden.discard((left, right))

    def _record(self, before: int, *, forced: bool) -> None:
        b = self._state.buffers
        after = int(b.numbers[k.N_MERGES])
        log = np.array(b.log[before * k.LOG : after * k.LOG], np.int64).reshape(-1, k.LOG)
        self.run_record.extend(
            left=log[:, 0],
            right=log[:, 1],
            count=log[:, 2],
            tied=log[:, 3],
            n_tokens=log[:, 4],
            forced=np.full(after - before, forced),
        )


def train(
    corpus: Corpus, config: TrainingConfig | None = None, progress: Callable[[int, int], None] | None = None
) -> Run:
    """Learn merges from a corpus until the target is reached or nothing is left to merge.

    Args:
        corpus: the counted pre-tokens.
        config: the options; `None` takes those that the corpus was cut with.
        progress: called several times a second with the merges learned and the merges asked for.

    Raises:
        ConfigError: the corpus was cut with another split, or the vocabulary size is below the alphabet.
        TrainingError: a forced merge names a token that there is not.
    """
    trainer = Trainer(corpus, config)
    while not trainer.finished:
        trainer.advance(k.NEVER, 0.1)
        if progress is not None:
            progress(len(trainer.run_record.merges), trainer.target)
    return trainer.run_record


def compile_kernels() -> None:
    """Have every kernel of training, looking back and encoding compiled, or read from disk, by using it."""
    config = TrainingConfig.preset("textbook", merges=3, force=[("a", "c")], forbid=[("b", "a")])
    trainer = Trainer(Corpus.from_counts({"abab": 2, "abac": 1}, config), config, use_compiled=True)
    trainer.run()
    for status in (k.GROW_TABLE, k.GROW_TIES, k.GROW_TEXTS):
        trainer._state.make_room(trainer._setting_up, status)
    kernels.mark_ready("merging")
    layout.compile_kernels()
    states.compile_kernels()
    bulk_encoding.compile_kernels()


def branch(run, override):
    n = override.step
    force = tuple((run.token_name(int(a)), run.token_name(int(b))) for a, b in zip(run.columns.left[:n], run.columns.right[:n]))
    forbid = run.config.forbid
    ties = run.config.ties
    if override.kind == "force":
        force += ((override.left, override.right),)
    elif override.kind == "forbid":
        forbid += ((override.left, override.right),)
    elif override.kind == "ties":
        ties = override.ties
    else:
        found = run.candidates_at(n, 50)
        other = next(c for c in found if (run.token_name(c.left), run.token_name(c.right)) != (override.left, override.right))
        force += ((run.token_name(other.left), run.token_name(other.right)),)
    trainer = Trainer(run.corpus, run.config.replace(force=force, forbid=forbid, ties=ties))
    trainer.run_record.plan = run.plan.with_override(override)
    while len(trainer.run_record.merges) < n:
        trainer.advance(n - len(trainer.run_record.merges), 1.0)
    return trainer


Trainer.release = lambda self: None
