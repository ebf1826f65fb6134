"""The longest words of a corpus or a text, each encoded once, and their tokens under each subject.

A word here is a pre-token. Its tokens at a size are one comparison with its gap ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bpe_studio.errors import BpeError
from bpe_studio.explain.comparison.subjects import LiveTexts, Subject, byte_places
from bpe_studio.explain.names import display_name, display_token
from bpe_studio.explain.wording import times

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.text_gaps import TextGaps
    from bpe_studio.engine.run import Run
    from bpe_studio.explain.comparison.subjects import IntArray

MOST_SYMBOLS = 300
"""How many symbols of a word are shown."""
MOST_BYTES = 10_000
"""Of a longer word, which without a split may be the whole text, its beginning stands for it: others encode it too."""


@dataclass(frozen=True, eq=False)
class LongWord:
    """A word with its gap ranks.

    Attributes:
        text: the word.
        note: how often it occurs, in words.
        gaps: its symbols and gap ranks.
        word: its number in the corpus; -1 for a word of the text.
        content: its bytes, with a space for the mark at which a word begins.
        places: (n + 1,) int64, where each symbol begins in `content`, and the end; a symbol that is no part of the text
            is behind it. None where the symbols are not those of the content.
    """

    text: str
    note: str
    gaps: TextGaps
    word: int = -1
    content: bytes = b""
    places: IntArray | None = None


class WordCut(NamedTuple):
    """A word at one size.

    Attributes:
        names: its tokens as they are shown; for a long word the first ones, and an ellipsis.
        n_tokens: the number of all its tokens.
        edges: the start and the end of each shown token, in bytes of the word; empty if they are not known.
        tokens: the ids of the shown tokens of the open run, without the ellipsis; empty for another run.
    """

    names: tuple[str, ...]
    n_tokens: int
    edges: tuple[tuple[int, int], ...]
    tokens: tuple[int, ...] = ()

    def differing(self, reference: WordCut, n_bytes: int | None) -> frozenset[int]:
        """The indices of the tokens that the reference does not have at the same place.

        Args:
            reference: the same word in another cut.
            n_bytes: the size of the word, if only one of the two ends words with a mark; None if both are of one run.
        """
        if not self.edges or not reference.edges:
            return frozenset()

        def limited(edges: tuple[int, int]) -> tuple[int, int]:
            return edges if n_bytes is None else (min(edges[0], n_bytes), min(edges[1], n_bytes))

        theirs = set(map(limited, reference.edges))
        is_whole = len(reference.edges) == reference.n_tokens
        end = reference.edges[-1][1]
        return frozenset(
            k for k, edges in enumerate(self.edges) if limited(edges) not in theirs and (is_whole or edges[1] <= end)
        )


def longest_of_corpus(run: Run, n: int) -> list[LongWord]:
    """The longest words of a run's corpus, encoded; may run in the thread pool."""
    from bpe_studio.engine.analysis.size_measures import longest_words
    from bpe_studio.engine.encoding.text_gaps import TextGaps

    words = []
    for word in longest_words(run, n).tolist():
        start, stop = int(run.layout.word_starts[word]), int(run.layout.word_starts[word + 1]) - 1
        count, whole = int(run.corpus.counts[word]), run.corpus.pre_token_bytes(word)
        piece, note = _beginning(whole), f"occurs {times(count)} in the corpus"
        if len(piece) < len(whole):
            stop = start + len(piece if run.config.units == "bytes" else piece.decode("utf-8", "replace"))
            note += "; its beginning is compared"
        gaps = TextGaps(run.layout.symbols[start:stop], run.gaps[start:stop], run.n_alphabet)
        content = _content(run, piece)
        words.append(LongWord(display_token(piece), note, gaps, word, content, _places(run, content, gaps)))
    return words


def _beginning(word: bytes) -> bytes:
    end = min(len(word), MOST_BYTES)
    while end < len(word) and word[end] & 0xC0 == 0x80:  # inside a character
        end -= 1
    return word[:end]


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
    for start, end in spans(source, config.cutting):
        piece = segmenter.piece(source, start, end)
        counts[piece] = counts.get(piece, 0) + 1
    longest = sorted(counts, key=lambda piece: (-len(piece), -counts[piece]))[:n]
    segmenter.refresh()
    words = []
    for piece in longest:
        word, count = segmenter.word(piece), counts[piece]
        note = f"occurs {times(count)} in the compared text"
        gaps = TextGaps(word.symbols, word.gaps, run.n_alphabet)
        content = _content(run, to_bytes(piece))
        places = _places(run, content, gaps)
        words.append(LongWord(display_token(to_bytes(piece)), note, gaps, content=content, places=places))
    return words


def _content(run: Run, piece: bytes) -> bytes:
    return piece.replace("▁".encode(), b" ") if run.config.split == "sentencepiece" else piece


def _places(run: Run, content: bytes, gaps: TextGaps) -> IntArray | None:
    import numpy as np

    places = np.arange(len(content) + 1, dtype=np.int64)
    if run.config.units == "characters":
        places = byte_places(content)
    n_marks = len(gaps) + 1 - len(places)
    return None if n_marks not in (0, 1) else np.append(places, places[-1] + np.arange(1, n_marks + 1))


def cut_word(run: Run, word: LongWord, step: int) -> WordCut:
    """The tokens of a word at a step."""
    import numpy as np

    gaps = word.gaps
    n_tokens = int(np.count_nonzero(gaps.opens(step)))
    head = type(gaps)(gaps.symbols[:MOST_SYMBOLS], gaps.gaps[:MOST_SYMBOLS], gaps.n_alphabet)
    tokens = tuple(head.ids(step).tolist())
    names = tuple(display_name(run, token) for token in tokens)
    places = np.arange(len(head) + 1) if word.places is None else word.places
    firsts = places[[*np.flatnonzero(head.opens(step)).tolist(), len(head)]].tolist()
    edges = tuple(zip(firsts[:-1], firsts[1:], strict=True))
    return WordCut(names + (("…",) if len(names) < n_tokens else ()), n_tokens, edges, tokens)


def cut_words(subject: Subject, words: Sequence[LongWord], lives: LiveTexts) -> list[WordCut]:
    """The words as another run or a tokenizer cuts them."""
    return [_cut_by(subject, word, lives) for word in words]


def _cut_by(subject: Subject, word: LongWord, lives: LiveTexts) -> WordCut:
    import numpy as np

    contents: list[bytes] = []
    starts = ends = np.zeros(0)
    try:
        ids, _, drawn = subject.cut(word.content.decode("utf-8", "replace"), lives)
        contents = [b"" if token < 0 else subject.content(token) for token in ids.tolist()]
        starts, ends = drawn.starts, drawn.ends
    except BpeError:
        pass  # it has no token for a part of the word
    names = tuple(display_token(content) if content else "?" for content in contents[:MOST_SYMBOLS])
    more = ("…",) if len(contents) > len(names) else ()
    # Places are characters and their parts; the word is compared in bytes.
    places = byte_places(word.content)
    is_text = int(places[-1]) == len(word.content)
    shown = np.stack([starts, ends])[:, : len(names) if is_text else 0]
    edges = np.rint(np.interp(shown, np.arange(len(places)), places)).astype(int)
    return WordCut(names + more, len(contents), tuple(zip(*edges.tolist(), strict=True)))
