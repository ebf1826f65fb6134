"""Compares merges with those of the settings: the first wrong one, and the mistake that explains
the rest.

A mistake explains merges if a trainer with it makes all of them. If no single mistake does, two
together are tried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain, combinations
from math import inf
from os import PathLike
from time import thread_time
from typing import TYPE_CHECKING, Any

from bpe_studio.engine.analysis.words_containing import words_with_pair
from bpe_studio.engine.arguments import shown
from bpe_studio.engine.config import TrainingConfig, checked_config
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.file_access import file_access
from bpe_studio.engine.generators import result_of
from bpe_studio.engine.presets import DROPPING_SPLITS
from bpe_studio.engine.run import Run
from bpe_studio.engine.text.alphabet import from_stand_ins, stand_in_to_byte, to_stand_ins
from bpe_studio.engine.textbook import Pair
from bpe_studio.engine.training.candidates import refusal
from bpe_studio.engine.training.trainer import Trainer
from bpe_studio.errors import ArgumentError, BpeError, ConfigError, TrainingError
from bpe_studio.explain.check.encoders import (
    WrongDecoding,
    WrongEncoding,
    named_ids,
    probes,
    wrong_decoding,
    wrong_encoding,
)
from bpe_studio.explain.check.function import SECONDS, Task, Trained, is_function, trained
from bpe_studio.explain.check.mistakes import MISTAKES, SETTINGS, Mistake, changed, no_rule
from bpe_studio.explain.check.trainer import Procedure, corpus_of, forget_texts, merges_of
from bpe_studio.explain.names import display_log_name, display_text, elided, isolated
from bpe_studio.explain.why.answers import WordRows, word_rows_of_pair
from bpe_studio.explain.wording import merge_name, number, plural, times
from bpe_studio.files.merge_lists import Pair as GivenPair
from bpe_studio.files.merge_lists import Token, pairs_of, read_merges

if TYPE_CHECKING:
    from bpe_studio.files.document.records import StudioDocument
    from bpe_studio.files.text.reading import Reading

EncodedText = tuple[str, Sequence[Token] | Sequence[int]]
"""A text with its tokens or ids."""
Source = Corpus | str | PathLike[str] | Sequence[str | PathLike[str]]
MOST_BYTES = 2_000_000
"""If the distinct words of the corpus have more bytes than this, no mistake is looked for: it would
take minutes.
"""
SEARCH_SECONDS = 3
"""The processor time that is spent on looking for the mistake."""
FEW_BYTES = 20_000
"""In a shorter text, any two mistakes are tried together; in a longer one, only if one of them
explains the first wrong merge.
"""
LEAST_FOR_TWO = 5
"""Two mistakes together could explain fewer merges by chance."""
_MOST_FIRST = 3
_MOST_WORDS = 5
_LONG_WORD = 60


@dataclass(frozen=True)
class PairFacts:
    """A pair at the first wrong merge.

    Attributes:
        left: its left token, in the spelling of logs.
        right: its right token.
        count: its count, as the settings cut the text there; `None` if one of its tokens does not
            exist yet.
        words: words in which it occurs, the most frequent ones first, each with its count.
    """

    left: str
    right: str
    count: int | None
    words: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class WrongMerge:
    """The first merge that is wrong.

    Attributes:
        rank: its 0-based place in the list.
        expected: the pair that the settings merge; `None` if training has ended there.
        given: the pair that was given; `None` if the list has ended there.
    """

    rank: int
    expected: PairFacts | None
    given: PairFacts | None

    @property
    def headline(self) -> str:
        """The merge, and whether it is wrong, missing or one too many: "Merge 21 is wrong"."""
        where = merge_name(self.rank).capitalize()
        if self.given is None:
            return f"{where} is missing"
        return f"{where} is wrong" if self.expected is not None else f"{where} is one too many"


@dataclass(frozen=True)
class Check:
    """The answer about somebody's merges.

    Attributes:
        n_given: the number of given merges.
        n_expected: the number of merges that the settings make.
        first_wrong: the first wrong merge; `None` if all are right.
        mistakes: every known mistake that explains all merges from there on.
        sentences: the whole answer, except for `others`.
        explanation: the sentences that name the mistakes.
        others: sentences about what else is wrong, such as the size of the vocabulary.
        wrong_encoding: the first text that is encoded wrongly, if all merges are right; `None` for
            none.
        wrong_decoding: the first tokens that are decoded wrongly, if all merges are right; `None`
            for none.
        n_encoded: the number of texts on which an encoder was tried.
        guess: the mistake that explains most of the merges, if none explains all; `None` for none.
        given: the given merges, in the spelling of logs.
        trainer: the trainer of the settings.
    """

    n_given: int
    n_expected: int
    first_wrong: WrongMerge | None
    mistakes: tuple[Mistake, ...]
    sentences: tuple[str, ...]
    explanation: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    wrong_encoding: WrongEncoding | None = None
    wrong_decoding: WrongDecoding | None = None
    n_encoded: int = 0
    guess: Mistake | None = None
    given: tuple[Pair, ...] = field(default=(), repr=False)
    trainer: Trainer | None = field(default=None, repr=False, compare=False)

    @property
    def correct(self) -> bool:
        """Whether nothing is wrong."""
        return self.first_wrong is None and not self.others

    @property
    def n_right(self) -> int:
        """The number of right merges before the first wrong one."""
        return self.n_given if self.first_wrong is None else self.first_wrong.rank

    @property
    def headline(self) -> str:
        """The answer in a few words, such as "Merge 21 is wrong"."""
        return self.sentences[0] if self.first_wrong is None else self.first_wrong.headline

    @property
    def reason(self) -> str:
        """The sentence about the first wrong merge, without the headline; "" if all are right."""
        if self.first_wrong is None:
            return ""
        return self.sentences[0].removeprefix(f"{self.headline}: ")

    def words_with(self, pair: PairFacts | None) -> WordRows:
        """The words in which a pair of the first wrong merge occurs, as the settings cut them
        there.
        """
        if self.first_wrong is None or self.trainer is None or pair is None or pair.count is None:
            return WordRows()
        run = self.trainer.run_record
        left = run.find_token(pair.left)
        right = run.find_token(pair.right)
        assert left is not None and right is not None
        found = words_with_pair(run, left, right, self.first_wrong.rank, _MOST_WORDS)
        return word_rows_of_pair(run, found, (left, right))

    @property
    def example_words(self) -> list[str]:
        """Words in which the two pairs of the first wrong merge occur."""
        if self.first_wrong is None:
            return []
        words: list[str] = []
        for pair in (self.first_wrong.given, self.first_wrong.expected):
            if pair is not None:
                words += [word.strip() for word, _ in pair.words]
        return list(dict.fromkeys(words))

    def given_run(self) -> Run:
        """A run over the same words that makes the given merges, up to the first one that is
        impossible.
        """
        assert self.trainer is not None
        run = self.trainer.run_record
        given = self.given
        if len(given) <= run.at(0).end_of_stage:
            run = run.at(0)
        for _ in range(2):  # the second run has no merge that is impossible
            trainer = Trainer(run.corpus, run.config.replace(force=given, merges=len(given)))
            with suppress(TrainingError):
                trainer.run()
            given = given[: len(trainer.run_record.merges)]
        return trainer.run_record

    def document(self, name: str, reading: Reading) -> StudioDocument:
        """A studio document with the right run and the given one, both at the first wrong merge.

        Args:
            name: the name of the corpus in the window.
            reading: the options with which its files were read.
        """
        from bpe_studio.files.document.writing import document_of

        assert self.trainer is not None
        is_known = len(self.mistakes) == 1
        run_name = f"Given: {self.mistakes[0].name}" if is_known else "Given merges"
        side_run = run_name, self.given_run(), self.n_right
        return document_of(self.trainer, name, (), reading, side_run, " ".join(self.example_words))

    def __str__(self) -> str:
        return "\n".join((*self.sentences, *self.others))

    def __repr__(self) -> str:
        names = ", ".join(mistake.name for mistake in self.mistakes)
        return (
            f"<Check: {self.n_right:,} of {self.n_expected:,} merges right{names and '; ' + names}>"
        )

    def _repr_html_(self) -> str:
        return file_access().html_of(self)

    def as_json(self) -> dict[str, Any]:
        """The answer as JSON values."""
        wrong = self.first_wrong
        return {
            "correct": self.correct,
            "n_given": self.n_given,
            "n_expected": self.n_expected,
            "n_right": self.n_right,
            "first_wrong": wrong
            and {
                "rank": wrong.rank,
                **{
                    name: pair and vars(pair)
                    for name, pair in (("expected", wrong.expected), ("given", wrong.given))
                },
            },
            "mistakes": [
                {"name": mistake.name, "sentence": mistake.sentence, "lesson": mistake.lesson}
                for mistake in self.mistakes
            ],
            "guess": self.guess and self.guess.name,
            "sentences": [*self.sentences, *self.others],
            "wrong_encoding": self.wrong_encoding and vars(self.wrong_encoding),
            "wrong_decoding": self.wrong_decoding and vars(self.wrong_decoding),
        }


def check(
    given: Iterable[Any] | Callable[..., Any] | str | PathLike[str],
    corpus: Source,
    config: TrainingConfig,
    *,
    encoded: Iterable[EncodedText] = (),
    seconds: float = SECONDS,
) -> Check:
    """Finds the first wrong merge of somebody's own trainer, and names the mistake that explains
    the rest.

    Args:
        given: the merges as pairs of texts, bytes or ids; a file of merges; a function `train(text,
            vocab_size, special_tokens)` that returns the vocabulary and the merges; or such a
            function as "FILE.py:NAME", which runs in a process of its own, with limits on time and
            memory.
        corpus: a text, or several; files as `Path`; or a `Corpus`. The text of a `Corpus` is not
            known, so mistakes in reading or splitting it cannot be named.
        config: the settings that the merges should follow.
        encoded: texts with their tokens or ids, as somebody's encoder cuts them; they are checked
            if all merges are right.
        seconds: the time limit of a function in its process, and of looking for the mistake, which
            takes at most 3 seconds.

    Raises:
        TokenizerFormatError: a file is no list of merges.
        TrainingError: the function fails, takes too long or returns something else.

    >>> config = TrainingConfig.preset("textbook", merges=2)
    >>> found = check([("u", "g"), ("p", "un")], "hug pug pun bun hugs", config)
    >>> found.n_right, found.first_wrong.expected.count, found.first_wrong.given.count
    (1, 2, None)
    """
    source = texts_of(corpus)
    config = checked_config(config)
    return result_of(checking(given, source, config, encoded=list(encoded), seconds=seconds))


def texts_of(corpus: Source) -> tuple[str, ...] | Corpus:
    """The texts that a caller has given."""
    if isinstance(corpus, Corpus):
        return corpus
    from bpe_studio.files.text.sources import Sources

    given: Iterable[object] = [corpus]
    if isinstance(corpus, Iterable) and not isinstance(corpus, str | PathLike):
        given = corpus
    texts: list[str] = []
    for one in given:
        if isinstance(one, str):
            texts.append(one)
        elif isinstance(one, PathLike):
            for source in Sources([str(one)]):
                texts.extend(source.documents())
        else:
            raise ArgumentError(f"The corpus is texts, paths or a Corpus, not {shown(one)}")
    return tuple(texts)


def checking(
    given: Any,
    source: tuple[str, ...] | Corpus,
    config: TrainingConfig,
    *,
    encoded: Sequence[EncodedText] = (),
    seconds: float = SECONDS,
    as_many: bool = False,
) -> Generator[float, None, Check]:
    """`check` as a job; it yields the share that is done.

    Args:
        given: the merges, or the function that makes them.
        source: the texts; a function gets them as one text.
        config: the settings.
        encoded: texts with their tokens.
        seconds: the time limit of a function.
        as_many: for a list of merges, let the settings make as many merges.
    """
    if config.units == "items":
        raise ConfigError(
            "A trainer of items cannot be checked; write one character for each item, and check it"
            " with units characters"
        )
    try:
        if not is_function(given):
            merges = read_merges(given) if isinstance(given, str | PathLike) else pairs_of(given)
            if as_many:
                config = _for_merges(config, len(merges))
            trainer = yield from _trained(source, config)
            return _with_encoding(
                (yield from _compared(merges, source, trainer, seconds)), encoded, trainer
            )
        if isinstance(source, Corpus):
            raise ArgumentError(
                "A function trains on a text, and this corpus has none: give the text or its file"
            )
        text = "".join(source)
        trainer = yield from _trained((text,), config)
        config = trainer.run_record.config
        task = Task(
            vocab_size=trainer.run_record.vocab_size_at(0) + trainer.target,
            n_merges=trainer.target,
            special=list(config.all_special),
            min_frequency=config.min_frequency,
            by_line=config.documents == "line" or config.split in DROPPING_SPLITS,
        )
        runs = []
        words, texts = probes(trainer.run_record, text)
        seeds = (1, 2) if isinstance(given, str | PathLike) else (1,)
        for seed in seeds:
            tried = words, texts
            job = trained(given, text, task, texts=tried, seconds=seconds, hash_seed=seed)
            runs.append((yield from job))
            words = words[::-1]
            texts = texts[::-1]
        is_stable = runs[0].merges == runs[-1].merges
        for run in runs:
            found = yield from _compared(run.merges, (text,), trainer, seconds, is_stable)
            if not found.correct or is_stable:
                break
        found = replace(found, others=_besides_merges(run, trainer))
        own = list(chain.from_iterable(each.encoded for each in runs))
        found = _with_encoding(found, [*own, *encoded], trainer)
        return _with_decoding(found, runs[0].decoded, trainer)
    finally:
        forget_texts()


def _for_merges(config: TrainingConfig, n: int) -> TrainingConfig:
    """The options with a target of so many merges.

    Superwords begin at the default share of it, unless the options say otherwise.
    """
    if config.superwords_from != config.with_target_of(config).superwords_from:
        return config.replace(merges=n)
    return config.with_target_of(config.replace(merges=n, superwords_from=None))


def _trained(
    source: tuple[str, ...] | Corpus, config: TrainingConfig
) -> Generator[float, None, Trainer]:
    """A trainer that has made the merges of the settings."""
    trainer = Trainer(corpus_of(Procedure(source, config, 0)), config)
    for _ in trainer.to_the_end():
        yield 0.0
    return trainer


def _compared(
    merges: Sequence[GivenPair],
    source: tuple[str, ...] | Corpus,
    trainer: Trainer,
    seconds: float,
    is_stable: bool = True,
) -> Generator[float, None, Check]:
    run = trainer.run_record
    procedure = Procedure(source, run.config, trainer.target)
    expected = [(merge.left, merge.right) for merge in run.merges]
    pairs = as_names(merges, run.config.units)
    rank = next((k for k, (a, b) in enumerate(zip(expected, pairs, strict=False)) if a != b), None)
    if rank is None and len(expected) == len(pairs):
        right = (
            f"All {plural(len(pairs), 'merge')} are right."
            if len(pairs) != 1
            else "The merge is right."
        )
        return Check(
            len(pairs), len(expected), None, (), (right,), given=tuple(pairs), trainer=trainer
        )
    rank = min(len(expected), len(pairs)) if rank is None else rank
    wrong = WrongMerge(rank, _facts(run, rank, expected), _facts(run, rank, pairs))
    search = _Search(procedure, merges, wrong, min(seconds, SEARCH_SECONDS))
    yield from search.run(is_stable)
    explanation = _explanation(wrong, search, len(pairs), trainer)
    guess = None if search.found else search.guess
    known = search.found if guess is None else (guess,)
    sentences = (*_what_is_wrong(wrong, len(pairs), trainer), *explanation, *_lessons(known))
    return Check(
        len(pairs),
        len(expected),
        wrong,
        search.found,
        sentences,
        explanation,
        guess=guess,
        given=tuple(pairs),
        trainer=trainer,
    )


def _besides_merges(given: Trained, trainer: Trainer) -> tuple[str, ...]:
    """Sentences about a wrong size of a vocabulary, and about a function `encode` that fails."""
    run = trainer.run_record
    n_special = len(run.config.all_special)
    n_merges = len(given.merges)
    right = run.vocab_size_at(0) + n_merges
    wrong = [given.why_not_encoded] if given.why_not_encoded else []
    if given.n_tokens not in (None, right):
        wrong.append(
            f"The vocabulary has {plural(given.n_tokens or 0, 'token')}, but"
            f" {number(run.n_alphabet)} symbols, {plural(n_special, 'special token')} and"
            f" {plural(n_merges, 'merge')} make {number(right)}."
        )
    return tuple(wrong)


def _with_encoding(found: Check, encoded: Sequence[EncodedText], trainer: Trainer) -> Check:
    """A check with the answer about an encoder, if all merges are right."""
    if found.first_wrong is not None or not encoded:
        return found
    run = trainer.run_record
    with_ids: list[tuple[str, list[int]]] = []
    texts: list[str] = []
    cuts: list[Any] = []
    for text, tokens in encoded:
        numbers = [token for token in tokens if isinstance(token, int)]
        if numbers and len(numbers) == len(tokens):
            with_ids.append((text, numbers))
        else:
            texts.append(text)
            cuts.append(tokens)
    names = map(list, as_names(cuts, run.config.units))
    named = [*zip(texts, names, strict=True), *named_ids(run, with_ids)]
    found = replace(found, n_encoded=len(named))
    wrong = wrong_encoding(run, named)
    if wrong is None:
        right = plural(len({text for text, _ in named}), "text is", "texts are")
        return replace(found, sentences=(*found.sentences, f"{right} encoded correctly."))
    return replace(found, others=(*found.others, wrong.sentence), wrong_encoding=wrong)


def _with_decoding(
    found: Check, decoded: Sequence[tuple[Sequence[Token], str | None]], trainer: Trainer
) -> Check:
    """A check with the answer about a decoder, if all merges are right."""
    run = trainer.run_record
    if found.first_wrong is not None or not decoded:
        return found
    names = as_names([tokens for tokens, _ in decoded], run.config.units)
    texts = (text for _, text in decoded)
    wrong = wrong_decoding(run, list(zip(map(list, names), texts, strict=True)))
    if wrong is None:
        return found
    return replace(found, others=(*found.others, wrong.sentence), wrong_decoding=wrong)


def as_names(merges: Sequence[Sequence[Token]], units: str) -> list[Any]:
    """Merges, or other groups of tokens, as tuples in the spelling of logs.

    With byte units, a token that is given as a text is taken for GPT-2's stand-ins if all tokens
    can be read so.
    """
    tokens = chain.from_iterable(merges)
    text = "".join(token for token in tokens if isinstance(token, str))
    has_stand_ins = all(char in stand_in_to_byte for char in text)
    has_spaces = has_stand_ins and "Ġ" in text

    def name(token: Token) -> str:
        if isinstance(token, str):
            if units == "characters" and not has_spaces:
                return token
            token = (
                from_stand_ins(token) if has_stand_ins else token.encode("utf-8", "surrogatepass")
            )
        if not isinstance(token, bytes):
            raise ArgumentError(f"{token!r} is no token: give texts or bytes")
        return to_stand_ins(token) if units == "bytes" else token.decode("utf-8", "surrogateescape")

    return [tuple(map(name, tokens)) for tokens in merges]


def _facts(run: Run, rank: int, pairs: Sequence[Pair]) -> PairFacts | None:
    """The facts about the pair that a list merges at a rank, as the run stands there."""
    if rank >= len(pairs):
        return None
    left, right = pairs[rank]
    one = run.find_token(left)
    other = run.find_token(right)
    if one is None or other is None or max(one, other) >= run.token_of(rank):
        return PairFacts(left, right, None, ())
    found = words_with_pair(run, one, other, rank, _MOST_WORDS)
    corpus = run.at(rank).corpus
    shown = tuple((corpus.pre_token(each.word), each.count) for each in found.words)
    return PairFacts(left, right, found.total, shown)


class _Search:
    """Looks for the mistakes that explain the given merges, for a limited time.

    A mistake explains the merges if a trainer with it begins with all of them. If only their number
    is wrong, the trainer must also end there.

    Args:
        procedure: the procedure of the settings.
        merges: the given merges.
        wrong: the first wrong one.
        seconds: the processor time that may pass.

    Attributes:
        found: the mistakes that explain all merges.
        guess: the mistake that explains most of them; `None` for none.
        n_explained: the number of merges, from the first on, that it explains.
        is_over: whether the time was too short to try everything.
    """

    def __init__(
        self, procedure: Procedure, merges: Sequence[GivenPair], wrong: WrongMerge, seconds: float
    ) -> None:
        n_merges = max(procedure.n_merges, len(merges))
        self._is_number = wrong.given is None or wrong.expected is None
        self._procedure = procedure
        if not self._is_number:
            self._procedure = replace(procedure, n_merges=n_merges)
        self._given = {units: as_names(merges, units) for units in ("bytes", "characters")}
        self._n_given = len(merges)
        self._wrong = wrong
        self._n_bytes = len(corpus_of(procedure).blob)
        self._end_s = thread_time() + seconds
        self._n_same: dict[str, int] = {}
        self.found: tuple[Mistake, ...] = ()
        self.guess: Mistake | None = None
        self.n_explained = wrong.rank
        self.is_over = False

    def run(self, is_stable: bool) -> Generator[float, None, None]:
        """Look for the mistakes, the likeliest first; yields the share that is done.

        Args:
            is_stable: whether the trainer made the same merges each time.
        """
        with suppress(_OutOfTime):
            if self._n_bytes <= MOST_BYTES:
                yield from self._try_each()
            if not self.found or not is_stable:
                self._try_no_rule(is_stable)
            if not self.found:
                self.found = tuple(each for each in SETTINGS if self._explains(each))
            if not self.found and self._n_given - self._wrong.rank >= LEAST_FOR_TWO:
                yield from self._try_two()

    def _try_each(self) -> Generator[float, None, None]:
        candidates = [each for each in MISTAKES if self._is_number or not each.is_about_end]
        candidates.sort(key=lambda mistake: not mistake.is_about_end)
        for place, mistake in enumerate(candidates):
            yield 0.5 * place / len(candidates)
            if any(each.name == mistake.name for each in self.found):
                continue  # another form of it
            try:
                if self._explains(mistake):
                    self.found = (*self.found, mistake)
            finally:  # the time may be over in the midst of it
                n_same = self._n_same.get(mistake.name, 0)
                if n_same > self.n_explained and not self._is_number:
                    self.guess = mistake
                    self.n_explained = n_same

    def _try_no_rule(self, is_stable: bool) -> None:
        by_chance = no_rule(self._given[self._procedure.config.units], is_stable)
        if self._explains(by_chance):
            self.found = (by_chance,)

    def _try_two(self) -> Generator[float, None, None]:
        """Try two mistakes together; in a long text, one of them explains the first wrong merge."""
        first = sorted(self._n_same, key=self._n_same.__getitem__, reverse=True)
        if self._n_bytes > FEW_BYTES:
            rank = self._wrong.rank
            first = [name for name in first if self._n_same[name] > rank][:_MOST_FIRST]
        n_forms = Counter(mistake.name for mistake in MISTAKES)
        single = [mistake for mistake in MISTAKES if n_forms[mistake.name] == 1]
        two = [
            one + other
            for one, other in combinations(single, 2)
            if (one.name in first or other.name in first)
            and not (one.is_about_ties and other.is_about_ties)
        ]
        places = {name: place for place, name in enumerate(first)}
        two.sort(key=lambda both: min(places.get(name, inf) for name in both.name.split("+")))
        for place, mistake in enumerate(two):
            yield 0.5 + 0.5 * place / len(two)
            if self._explains(mistake):
                self.found = (*self.found, mistake)

    def _explains(self, mistake: Mistake) -> bool:
        """Whether a trainer with a mistake makes the given merges."""
        for _, procedure in changed([mistake], self._procedure):
            given = self._given[procedure.config.units]
            n_same, is_at_end = self._agreement(procedure, given)
            self._n_same[mistake.name] = max(n_same, self._n_same.get(mistake.name, 0))
            if self.is_over:
                raise _OutOfTime
            return n_same == len(given) and (is_at_end or not self._is_number)
        return False

    def _agreement(self, procedure: Procedure, given: Sequence[Pair]) -> tuple[int, bool]:
        """The number of given merges that a procedure makes before it differs or the time is over,
        and whether it has ended there.
        """
        n_same = 0
        with suppress(BpeError):  # no trainer can do so on this text
            for pair in merges_of(procedure):
                if thread_time() > self._end_s:
                    self.is_over = True
                    return n_same, False
                if n_same == len(given) or pair != given[n_same]:
                    return n_same, False
                n_same += 1
        return n_same, True


class _OutOfTime(Exception):  # noqa: N818 - it ends a search
    """The time for a search is over."""


def _what_is_wrong(wrong: WrongMerge, n_given: int, trainer: Trainer) -> list[str]:
    """Sentences about the first wrong merge, and about words in which the two pairs occur."""
    config = trainer.run_record.config
    said = [f"{wrong.headline}: {_reason(wrong, n_given, trainer)}"]
    for pair in (wrong.given, wrong.expected):
        if pair is not None and pair.words:
            words = [
                f"“{isolated(display_text(word))}” ({number(n)})"
                for word, n in pair.words
                if len(word) <= _LONG_WORD
            ]
            said += [f"{_shown(pair, config)} occurs in {', '.join(words)}."] if words else []
    return said


def _explanation(
    wrong: WrongMerge, search: _Search, n_given: int, trainer: Trainer
) -> tuple[str, ...]:
    rest = n_given - wrong.rank
    explained = "the end"
    if rest:
        explained = "this merge" if rest == 1 else f"all {number(rest)} merges from there on"
    mistakes = search.found
    if len(mistakes) == 1:
        name = mistakes[0].name
        said = [f"The mistake ({name}): {mistakes[0].sentence} This explains {explained}."]
    elif mistakes:
        said = [f"Each of these mistakes explains {explained}:"]
        said += [f"- {mistake.name}: {mistake.sentence}" for mistake in mistakes]
    elif len(trainer.run_record.corpus.blob) > MOST_BYTES:
        return ("This text is too long to look for the mistake: check the trainer on less text.",)
    else:
        until = " in the time allowed" if search.is_over else ""
        said = [f"No known mistake explains {explained}{until}."]
        if search.guess is not None:
            said.append(_guess(search.guess, wrong.rank, search.n_explained, n_given))
    n_expected = len(trainer.run_record.merges)
    if wrong.given is not None and wrong.expected is not None and n_given != n_expected:
        wanted = f"the settings make {number(n_expected)}"
        said.append(f"There are {plural(n_given, 'merge')}; {wanted}.")
    return tuple(said)


def _guess(mistake: Mistake, rank: int, n_explained: int, n_given: int) -> str:
    merges = merge_name(rank)
    if n_explained > rank + 1:
        merges = f"merges {number(rank + 1)} to {number(n_explained)}"
    return (
        f"It is most like this one ({mistake.name}): {mistake.sentence} It explains {merges} of"
        f" {number(n_given)}."
    )


def lessons_about(mistakes: Iterable[Mistake]) -> list[str]:
    """The distinct titles of the lessons about some mistakes."""
    return list(dict.fromkeys(mistake.lesson for mistake in mistakes if mistake.lesson))


def _lessons(mistakes: Sequence[Mistake]) -> list[str]:
    titles = [f"“{title}”" for title in lessons_about(mistakes)]
    return [f"See {' and '.join(titles)} in the view Learn."] if titles else []


def _reason(wrong: WrongMerge, n_given: int, trainer: Trainer) -> str:
    """Why a merge is the first wrong one, as a sentence after its headline."""
    config = trainer.run_record.config
    expected = wrong.expected
    given = wrong.given
    if expected is None:
        assert given is not None
        after = f"Training ends after {plural(wrong.rank, 'merge')}, because {trainer.stop_reason}."
        return f"{_shown(given, config)} comes after the end. {after}"
    right = f"{_shown(expected, config)}, which occurs {times(expected.count or 0)}"
    if given is None:
        return (
            f"the list ends after {plural(n_given, 'merge')}, all of which are right. The next one"
            f" is {right}."
        )
    if given.count is None:
        return (
            f"{_shown(given, config)} has a token that no merge before it makes; next is {right}."
        )
    run = trainer.run_record
    left = run.find_token(given.left)
    other = run.find_token(given.right)
    assert left is not None and other is not None
    if refused := refusal(run.at(wrong.rank), (left, other)):
        return f"{_shown(given, config)} may not be merged, because {refused}; next is {right}."
    if given.count == expected.count:
        both = f"Both pairs occur {times(given.count)}, so the tie rule decides."
        return f"{_shown(given, config)} instead of {_shown(expected, config)}. {both}"
    occurs = f"occurs {times(given.count)}" if given.count else "does not occur"
    return f"{_shown(given, config)}, which {occurs}, instead of {right}."


def _shown(pair: PairFacts, config: TrainingConfig) -> str:
    tokens = (elided(display_log_name(name, config), 40) for name in (pair.left, pair.right))
    return " + ".join(f"“{isolated(token)}”" for token in tokens)
