"""Refuses special tokens whose text merges could make, before training.

Hugging Face's trainer merges such a pair all the same, and the special token becomes a token of the
text. In a run each merge makes a token of its own, and two tokens with one text cannot be told
apart in any file. As in that trainer, the name of the token that merges would make decides, with
marks and byte stand-ins.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from bpe_studio.engine.arrays import Int32Array, Int64Array
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.text.alphabet import (
    CONTINUING,
    END_SYMBOL,
    ENDING,
    from_stand_ins,
    symbol_codes,
)
from bpe_studio.engine.text.outside_alphabet import UNKNOWN
from bpe_studio.engine.text.utf8 import to_bytes
from bpe_studio.engine.training.corpus_array import CorpusArray
from bpe_studio.engine.training.piece_rules import PieceTable
from bpe_studio.errors import ConfigError, VocabularyError


def check_special_tokens(layout: CorpusArray, config: TrainingConfig) -> None:
    """Refuses special tokens that merges could make from the words of a corpus.

    Raises:
        ConfigError: one occurs inside the words at least as often as a merge has to, or a
            continuing prefix cannot be cut from the unknown token.
    """
    if config.merges == 0:
        return
    if config.unknown in layout.alphabet.names:
        _check_cut(config.unknown or "", config.continuing or "")
    least = max(1, config.min_frequency)
    for special in config.all_special:
        for codes in _spellings(special, config):
            symbols = layout.alphabet.ids(codes)
            if _occurrences(layout, symbols) >= least and _can_make(layout, config, symbols):
                separately = ""
                if config.documents != "separator":
                    separately = ", or documents separator, which leaves it out"
                raise ConfigError(
                    f"The special token {special!r} occurs inside the words of the text, where"
                    f" merges could make it a second time; choose another text for it{separately}"
                )


def _check_cut(unknown: str, prefix: str) -> None:
    """Refuses an unknown token if cutting as many bytes as the prefix has would divide a character.

    A merge cuts the prefix from its right token, whatever that begins with.
    """
    if len(unknown[: len(prefix)].encode()) != len(prefix.encode()):
        raise ConfigError(
            f"The unknown token {unknown!r} cannot stand inside a word, because merges cut the"
            f" continuing prefix {prefix!r} from it; choose another one, such as [UNK]"
        )


def _spellings(name: str, config: TrainingConfig) -> Iterator[Int64Array]:
    """The codes of the symbols, two or more, of which merges can make a token of a name."""
    prefix = config.continuing
    mark = config.word_end
    starts = (True,) if prefix is None else (True, False)
    ends = (False,) if mark is None else (True, False)
    for at_start, at_end in product(starts, ends):
        text = name
        if not at_start:
            if not text.startswith(prefix or ""):
                continue
            text = text.removeprefix(prefix or "")
        if at_end:
            if not text.endswith(mark or ""):
                continue
            text = text.removesuffix(mark or "")
        if not text:
            continue
        try:
            content = from_stand_ins(text) if config.units == "bytes" else to_bytes(text)
        except VocabularyError:
            continue
        codes, _ = symbol_codes(
            np.frombuffer(content, np.uint8), np.array([0, len(content)]), config
        )
        if not at_start:
            codes[0] |= CONTINUING
        if not at_end:
            codes = codes[codes != END_SYMBOL] & ~ENDING
        if len(codes) > 1:
            yield codes


def _can_make(layout: CorpusArray, config: TrainingConfig, symbols: Int32Array) -> bool:
    """Whether the options allow a token of some symbols, and those on the way to it."""
    return PieceTable.of(layout, config).can_make(symbols.tolist())


def _occurrences(layout: CorpusArray, symbols: Int32Array) -> int:
    """The number of times that these symbols stand side by side in the words."""
    if symbols.min() == UNKNOWN:
        return 0
    places = np.flatnonzero(layout.symbols == symbols[0])
    for distance, symbol in enumerate(symbols[1:].tolist(), 1):
        # The last symbol of the corpus is the separator at its end.
        following = np.minimum(places + distance, len(layout.symbols) - 1)
        places = places[layout.symbols[following] == symbol]
    return int(layout.weights[layout.words_of(places)].sum())
