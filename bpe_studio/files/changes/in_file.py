"""Changes third-party tokenizers in their own files, so that their libraries run the result.

**Extend.** The library encodes the texts, and further merges are trained on the ids that it gives.
They come after all that the file has, and each makes a token of its own:

- In a text, the old merges apply as before, because none of them has a part that only a new one
  makes. Then the new ones apply, in the order in which they were trained. A text in which none does
  keeps its ids.
- The text between two borders of tokens has the same tokens by itself as there. So neighbours that
  spell a token would have become that token, whole pieces that are tokens included
  (`ignore_merges`), and a new one is made of one pair only.

**Prune.** A removed token goes from the vocabulary with the merges that name it, of which only the
one that made it ever applied. The file gets new ids throughout, without those of removed tokens.

Before anything is returned, a check on the broad text and on the beginning of the texts shows that
the library agrees.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby

import numpy as np

from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.run import Run
from bpe_studio.errors import BpeError, ConfigError, SaveError
from bpe_studio.files.changes.changeable import Changeable, Stage, Uses, Words
from bpe_studio.files.changes.words_of_ids import WordsOfIds
from bpe_studio.files.formats.tokenizer_file import config_as_read
from bpe_studio.files.third_party.borders import parts_of
from bpe_studio.files.third_party.native_library import HALF_SURROGATE, Library
from bpe_studio.files.third_party.piece_merges import PieceMerges
from bpe_studio.files.third_party.self_check import texts_for
from bpe_studio.files.third_party.tokenizer import ThirdPartyTokenizer

_CANNOT = "The tokenizer cannot be changed: {}"
_PART_CHARACTERS = 1 << 14
_BATCH_CHARACTERS = 1 << 16
Ids = tuple[int, ...]


class InFile(Changeable):
    """A third-party tokenizer that has a file.

    Args:
        tokenizer: the tokenizer.

    Raises:
        SaveError: its file has no merges that could be changed.
        ConfigError: several of its merges make the same token.
    """

    cuts_as = None

    def __init__(self, tokenizer: ThirdPartyTokenizer) -> None:
        library = tokenizer.native
        files = tokenizer.own_files
        if library.kind != "BPE":
            raise SaveError(
                f"A tokenizer of the type {library.kind} has no merges, so it can be neither"
                " extended nor pruned"
            )
        why = tokenizer.why_no_merges
        if why:
            raise SaveError(
                f"The tokenizer cannot be extended or pruned: {why[0].lower()}{why[1:]}"
            )
        if files is None or files.remade is None:
            raise SaveError(_CANNOT.format("it has no file"))
        self.tokenizer: ThirdPartyTokenizer = tokenizer
        self._library = library
        self._remade = files.remade
        self.config = config_as_read(
            units=library.units, split="none", continuing=library.continuing
        )
        self.merges = tokenizer.merges
        around = []
        for n_texts in (1, 2):
            around += [name for name, _ in tokenizer.template(n_texts) if isinstance(name, str)]
        names = map(library.id_of, (tokenizer.pad_token or "", *around))
        self.kept = {*library.unmergeable(), *library.added_ids.values(), *names}
        self._words: WordsOfIds | None = None
        self._sample: list[str] = []

    def words(self, corpus: Corpus | Iterable[str], n_more: int) -> Generator[Stage, None, Words]:
        """The ids that the library gives for texts, as words."""
        words = WordsOfIds(self._library, finds_special=self.tokenizer.finds_special())
        self._words = words
        for batch, stage in self._batches(corpus):
            words.add(batch)
            yield stage
        run = words.run(n_more)
        return Words(run, 0, n_others=words.n_tokens - run.initial_n_tokens)

    def uses(self, corpus: Corpus | Iterable[str]) -> Generator[Stage, None, Uses]:
        """The uses of each id in texts."""
        found = np.zeros(max(self._library.tokens) + 1, np.int64)
        finds = self.tokenizer.finds_special()
        for batch, stage in self._batches(corpus):
            encoded = self._library.ids_of(batch, recognize_special=finds)
            ids = np.fromiter(chain.from_iterable(encoded), np.int64)
            found += np.bincount(ids, minlength=len(found))
            yield stage
        return Uses(found)

    def extended(self, words: Words, run: Run) -> Generator[Stage, None, Tokenizer]:
        """The tokenizer with further merges, checked."""
        assert self._words is not None
        yield Stage()
        merges = self._words.merges_of(run)
        found: ThirdPartyTokenizer = self._remade(self._library.with_merges(merges), int)
        made = [merge.made for merge in merges]
        ranks = {merge[:2]: rank for rank, merge in enumerate(merges)}
        further = PieceMerges(made, ranks)
        expected = {**self.tokenizer.tokens, **{merge.made: merge.name for merge in merges}}
        yield from self._checking(found, expected, int, lambda ids: tuple(further.tokens(ids)[0]))
        return found

    def without(self, gone: Collection[int]) -> Generator[Stage, None, Tokenizer]:
        """The tokenizer without some tokens, checked."""
        listed = sorted(gone)
        is_gone = frozenset(gone)

        def number(old: int) -> int:
            return old - bisect_left(listed, old)

        def renumbered(ids: Ids) -> Ids | None:
            return tuple(map(number, ids)) if is_gone.isdisjoint(ids) else None

        yield Stage()
        found: ThirdPartyTokenizer = self._remade(self._library.without(is_gone, number), number)
        left = {
            number(old): name for old, name in self.tokenizer.tokens.items() if old not in is_gone
        }
        yield from self._checking(found, left, number, renumbered)
        return found

    def further_merges(self, found: Tokenizer, run: Run) -> Sequence[tuple[int, int, int]]:
        """The merges that were added to the file."""
        assert self._words is not None
        return [(merge.left, merge.right, merge.made) for merge in self._words.merges_of(run)]

    def renumbered(self, numbers: Mapping[int, int]) -> Generator[Stage, None, Tokenizer]:
        """The tokenizer with other ids, checked."""

        def number(old: int) -> int:
            # A template may name ids that no token has.
            return numbers.get(old, old)

        yield Stage()
        found: ThirdPartyTokenizer = self._remade(self._library.without((), number), number)
        tokens = {number(old): name for old, name in self.tokenizer.tokens.items()}
        yield from self._checking(found, tokens, number, lambda ids: tuple(map(number, ids)))
        return found

    def _batches(self, texts: Corpus | Iterable[str]) -> Iterator[tuple[list[str], Stage]]:
        """The texts that are encoded in one call, and the progress with them.

        Raises:
            ConfigError: they are a corpus, whose words are cut already.
        """
        if isinstance(texts, Corpus):
            raise ConfigError(
                "This tokenizer is changed in its own file, by its library: give texts, not a"
                " corpus"
            )
        batch: list[str] = []
        size = 0
        n_bytes = 0
        for text in chain(self._parts(texts), [""]):
            batch.append(text)
            size += len(text) + 1
            n_bytes += len(text.encode())
            if size >= _BATCH_CHARACTERS:
                self._sample = self._sample or batch
                yield batch, Stage("bytes", n_bytes)
                batch = []
                size = 0
        self._sample = self._sample or batch
        yield batch, Stage("bytes", n_bytes)

    def _parts(self, texts: Iterable[str]) -> Iterator[str]:
        """The texts in parts, each of which has the same ids as inside its text.

        Half of a surrogate pair counts as U+FFFD.
        """
        library = self._library
        spaces = library.cuts_before
        if library.prefixes_parts:
            # What it puts before a part stands for the space that is left out there.
            spaces = " " if library.prefix_is_space and " " in spaces else ""
        size = _PART_CHARACTERS if spaces else library.most_characters
        for text in texts:
            parts = parts_of(HALF_SURROGATE.sub("\ufffd", text), spaces, size)
            for number, part in enumerate(parts):
                if number and spaces and library.prefixes_parts:
                    part = part[1:]
                yield part

    def _checking(
        self,
        found: ThirdPartyTokenizer,
        tokens: Mapping[int, str],
        number: Callable[[int], int],
        expected: Callable[[Ids], Ids | None],
    ) -> Iterator[Stage]:
        """Checks that a changed tokenizer has the right tokens, and that pieces have the right ids.

        Args:
            found: the changed tokenizer.
            tokens: its tokens by id.
            number: the new id of each that remains.
            expected: gives the new ids of a piece for its old ones; `None` if they are not known.

        Raises:
            SaveError: it does not.
        """
        added = {name: number(old) for name, old in self.tokenizer.added_ids.items()}
        if dict(found.tokens) != tokens or found.added_ids != added:
            raise SaveError(_CANNOT.format("its library would number its tokens differently"))
        library = found.native
        for text in chain(texts_for(library), self._sample):
            yield Stage()
            for recognizes in (True, False):
                try:
                    old = _pieces(self._library, text, recognizes)
                    new = _pieces(library, text, recognizes)
                except BpeError:
                    continue  # what the library itself does not encode
                right = [expected(ids) for ids in old]
                is_right = len(new) == len(old) and all(
                    a in (None, b) for a, b in zip(right, new, strict=True)
                )
                if not is_right:
                    raise SaveError(_CANNOT.format("its library would give different ids"))


def _pieces(library: Library, text: str, recognizes_special: bool) -> Sequence[Ids]:
    """The ids of each piece of a text."""
    ((ids, pieces),) = library.ids_and_pieces_of([text], recognize_special=recognizes_special)
    ids_of_pieces = []
    for _, piece in groupby(zip(ids, pieces, strict=True), lambda each: each[1]):
        ids_of_pieces.append(tuple(number for number, _ in piece))
    return ids_of_pieces
