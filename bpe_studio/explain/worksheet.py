"""A worksheet: a few words of a corpus with their counts, and the first merges, to be done by hand.

Nobody merges a whole book by hand, so a sheet has a few frequent words that share letters, and
large counts are made smaller. Its merges are trained on exactly the words and counts that it shows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np

from bpe_studio.engine.analysis.decision import decide
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.run import Run
from bpe_studio.engine.text.alphabet import to_stand_ins
from bpe_studio.engine.tie_rules import TIE_RULES
from bpe_studio.engine.training.trainer import train
from bpe_studio.errors import CorpusError
from bpe_studio.explain.names import display_name
from bpe_studio.explain.wording import number
from bpe_studio.files.languages import ENGLISH, digits_in, in_language

MOST_MERGES = 30
MOST_WORDS = 8
MOST_SYMBOLS = 16
"""The limit for the length of a word, in bytes or characters."""
MOST_COUNT = 99
SMALLER_COUNT = 20
"""If a count is above `MOST_COUNT`, all are divided so that the largest is `SMALLER_COUNT`."""
_LOOKED_AT = 10_000
_CHOSEN_FROM = 60

_ORDERS = {
    "huggingface": (
        "{} (symbols have ids in the order of the alphabet, capitals before small letters and ␣"
        " last; then come the new tokens)"
    ),
    "raw-ids": (
        "{} (symbols have ids in the order of the alphabet, capitals before small letters and ␣"
        " first; then come the new tokens)"
    ),
}
"""The facts about token ids that a person needs to apply a tie rule."""

Tokens = tuple[str, ...]


@dataclass(frozen=True)
class SheetMerge:
    """One merge, as the key shows it.

    Attributes:
        pair: the two tokens.
        count: the count of the pair.
        token: the token that the merge makes.
        others: the pairs with the same count, which the tie rule put behind it.
        words: the words with the new token, as they are cut after the merge.
    """

    pair: Tokens
    count: int
    token: str
    others: tuple[Tokens, ...]
    words: tuple[Tokens, ...]


@dataclass(frozen=True)
class Worksheet:
    """A sheet with its key.

    Attributes:
        title: the name of the corpus.
        words: the symbols and the count of each word, in the order of the text.
        merges: the merges to be found.
        tie_rule: a phrase on the pair that is merged if several are equally frequent.
        note: a sentence on what was left out of the corpus, or "".
        language: the language of the phrases.
    """

    title: str
    words: tuple[tuple[Tokens, int], ...]
    merges: tuple[SheetMerge, ...]
    tie_rule: str
    note: str
    language: str = ENGLISH


def make_worksheet(
    corpus: Corpus,
    config: TrainingConfig,
    title: str,
    n_merges: int = 8,
    language: str = ENGLISH,
) -> Worksheet:
    """A sheet on a few frequent words of a corpus.

    Args:
        corpus: the words and their counts.
        config: the settings that the corpus was split with; its target is not used.
        title: the name of the corpus.
        n_merges: the number of merges that are wanted; there may be fewer.
        language: the language of its sentences.

    Raises:
        CorpusError: no pair of its words can be merged, or nobody would do so many merges by hand.
    """
    if not 1 <= n_merges <= MOST_MERGES:
        raise CorpusError(
            f"{number(n_merges)} merges cannot be done by hand: ask for 1 to {MOST_MERGES}"
        )
    if corpus.first is not None:
        # By hand, the first stage is enough.
        corpus = corpus.first
        config = config.stages[0]
    counts, note = _counts_by_hand(corpus, title, language)
    by_hand = config.unweighted.replace(
        merges=n_merges, vocab_size=None, min_frequency=1, max_token_length=None
    )
    run = train(Corpus.from_counts(counts, by_hand), by_hand) if counts else None
    if run is None or not len(run.merges):
        raise CorpusError(
            f"No two symbols of {title} can be merged, so there is nothing to do by hand: choose a"
            " text with words of two letters or more"
        )
    starts = run.words_at(0)
    words = [(_names(run, starts.cut(index)), count) for index, (_, count) in enumerate(counts)]
    merges = tuple(_merge(run, step) for step in range(len(run.merges)))
    rule = in_language(language, TIE_RULES[config.ties].words)
    if order := _ORDERS.get(config.ties):
        rule = in_language(language, order).format(rule)
    return Worksheet(title, tuple(words), merges, rule, note, language)


def _counts_by_hand(corpus: Corpus, title: str, language: str) -> tuple[list[tuple[str, int]], str]:
    """Words and counts that a person can work with, in the order of the text; and a note about the
    words that are left out.
    """
    # Only the most frequent words are looked at: a corpus may have millions.
    frequent = np.argsort(-corpus.counts, kind="stable")[:_LOOKED_AT].tolist()
    if corpus.config.units == "items":
        raise CorpusError(
            "A worksheet has words of letters, and not of items: choose units bytes or characters"
        )
    by_bytes = corpus.config.units == "bytes"
    names = {}
    has_letters = {}
    for index in frequent:
        content = corpus.pre_token_bytes(index)
        text = content.decode("utf-8", "replace")
        names[index] = to_stand_ins(content) if by_bytes else text
        has_letters[index] = "\ufffd" not in text and sum(map(str.isalpha, text)) >= 3
    short = [index for index, name in names.items() if 2 <= len(name) <= MOST_SYMBOLS]
    if not short and any(len(name) > MOST_SYMBOLS for name in names.values()):
        raise CorpusError(
            f"Every word of {title} has more than {MOST_SYMBOLS} symbols, which nobody merges by"
            " hand: choose a split that makes shorter words"
        )
    real_words = [index for index in short if has_letters[index]][:_CHOSEN_FROM]
    chosen = short[:MOST_WORDS]
    if len(real_words) > MOST_WORDS:
        names_of_real_words = {index: names[index] for index in real_words}
        chosen = _alike(names_of_real_words)
    chosen.sort()
    largest = max((int(corpus.counts[index]) for index in chosen), default=0)
    divisor = largest / SMALLER_COUNT if largest > MOST_COUNT else 1
    notes = []
    if len(chosen) < len(corpus):
        sentence = in_language(language, "These are {} of the {} different words of the text.")
        n_chosen = digits_in(language, number(len(chosen)))
        n_words = digits_in(language, number(len(corpus)))
        notes.append(sentence.format(n_chosen, n_words))
    if divisor > 1:
        sentence = in_language(
            language,
            "Their counts are divided by {} and rounded, so that you can do this by hand.",
        )
        notes.append(sentence.format(digits_in(language, number(divisor))))
    counts = []
    for index in chosen:
        count = round(int(corpus.counts[index]) / divisor)
        counts.append((names[index], max(1, count)))
    return counts, " ".join(notes)


def _alike(names: dict[int, str]) -> list[int]:
    """The words that share most pairs with the others; words that share none are dull to merge."""
    pairs = {index: set(pairwise(name)) for index, name in names.items()}
    n_words = Counter(chain.from_iterable(pairs.values()))
    share = {}
    for index, own_pairs in pairs.items():
        share[index] = sum(n_words[pair] for pair in own_pairs) / len(own_pairs)
    return sorted(share, key=lambda index: -share[index])[:MOST_WORDS]


def _merge(run: Run, step: int) -> SheetMerge:
    decision = decide(run, step)
    merge = run.merges[step]
    new = run.token_of(step)
    pair = int(run.columns.left[step]), int(run.columns.right[step])
    # A forced merge is made whatever the counts are, so nothing ties with it.
    tied = decision.tied if decision.by == "tie" else ()
    others = tuple(_names(run, each) for tie in tied if (each := (tie.left, tie.right)) != pair)
    after = run.words_at(step + 1)
    cuts = [after.cut(index) for index in range(len(after))]
    words = tuple(_names(run, cut) for cut in cuts if new in cut)
    return SheetMerge(_names(run, pair), merge.count, display_name(run, new), others, words)


def _names(run: Run, tokens: Sequence[int]) -> Tokens:
    return tuple(display_name(run, token) for token in tokens)
