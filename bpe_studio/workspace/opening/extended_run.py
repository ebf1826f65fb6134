"""Extending and pruning a tokenizer that our engine can train: a run of the corpus that begins with its merges."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from bpe_studio.engine.generators import relay
from bpe_studio.errors import ConfigError, SourceError
from bpe_studio.explain.wording import plural
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.reading import NewRun, check_has_text, count_request, with_files_of_folders
from bpe_studio.workspace.opening.tokenizer_change import Change, Plan, extended_sentence, pruned_sentence
from bpe_studio.workspace.runs.training import train
from bpe_studio.workspace.session import RunPosition
from bpe_studio.workspace.state import CorpusInfo, OpeningRequest, Progress

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.encoding.tokenizer import Tokenizer
    from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
    from bpe_studio.engine.training.pruning import CorpusPruning
    from bpe_studio.engine.training.seeded_run import SeededRun
    from bpe_studio.engine.training.trainer import Trainer


@dataclass(frozen=True, eq=False)
class RunToChange:
    """A tokenizer that becomes the beginning of a run; otherwise as `Changeable`.

    Attributes:
        name: what it is called.
        model: the tokenizer as data.
    """

    name: str
    model: TokenizerModel
    replaces_what_is_open = False

    @classmethod
    def of(cls, name: str, tokenizer: Tokenizer) -> RunToChange:
        """A tokenizer, checked.

        Raises:
            BpeError: our engine cannot train further merges of it.
        """
        from bpe_studio.engine.training.seeded_run import check_can_continue

        model = tokenizer.model
        check_can_continue(model)
        if not model.merges:
            raise ConfigError(f"{name} has no merges: choose a tokenizer of byte-pair encoding")
        return cls(name, model)

    @property
    def vocab_size(self) -> int:
        """The number of its tokens."""
        return len(self.model.tokens)

    def extending(
        self, backend: Backend, asked: CorpusInfo | OpeningRequest, vocab_size: int, own: TrainingConfig
    ) -> Generator[Progress, None, Change]:
        """Trains further merges."""
        from bpe_studio.engine.training.extending import trainer_of
        from bpe_studio.engine.training.seeded_run import SeededRun

        info, model = yield from cut_for(backend, self, asked)
        what = f"Extending {self.name}"
        yield Progress(what, 0, 0, "merges")
        run = SeededRun.of(info.corpus, model)
        n_more = max(0, vocab_size - self.vocab_size)
        trainer = trainer_of(run, n_more)
        n_seed, goal = run.n_seed, run.n_seed + n_more
        for fraction in trainer.prepare() if n_more else ():
            yield Progress(what, round(100 * fraction), 100, "%")
        yield from relay(
            train(trainer, goal),
            lambda news: Progress(what, news.n_merges - n_seed, n_more, "merges", news.seconds_left),
        )
        grown = trainer.run_record
        n_tokens = grown.n_tokens_at(n_seed), grown.n_tokens_at(len(grown.merges))
        stop_reason = trainer.stop_reason if n_more else ""
        said = extended_sentence(self.name, len(grown.merges) - n_seed, self.vocab_size, n_tokens, stop_reason)
        return _change(info, trainer, said + _left_out(run))

    def planning(self, backend: Backend, asked: CorpusInfo | OpeningRequest) -> Generator[Progress, None, Plan]:
        """Finds what can be removed, in the corpus as the tokenizer cuts it."""
        from bpe_studio.engine.training.pruning import CorpusPruning

        info, model = yield from cut_for(backend, self, asked)
        yield Progress(f"Counting the tokens of {self.name}", 0, 0, "%")
        order = CorpusPruning(model, info.corpus)
        return Plan(order, partial(self._pruning, info, order))

    def _pruning(
        self, info: CorpusInfo, order: CorpusPruning, vocab_size: int, own: TrainingConfig
    ) -> Generator[Progress, None, Change]:
        from bpe_studio.engine.training.extending import trainer_of

        yield Progress(f"Pruning {self.name}", 0, 0, "%")
        run = order.run(vocab_size)
        n_tokens = order.n_tokens, run.n_tokens_at(run.n_seed)
        said = pruned_sentence(self.name, len(order.removed(vocab_size)), self.vocab_size, n_tokens)
        return _change(info, trainer_of(run, 0), said + _left_out(run))


def cut_for(
    backend: Backend, tokenizer: RunToChange, asked: CorpusInfo | OpeningRequest
) -> Generator[Progress, None, tuple[CorpusInfo, TokenizerModel]]:
    """A corpus as a tokenizer cuts it, read again where it was cut in another way; and the tokenizer, to match it.

    Args:
        backend: the engine and the file layer.
        tokenizer: the tokenizer.
        asked: the open corpus, or what to read.

    Raises:
        BpeError: the text cannot be read again, or has changed.
    """
    model, info = tokenizer.model, asked if isinstance(asked, CorpusInfo) else None
    config = model.config.replace(force=(), forbid=(), vocab_size=None, merges=len(model.merges))
    if info is not None:
        own = info.corpus.config
        special = own.special if own.documents == "separator" else config.special
        config = config.replace(documents=own.documents, special=special)
    model = replace(model, config=config.replace(special=model.config.special))
    if info is not None and (info.corpus.is_counted or config.same_cut(info.corpus.config)):
        return info, model
    request = asked.request if isinstance(asked, CorpusInfo) else asked
    if info is None:
        request, notices = yield from with_files_of_folders(backend, request)
    check_has_text(request)
    read = yield from count_request(backend, request, config)
    if info is not None and info.checksum not in (None, read.checksum):
        raise SourceError(f"{info.name} has changed since it was opened: open it again, and then extend or prune")
    if info is None:
        read = replace(read, notices=(*read.notices, *notices))
    return read, model


def _change(info: CorpusInfo, trainer: Trainer, said: str) -> Change:
    run = trainer.run_record
    config = run.config.replace(merges=trainer.target)
    # The window first asks a run for the tokens of the typed text.
    run.segmenter.refresh()
    trainer.release()
    session = NewRun(info, trainer, config).as_session()
    return Change(replace(session, entries=(replace(session.entries[0], position=_at_end(trainer)),)), said)


def _at_end(trainer: Trainer) -> RunPosition:
    n_merges = len(trainer.run_record.merges)
    reason = trainer.stop_reason if n_merges < trainer.target else ""
    return RunPosition(n_merges, n_merges, trainer.target, reason, was_run=True)


def _left_out(run: SeededRun) -> str:
    if not run.n_left_out:
        return ""
    return f" {plural(run.n_left_out, 'word')} with characters that it does not know are left out."
