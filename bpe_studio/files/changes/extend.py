"""Extends a tokenizer: trains further merges on a corpus, on top of those that it has.

Nothing that the tokenizer has changes: old tokens keep their ids, new ones come after them, and a
text in which no new merge applies has the same ids as before.

With `replace_unused`, tokens that the corpus does not use are removed first (`prune`), and new ones
take their ids. No merge of such a token applied in the corpus, so what is left encodes it as
before.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count, pairwise

import numpy as np

from bpe_studio.engine.arguments import as_number, each_text
from bpe_studio.engine.arrays import Int64Array
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.file_access import file_access
from bpe_studio.engine.generators import Report, result_of
from bpe_studio.engine.progress_bar import reported
from bpe_studio.engine.training.merge_log import Merge
from bpe_studio.engine.training.trainer import Trainer
from bpe_studio.errors import ConfigError
from bpe_studio.files.changes.changeable import Changeable, Stage
from bpe_studio.files.changes.id_map import IdMap
from bpe_studio.files.changes.kinds import changeable
from bpe_studio.files.changes.prune import Pruning, RemovedToken, planning

_SLICE_MERGES = 10_000
_SLICE_S = 0.1


@dataclass(frozen=True)
class Extension:
    """A tokenizer with further merges.

    Attributes:
        tokenizer: the extended tokenizer.
        merges: the new merges; the count of each is the number of tokens of the corpus that it
            saves, which is less than the occurrences of its pair if these overlap, as in "aaa".
        n_tokens: the tokens of the corpus before the first of them, and after the last.
        n_left_out: the number of words of the corpus with characters that the tokenizer does not
            know, which were not used.
        trainer: trained the merges, and can train more.
        id_map: the ids before and after.
        removed: the tokens that were not used and whose ids new ones have now.
    """

    tokenizer: Tokenizer
    merges: Sequence[Merge]
    n_tokens: tuple[int, int]
    n_left_out: int
    trainer: Trainer
    id_map: IdMap
    removed: Sequence[RemovedToken] = ()

    def __repr__(self) -> str:
        before, after = self.n_tokens
        return (
            f"<Extension: {len(self.merges):,} new merges, {before:,} tokens of the corpus become"
            f" {after:,}; {self.stop_reason}>"
        )

    def _repr_html_(self) -> str:
        return file_access().html_of(self)

    @property
    def old_ids(self) -> Int64Array:
        """(largest id + 1,) int64, the id before of each token; -1 for a new one."""
        return self.id_map.old_ids

    @property
    def stop_reason(self) -> str:
        """The reason why training ended, as a phrase."""
        return self.trainer.stop_reason


def extend(
    tokenizer: Tokenizer,
    corpus: Corpus | Iterable[str],
    vocab_size: int | None = None,
    progress: Report | bool | None = None,
    *,
    replace_unused: bool = False,
) -> Extension:
    """Train further merges of a tokenizer.

    Args:
        tokenizer: the tokenizer; it does not change.
        corpus: the texts; or, for a tokenizer of ours, a corpus that was made with
            `tokenizer.model.config`. One that its library runs is extended in its own file.
        vocab_size: the number of tokens in all; fewer if no pair is left to merge. With
            `replace_unused`, `None` is as many as now.
        progress: true for a progress bar; or a function that is called several times a second with
            the number of new merges so far and the number requested.

    Raises:
        SaveError: its file cannot hold further merges, or it is neither one of ours nor has a file.
        ConfigError: it has no merges that can be continued, has more tokens already, or the corpus
            was cut otherwise.

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
    before = changeable(tokenizer)
    if vocab_size is None and not replace_unused:
        raise ConfigError("Give a vocabulary size, or replace_unused=True to keep the present one")
    size = before.vocab_size if vocab_size is None else as_number(vocab_size, "A vocabulary size")
    texts = corpus if isinstance(corpus, Corpus) else each_text(corpus)
    if replace_unused:
        job = replacing_unused(before, texts, size)
    else:
        job = extending(before, texts, size)
    with reported(progress, "Learning") as report:

        def show(stage: Stage) -> None:
            if stage.unit == "merges":
                report(stage.done, stage.total)

        return result_of(job, show)


def extending(
    before: Changeable, corpus: Corpus | Iterable[str], vocab_size: int
) -> Generator[Stage, None, Extension]:
    """Does what `extend` says, in steps."""
    _check_size(before, vocab_size)
    n_more = vocab_size - before.vocab_size
    words = yield from before.words(corpus, n_more)
    n_first = words.n_merges
    trainer = Trainer.from_run(words.run, n_first, words.run.plan, target=n_first + n_more)
    if n_more:
        for fraction in trainer.prepare():
            yield Stage("%", round(100 * fraction), 100)
    while not trainer.finished:
        trainer.advance(_SLICE_MERGES, _SLICE_S)
        yield Stage("merges", len(trainer.run_record.merges) - n_first, n_more)
    run = trainer.run_record
    n_tokens = [run.n_tokens_at(step) for step in range(n_first, len(run.merges) + 1)]
    merges = [
        replace(merge, count=n_before - n_after)
        for merge, (n_before, n_after) in zip(run.merges[n_first:], pairwise(n_tokens), strict=True)
    ]
    found = before.tokenizer
    further: Sequence[tuple[int, int, int]] = ()
    if merges:
        found = yield from before.extended(words, run)
        further = before.further_merges(found, run)
    n_others = words.n_others
    kept = {number: number for number in before.tokenizer.tokens}
    return Extension(
        found,
        merges,
        (n_tokens[0] + n_others, n_tokens[-1] + n_others),
        words.n_left_out,
        trainer,
        IdMap.of(before.tokenizer, found, kept, further),
    )


def replacing_unused(
    before: Changeable, corpus: Corpus | Iterable[str], vocab_size: int
) -> Generator[Stage, None, Extension]:
    """Does what `extend` says with `replace_unused`, in steps."""
    _check_size(before, vocab_size)
    corpus = corpus if isinstance(corpus, Corpus) else list(corpus)
    plan = yield from planning(before, corpus)
    n_removed = plan.n_free
    while True:
        pruned = yield from plan.pruning(before.vocab_size - n_removed)
        extended = yield from extending(changeable(pruned.tokenizer), corpus, vocab_size)
        n_new = len(extended.id_map.parts)
        if n_new >= n_removed:
            break
        n_removed = n_new
    return (yield from _in_freed_ids(before, pruned, extended))


def _in_freed_ids(
    before: Changeable, pruned: Pruning, extended: Extension
) -> Generator[Stage, None, Extension]:
    """The extension with the old ids of all tokens that are kept; new ones have the freed ids, then
    those after the last.
    """
    old_ids = pruned.old_ids
    next_id = max(before.tokenizer.tokens) + 1
    free = chain(sorted(token.id for token in pruned.removed), count(next_id))
    numbers = {}
    kept = []
    for number in extended.tokenizer.tokens:
        if number in extended.id_map.parts:
            numbers[number] = next(free)
        else:
            old = int(old_ids[number])
            numbers[number] = old
            kept.append(old)
    tokenizer = extended.tokenizer
    if any(old != new for old, new in numbers.items()):
        tokenizer = yield from changeable(tokenizer).renumbered(numbers)
    parts = {}
    for number, of_pruned in extended.id_map.parts.items():
        parts[numbers[number]] = [int(old_ids[part]) for part in of_pruned]
    kept_ids = np.full(max(tokenizer.tokens) + 1, -1, np.int64)
    kept_ids[kept] = kept
    id_map = IdMap(kept_ids, pruned.id_map.removed, parts)
    return replace(extended, tokenizer=tokenizer, id_map=id_map, removed=pruned.removed)


def _check_size(before: Changeable, vocab_size: int) -> None:
    if vocab_size < before.vocab_size:
        raise ConfigError(
            f"The tokenizer has {before.vocab_size:,} tokens, more than {vocab_size:,}: choose a"
            " larger size, or prune"
        )
