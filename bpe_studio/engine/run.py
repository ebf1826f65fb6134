"""A training run: an append-only list of merges and the gap ranks of the corpus.

A position in a run is one number, the step: the first `step` merges apply. Any earlier state is
read from the gap ranks in one pass (`training/corpus_at_step.py`); nothing is undone or trained
again. A trainer appends to a run while others read it: existing rows never change, and a gap that a
later merge closes has a rank of at least the reader's step, so it reads as open.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from bpe_studio.engine.arguments import as_number, as_text, shown
from bpe_studio.engine.arrays import Int32Array, Int64Array
from bpe_studio.engine.config import MAX_TOKEN_CHARACTERS, TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.file_access import file_access
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.text.outside_alphabet import LAST_SPECIAL
from bpe_studio.engine.tie_rules import TIE_RULES
from bpe_studio.engine.token_statistics import SHANNON, CorpusSteps, Float64Array, checked_order
from bpe_studio.engine.training.corpus_array import CorpusArray, Tokens
from bpe_studio.engine.training.corpus_at_step import tokens_at
from bpe_studio.engine.training.merge_log import MergeColumns, MergeList
from bpe_studio.engine.training.overrides import Override, Plan
from bpe_studio.engine.training.piece_rules import PieceTable
from bpe_studio.engine.training.source_shares import SourceCounts, counts_by_source
from bpe_studio.engine.training.token_facts import TokenFacts
from bpe_studio.engine.training.whole_words import WholeWords
from bpe_studio.errors import ConfigError, VocabularyError

if TYPE_CHECKING:
    from os import PathLike

    from bpe_studio.engine.encoding.boundaries import Boundaries, GoldWord
    from bpe_studio.engine.encoding.editable_text import EditableText
    from bpe_studio.engine.encoding.segmentation import Segmenter
    from bpe_studio.engine.encoding.text_gaps import TextGaps
    from bpe_studio.engine.encoding.tokenizer import Tokenizer
    from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel

__all__ = ["NEVER", "Run", "TokenInfo", "WordTable"]

T = TypeVar("T", str, bytes)
_DERIVED = (
    "_lock",
    "_ids",
    "_n_known_ids",
    "_names",
    "_contents",
    "_facts",
    "_counts_cache",
    "_segmenter",
    "_source_counts",
)
_INDEXED = 4096
"""Tokens that are named at a time when a name is looked up: 2 ms."""


@dataclass(frozen=True)
class TokenInfo:
    """The facts about one token at one step.

    Attributes:
        id: its internal id.
        name: its name, in the spelling of logs.
        content: its own UTF-8 bytes, without marks.
        left: the left token that it was made from; `None` for a symbol of the alphabet.
        right: the right one.
        rank: the merge that made it; `None` for a symbol.
        birth_count: the count of that merge; `None` for a symbol.
        count_now: how often the token occurs in the corpus at the step.
    """

    id: int
    name: str
    content: bytes
    left: int | None
    right: int | None
    rank: int | None
    birth_count: int | None
    count_now: int


class WordTable:
    """The corpus' pre-tokens as they are cut at one step; each is cut on request."""

    def __init__(self, run: Run, step: int) -> None:
        self._run = run
        self.step = step

    def __len__(self) -> int:
        return len(self._run.corpus)

    def cut(self, index: int, most: int | None = None) -> list[int]:
        """The token ids of one pre-token.

        Args:
            index: the pre-token's number.
            most: the maximum number of symbols to cut; the last token may then be incomplete.
        """
        layout, gaps, start, stop = self._run.word_place(index)
        stop = stop if most is None else min(stop, start + most)
        ids: list[int] = tokens_at(layout, gaps, self.step, start, stop).ids.tolist()
        return ids

    def firsts(self, index: int) -> Int64Array:
        """(t,) int64, the number of the first symbol of each token of one pre-token, counted within
        it.
        """
        _, gaps, start, stop = self._run.word_place(index)
        return np.flatnonzero(gaps[start:stop] >= self.step)

    def n_tokens(self, index: int) -> int:
        """The number of tokens of one pre-token."""
        return len(self.firsts(index))


class Run:
    """The result of training on a corpus: merges, and the gap ranks of the corpus.

    Token ids here are *internal*: the alphabet from 0 on, then one for each merge. `external_id`
    gives the ids of the finished tokenizer, which also has special tokens.

    Attributes:
        corpus: the counted pre-tokens.
        config: the options; in a branch, their tie rule is the last one of the plan.
        plan: the forced and forbidden pairs, overrides and tie rules, by step.
        layout: the corpus as symbols.
        gaps: (n,) int32, the rank of the merge that closed the gap before each symbol; `NEVER`
            while open.
        columns: the merges as numpy columns.
        passed: (step, left, right) of each pair that was best but was skipped, because a token
            already has its text.
        whole_words: the words from which training drops characters; `None` if it drops none.
        n_seed: how many of the first merges are those of a tokenizer that the run begins with; 0
            for most runs.
        n_first: how many merges the first of two stages has; `NEVER` if there is one stage.
        end_of_stage: the last step of the stage that this run is; `NEVER` for the end of the run.
        why_no_merges: why there are no steps to show, as a sentence; empty if there are.
        is_own: whether our own encoder cuts text; false for an opened tokenizer of another program.
    """

    n_seed = 0
    n_first = NEVER
    end_of_stage = NEVER
    is_own = True
    why_no_merges = ""

    def __init__(
        self,
        corpus: Corpus,
        config: TrainingConfig,
        layout: CorpusArray,
        plan: Plan | None = None,
        gaps: Int32Array | None = None,
    ) -> None:
        self.corpus = corpus
        self.config = config
        self.plan = Plan.of_config(config) if plan is None else plan
        self.layout = layout
        self.gaps: Int32Array = layout.no_gaps_closed() if gaps is None else gaps
        self.passed: list[tuple[int, int, int]] = []
        self.columns = MergeColumns()
        self.whole_words = (
            None if layout.shortened is None else WholeWords(layout, layout.shortened)
        )
        self.initial_n_tokens = layout.n_tokens + self.n_more_tokens
        self._lock = threading.Lock()
        self.forget_derived()

    def forget_derived(self) -> None:
        """Frees what was derived from the merges (names, counts, encoded words), which is made
        again when it is needed.
        """
        names = dict(enumerate(self._given_names()))
        ids = {name: number for number, name in reversed(names.items())}
        with self._lock:
            # Filled on request: most tokens of a large run are never looked at. Other threads may
            # add names at once.
            self._ids = ids
            self._n_known_ids = len(names)
            self._names: dict[int, str] = names
            self._contents: dict[int, bytes] = dict(enumerate(self.layout.alphabet.contents))
            self._facts: TokenFacts | None = None
            self._counts_cache: tuple[int, Int64Array] = (-1, np.zeros(0, np.int64))
            self._segmenter: Segmenter | None = None
            self._source_counts: SourceCounts | None = None

    def __repr__(self) -> str:
        n_merges = len(self.columns)
        return (
            f"<{type(self).__name__}: {n_merges:,} merges, {self.vocab_size_at(n_merges):,} tokens>"
        )

    def _repr_html_(self) -> str:
        return file_access().html_of(self)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in _DERIVED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock = threading.Lock()
        self.forget_derived()

    def _given_names(self) -> Sequence[str]:
        """The names of the first tokens, which are not joined from those of others."""
        return self.layout.alphabet.names

    def at(self, step: int) -> Run:
        """The run whose corpus and gap ranks are those of a step: this one, except in a run of two
        stages (`training/staged_run.py`).
        """
        return self

    @property
    def is_due(self) -> bool:
        """Whether another stage is to be opened before training goes on."""
        return False

    def open(self) -> Generator[None, None, None]:
        """Open the stage that is due; yields every few milliseconds."""
        yield from ()

    @property
    def merges(self) -> MergeList:
        """The merges as a sequence of records."""
        # Made anew: a list kept in the run would keep an unused run from being freed at once.
        return MergeList(self.columns, self.token_name, self.token_of, self._source_shares)

    def _source_shares(self, rank: int) -> Mapping[str, float]:
        return self.source_counts(rank + 1).shares(rank)

    def source_counts(self, n_merges: int | None = None) -> SourceCounts:
        """The uses of each merge's pair in each file of the corpus, found once for all merges.

        Args:
            n_merges: the least number of merges; `None` for all.
        """
        least = len(self.columns) if n_merges is None else n_merges
        found = self._source_counts
        if found is None or found.counts.shape[1] < least:
            found = SourceCounts(
                self.corpus.source_names, self._counts_by_source(len(self.columns))
            )
            self._source_counts = found
        return found

    def _counts_by_source(self, n_merges: int) -> Int64Array:
        return counts_by_source(self.corpus, self.layout, self.gaps, self.columns, n_merges)

    @property
    def alphabet(self) -> Any:
        """The initial symbols."""
        return self.layout.alphabet

    @property
    def n_alphabet(self) -> int:
        """The number of initial symbols."""
        return len(self.layout.alphabet)

    def token_of(self, rank: int) -> int:
        """The internal id of the token that a merge makes, even if the merge is still to come.

        All tokens made before it have lower ids.
        """
        return self.n_alphabet + rank

    def rank_of(self, token: int) -> int:
        """The rank of the merge that makes a token; -1 for a symbol.

        The token exists from step `rank + 1` on.
        """
        return max(-1, token - self.n_alphabet)

    def ids_at(self, step: int) -> range:
        """The internal ids of all tokens after `step` merges."""
        return range(self.token_of(step))

    @property
    def overrides(self) -> tuple[Override, ...]:
        """The overrides of this run and of the branches that led to it."""
        return self.plan.overrides

    def check_stored(self) -> None:
        """Make sure that a document can hold the run.

        Raises:
            SaveError: it cannot train the run again.
        """

    def until(self, step: int, plan: Plan) -> Run:
        """A run of its own with the first `step` merges of this one, to continue from there with
        another plan.

        This run does not change, and may grow meanwhile. If the plan ends with another tie rule,
        which may order the alphabet differently, symbols get other ids; all names are kept.
        """
        self.check_step(step)
        config = self.config
        layout = self.layout
        columns = {name: getattr(self.columns, name)[:step] for name in MergeColumns.NAMES}
        passed = [entry for entry in self.passed if entry[0] < step]
        if plan.last_ties != config.ties:
            config = config.replace(ties=plan.last_ties)
            layout, by_symbol = layout.under(config, self.token_counts_at(0))
            ids = np.concatenate(
                [by_symbol, np.arange(len(by_symbol), len(by_symbol) + step, dtype=np.int32)]
            )
            columns |= {name: ids[columns[name]] for name in ("left", "right")}
            passed = [(at, int(ids[left]), int(ids[right])) for at, left, right in passed]
        gaps = self.gaps.copy()
        gaps[gaps >= step] = NEVER
        run = self._until(step, config, layout, plan, gaps)
        if run.whole_words is not None:
            run.whole_words.follow(run, columns["left"], columns["right"])
        run.extend(**columns)
        run.passed = passed
        return run

    def _until(
        self, step: int, config: TrainingConfig, layout: CorpusArray, plan: Plan, gaps: Int32Array
    ) -> Run:
        """A run without merges yet that is like this one up to a step."""
        return Run(self.corpus, config, layout, plan, gaps)

    def extend(self, **columns: Any) -> None:
        """Append merges; see `MergeColumns.extend`."""
        self.columns.extend(**columns)

    @property
    def n_more_tokens(self) -> int:
        """The tokens that the corpus has in addition to those that are trained on, where training
        drops characters.
        """
        return 0 if self.whole_words is None else self.whole_words.n_more_tokens

    def word_place(self, index: int) -> tuple[CorpusArray, Int32Array, int, int]:
        """The place of a whole pre-token: a layout, its gap ranks, and the start and end there."""
        layout = self.layout
        gaps = self.gaps
        if (
            self.whole_words is not None
            and (number := self.whole_words.number_of(index)) is not None
        ):
            layout = self.whole_words.layout
            gaps = self.whole_words.gaps
            index = number
        return layout, gaps, int(layout.word_starts[index]), int(layout.word_starts[index + 1]) - 1

    def token_name(self, token: int) -> str:
        """A token in the spelling of logs and tokenizer files (byte units: GPT-2's printable
        stand-ins).
        """
        name = self._names.get(token)
        if token <= LAST_SPECIAL:
            return self.config.all_special[LAST_SPECIAL - token]
        if name is None:
            name = self._spell(token, self._names, self.config.joined)
        return name

    def token_content(self, token: int) -> bytes:
        """A token's own UTF-8 bytes, without marks."""
        content = self._contents.get(token)
        if token <= LAST_SPECIAL:
            return self.config.all_special[LAST_SPECIAL - token].encode("utf-8", "surrogatepass")
        if content is None:
            return self._spell(token, self._contents, self.config.joined_content)
        return content

    def find_token(self, name: str) -> int | None:
        """The internal id of the token with this name, or `None`; of several, the first that was
        made.

        Tokens are named in order, in batches, until the name is found. Only a name that does not
        exist takes all of them, once.
        """
        while name not in self._ids and self._n_known_ids < self.token_of(len(self.columns)):
            self._index_more()
        return self._ids.get(name)

    def _index_more(self) -> None:
        """Index the names of some more tokens."""
        with self._lock:
            names = self._names
            ids = self._ids
            joined = self.config.joined
            first = self._n_known_ids
            end = min(self.token_of(len(self.columns)), first + _INDEXED)
            ranks = slice(self.rank_of(first), self.rank_of(end - 1) + 1)
            pairs = zip(
                self.columns.left[ranks].tolist(), self.columns.right[ranks].tolist(), strict=True
            )
            for token, (left, right) in enumerate(pairs, first):
                names[token] = joined(names[left], names[right])
                ids.setdefault(names[token], token)
            self._n_known_ids = end

    def facts_at(self, token: int) -> Int32Array:
        """(at least token + 1, 3) int32, the lengths and the class of each token.

        See `TokenFacts`.
        """
        return self._all_facts().rows(self.rank_of(token) + 1)

    @property
    def pieces(self) -> PieceTable:
        """The table of the tokens that the options allow."""
        return self._all_facts().pieces

    def _all_facts(self) -> TokenFacts:
        with self._lock:
            if self._facts is None:
                self._facts = TokenFacts(self.layout, self.rules, self.columns)
            return self._facts

    @property
    def rules(self) -> TrainingConfig:
        """The options that say which tokens are allowed."""
        return self.config

    def _spell(self, token: int, known: dict[int, T], join: Callable[[T, T], T]) -> T:
        """A token's name or content, joined from those of its parts.

        No lock is needed: threads that do this at the same time write the same values.
        """
        if not 0 <= token < self.token_of(len(self.columns)):
            raise VocabularyError(f"There is no token {token} after {len(self.columns):,} merges")
        waiting = [token]
        while waiting:
            rank = self.rank_of(waiting[-1])
            left = int(self.columns.left[rank])
            right = int(self.columns.right[rank])
            missing = [part for part in (left, right) if part not in known]
            if missing:
                waiting += missing
            else:
                known[waiting.pop()] = join(known[left], known[right])
        return known[token]

    @cached_property
    def special_texts(self) -> frozenset[bytes]:
        """The special tokens as UTF-8; no merge may make one of them."""
        return frozenset(
            special.encode("utf-8", "surrogatepass") for special in self.config.all_special
        )

    def external_id(self, token: int, step: int | None = None) -> int:
        """The id of a token in the tokenizer.

        Args:
            token: its internal id, or that of a special token in a text.
            step: the number of merges in the tokenizer; only SentencePiece's numbering, which puts
                characters after merges, depends on it.
        """
        if token <= LAST_SPECIAL:
            return LAST_SPECIAL - token
        rank = self.rank_of(token)
        if rank >= 0:
            return self._first_merged_id + rank
        ids, is_moved = self._symbol_ids
        if step is None:
            step = len(self.merges)
        return int(ids[token]) + int(is_moved[token]) * step

    def external_ids(self, step: int) -> Int64Array:
        """(lone special tokens + alphabet + step,) int64: the ids of `lone_specials`, then those of
        all tokens.
        """
        ids, is_moved = self._symbol_ids
        lone = np.array(list(self.lone_specials.values()), np.int64)
        return np.concatenate(
            [lone, ids + is_moved * step, self._first_merged_id + np.arange(step)]
        )

    @cached_property
    def lone_specials(self) -> dict[str, int]:
        """The special tokens that are not symbols as well, and their numbers."""
        symbols = set(self.alphabet.specials.tolist())
        return {
            name: number
            for number, name in enumerate(self.config.all_special)
            if number not in symbols
        }

    @cached_property
    def _symbol_ids(self) -> tuple[Int64Array, Int64Array]:
        """(alphabet,) int64 each, the ids of symbols before the first merge, and 1 for those that
        merges move.
        """
        specials = self.alphabet.specials
        is_own = specials < 0
        ids = np.where(is_own, len(self.config.all_special) + np.cumsum(is_own) - 1, specials)
        is_moved = np.zeros(len(ids), np.bool_)
        if TIE_RULES[self.config.ties].has_frequent_first:
            is_moved = is_own & self.alphabet.is_text
        return ids.astype(np.int64), is_moved.astype(np.int64)

    @cached_property
    def _first_merged_id(self) -> int:
        return (
            len(self.config.all_special) + int(self.alphabet.n_own) - int(self._symbol_ids[1].sum())
        )

    def added_tokens(self) -> Int64Array:
        """(k,) int64, the internal ids of special tokens that have one, as in opened tokenizers."""
        return np.zeros(0, np.int64)

    def curve(self, n_merges: int) -> Int64Array:
        """(n_merges + 1,) int64: tokens of the corpus after each number of merges."""
        start = np.array([self.initial_n_tokens], np.int64)
        return np.concatenate([start, self.columns.n_tokens[:n_merges]])

    def own_curve(self, n_merges: int) -> Int64Array:
        """The `curve` of the stage that this run is."""
        return self.curve(n_merges)

    def n_tokens_at(self, step: int) -> int:
        """Tokens in the whole corpus after `step` merges."""
        self.check_step(step)
        return int(self.columns.n_tokens[step - 1]) if step else self.initial_n_tokens

    def boundaries(self, gold: str | PathLike[str] | Sequence[GoldWord]) -> Boundaries:
        """The agreement of the borders of tokens with those of the parts of words, at every step.

        Args:
            gold: words that `load_gold` has read, or a file with a line for each word: the word, a
                tab, and its parts with spaces between them. A line whose parts do not add up to the
                word is left out.

        Returns:
            `precision`, `recall`, `f1` and `whole_stems`, each (n_merges + 1,) float64.

        Raises:
            SourceError: the file cannot be read.
            CorpusError: it has no gold words, or too many.
            VocabularyError: a word has a symbol outside the alphabet.
        """
        from os import PathLike

        from bpe_studio.engine.encoding.boundaries import boundaries_at_steps, load_gold

        words = load_gold(gold)[0] if isinstance(gold, str | PathLike) else gold
        n_merges = len(self.merges)
        # Another thread may use the run's own segmenter.
        return boundaries_at_steps(self.new_segmenter(), self.tokenizer(0), n_merges, words)

    def measure(self, name: str, *, alpha: float = 2.5) -> Float64Array:
        """A measure of the corpus at every step.

        Args:
            name: `n_tokens`, `bytes_per_token`, `fertility` (tokens per word separated by white
                space), `vocabulary_used` (the share of the vocabulary that occurs, special tokens
                left out), or `renyi` or `shannon`, the efficiencies of `token_statistics`.
            alpha: the order of `renyi`.

        Returns:
            (n_merges + 1,) float64; nan where it is not known.

        Raises:
            ConfigError: there is no such measure, or no such order.
        """
        return self._measure(name, alpha, len(self.columns))

    def _measure(self, name: str, alpha: float, n_merges: int) -> Float64Array:
        columns = self.columns
        n_tokens = self.own_curve(n_merges)
        steps = CorpusSteps(
            self.initial_counts, columns.left[:n_merges], columns.right[:n_merges], n_tokens
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            match name:
                case "n_tokens":
                    return n_tokens.astype(np.float64)
                case "bytes_per_token":
                    return np.float64(self.corpus.size_bytes or np.nan) / n_tokens
                case "fertility":
                    return n_tokens / np.float64(self.corpus.n_whitespace_words or np.nan)
                case "vocabulary_used":
                    return steps.n_used() / np.arange(self.token_of(0), self.token_of(n_merges + 1))
                case "renyi":
                    return steps.efficiencies(checked_order(alpha))
                case "shannon":
                    return steps.efficiencies(SHANNON)
        names = "n_tokens, bytes_per_token, fertility, vocabulary_used, renyi, shannon"
        raise ConfigError(f"There is no measure {shown(name)} of every step; choose one of {names}")

    def vocab_size_at(self, step: int) -> int:
        """Alphabet, merges and special tokens after `step` merges."""
        self.check_step(step)
        return len(self.lone_specials) + self.token_of(step)

    def tokens_at(self, step: int, start: int = 0, stop: int | None = None) -> Tokens:
        """The tokens of the corpus, or of a part of it, after `step` merges."""
        return tokens_at(self.layout, self.gaps, step, start, stop)

    def words_at(self, step: int) -> WordTable:
        """The pre-tokens as they are cut at a step."""
        self.check_step(step)
        return WordTable(self, step)

    def token_counts_at(self, step: int) -> Int64Array:
        """(alphabet + step,) int64: how often each token occurs in the corpus at a step."""
        self.check_step(step)
        cached_step, counts = self._counts_cache
        if cached_step != step:
            # Each gap that a merge closes makes one token and uses up two.
            closed = -np.diff(self.own_curve(step))
            counts = np.concatenate([self.initial_counts, closed])
            for side in (self.columns.left, self.columns.right):
                np.subtract.at(counts, side[:step], closed)
            self._counts_cache = (step, counts)
        return counts

    @cached_property
    def initial_counts(self) -> Int64Array:
        """(alphabet,) int64: how often each symbol occurs in the corpus before the first merge."""
        counts = self.layout.symbol_counts()
        if self.whole_words is not None:
            self.whole_words.change_counts(counts, self.layout.symbols)
        return counts

    def token_info(self, token: int, step: int | None = None) -> TokenInfo:
        """The facts about a token at a step (`None`: after all merges).

        Raises:
            VocabularyError: the token does not exist at that step.
        """
        step = len(self.merges) if step is None else step
        if not 0 <= token < self.token_of(step):
            raise VocabularyError(
                f"There is no token {token} after {step:,} merges; go to a later step"
            )
        count = int(self.token_counts_at(step)[token])
        rank = self.rank_of(token)
        if rank < 0:
            return TokenInfo(
                token,
                self.token_name(token),
                self.token_content(token),
                None,
                None,
                None,
                None,
                count,
            )
        left = int(self.columns.left[rank])
        right = int(self.columns.right[rank])
        birth = int(self.columns.count[rank])
        return TokenInfo(
            token,
            self.token_name(token),
            self.token_content(token),
            left,
            right,
            rank,
            birth,
            count,
        )

    @property
    def segmenter(self) -> Segmenter:
        """Encodes any text with this run's merges."""
        segmenter = self._segmenter
        if segmenter is None:
            segmenter = self.new_segmenter()
            self._segmenter = segmenter
        return segmenter

    def new_segmenter(self) -> Segmenter:
        """A segmenter of its own, for another thread than that of `segmenter`."""
        from bpe_studio.engine.encoding.segmentation import Segmenter

        return Segmenter(self.config, self.alphabet, self.columns)

    def live(self, text: str = "") -> EditableText:
        """A text that can be edited, and its tokens at any step of this run."""
        from bpe_studio.engine.encoding.editable_text import EditableText

        live = EditableText(self.segmenter)
        live.set_text(text)
        return live

    def gap_ranks(self, text: str) -> list[Int32Array]:
        """For each pre-token of a text: (symbols - 1,) int32, the rank of the merge that closes
        each gap.

        `NEVER` where no merge closes the gap, and -1 between unknown characters that form one
        token. Cutting at every gap whose rank is at least k gives the segmentation after k merges.
        """
        return self.segmenter.gap_ranks(as_text(text))

    def text_gaps(self, text: str) -> TextGaps:
        """A text's symbols and gap ranks, as arrays: its tokens at any step are one comparison
        away.

        >>> from bpe_studio import train
        >>> run = train(Corpus.from_counts({"hug": 10, "pug": 5}, TrainingConfig.preset("textbook", merges=2)))
        >>> gaps = run.text_gaps("hug")
        >>> [gaps.n_tokens(step) for step in range(3)]
        [3, 2, 1]
        """  # noqa: E501
        return self.segmenter.text_gaps(text)

    def tokenizer(self, step: int | None = None) -> Tokenizer:
        """The tokenizer after `step` merges; `None` for all of them."""
        from bpe_studio.engine.encoding.tokenizer import Tokenizer

        step = len(self.merges) if step is None else step
        self.check_step(step)
        return Tokenizer(self._tokenizer_model(step))

    def _tokenizer_model(self, step: int) -> TokenizerModel:
        from bpe_studio.engine.encoding.tokenizer_model import (
            PAD_TOKENS,
            Template,
            TokenizerModel,
            TwoStages,
        )

        specials = self.config.all_special
        ids = self.external_ids(step)[len(self.lone_specials) :]
        names = [*specials, *[""] * (len(ids) - len(specials) + len(self.lone_specials))]
        for external, name in zip(ids.tolist(), self._names_until(step), strict=True):
            names[external] = name
        columns = (
            ids[self.columns.left[:step]],
            ids[self.columns.right[:step]],
            ids[self.n_alphabet :],
        )
        merges = tuple(zip(*(column.tolist() for column in columns), strict=True))
        special_ids = {special: external for external, special in enumerate(specials)}
        unknown = None if self.config.unknown is None else special_ids[self.config.unknown]
        pad = self.config.pad_token or next(
            (name for name in PAD_TOKENS if name in special_ids), None
        )
        template = Template.of(self.config)
        config = self.config.unweighted
        two_stages = None
        if config.superwords_from is not None:
            two_stages = TwoStages(config, self.n_first)
        return TokenizerModel(
            config.stages[-1],
            tuple(names),
            merges,
            special_ids,
            unknown,
            template,
            pad,
            two_stages=two_stages,
        )

    def _names_until(self, step: int) -> list[str]:
        """The names of all tokens after `step` merges.

        Raises:
            VocabularyError: they are too long together.
        """
        names = list(self.layout.alphabet.names)
        joined = self.config.joined
        total = sum(map(len, names))
        for left, right in zip(
            self.columns.left[:step].tolist(), self.columns.right[:step].tolist(), strict=True
        ):
            name = joined(names[left], names[right])
            names.append(name)
            total += len(name)
            if total > MAX_TOKEN_CHARACTERS:
                raise VocabularyError(
                    f"The first {len(names):,} tokens together are longer than"
                    f" {MAX_TOKEN_CHARACTERS:,} characters, the limit for a tokenizer: train fewer"
                    " merges, or choose a split with shorter words"
                )
        return names

    def check_step(self, step: int) -> None:
        """Make sure that the run has a step.

        Raises:
            VocabularyError: it does not.
        """
        if not 0 <= as_number(step, "A step") <= len(self.merges):
            raise VocabularyError(
                f"There is no step {step:,}; the run goes from 0 to {len(self.merges):,}"
            )
