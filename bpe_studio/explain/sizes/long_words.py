"""The longest words of a corpus or a text, each encoded once, and their tokens at each size.

A word here is a pre-token. Its tokens at a size are one comparison with its gap ranks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bpe_studio.explain.names import display_name, display_token
from bpe_studio.explain.wording import times

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.text_gaps import TextGaps
    from bpe_studio.engine.run import Run

MOST_SYMBOLS = 300
"""How many symbols of a word are cut; a word may be as long as the text."""


@dataclass(frozen=True, eq=False)
class LongWord:
    """A word with its gap ranks.

    Attributes:
        text: the word.
        note: how often it occurs, in words.
        gaps: its symbols and gap ranks.
        word: its number in the corpus; -1 for a word of the text.
        content: its bytes, with a space for the mark at which a word begins.
    """

    text: str
    note: str
    gaps: TextGaps
    word: int = -1
    content: bytes = b""


class WordCut(NamedTuple):
    """A word at one size.

    Attributes:
        names: its tokens as they are shown; for a long word the first ones, and an ellipsis.
        highlighted: the indices of those that the reference does not have.
        n_tokens: the number of all its tokens.
        tokens: the ids of the shown tokens, without the ellipsis.
    """

    names: tuple[str, ...]
    highlighted: frozenset[int]
    n_tokens: int
    tokens: tuple[int, ...] = ()


def longest_of_corpus(run: Run, n: int) -> list[LongWord]:
    """The longest words of a run's corpus, encoded; may run in the thread pool."""
    from bpe_studio.engine.analysis.size_measures import longest_words
    from bpe_studio.engine.encoding.text_gaps import TextGaps

    words = []
    for word in longest_words(run, n).tolist():
        start, stop = int(run.layout.word_starts[word]), int(run.layout.word_starts[word + 1]) - 1
        count = int(run.corpus.counts[word])
        words.append(
            LongWord(
                display_token(run.corpus.pre_token_bytes(word)),
                f"occurs {times(count)} in the corpus",
                TextGaps(run.layout.symbols[start:stop], run.gaps[start:stop], run.n_alphabet),
                word,
                _content(run, run.corpus.pre_token_bytes(word)),
            )
        )
    return words


def longest_of_text(run: Run, text: str, n: int) -> list[LongWord]:
    """The longest distinct words of a text, encoded with the run; may run in the thread pool."""
    from bpe_studio.engine.counting.plain_counting import to_bytes
    from bpe_studio.engine.encoding.text_gaps import TextGaps
    from bpe_studio.engine.text.normalization import normalize
    from bpe_studio.engine.text.pretokenization import spans

    config = run.config
    source = normalize(text, config.normalize) if config.normalize else text
    segmenter = run.new_segmenter()
    counts: dict[str, int] = {}
    for start, end in spans(source, config.split):
        piece = segmenter.piece(source, start, end)
        counts[piece] = counts.get(piece, 0) + 1
    longest = sorted(counts, key=lambda piece: (-len(piece), -counts[piece]))[:n]
    segmenter.refresh()
    words = []
    for piece in longest:
        word, count = segmenter.word(piece), counts[piece]
        note = f"occurs {times(count)} in the compared text"
        gaps = TextGaps(word.symbols, word.gaps, run.n_alphabet)
        words.append(LongWord(display_token(to_bytes(piece)), note, gaps, content=_content(run, to_bytes(piece))))
    return words


def _content(run: Run, piece: bytes) -> bytes:
    return piece.replace("▁".encode(), b" ") if run.config.split == "sentencepiece" else piece


def cut_word(run: Run, word: LongWord, step: int, reference: int) -> WordCut:
    """The tokens of a word at a step, compared with those at the reference step."""
    import numpy as np

    gaps = word.gaps
    n_tokens = int(np.count_nonzero(gaps.opens(step)))
    head = type(gaps)(gaps.symbols[:MOST_SYMBOLS], gaps.gaps[:MOST_SYMBOLS], gaps.n_alphabet)
    tokens = tuple(head.ids(step).tolist())
    names = tuple(display_name(run, token) for token in tokens)
    highlighted: frozenset[int] = frozenset()
    if step != reference:
        others = set(_edges(head, reference))
        highlighted = frozenset(k for k, edges in enumerate(_edges(head, step)) if edges not in others)
    return WordCut(names + (("…",) if len(names) < n_tokens else ()), highlighted, n_tokens, tokens)


def _edges(gaps: TextGaps, step: int) -> list[tuple[int, int]]:
    """The start and the end of each token, in symbols."""
    import numpy as np

    firsts = [*np.flatnonzero(gaps.opens(step)).tolist(), len(gaps)]
    return list(zip(firsts[:-1], firsts[1:], strict=True))
