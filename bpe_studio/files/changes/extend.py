"""Extends a tokenizer: trains further merges on a corpus, on top of those that it has.

Nothing that the tokenizer has changes: old tokens keep their ids, new ones come after them, and a
text in which no new merge applies has the same ids as before.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from bpe_studio.engine.arguments import as_number, each_text
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.file_access import file_access
from bpe_studio.engine.generators import Report, result_of
from bpe_studio.engine.progress_bar import reported
from bpe_studio.engine.training.merge_log import Merge
from bpe_studio.engine.training.trainer import Trainer
from bpe_studio.errors import ConfigError
from bpe_studio.files.changes.changeable import Changeable, Stage
from bpe_studio.files.changes.kinds import changeable

_SLICE_MERGES = 10_000
_SLICE_S = 0.1


@dataclass(frozen=True)
class Extension:
    """A tokenizer with further merges.

    Attributes:
        tokenizer: the extended tokenizer.
        merges: the new merges; the count of each is how many tokens of the corpus it saves, which
            is less than how
            often its pair occurred where occurrences overlap, as in "aaa".
        n_tokens: the tokens of the corpus before the first of them, and after the last.
        n_left_out: how many words of the corpus have characters that the tokenizer does not know,
            and were not used.
        trainer: trained the merges, and can train more.
    """

    tokenizer: Tokenizer
    merges: Sequence[Merge]
    n_tokens: tuple[int, int]
    n_left_out: int
    trainer: Trainer

    def __repr__(self) -> str:
        before, after = self.n_tokens
        return (
            f"<Extension: {len(self.merges):,} new merges, {before:,} tokens of the corpus become"
            f" {after:,}>"
        )

    def _repr_html_(self) -> str:
        return file_access().html_of(self)

    @property
    def stop_reason(self) -> str:
        """Why training ended, as a phrase."""
        return self.trainer.stop_reason


def extend(
    tokenizer: Tokenizer,
    corpus: Corpus | Iterable[str],
    vocab_size: int,
    progress: Report | bool | None = None,
) -> Extension:
    """Train further merges of a tokenizer.

    Args:
        tokenizer: the tokenizer; it does not change.
        corpus: the texts; or, of one of ours, a corpus that was made with `tokenizer.model.config`.
            One that its
            library runs is extended in its own file.
        vocab_size: the number of tokens in all; fewer if no pair is left to merge.
        progress: true for a progress bar; or a function that is called several times a second with
            the number of new
            merges so far and the number requested.

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
    texts = corpus if isinstance(corpus, Corpus) else each_text(corpus)
    job = extending(changeable(tokenizer), texts, as_number(vocab_size, "A vocabulary size"))
    with reported(progress, "Learning") as report:
        return result_of(
            job, lambda stage: stage.unit == "merges" and report(stage.done, stage.total)
        )


def extending(
    before: Changeable, corpus: Corpus | Iterable[str], vocab_size: int
) -> Generator[Stage, None, Extension]:
    """Does what `extend` says, in steps."""
    n_more = vocab_size - before.vocab_size
    if n_more < 0:
        raise ConfigError(
            f"The tokenizer has {before.vocab_size:,} tokens, more than {vocab_size:,}: choose a"
            " larger size, or prune"
        )
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
    found = (yield from before.extended(words, run)) if merges else before.tokenizer
    n_others = words.n_others
    return Extension(
        found, merges, (n_tokens[0] + n_others, n_tokens[-1] + n_others), words.n_left_out, trainer
    )
