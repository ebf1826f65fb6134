"""Extends a tokenizer: trains further merges on a corpus, on top of those that it has.

Its merges become the first merges of a run of the corpus, with their gap ranks, and a trainer continues from there, as
from any step of a run. Nothing that the tokenizer has changes: old tokens keep their ids, new ones come after them, and
a text in which no new merge applies has the same ids as before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol, runtime_checkable

from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.run import Run
from bpe_studio.engine.training.merge_log import Merge
from bpe_studio.engine.training.seeded_run import SeededRun, check_can_continue
from bpe_studio.engine.training.trainer import Trainer
from bpe_studio.errors import ConfigError

_SLICE_MERGES, _SLICE_S = 10_000, 0.1


@dataclass(frozen=True)
class Extension:
    """A tokenizer with further merges.

    Attributes:
        tokenizer: the extended tokenizer.
        merges: the new merges; the count of each is how many tokens of the corpus it saves.
        n_tokens: the tokens of the corpus before the first of them, and after the last.
        n_left_out: how many words of the corpus have characters that the tokenizer does not know, and were not used.
        stop_reason: why training ended, as a phrase.
    """

    tokenizer: Tokenizer
    merges: Sequence[Merge]
    n_tokens: tuple[int, int]
    n_left_out: int
    stop_reason: str


@runtime_checkable
class ExtendsItself(Protocol):
    """A tokenizer of another program, whose own file is given further merges."""

    def extended(
        self, texts: Iterable[str], vocab_size: int, progress: Callable[[int, int], None] | None = None
    ) -> Extension:
        """The tokenizer with further merges."""


def extend(
    tokenizer: Tokenizer,
    corpus: Corpus | Iterable[str],
    vocab_size: int,
    progress: Callable[[int, int], None] | None = None,
) -> Extension:
    """Train further merges of a tokenizer.

    Args:
        tokenizer: the tokenizer; it does not change.
        corpus: the texts, or a corpus that was cut as the tokenizer cuts: made with `tokenizer.model.config`. Given
            texts, a tokenizer that its library runs is extended in its own file, whatever that does with a text.
        vocab_size: the number of tokens in all; fewer if no pair is left to merge.
        progress: called several times a second with the number of new merges so far and the number requested.

    Raises:
        SaveError: what the tokenizer does before its merges cannot be done in training.
        ConfigError: it has no merges that can be continued, has more tokens already, or the corpus was cut otherwise.

    >>> from bpe_studio import TrainingConfig, train
    >>> config = TrainingConfig.preset("gpt2", merges=1, vocab_size=None)
    >>> small = train(Corpus.from_text("hug hug hug", config), config).tokenizer()
    >>> text = Corpus.from_text("bug bug bugs", small.model.config)
    >>> found = extend(small, text, small.vocab_size + 2)
    >>> [(merge.token, merge.count) for merge in found.merges]
    [('bu', 3), ('bug', 3)]
    >>> found.tokenizer.encode("hug").ids == small.encode("hug").ids
    True
    """
    if not isinstance(corpus, Corpus) and isinstance(tokenizer, ExtendsItself):
        return tokenizer.extended(corpus, vocab_size, progress)
    model = tokenizer.model
    check_can_continue(model)
    if not isinstance(corpus, Corpus):
        corpus = Corpus.from_texts(corpus, model.config)
    n_more = vocab_size - len(model.tokens)
    if n_more < 0:
        raise ConfigError(
            f"The tokenizer has {len(model.tokens):,} tokens, more than {vocab_size:,}: ask for more, or prune it"
        )
    if not corpus.is_counted and not model.config.same_cut(corpus.config):
        raise ConfigError("The corpus was cut in another way than the tokenizer cuts: make it with its model.config")
    seeded = SeededRun.of(corpus, model)
    trainer = trainer_of(seeded, n_more)
    n_seed = seeded.n_seed
    n_before = seeded.n_tokens_at(n_seed)
    for n_new in training_further(trainer, n_seed):
        if progress is not None:
            progress(n_new, n_more)
    run = trainer.run_record
    merges = merges_with_savings(run, n_seed)
    n_after = run.n_tokens_at(len(run.merges))
    extended = run.tokenizer() if merges else tokenizer
    return Extension(extended, merges, (n_before, n_after), seeded.n_left_out, trainer.stop_reason)


def training_further(trainer: Trainer, n_seed: int) -> Iterator[int]:
    """Trains to the target; yields several times a second how many merges there are beyond the first ones."""
    while not trainer.finished:
        trainer.advance(_SLICE_MERGES, _SLICE_S)
        yield len(trainer.run_record.merges) - n_seed


def merges_with_savings(run: Run, n_seed: int) -> list[Merge]:
    """The merges beyond the first ones; the count of each is how many tokens it saves.

    That is less than how often its pair occurred where occurrences overlap, as in "aaa".
    """
    n_tokens = [run.n_tokens_at(step) for step in range(n_seed, len(run.merges) + 1)]
    return [
        replace(merge, count=before - after)
        for merge, (before, after) in zip(run.merges[n_seed:], pairwise(n_tokens), strict=True)
    ]


def trainer_of(seeded: SeededRun, n_more: int) -> Trainer:
    """A trainer that trains further merges on top of those of a tokenizer."""
    return Trainer.from_run(seeded, seeded.n_seed, seeded.plan, target=seeded.n_seed + n_more)
