"""The interface by which extending and pruning use a tokenizer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from typing import NamedTuple

from bpe_studio.engine.arrays import Int64Array
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.run import Run


class Stage(NamedTuple):
    """The progress of the work, which can be stopped wherever it yields one.

    Attributes:
        unit: the unit: "bytes" of text that were encoded, new "merges", or "%" of other work.
        done: the number that is done.
        total: the number of all; 0 if it is not known.
    """

    unit: str = "%"
    done: int = 0
    total: int = 0


class Words(NamedTuple):
    """The words of a corpus as a tokenizer cuts them.

    Attributes:
        run: a run of them.
        n_merges: the number of its first merges that are those of the tokenizer; 0 if its symbols
            are the tokens.
        n_left_out: the number of words with characters that the tokenizer does not know.
        n_others: the number of tokens of the corpus in no word, because nothing merges with them.
    """

    run: Run
    n_merges: int
    n_left_out: int = 0
    n_others: int = 0


class Uses(NamedTuple):
    """The uses of the tokens of a tokenizer in a corpus.

    Attributes:
        counts: (n,) int64, by id.
        words: the words of the corpus, if our engine cuts them.
    """

    counts: Int64Array
    words: Words | None = None


class Changeable(ABC):
    """A tokenizer that can be extended or pruned.

    Attributes:
        tokenizer: the tokenizer; it does not change.
        config: the options that say how the names of its tokens are written.
        cuts_as: the options with which a corpus must be made; `None` if texts are needed, which its
            library cuts.
        merges: (left id, right id, new id) in rank order; each token is made by one of them.
        kept: the ids of the tokens that pruning does not remove.
    """

    tokenizer: Tokenizer
    config: TrainingConfig
    cuts_as: TrainingConfig | None
    merges: Sequence[tuple[int, int, int]]
    kept: Collection[int | None]

    @property
    def vocab_size(self) -> int:
        """The number of its tokens."""
        return self.tokenizer.vocab_size

    @abstractmethod
    def words(self, corpus: Corpus | Iterable[str], n_more: int) -> Generator[Stage, None, Words]:
        """The words of a corpus, for training `n_more` further merges.

        Raises:
            ConfigError: the corpus was cut otherwise, or texts are needed.
        """

    @abstractmethod
    def uses(self, corpus: Corpus | Iterable[str]) -> Generator[Stage, None, Uses]:
        """The uses of its tokens in a corpus; raises as `words`."""

    @abstractmethod
    def extended(self, words: Words, run: Run) -> Generator[Stage, None, Tokenizer]:
        """The tokenizer with the further merges of a run.

        Args:
            words: the words that the run began with.
            run: the run.

        Raises:
            SaveError: its file cannot hold them.
        """

    @abstractmethod
    def without(self, gone: Collection[int]) -> Generator[Stage, None, Tokenizer]:
        """The tokenizer without some tokens and the merges that make them; the other ids keep their
        order.

        Raises:
            SaveError: its library would give different ids for what remains.
        """

    @abstractmethod
    def further_merges(self, found: Tokenizer, run: Run) -> Sequence[tuple[int, int, int]]:
        """The merges of a run that an extended tokenizer has in addition, by its ids."""

    @abstractmethod
    def renumbered(self, numbers: Mapping[int, int]) -> Generator[Stage, None, Tokenizer]:
        """The tokenizer with another id for each of its tokens.

        Args:
            numbers: the new id of each.

        Raises:
            SaveError: its library would give different ids.
        """
