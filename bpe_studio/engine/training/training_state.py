"""The buffers of a training run: made from a corpus array, and enlarged when the merge loop asks
for it.

`kernels/merging.py` is the loop, and `trainer.py` calls it. Buffers are numpy arrays for the
compiled kernels, or lists for the plain ones, which index lists several times faster.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from bpe_studio.engine.arrays import Int32Array
from bpe_studio.engine.config import MAX_TOKEN_CHARACTERS, TrainingConfig
from bpe_studio.engine.kernels import buffers as k
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.presets import BETWEEN
from bpe_studio.engine.run import Run
from bpe_studio.engine.text.alphabet import Alphabet, from_stand_ins
from bpe_studio.engine.tie_rules import TIE_RULES
from bpe_studio.engine.training.corpus_array import CorpusArray
from bpe_studio.engine.training.corpus_at_step import symbols_at
from bpe_studio.engine.training.piece_rules import PieceTable
from bpe_studio.errors import TrainingError, VocabularyError

_LARGE = 1 << 20
_SPARE = 4
"""A corpus of more than `_LARGE` symbols begins with room for this many places per symbol: memory
that is not written to costs nothing, and growing copies hundreds of megabytes."""
_SYMBOLS_PER_PAIR = 8
"""Symbols of a large corpus for each pair that training brings about. The table is made for all of
these at once: one that grows is copied, and one that is half full takes longer to search."""

_MAX_TEXT_BYTES = 2 * MAX_TOKEN_CHARACTERS
"""The most bytes of all tokens together: those of a text that repeats a passage can have as many as
the square of its length.
"""

_KINDS = {
    "symbols": np.int32,
    "weights": np.int32,
    "tokens": np.int32,
    "texts": np.uint8,
    "text_table": np.int32,
    "places": np.int32,
    "seen": np.int32,
    "near": np.int32,
}


class TrainingState:
    """The buffers, and the code that enlarges them.

    Args:
        layout: the corpus.
        config: the options.
        texts: the text of each token; see `symbol_texts`.
        facts: (len(texts), 3) int32; see `TokenFacts`.
        pieces: the tokens that may be made.
        gaps: the gap ranks, of which those below `n_merges` are closed and the others open.
        n_merges: how many merges apply.
        keep_count: pairs that occur less often are not kept.
        n_tokens: tokens in what is trained on.

    Attributes:
        buffers: the arrays that the kernels read and write; replaced together when one grows.
        gaps: (n,) int32 gap ranks, written by the merge loop, always a numpy array.
    """

    def __init__(
        self,
        layout: CorpusArray,
        config: TrainingConfig,
        texts: Sequence[bytes],
        *,
        facts: Int32Array,
        pieces: PieceTable,
        gaps: Int32Array,
        n_merges: int,
        keep_count: int,
        n_tokens: int,
    ) -> None:
        self.gaps = gaps
        self._pieces = pieces
        n_vocab = len(texts)
        # What a small corpus needs: its buffers become lists, which takes longer than to learn its
        # merges.
        least = min(1024, 64 + len(layout.symbols))
        room = n_vocab + least
        n_pairs = max(least, len(layout.symbols) // _SYMBOLS_PER_PAIR)
        reserved = [
            text
            for token in config.all_special
            if (text := _text_of_name(token, config)) is not None
        ]
        reserved_starts = np.cumsum([0, *map(len, reserved)]).astype(np.int64)
        text_starts = np.zeros(room, np.int64)
        text_starts[: n_vocab + 1] = np.cumsum([reserved_starts[-1], *map(len, texts)])
        arena = np.frombuffer(b"".join([*reserved, *texts]), np.uint8)
        numbers = np.zeros(k.JOINS + pieces.joins.size, np.int64)
        numbers[k.JOINS :] = pieces.joins.reshape(-1)
        numbers[k.N_VOCAB] = n_vocab
        numbers[k.N_MERGES] = n_merges
        numbers[k.N_TOKENS] = n_tokens
        numbers[k.MIN_COUNT] = max(1, config.min_frequency)
        numbers[k.KEEP_COUNT] = keep_count
        numbers[k.FLOOR] = 2**62
        numbers[k.RULE] = TIE_RULES[config.ties].number
        numbers[k.PREFIX_CUT] = len((config.continuing or "").encode())
        numbers[k.MAX_SYMBOLS] = pieces.most_symbols if pieces.has_limits else 0
        numbers[k.N_CLASSES] = len(pieces.joins)
        numbers[k.N_REFUSED] = len(pieces.refusals)
        numbers[k.MADE] = pieces.made
        numbers[k.NAMED_PAIR] = -1
        tokens_of = np.zeros(room * k.TOKEN, np.int32)
        tokens_of[: n_vocab * k.TOKEN] = facts.reshape(-1)
        symbols = symbols_at(layout, gaps, n_merges)
        weights, heavy = layout.weights_by_symbol()
        spare = _SPARE if len(symbols) > _LARGE else 1
        self.buffers = k.Buffers(
            numbers=numbers,
            symbols=symbols,
            weights=weights,
            heavy=heavy,
            gaps=gaps,
            tokens=tokens_of,
            text_starts=text_starts,
            texts=np.concatenate([arena, np.zeros(len(arena) + 64 * least, np.uint8)]),
            reserved_starts=reserved_starts,
            # The reserved texts are in it too, and take a quarter of it at most however far it
            # grows.
            text_table=np.zeros(_power(4 * (room + len(reserved))), np.int32),
            pairs=np.zeros(n_pairs * k.PAIR, np.int64),
            places=np.zeros(len(symbols) * spare, np.int32),
            table=np.zeros(_power(max(4 * least, n_pairs)) * k.TABLE, np.int64),
            heap=np.zeros(least * k.HEAP, np.int64),
            tie_counts=np.zeros(min(k.TIE_DENSE, layout.n_tokens + 1), np.int64),
            tie_table=np.zeros(4096 * k.TIE, np.int64),
            log=np.zeros(room * k.LOG, np.int64),
            lefts=np.zeros(room * k.SUM, np.int64),
            rights=np.zeros(room * k.SUM, np.int64),
            seen=np.zeros(room * 2, np.int32),
            near=np.zeros(least * k.NEAR, np.int32),
        )

    @property
    def is_plain(self) -> bool:
        """Whether the buffers are lists, for the plain kernels."""
        return isinstance(self.buffers.symbols, list)

    def to_lists(self) -> None:
        """Turn the buffers into lists; the gap ranks stay an array, because others read them."""
        buffers = self.buffers._asdict()
        for name in buffers.keys() - {"gaps"}:
            buffers[name] = buffers[name].tolist()
        self.buffers = k.Buffers(**buffers)

    def to_arrays(self) -> None:
        """Turn lists back into arrays."""
        buffers = self.buffers._asdict()
        for name in buffers.keys() - {"gaps"}:
            buffers[name] = np.array(buffers[name], _KINDS.get(name, np.int64))
        self.buffers = k.Buffers(**buffers)

    def make_room(self, kernel: Any, status: int) -> None:
        """Enlarge the array that the merge loop found too small.

        Raises:
            TrainingError: all tokens together exceed the limit for a tokenizer.
        """
        b = self.buffers
        if status == k.GROW_SCRATCH:
            if b.numbers[k.N_VOCAB] + 2 > len(b.text_starts):
                self._enlarge("tokens", "log", "lefts", "rights", "seen", "text_starts")
            else:
                self._enlarge("near")
        elif status == k.GROW_PAIRS:
            self._enlarge("pairs")
        elif status == k.GROW_PLACES:
            self._enlarge("places")
        elif status == k.GROW_HEAP:
            self._enlarge("heap")
        elif status == k.GROW_TABLE:
            # Pairs that no longer occur are left out when the table is refilled.
            old = b.table
            self._replace("table", 2 * len(old))
            kernel.refill_table(b.numbers, self.buffers.table, old)
        elif status == k.GROW_TIES:
            old = b.tie_table
            self._replace("tie_table", 2 * len(old))
            kernel.refill_ties(b.numbers, self.buffers.tie_table, old)
        elif (b.numbers[k.N_VOCAB] + 2) * 2 > len(b.text_table):
            self._replace("text_table", 2 * len(b.text_table))
            kernel.refill_texts(self.buffers)
        elif len(b.texts) > _MAX_TEXT_BYTES:
            raise TrainingError(
                f"After {b.numbers[k.N_MERGES]:,} merges the tokens together are longer than"
                f" {_MAX_TEXT_BYTES:,} bytes (the text repeats long passages): train fewer merges,"
                " or choose a split with shorter words"
            )
        else:
            self._enlarge("texts")

    def name_class(self, content: bytes) -> None:
        """Set the class that the merge loop gives to a character that its parts make.

        Args:
            content: its bytes.
        """
        numbers = self.buffers.numbers
        numbers[k.NAMED_CLASS] = self._pieces.settled(self._pieces.made, content)

    def number_of(self, left: int, right: int) -> int | None:
        """The number of a pair, with which it can be put back after it was excluded; `None` if it
        never occurred.
        """
        b = self.buffers
        slot = loader.plain("tables").find(b.table, left, right)
        return None if b.table[slot] == 0 else int(b.table[slot + k.NUMBER])

    def take_out(self, left: int, right: int) -> None:
        """Exclude a pair from the choice."""
        b = self.buffers
        tables = loader.plain("tables")
        slot = tables.find(b.table, left, right)
        tables.drop(b.numbers, b.table, b.tie_counts, b.tie_table, slot)

    def put_back(self, kernel: Any, number: int) -> None:
        """Let an excluded pair compete again, with its present count."""
        b = self.buffers
        record = k.PAIR * number
        left = int(b.pairs[record + k.IDS]) >> 32
        right = int(b.pairs[record + k.IDS]) & 0xFFFFFFFF
        places = b.places[b.pairs[record + k.FROM] : b.pairs[record + k.TO]]
        count = self._count_of(left, right, places)
        if count < b.numbers[k.KEEP_COUNT]:
            return
        while (b.numbers[k.N_TABLE] + 1) * 2 * k.TABLE > len(self.buffers.table):
            self.make_room(kernel, k.GROW_TABLE)
        while (b.numbers[k.N_TIE] + 1) * 2 * k.TIE > len(self.buffers.tie_table):
            self.make_room(kernel, k.GROW_TIES)
        while (b.numbers[k.N_HEAP] + 1) * k.HEAP > len(self.buffers.heap):
            self.make_room(kernel, k.GROW_HEAP)
        # For a single pair the plain functions are fast enough, on arrays too.
        tables = loader.plain("tables")
        heap = loader.plain("heap")
        b = self.buffers
        slot = tables.find(b.table, left, right)
        if b.table[slot] == 0:
            b.numbers[k.N_TABLE] += 1
        b.table[slot] = (left << 32 | right) + 1
        b.table[slot + k.COUNT] = count
        b.table[slot + k.NUMBER] = number
        tables.tally(b.numbers, b.tie_counts, b.tie_table, count, 1)
        if count >= b.numbers[k.FLOOR]:
            key = heap.key_of(
                b.numbers, b.tokens, b.pairs, b.places, b.text_starts, b.texts, number
            )
            heap.push(b.numbers, b.heap, b.pairs, b.text_starts, b.texts, number, count, key)

    def _count_of(self, left: int, right: int, places: Any) -> int:
        b = self.buffers
        length = int(b.tokens[k.TOKEN * left + k.LENGTH])
        if self.is_plain:
            weight_of = loader.plain("merging").weight_of
            return sum(
                weight_of(b.weights, b.heavy, place)
                for place in places
                if b.symbols[place] == left and b.symbols[place + length] == right
            )
        places = places[b.symbols[places] == left]
        weights = b.weights[places[b.symbols[places + length] == right]].astype(np.int64)
        is_heavy = weights < 0
        return int(weights[~is_heavy].sum() + b.heavy[-1 - weights[is_heavy]].sum())

    def _enlarge(self, *names: str) -> None:
        grown: dict[str, Any] = {}
        for name in names:
            old = getattr(self.buffers, name)
            if isinstance(old, list):
                grown[name] = old + [0] * len(old)
            else:
                # Not by concatenation: memory that nobody has written to yet takes no room and no
                # time.
                grown[name] = np.zeros(2 * len(old), old.dtype)
                grown[name][: len(old)] = old
        self.buffers = self.buffers._replace(**grown)

    def _replace(self, name: str, size: int) -> None:
        empty: Any = [0] * size if self.is_plain else np.zeros(size, _KINDS.get(name, np.int64))
        self.buffers = self.buffers._replace(**{name: empty})


def _power(size: int) -> int:
    return 1 << max(8, (size - 1).bit_length())


def build_state(run: Run) -> Generator[None, None, TrainingState]:
    """The buffers to continue training at the end of a run; yields every few milliseconds."""
    config = run.config
    step = len(run.merges)
    texts = merged_texts(
        symbol_texts(run.layout.alphabet, config), run.columns.left, run.columns.right, config
    )
    yield
    facts = run.facts_at(len(texts) - 1)
    yield
    keep_count = max(1, config.min_frequency)
    if run.plan.last_force() >= step:
        # A forced pair may be a rare one.
        keep_count = 1
    return TrainingState(
        run.layout,
        config,
        texts,
        facts=facts,
        pieces=run.pieces,
        gaps=run.gaps,
        n_merges=step,
        keep_count=keep_count,
        n_tokens=run.n_tokens_at(step) - run.n_more_tokens,
    )


def _compares_names(config: TrainingConfig) -> bool:
    return config.units != "bytes" or TIE_RULES[config.ties].compares_names


def _text_of_name(name: str, config: TrainingConfig) -> bytes | None:
    """The text of the token with a name, as in `symbol_texts`; `None` if no token has that name."""
    if config.units == "items":
        return _text_of_item(name)
    if _compares_names(config):
        return name.encode("utf-8", "surrogatepass")
    try:
        return from_stand_ins(name)
    except VocabularyError:
        return None


def _text_of_item(name: str) -> bytes:
    """The name of an item after a separator, so that texts can be laid end to end."""
    return (BETWEEN + name).encode("utf-8", "surrogatepass")


def symbol_texts(alphabet: Alphabet, config: TrainingConfig) -> list[bytes]:
    """The text of each symbol as tie rules compare it: its bytes, or its name if the rule compares
    strings.
    """
    if config.units == "items":
        return list(map(_text_of_item, alphabet.names))
    if _compares_names(config):
        return [name.encode("utf-8", "surrogatepass") for name in alphabet.names]
    prefix = (config.continuing or "").encode()
    mark = (config.word_end or "").encode()
    texts = []
    for content, starts, ends in zip(
        alphabet.contents, alphabet.starts_word, alphabet.ends_word, strict=True
    ):
        before = b"" if starts else prefix
        after = mark if ends else b""
        texts.append(before + content + after)
    return texts


def merged_texts(
    texts: Sequence[bytes], left: Int32Array, right: Int32Array, config: TrainingConfig
) -> list[bytes]:
    """The texts of the symbols and of the tokens that merges make of them, by id; see
    `symbol_texts`.
    """
    joined = list(texts)
    cut = len((config.continuing or "").encode())
    for a, c in zip(left.tolist(), right.tolist(), strict=True):
        joined.append(joined[a] + joined[c][cut:])
    return joined
