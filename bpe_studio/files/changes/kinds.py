"""The kinds of tokenizers that can be extended and pruned: third-party ones with a file, and our
own.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from bpe_studio.engine.arguments import expect
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.engine.run import Run
from bpe_studio.engine.training.seeded_run import SeededRun, check_can_continue
from bpe_studio.errors import ConfigError
from bpe_studio.files.changes.changeable import Changeable, Stage, Uses, Words
from bpe_studio.files.changes.in_file import InFile
from bpe_studio.files.third_party.tokenizer import ThirdPartyTokenizer


def changeable(tokenizer: Tokenizer) -> Changeable:
    """A tokenizer as one that can be extended or pruned.

    One that its library runs is changed in its own file, if it has one; all others by our engine.

    Raises:
        BpeError: it is neither.
    """
    expect(tokenizer, Tokenizer, "give one, such as load(path)")
    if isinstance(tokenizer, ThirdPartyTokenizer):
        files = tokenizer.own_files
        if files is not None and files.remade is not None:
            return InFile(tokenizer)
    return OwnTokenizer(tokenizer)


class OwnTokenizer(Changeable):
    """A tokenizer that our engine trains further.

    Args:
        tokenizer: the tokenizer.

    Raises:
        SaveError: it cannot be written as our data.
        ConfigError: training cannot go on from its merges.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self._model = tokenizer.model
        check_can_continue(self._model)
        self.config = self._model.config
        self.cuts_as = self._model.config
        self.merges = self._model.merges
        model = self._model
        around = () if model.template is None else model.template.names
        names = {model.pad_token, *around}
        self.kept = {
            *model.special_ids.values(),
            model.unknown_id,
            *(number for number, name in enumerate(model.tokens) if name in names),
        }

    def words(
        self, corpus: Corpus | Iterable[str], n_more: int = 0
    ) -> Generator[Stage, None, Words]:
        """The words of a corpus; the merges of the tokenizer are the first of the run."""
        yield Stage()
        if not isinstance(corpus, Corpus):
            corpus = Corpus.from_texts(corpus, self.config)
        if not corpus.is_counted and not self.config.same_cut(corpus.config):
            raise ConfigError(
                "The corpus was cut differently from how the tokenizer cuts: make it with the"
                " tokenizer's model.config"
            )
        run = SeededRun.of_merges(self._model, corpus)
        return Words(run, run.n_seed, run.n_left_out)

    def uses(self, corpus: Corpus | Iterable[str]) -> Generator[Stage, None, Uses]:
        """The uses of its tokens in a corpus."""
        words = yield from self.words(corpus)
        run = words.run
        n = words.n_merges
        ids = run.external_ids(n)[len(run.lone_specials) :]
        return Uses(
            np.bincount(ids, run.token_counts_at(n), len(self._model.tokens)).astype(np.int64),
            words,
        )

    def extended(self, words: Words, run: Run) -> Generator[Stage, None, Tokenizer]:
        """The tokenizer of the run."""
        yield Stage()
        old = self._model
        found = run.tokenizer().model
        return Tokenizer(
            replace(
                found,
                chat_template=old.chat_template,
                settings=old.settings,
                pad_token=old.pad_token or found.pad_token,
            )
        )

    def without(self, gone: Collection[int]) -> Generator[Stage, None, Tokenizer]:
        """The tokenizer without some tokens."""
        kept = [number for number in range(len(self._model.tokens)) if number not in gone]
        numbers = {old: new for new, old in enumerate(kept)}
        return (yield from self.renumbered(numbers))

    def further_merges(self, found: Tokenizer, run: Run) -> Sequence[tuple[int, int, int]]:
        """The last merges of the extended tokenizer."""
        return found.merges[len(self.merges) :]

    def renumbered(self, numbers: Mapping[int, int]) -> Generator[Stage, None, Tokenizer]:
        """The tokenizer with other ids."""
        yield Stage()
        return Tokenizer(_renumbered(self._model, numbers))


def _renumbered(model: TokenizerModel, numbers: Mapping[int, int]) -> TokenizerModel:
    """A tokenizer of the tokens that have a new id."""
    merges = []
    for left, right, new in model.merges:
        if new in numbers:
            merges.append((numbers[left], numbers[right], numbers[new]))
    special_ids = {name: numbers[number] for name, number in model.special_ids.items()}
    unknown_id = None if model.unknown_id is None else numbers[model.unknown_id]
    in_order = sorted(numbers, key=numbers.__getitem__)
    two_stages = model.two_stages
    if two_stages is not None:
        made = [new for *_, new in model.merges[: two_stages.n_first]]
        two_stages = two_stages._replace(n_first=sum(new in numbers for new in made))
    return replace(
        model,
        tokens=tuple(model.tokens[old] for old in in_order),
        merges=tuple(merges),
        special_ids=special_ids,
        unknown_id=unknown_id,
        two_stages=two_stages,
    )
