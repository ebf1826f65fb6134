"""Prunes a tokenizer of others in its own file: removes tokens that no other token is made from, the least used first.

The uses are those of the ids that its library gives. A removed token is gone from the vocabulary with the merges that
name it, of which only the one that made it ever applied; where it occurred, its two parts occur instead. Ids are
numbered anew, without those that are gone, wherever the file has them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, groupby, islice

import numpy as np

from bpe_studio.engine.arrays import Int64Array
from bpe_studio.engine.training.pruning import Pruning, RemovedToken, leaves_by_use
from bpe_studio.errors import BpeError, ConfigError, SaveError
from bpe_studio.files.foreign.native_library import RewritableLibrary
from bpe_studio.files.foreign.rewriting.reading import CANNOT, batches, parts, rewritable
from bpe_studio.files.foreign.self_check import texts_for
from bpe_studio.files.foreign.tokenizer import ForeignTokenizer

_Piece = tuple[int, ...]


def pruned(tokenizer: ForeignTokenizer, texts: Iterable[str], vocab_size: int, pad: str | None = None) -> Pruning:
    """Remove the least used leaves of a tokenizer from its file.

    Args:
        tokenizer: the tokenizer; it does not change.
        texts: the texts in which uses are counted.
        vocab_size: the number of tokens that remain.
        pad: the token that fills up a batch, which remains; `None` for none.

    Raises:
        SaveError: its file cannot be changed.
        ConfigError: so many tokens cannot be removed.
    """
    library, files = rewritable(tokenizer, "pruned")
    merges = tokenizer.merges
    if len({new for *_, new in merges}) < len(merges):
        raise ConfigError("Several merges of the tokenizer make the same token; use one in which each is made once")
    texts = list(texts)
    uses = _uses(library, texts)
    n_before, n = int(uses.sum()), max(0, tokenizer.vocab_size - vocab_size)
    names = [pad or "", *(part for n_texts in (1, 2) for part, _ in library.template(n_texts) if isinstance(part, str))]
    kept = {*library.unmergeable(), *library.added_ids.values(), *map(library.id_of, names)}
    leaves = islice(leaves_by_use(merges, Counter(dict(enumerate(uses.tolist()))), kept), n)
    removed = [RemovedToken(number, tokenizer.tokens[number], count) for number, count in leaves]
    if len(removed) < n:
        raise ConfigError(
            f"Only {len(removed):,} of the {tokenizer.vocab_size:,} tokens can be removed; the smallest vocabulary "
            f"has {tokenizer.vocab_size - len(removed):,}"
        )
    if not removed:
        return Pruning(tokenizer, removed, (n_before, n_before), 0)
    gone = sorted(token.id for token in removed)

    def number(old: int) -> int:
        return old - bisect_left(gone, old)

    found = files.remade(library.without(frozenset(gone), number), number)
    sample = next(batches(parts(library, texts)), [])
    _check(tokenizer, found, frozenset(gone), number, chain(texts_for(library), sample))
    return Pruning(found, removed, (n_before, int(_uses(rewritable(found, "pruned")[0], texts).sum())), 0)


def _uses(library: RewritableLibrary, texts: Sequence[str]) -> Int64Array:
    """(n,) int64, how often each id occurs."""
    found = np.zeros(max(library.tokens) + 1, np.int64)
    for batch in batches(parts(library, texts)):
        ids = np.fromiter(chain.from_iterable(library.ids_of(batch)), np.int64)
        found += np.bincount(ids, minlength=len(found))
    return found


def _check(
    before: ForeignTokenizer,
    after: ForeignTokenizer,
    gone: frozenset[int],
    number: Callable[[int], int],
    texts: Iterable[str],
) -> None:
    """Checks that the pruned tokenizer has the other tokens, and that pieces without those that are gone have the same.

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
    if not is_the_same:
        raise SaveError(CANNOT.format("pruned", "its library would give other ids for what remains"))


def _pieces(library: RewritableLibrary, text: str, recognizes_special: bool) -> list[_Piece]:
    """The ids of each piece of a text."""
    ((ids, pieces),) = library.ids_and_pieces_of([text], recognize_special=recognizes_special)
    grouped = groupby(zip(ids, pieces, strict=True), lambda each: each[1])
    return [tuple(number for number, _ in piece) for _, piece in grouped]
