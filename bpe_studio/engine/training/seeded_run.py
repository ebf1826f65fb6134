"""A run that begins with the merges of a tokenizer, and numbers its tokens as the tokenizer does.

The gap ranks of the tokenizer's merges are found by encoding the words of the corpus. So every step
of the tokenizer is there, and a trainer continues from its end as from any step of a run. Without a
corpus, the run is the tokenizer itself: it cuts any text at any step, and every count is 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from bpe_studio.engine.arrays import Int32Array, Int64Array
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.counting.word_table import Words
from bpe_studio.engine.encoding.gap_closing import PairTable, close_words
from bpe_studio.engine.encoding.segmentation import Segmenter
from bpe_studio.engine.encoding.tokenizer import Template, Tokenizer, TokenizerModel
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.run import Run
from bpe_studio.engine.text.alphabet import (
    CONTINUING,
    END_SYMBOL,
    ENDING,
    FALLBACK,
    FALLBACK_NAMES,
    Alphabet,
    added_up,
    is_plain_symbol,
    marks_of_symbol,
    stand_in_to_byte,
    symbol_codes,
)
from bpe_studio.engine.text.items import item_number
from bpe_studio.engine.text.outside_alphabet import LAST_SPECIAL, UNKNOWN
from bpe_studio.engine.training.corpus_array import CorpusArray, laid_out
from bpe_studio.engine.training.overrides import Plan
from bpe_studio.errors import ConfigError


def check_can_continue(model: TokenizerModel) -> None:
    """Check that merges can be added to, or taken from, a tokenizer.

    Raises:
        ConfigError: they cannot.
    """
    made = [new for _, _, new in model.merges]
    if len(set(made)) < len(made):
        raise ConfigError(
            "Several merges of this tokenizer make the same token: use another tokenizer"
        )
    if model.finals:
        raise ConfigError(
            "In codes of version 0.1 the end of a word is no token, which training cannot do: use"
            " others"
        )


class SeededRun(Run):
    """A run that begins with a tokenizer's merges; its internal ids are the symbols, then the
    merges.

    If merges of the tokenizer use tokens of later ones, the run lists each right after the merge
    that makes it possible, and applies them as ranked in the tokenizer. A step has a tokenizer only
    if the merges before it are all that can apply of those below some rank; words are then cut as
    that tokenizer cuts them.

    Attributes:
        model: the tokenizer.
        ranks: (n_seed,) int64, the rank in the tokenizer of each of its merges.
        n_seed: the number of merges that are the tokenizer's; they are the first ones.
        n_left_out: the number of words that were left out, because the tokenizer does not know one
            of their characters.
    """

    def __init__(
        self,
        corpus: Corpus,
        config: TrainingConfig,
        layout: CorpusArray,
        plan: Plan | None = None,
        gaps: Int32Array | None = None,
        *,
        model: TokenizerModel,
        ranks: Int64Array,
        n_left_out: int = 0,
    ) -> None:
        super().__init__(corpus, config, layout, plan, gaps)
        self.model = model
        self.n_seed = len(model.merges)
        self.n_left_out = n_left_out
        self.ranks = ranks
        self._gone: tuple[int, Int64Array] = (-1, np.zeros(0, np.int64))
        self._new_ids: list[int] = []
        self._sizes: list[int] = []

    @classmethod
    def of_merges(cls, model: TokenizerModel, corpus: Corpus | None = None) -> SeededRun:
        """The run with a tokenizer's merges, and no others.

        Args:
            model: the tokenizer.
            corpus: a corpus that was cut as the tokenizer cuts; `None` for no words.

        Raises:
            ConfigError: a merge uses a token that is neither a symbol nor made, or
                `check_can_continue` refuses it.
        """
        check_can_continue(model)
        corpus = Corpus.from_counts({}, model.config) if corpus is None else corpus
        codes = _symbols_of(model)
        alphabet = Alphabet(model.config, np.array(list(codes.values()), np.int64))
        ranks = np.array(model.merges_in_order(), np.int64)
        ordered = [model.merges[rank] for rank in ranks.tolist()]
        numbers = [*codes, *(new for *_, new in ordered)]
        internal = {number: token for token, number in enumerate(numbers)}
        # Only the corpus knows how lines and documents were read.
        config = model.config.replace(force=(), forbid=())
        corpus, layout, bounds, n_left_out = _laid_out(corpus, alphabet, config)
        try:
            sides = [(internal[left], internal[right]) for left, right, _ in model.merges]
        except KeyError as error:
            name = model.tokens[error.args[0]]
            raise ConfigError(
                f"A merge of the tokenizer uses {name!r}, which is neither a symbol nor made"
            ) from None
        left, right = np.array(sides, np.int64).reshape(-1, 2)[ranks].T.copy()
        places = np.full(len(ranks) + 1, NEVER, np.int32)
        places[ranks] = np.arange(len(ranks))
        inside = np.flatnonzero(layout.symbols >= 0)
        symbols = layout.symbols[inside]
        gaps = layout.no_gaps_closed()
        if len(symbols):
            made = np.arange(len(ranks)) + len(alphabet)
            closed = close_words(symbols, bounds, PairTable(left, right, ranks, made))
            gaps[inside] = places[np.minimum(closed, len(ranks))]
        run = cls(
            corpus, config, layout, gaps=gaps, model=model, ranks=ranks, n_left_out=n_left_out
        )
        counts = np.bincount(
            gaps[gaps < NEVER], layout.weights[layout.words[gaps < NEVER]], len(left)
        )
        counts = counts.astype(np.int64)
        n_tokens = run.initial_n_tokens - np.cumsum(counts)
        ones = np.ones(len(left), np.int64)
        run.extend(
            left=left, right=right, count=counts, tied=ones, n_tokens=n_tokens, forced=ones > 0
        )
        return run

    def external_id(self, token: int, step: int | None = None) -> int:
        """The id of a token in the tokenizer of a step; `None`: of the last one."""
        n_first = len(self._first_ids)
        if token <= LAST_SPECIAL:
            if step is None:
                step = self.n_seed
            return int(self.external_ids(step)[LAST_SPECIAL - token])
        if token < n_first:
            number = int(self._first_ids[token])
        else:
            number = self._further(token + 1 - n_first)[0][-1]
        if step is None or step >= self.n_seed:
            return number
        return number - int(self._gone_at(step).searchsorted(number))

    def external_ids(self, step: int) -> Int64Array:
        """(special tokens + alphabet + step,) int64: the ids of the special tokens, then those of
        all tokens.
        """
        special = [self._seed.special_ids[name] for name in self.lone_specials]
        first = self._first_ids[: self.token_of(step)]
        further, _ = self._further(max(0, step - self.n_seed))
        ids = np.concatenate([special, first, further]).astype(np.int64)
        if step < self.n_seed:
            ids -= self._gone_at(step).searchsorted(ids)
        return ids

    def vocab_size_at(self, step: int) -> int:
        """All tokens of the tokenizer of a step."""
        self.check_step(step)
        if step < self.n_seed:
            return len(self._seed.tokens) - len(self._gone_at(step))
        return self._further(step - self.n_seed)[1]

    def tokenizer(self, step: int | None = None) -> Tokenizer:
        """The tokenizer after `step` merges; `None` for all of them.

        Old tokens keep their ids, and new ones come after them.

        Raises:
            ConfigError: there is no tokenizer at this step.
        """
        step = len(self.columns) if step is None else step
        self.check_step(step)
        self._names_until(step)  # makes sure that the tokens are not too long together
        if step < self.n_seed:
            return Tokenizer(self._model_until(step))
        return Tokenizer(continued(self.model, self, step))

    @property
    def rules(self) -> TrainingConfig:
        """The options that say which tokens are allowed: in two stages, those of the second."""
        return self.config if self.model.two_stages is None else self.model.two_stages.config

    @property
    def is_in_order(self) -> bool:
        """Whether the tokenizer's merges apply in the order of the list."""
        return not (self.ranks[1:] < self.ranks[:-1]).any()

    def new_segmenter(self) -> Segmenter:
        """A segmenter of its own, for another thread than that of `segmenter`."""
        ranks = None if self.is_in_order else self.ranks
        segmenter = Segmenter(self.config, self.alphabet, self.columns, ranks)
        two_stages = self.model.two_stages
        if two_stages is not None and not len(self.corpus):
            segmenter.first = Segmenter(
                two_stages.config.stages[0], self.alphabet, self.columns, ranks
            )
            segmenter.n_first = two_stages.n_first
        segmenter.recognize_special(not self.model.splits_special)
        return segmenter

    def _until(
        self, step: int, config: TrainingConfig, layout: CorpusArray, plan: Plan, gaps: Int32Array
    ) -> Run:
        model = self.model
        ranks = self.ranks
        if step < self.n_seed:
            model = self._model_until(step)
            ranks = np.argsort(np.argsort(ranks[:step]))
        return SeededRun(
            self.corpus,
            config,
            layout,
            plan,
            gaps,
            model=model,
            ranks=ranks,
            n_left_out=self.n_left_out,
        )

    def _model_until(self, step: int) -> TokenizerModel:
        """The tokenizer after fewer merges than it has.

        Raises:
            ConfigError: merges that are ranked below the first ones are listed after the step.
        """
        limit = int(self.ranks[:step].max(initial=-1)) + 1
        if self.ranks[step] < limit:
            raise ConfigError(
                f"Step {step:,} cannot be encoded: some merges before it need a later one; choose"
                " another step"
            )
        model = self.model
        if len(self.corpus):
            # The words of a corpus are cut as the whole tokenizer cuts.
            model = replace(model, two_stages=None)
        return model.until(limit)

    @cached_property
    def _seed(self) -> TokenizerModel:
        """The tokenizer, with the special tokens of the options that it does not have."""
        return continued(self.model, self, self.n_seed)

    @cached_property
    def _first_ids(self) -> Int64Array:
        """(alphabet + n_seed,) int64, the tokenizer's ids of its symbols and of the tokens that its
        merges make.
        """
        numbers = {
            self.model.tokens[number]: number for number in reversed(list(_symbols_of(self.model)))
        }
        symbols = [numbers[name] for name in self.alphabet.names]
        return np.array(
            [*symbols, *(self.model.merges[rank][2] for rank in self.ranks.tolist())], np.int64
        )

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """The id of each token of the tokenizer that is not special, by its name."""
        return _numbers_of(self._seed.tokens, self._seed.special_ids, self)

    def _further(self, n: int) -> tuple[list[int], int]:
        """The ids of the tokens that the first n further merges make, and the number of all tokens
        with them.
        """
        numbers = self._numbers
        first = self.token_of(self.n_seed)
        with self._lock:
            while len(self._new_ids) < n:
                number = numbers.get(self.token_name(first + len(self._new_ids)))
                size = self._sizes[-1] if self._sizes else len(self._seed.tokens)
                # If the tokenizer has a token of that name already, the merge makes it.
                if number is None:
                    number = size
                    size += 1
                self._new_ids.append(number)
                self._sizes.append(size)
        size = self._sizes[n - 1] if n else len(self._seed.tokens)
        return self._new_ids[:n], size

    def _gone_at(self, step: int) -> Int64Array:
        """The ids, rising, of the tokens that the tokenizer of a step does not have yet."""
        known, gone = self._gone
        if known != step:
            later = {self.model.merges[rank][2] for rank in self.ranks[step:].tolist()}
            gone = np.array(sorted(later - self._first_numbers), np.int64)
            self._gone = step, gone
        return gone

    @cached_property
    def _first_numbers(self) -> set[int]:
        """The tokenizer's ids of the tokens that it has before its first merge."""
        return self.model.numbers_until(0)


def continued(model: TokenizerModel, run: Run, step: int | None = None) -> TokenizerModel:
    """A tokenizer with the merges of a run that begins with its own.

    Its tokens keep their ids; those that only the run has come after them: special tokens, symbols,
    then merges.

    Args:
        model: the tokenizer.
        run: the run.
        step: how many merges of the run to take; `None` for all.
    """
    n_merges = len(run.columns) if step is None else step
    tokens = list(model.tokens)
    special_ids = dict(model.special_ids)
    for name in run.config.all_special:
        if name not in special_ids:
            special_ids[name] = len(tokens)
            tokens.append(name)
    numbers = _numbers_of(tokens, special_ids, run)
    external = []
    for token in run.ids_at(n_merges):
        name = run.token_name(token)
        if name not in numbers:
            numbers[name] = len(tokens)
            tokens.append(name)
        external.append(numbers[name])
    sides = run.columns.left[:n_merges].tolist(), run.columns.right[:n_merges].tolist()
    merges = tuple(
        (external[left], external[right], new)
        for left, right, new in zip(*sides, external[run.n_alphabet :], strict=True)
    )
    if isinstance(run, SeededRun):
        merges = (*model.merges, *merges[run.n_seed :])
    unknown = model.unknown_id if run.config.unknown is None else special_ids[run.config.unknown]
    return replace(
        model,
        config=run.config.unweighted,
        tokens=tuple(tokens),
        merges=merges,
        special_ids=special_ids,
        unknown_id=unknown,
        template=Template.of(run.config) or model.template,
        pad_token=run.config.pad_token or model.pad_token,
    )


def _numbers_of(tokens: Sequence[str], special_ids: Mapping[str, int], run: Run) -> dict[str, int]:
    """The id of each token by its name; of special tokens, only those that are symbols as well."""
    taken = {special_ids[name] for name in run.lone_specials}
    return {
        name: number for number, name in reversed(list(enumerate(tokens))) if number not in taken
    }


def _symbols_of(model: TokenizerModel) -> dict[int, int]:
    """The code of each token that is a symbol, by its id."""
    no_symbols = {new for _, _, new in model.merges}
    no_symbols |= {
        number
        for name, number in model.special_ids.items()
        if not is_plain_symbol(name, model.config)
    }
    return {
        number: code
        for number, name in enumerate(model.tokens)
        if number not in no_symbols and (code := _code(name, model.config)) is not None
    }


def _code(name: str, config: TrainingConfig) -> int | None:
    """The code of a symbol by its name; `None` if it is not the name of a symbol."""
    if config.word_end_as == "own-symbol" and name == config.word_end:
        return END_SYMBOL
    if config.byte_fallback and name in FALLBACK_NAMES:
        return FALLBACK + (FALLBACK_NAMES.index(name) << 2)
    marks = marks_of_symbol(name, config)
    if marks is None:
        return None
    if config.units == "items":
        return item_number(name) << 2
    is_continuing, ends_word = marks
    place = len(config.continuing or "") if is_continuing else 0
    char = name[place]
    unit = stand_in_to_byte.get(char) if config.units == "bytes" else ord(char)
    if unit is None:
        return None
    code = unit << 2
    if is_continuing:
        code |= CONTINUING
    if ends_word:
        code |= ENDING
    return code


def _laid_out(
    corpus: Corpus, alphabet: Alphabet, config: TrainingConfig
) -> tuple[Corpus, CorpusArray, Int64Array, int]:
    """The corpus of the words that an alphabet can write; its layout; the first symbol of each
    word, end to end, and the end; and the number of words that are left out.
    """
    symbols, lengths = _symbols(corpus, alphabet, config)
    n_left_out = 0
    if len(symbols) and symbols.min() == UNKNOWN:
        firsts = np.cumsum(lengths) - lengths
        is_known = np.minimum.reduceat(symbols, firsts) != UNKNOWN
        n_left_out = int(corpus.counts[~is_known].sum())
        corpus = _of_words(corpus, np.flatnonzero(is_known))
        symbols, lengths = _symbols(corpus, alphabet, config)
    bounds = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    return corpus, laid_out(alphabet, symbols, lengths, corpus.counts), bounds, n_left_out


def _symbols(
    corpus: Corpus, alphabet: Alphabet, config: TrainingConfig
) -> tuple[Int32Array, Int64Array]:
    codes, lengths = symbol_codes(corpus.blob, corpus.offsets, config)
    symbols, sizes = alphabet.symbols(codes)
    return symbols, added_up(sizes, lengths)


def _of_words(corpus: Corpus, kept: Int64Array) -> Corpus:
    """A corpus with only some of the distinct words."""
    lengths = np.diff(corpus.offsets)[kept]
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    places = np.repeat(corpus.offsets[kept] - offsets[:-1], lengths) + np.arange(offsets[-1])
    words = Words(corpus.blob[places], offsets, corpus.counts[kept])
    return Corpus(
        corpus.config,
        words,
        is_counted=corpus.is_counted,
        sources=corpus.sources,
        repetitions=corpus.repetitions,
    )
