"""Special tokens whose text merges could make, which are refused before training.

Hugging Face's trainer merges such a pair all the same, and the special token becomes a token of the text. In a run each
merge makes a token of its own, and two tokens with one text cannot be told apart in any file. What decides is the name
of the token that merges would make, marks and byte stand-ins included, as it decides in that trainer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.text.alphabet import from_stand_ins
from bpe_studio.engine.text.pretokenization import WORD_START
from bpe_studio.engine.text.unicode_scripts import ANY, script_of
from bpe_studio.engine.text.utf8 import to_bytes
from bpe_studio.errors import ConfigError, VocabularyError


def check_special_tokens(corpus: Corpus, config: TrainingConfig) -> None:
    """Refuses special tokens that merges could make from the words of a corpus.

    Raises:
        ConfigError: one occurs inside the words at least as often as a merge has to.
    """
    if config.merges == 0:
        return
    least, content = max(1, config.min_frequency), b""
    for special in config.all_special:
        for spelling in _spellings(special, config):
            content = content or corpus.blob.tobytes()
            n = _occurrences(spelling, content, corpus, least)
            if n >= least:
                separately = "" if config.documents == "separator" else ", or documents separator, which leaves it out"
                raise ConfigError(
                    f"The special token {special!r} occurs inside the words of the text, where merges could make it a "
                    f"second time; choose another text for it{separately}"
                )


@dataclass(frozen=True)
class _Spelling:
    """Bytes of a word that would make a token of a name, if they were merged.

    Attributes:
        content: the bytes.
        at_start: whether they have to begin a word, or must not; `None` where it does not matter.
        at_end: the same of its end.
    """

    content: bytes
    at_start: bool | None
    at_end: bool | None


def _spellings(name: str, config: TrainingConfig) -> Iterator[_Spelling]:
    """The ways in which merges of two symbols or more can make a token of a name."""
    prefix, mark = config.continuing, config.word_end
    is_own = config.word_end_as == "own-symbol"
    for at_start in (None,) if prefix is None else (True, False):
        for at_end in (None,) if mark is None else (True, False):
            text = name
            if prefix is not None and at_start is False:
                if not text.startswith(prefix):
                    continue
                text = text.removeprefix(prefix)
            if mark is not None and at_end:
                if not text.endswith(mark):
                    continue
                text = text.removesuffix(mark)
            if len(text) + (is_own and bool(at_end)) < 2 or not _is_piece(text, config):
                continue
            try:
                content = from_stand_ins(text) if config.units == "bytes" else to_bytes(text)
            except VocabularyError:
                continue
            yield _Spelling(content, at_start, None if is_own and not at_end else at_end)


def _is_piece(text: str, config: TrainingConfig) -> bool:
    """Whether the options allow such a token."""
    if 0 < config.most_symbols < len(text):
        return False
    if config.split != "sentencepiece" or config.units == "bytes":
        return True
    scripts = {script_of(char) for char in text if char != WORD_START} - {ANY}
    return len(scripts) <= 1


def _occurrences(spelling: _Spelling, content: bytes, corpus: Corpus, enough: int) -> int:
    """How often the words hold a spelling, counted up to a number that is enough."""
    offsets, counts = corpus.offsets, corpus.counts
    n, place, length = 0, -1, len(spelling.content)
    while n < enough and (place := content.find(spelling.content, place + 1)) >= 0:
        word = int(np.searchsorted(offsets, place, "right")) - 1
        is_inside = place + length <= offsets[word + 1]
        starts, ends = place == offsets[word], place + length == offsets[word + 1]
        fits = spelling.at_start in (None, starts) and spelling.at_end in (None, ends)
        n += int(counts[word]) if is_inside and fits else 0
    return n
