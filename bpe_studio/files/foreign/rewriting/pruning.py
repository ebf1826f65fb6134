"""Prunes a tokenizer of others in its own file: removes tokens that no other token is made from, the least used first.

The uses are those of the ids that its library gives. A removed token is gone from the vocabulary with the merges that
name it, of which only the one that made it ever applied; where it occurred, its two parts occur instead. Ids are
numbered anew, without those that are gone, wherever the file has them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from itertools import chain, groupby

import numpy as np

from bpe_studio.engine.arrays import Int64Array
from bpe_studio.engine.training.pruning import Pruning, PruningPlan, RemovedToken, leaves_by_use
from bpe_studio.errors import BpeError, ConfigError, SaveError
from bpe_studio.files.foreign.native_library import RewritableLibrary
from bpe_studio.files.foreign.rewriting.reading import CANNOT, Stage, batches, parts, rewritable
from bpe_studio.files.foreign.self_check import texts_for
from bpe_studio.files.foreign.tokenizer import ForeignTokenizer
from bpe_studio.files.formats.tokenizer_file import config_as_read

_Piece = tuple[int, ...]


class FilePruning(PruningPlan):
    """What can be removed from the file of a tokenizer.

    Args:
        tokenizer: the tokenizer; it does not change.
        texts: gives the texts in which uses are counted.
        removable: the tokens that can be removed, in this order.
        n_tokens: the ids of the texts.
        sample: the beginning of the texts.
    """

    def __init__(
        self,
        tokenizer: ForeignTokenizer,
        texts: Callable[[], Iterable[str]],
        removable: Sequence[RemovedToken],
        n_tokens: int,
        sample: Sequence[str],
    ) -> None:
        library, self._files = rewritable(tokenizer, "pruned")
        config = config_as_read(units=library.units, split="none", continuing=library.continuing)
        super().__init__(config, tokenizer.vocab_size, removable, n_tokens)
        self._tokenizer, self._texts, self._sample = tokenizer, texts, sample
        self._made: tuple[int, Pruning] | None = None

    @classmethod
    def planning(
        cls, tokenizer: ForeignTokenizer, texts: Callable[[], Iterable[str]], pad: str | None = None
    ) -> Generator[Stage, None, FilePruning]:
        """Find what can be removed.

        Args:
            tokenizer: the tokenizer.
            texts: gives the texts in which uses are counted.
            pad: the token that fills up a batch, which remains; `None` for none.

        Raises:
            SaveError: its file cannot be changed.
            ConfigError: several merges make the same token.
        """
        library, _ = rewritable(tokenizer, "pruned")
        merges = tokenizer.merges
        if len({new for *_, new in merges}) < len(merges):
            raise ConfigError("Several merges of the tokenizer make the same token; use one in which each is made once")
        uses, sample = yield from _uses(library, texts())
        around = (part for n_texts in (1, 2) for part, _ in library.template(n_texts) if isinstance(part, str))
        kept = {*library.unmergeable(), *library.added_ids.values(), *map(library.id_of, (pad or "", *around))}
        leaves = leaves_by_use(merges, Counter(dict(enumerate(uses.tolist()))), kept)
        removable = [RemovedToken(number, tokenizer.tokens[number], count) for number, count in leaves]
        return cls(tokenizer, texts, removable, int(uses.sum()), sample)

    def counting(self, vocab_size: int) -> Generator[object, None, int]:
        """Counts the ids that the library gives for what is left."""
        return (yield from self.pruning(vocab_size)).n_tokens[1]

    def pruning(self, vocab_size: int) -> Generator[Stage, None, Pruning]:
        """Remove the least used tokens from the file; the result of the last size is kept.

        Raises:
            SaveError: the library would give other ids for what remains.
            ConfigError: so many tokens cannot be removed.
        """
        if vocab_size < self.smallest:
            raise ConfigError(
                f"Only {len(self.removable):,} of the {self.vocab_size:,} tokens can be removed; the smallest "
                f"vocabulary has {self.smallest:,}"
            )
        removed = self.removed(vocab_size)
        if not removed:
            return Pruning(self._tokenizer, removed, (self.n_tokens, self.n_tokens), 0)
        if self._made is None or self._made[0] != vocab_size:
            found = yield from self._without(sorted(token.id for token in removed))
            uses, _ = yield from _uses(rewritable(found, "pruned")[0], self._texts())
            self._made = vocab_size, Pruning(found, removed, (self.n_tokens, int(uses.sum())), 0)
        return self._made[1]

    def _without(self, gone: list[int]) -> Generator[Stage, None, ForeignTokenizer]:
        """The tokenizer without some ids, checked."""

        def number(old: int) -> int:
            return old - bisect_left(gone, old)

        yield Stage("")
        library, _ = rewritable(self._tokenizer, "pruned")
        found = self._files.remade(library.without(frozenset(gone), number), number)
        texts = chain(texts_for(library), self._sample)
        for _ in _checking(self._tokenizer, found, frozenset(gone), number, texts):
            yield Stage("")
        return found


def _uses(library: RewritableLibrary, texts: Iterable[str]) -> Generator[Stage, None, tuple[Int64Array, Sequence[str]]]:
    """(n,) int64, how often each id occurs; and the beginning of the texts."""
    found = np.zeros(max(library.tokens) + 1, np.int64)
    sample: Sequence[str] = ()
    for batch, stage in batches(parts(library, texts)):
        sample = sample or batch
        ids = np.fromiter(chain.from_iterable(library.ids_of(batch)), np.int64)
        found += np.bincount(ids, minlength=len(found))
        yield stage
    return found, sample


def _checking(
    before: ForeignTokenizer,
    after: ForeignTokenizer,
    gone: frozenset[int],
    number: Callable[[int], int],
    texts: Iterable[str],
) -> Iterator[None]:
    """Checks that the pruned tokenizer has the other tokens, and that pieces without those that are gone have the same.

    Yields after each text.

    Raises:
        SaveError: it does not.
    """
    left = {number(old): name for old, name in before.tokens.items() if old not in gone}
    added = {name: number(old) for name, old in before.added_ids.items()}
    is_the_same = dict(after.tokens) == left and after.added_ids == added
    for text in texts:
        for recognizes in (True, False):
            try:
                old, new = (_pieces(rewritable(each, "pruned")[0], text, recognizes) for each in (before, after))
            except BpeError:
                continue  # what the library itself does not encode
            is_the_same = is_the_same and len(old) == len(new)
            for theirs, ours in zip(old, new, strict=False):
                if gone.isdisjoint(theirs):
                    is_the_same = is_the_same and tuple(map(number, theirs)) == ours
        yield
    if not is_the_same:
        raise SaveError(CANNOT.format("pruned", "its library would give other ids for what remains"))


def _pieces(library: RewritableLibrary, text: str, recognizes_special: bool) -> list[_Piece]:
    """The ids of each piece of a text."""
    ((ids, pieces),) = library.ids_and_pieces_of([text], recognize_special=recognizes_special)
    grouped = groupby(zip(ids, pieces, strict=True), lambda each: each[1])
    return [tuple(number for number, _ in piece) for _, piece in grouped]
