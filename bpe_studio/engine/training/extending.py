"""Extends a tokenizer: trains further merges on a corpus, on top of those that it has.

Its merges become the first merges of a run of the corpus, with their gap ranks, and a trainer continues from there, as
from any step of a run. Nothing that the tokenizer has changes: old tokens keep their ids, new ones come after them, and
a text in which no new merge applies has the same ids as before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bpe_studio.engine.arrays import Int32Array, Int64Array
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.counting.word_table import Words
from bpe_studio.engine.encoding.gap_closing import PairTable, close_words
from bpe_studio.engine.encoding.tokenizer import Tokenizer, TokenizerModel
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.run import Run
from bpe_studio.engine.text.alphabet import (
    CONTINUING,
    END_SYMBOL,
    ENDING,
    UNKNOWN,
    Alphabet,
    marks_of_symbol,
    stand_in_to_byte,
    symbol_codes,
)
from bpe_studio.engine.training.corpus_array import CorpusArray
from bpe_studio.engine.training.merge_log import Merge
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


def extend(
    tokenizer: Tokenizer,
    corpus: Corpus,
    vocab_size: int,
    progress: Callable[[int, int], None] | None = None,
) -> Extension:
    """Train further merges of a tokenizer.

    Args:
        tokenizer: the tokenizer; it does not change.
        corpus: a corpus that was cut as the tokenizer cuts: made with `tokenizer.model.config`.
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
    model = tokenizer.model
    check_can_continue(model)
    n_more = vocab_size - len(model.tokens)
    if n_more < 0:
        raise ConfigError(
            f"The tokenizer has {len(model.tokens):,} tokens, more than {vocab_size:,}: ask for more, or prune it"
        )
    if not corpus.is_counted and not model.config.same_cut(corpus.config):
        raise ConfigError("The corpus was cut in another way than the tokenizer cuts: make it with its model.config")
    seeded = SeededRun(corpus, model)
    n_seed = len(model.merges)
    trainer = Trainer.from_run(seeded.run, n_seed, seeded.run.plan, target=n_seed + n_more)
    n_before = seeded.run.n_tokens_at(n_seed)
    while not trainer.finished:
        trainer.advance(_SLICE_MERGES, _SLICE_S)
        if progress is not None:
            progress(len(trainer.run_record.merges) - n_seed, n_more)
    run = trainer.run_record
    merges = run.merges[n_seed:]
    n_after = run.n_tokens_at(len(run.merges))
    extended = Tokenizer(continued(model, run)) if merges else tokenizer
    return Extension(extended, merges, (n_before, n_after), seeded.n_left_out, trainer.stop_reason)


def check_can_continue(model: TokenizerModel) -> None:
    """Check that merges can be added to, or taken from, a tokenizer.

    Raises:
        ConfigError: they cannot.
    """
    misplaced = model.misplaced_merge
    if misplaced is not None:
        raise ConfigError(
            f"Merge {misplaced:,} of the tokenizer uses a token that only a later merge makes; use one whose merges "
            "are in order"
        )
    made = [new for _, _, new in model.merges]
    if len(set(made)) < len(made):
        raise ConfigError("Several merges of the tokenizer make the same token; use one in which each is made once")
    if model.replacements:
        raise ConfigError("The tokenizer replaces characters before it normalizes, which training cannot do")


class SeededRun:
    """A run of a corpus that begins with a tokenizer's merges.

    Attributes:
        run: the run; its ids are internal: the tokenizer's symbols, then one for each merge.
        external: the tokenizer's id of each internal one.
        n_left_out: how many words were left out.
    """

    def __init__(self, corpus: Corpus, model: TokenizerModel) -> None:
        made = {new for _, _, new in model.merges}
        no_symbols = {*made, *model.special_ids.values(), model.unknown_id}
        codes = {
            number: code
            for number, name in enumerate(model.tokens)
            if number not in no_symbols and (code := _code(name, model.config)) is not None
        }
        alphabet = Alphabet(model.config, np.array(list(codes.values()), np.int64))
        self.external = [*codes, *(new for _, _, new in model.merges)]
        internal = {number: token for token, number in enumerate(self.external)}
        config = model.config.replace(force=(), forbid=())
        corpus, layout, bounds, self.n_left_out = _laid_out(corpus, alphabet, config)
        try:
            left, right = (np.array([internal[merge[side]] for merge in model.merges], np.int64) for side in (0, 1))
        except KeyError as error:
            name = model.tokens[error.args[0]]
            raise ConfigError(f"A merge of the tokenizer uses {name!r}, which is neither a symbol nor made") from None
        ranks = np.arange(len(left))
        inside = np.flatnonzero(layout.symbols >= 0)
        symbols = layout.symbols[inside]
        gaps = layout.no_gaps_closed()
        if len(symbols):
            gaps[inside] = close_words(symbols, bounds, PairTable(left, right, ranks, ranks + len(alphabet)))
        self.run = Run(corpus, config, layout, gaps=gaps)
        counts = np.bincount(gaps[gaps < NEVER], layout.weights[layout.words[gaps < NEVER]], len(left))
        counts = counts.astype(np.int64)
        n_tokens = self.run.initial_n_tokens - np.cumsum(counts)
        ones = np.ones(len(left), np.int64)
        self.run.extend(left=left, right=right, count=counts, tied=ones, n_tokens=n_tokens, forced=ones > 0)


def continued(model: TokenizerModel, run: Run) -> TokenizerModel:
    """A tokenizer with the merges of a run that begins with its own.

    Its tokens keep their ids; what the run has besides comes after them: special tokens, symbols, then merges.
    """
    tokens = list(model.tokens)
    special_ids = dict(model.special_ids)
    for name in run.config.all_special:
        if name not in special_ids:
            special_ids[name] = len(tokens)
            tokens.append(name)
    taken = set(special_ids.values())
    numbers = {name: number for number, name in reversed(list(enumerate(tokens))) if number not in taken}
    external = []
    for token in range(run.n_alphabet + len(run.columns)):
        name = run.token_name(token)
        if name not in numbers:
            numbers[name] = len(tokens)
            tokens.append(name)
        external.append(numbers[name])
    sides = run.columns.left[: len(run.columns)].tolist(), run.columns.right[: len(run.columns)].tolist()
    merges = tuple(
        (external[left], external[right], new)
        for left, right, new in zip(*sides, external[run.n_alphabet :], strict=True)
    )
    unknown = model.unknown_id if run.config.unknown is None else special_ids[run.config.unknown]
    return replace(
        model,
        config=run.config,
        tokens=tuple(tokens),
        merges=merges,
        special_ids=special_ids,
        unknown_id=unknown,
    )


def _code(name: str, config: TrainingConfig) -> int | None:
    """The code of a symbol by its name; `None` if it is not the name of a symbol."""
    if config.word_end_as == "own-symbol" and name == config.word_end:
        return END_SYMBOL
    marks = marks_of_symbol(name, config)
    if marks is None:
        return None
    is_continuing, ends_word = marks
    char = name[len(config.continuing or "") if is_continuing else 0]
    unit = stand_in_to_byte.get(char) if config.units == "bytes" else ord(char)
    return None if unit is None else unit << 2 | CONTINUING * is_continuing | ENDING * ends_word


def _laid_out(
    corpus: Corpus, alphabet: Alphabet, config: TrainingConfig
) -> tuple[Corpus, CorpusArray, Int64Array, int]:
    """The words that an alphabet can write, as symbols; the first symbol of each, end to end; how many are left out."""
    symbols, lengths = _symbols(corpus, alphabet, config)
    n_left_out = 0
    if len(symbols) and symbols.min() == UNKNOWN:
        firsts = np.cumsum(lengths) - lengths
        is_known = np.minimum.reduceat(symbols, firsts) != UNKNOWN
        n_left_out = int(corpus.counts[~is_known].sum())
        corpus = _of_words(corpus, np.flatnonzero(is_known))
        symbols, lengths = _symbols(corpus, alphabet, config)
    bounds = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    starts = bounds + np.arange(len(bounds)) + 1
    array = np.full(len(symbols) + len(lengths) + 1, UNKNOWN, np.int32)
    array[np.arange(len(symbols)) + np.repeat(np.arange(len(lengths)), lengths) + 1] = symbols
    return corpus, CorpusArray(alphabet, array, starts, corpus.counts), bounds, n_left_out


def _symbols(corpus: Corpus, alphabet: Alphabet, config: TrainingConfig) -> tuple[Int32Array, Int64Array]:
    codes, lengths = symbol_codes(corpus.blob, corpus.offsets, config)
    return alphabet.ids(codes), lengths


def _of_words(corpus: Corpus, kept: Int64Array) -> Corpus:
    """A corpus with only some of the distinct words."""
    lengths = np.diff(corpus.offsets)[kept]
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    places = np.repeat(corpus.offsets[kept] - offsets[:-1], lengths) + np.arange(offsets[-1])
    words = Words(corpus.blob[places], offsets, corpus.counts[kept])
    return Corpus(corpus.config, words, is_counted=corpus.is_counted)
