"""What is compared besides the sizes of the open run: other runs of its text, and tokenizers that were opened.

Each gives the same measures of the compared text and of the corpus as a size does, the text as it cuts it, and its
words. Everything here may take long for a large text or vocabulary and belongs into the thread pool; `OthersCounter`
keeps what can be used again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from bpe_studio.errors import BpeError
from bpe_studio.explain.cut_text import CutText, token_tip
from bpe_studio.explain.names import display_token
from bpe_studio.explain.sizes.comparison import MOST_DRAWN
from bpe_studio.explain.sizes.long_words import MOST_SYMBOLS, LongWord, WordCut, byte_places
from bpe_studio.explain.sizes.measures import SizeMeasures, TextCounts, UseOfVocabulary
from bpe_studio.explain.wording import number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bpe_studio.engine.encoding.segmentation import Segmenter
    from bpe_studio.engine.encoding.tokenizer import Tokenizer
    from bpe_studio.engine.run import Run

    FloatArray = NDArray[np.float64]
    IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class OtherRun:
    """Another run of the open text.

    Attributes:
        number: the number of the run entry.
        name: its name.
        run: the run.
        step: how many merges apply; the last one that it has.
    """

    number: int
    name: str
    run: Run
    step: int

    @property
    def key(self) -> str:
        """What identifies it among all that is compared."""
        return f"run {self.number}"

    def tip(self) -> str:
        """What it is."""
        return f"Run {self.name}: vocabulary {number(vocab_size_of(self))}"


@dataclass(frozen=True, eq=False)
class OtherTokenizer:
    """A tokenizer that was opened to be compared.

    Attributes:
        number: a number of its own.
        name: the name of its file or folder.
        tokenizer: the tokenizer.
        counts: (n,) int64, how often each id occurs in the open corpus; None if that is not counted.
        why_not: why it is not counted, as a sentence; "" if it is, or while it is being counted.
        remark: how it was counted, as a sentence, if not in the usual way.
    """

    number: int
    name: str
    tokenizer: Tokenizer
    counts: IntArray | None = None
    why_not: str = ""
    remark: str = ""

    @property
    def key(self) -> str:
        """What identifies it among all that is compared."""
        return f"tokenizer {self.number}"

    def tip(self) -> str:
        """What it is, and why it is not counted, or how."""
        what = f"Tokenizer {self.name} ({self.tokenizer.kind}): vocabulary {number(vocab_size_of(self))}"
        return "\n".join(filter(None, (what, self.why_not or self.remark)))


Other = OtherRun | OtherTokenizer


def vocab_size_of(other: Other) -> int:
    """The size of its vocabulary."""
    return int(other.run.vocab_size_at(other.step)) if isinstance(other, OtherRun) else other.tokenizer.vocab_size


@dataclass(frozen=True, eq=False)
class OtherResult:
    """What is shown of one of them.

    Attributes:
        other: which one.
        row: its measures.
        use: how much of its vocabulary is used; None if the text cannot be encoded.
        content: the compared text as it cuts it, without marks; None if it cannot be encoded.
        why_not: why the text cannot be encoded, or the corpus is not counted; or "".
    """

    other: Other
    row: SizeMeasures
    use: UseOfVocabulary | None
    content: CutText | None
    why_not: str = ""


@dataclass
class OthersCounter:
    """Measures; segmenters and vocabularies are kept from one call to the next."""

    _segmenters: dict[int, Segmenter] = field(default_factory=dict)
    _contents: dict[int, tuple[object, list[bytes]]] = field(default_factory=dict)
    _vocabularies: dict[int, tuple[Tokenizer, frozenset[bytes]]] = field(default_factory=dict)

    def measure(self, others: Sequence[Other], text: str, counts: TextCounts, rare: int) -> list[OtherResult]:
        """The measures of each, and the text as it cuts it.

        Args:
            others: what is compared.
            text: the compared text.
            counts: the sizes of the text and of the corpus.
            rare: a token that occurs fewer times than this in the corpus is rare.
        """
        return [
            self._of_run(other, text, counts, rare)
            if isinstance(other, OtherRun)
            else _of_tokenizer(other, text, counts, rare)
            for other in others
        ]

    def shared(self, run: Run, steps: Sequence[int], others: Sequence[Other], reference: int) -> list[int]:
        """How many tokens each has that the reference has too, by the bytes that they stand for.

        Args:
            run: the open run.
            steps: its compared sizes.
            others: what is compared besides.
            reference: which is the reference, counted through the sizes and then the others.
        """
        import numpy as np

        if reference < len(steps):
            own = frozenset(self._of_run_at(run, steps[reference]))
        else:
            own = self._vocabulary(others[reference - len(steps)])
        is_shared = [content in own for content in self._of_run_at(run, max(steps))]
        up_to = np.cumsum([0, *is_shared])
        of_sizes = [int(up_to[run.n_alphabet + step]) for step in steps]
        return of_sizes + [len(own & self._vocabulary(other)) for other in others]

    def words(self, others: Sequence[Other], words: Sequence[LongWord]) -> dict[str, list[WordCut]]:
        """The words as each cuts them, by its key."""
        return {other.key: [self._cut_word(other, word) for word in words] for other in others}

    def _cut_word(self, other: Other, word: LongWord) -> WordCut:
        import numpy as np

        text = word.content.decode("utf-8", "replace")
        contents: list[bytes] = []
        starts = ends = np.zeros(0)
        try:
            if isinstance(other, OtherRun):
                ids, starts, ends = self._tokens(other, text)
                contents = [b"" if token < 0 else other.run.token_content(token) for token in ids.tolist()]
            else:
                encoded = other.tokenizer.encode(text)
                contents = [other.tokenizer.content(token) for token in encoded.ids]
                starts, ends = _places(encoded.offsets, encoded.ids, other.tokenizer, text)
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

    def _of_run(self, other: OtherRun, text: str, counts: TextCounts, rare: int) -> OtherResult:
        import numpy as np

        from bpe_studio.engine.analysis.size_measures import measure_corpus, vocabulary_use
        from bpe_studio.engine.encoding.editable_text import EditableText, TokenSpans

        run, step = other.run, other.step
        own = measure_corpus(run, [step], rare)[0]
        live = EditableText(self._segmenter(run))
        live.set_text(text)
        n_tokens = int(live.n_tokens(step))
        whole: TokenSpans = live.tokens(step, 0, len(text))
        of_text = vocabulary_use(np.bincount(whole.ids[whole.ids >= 0], minlength=run.n_alphabet + step))
        drawn = min(len(text), MOST_DRAWN)
        span = live.tokens(step, 0, drawn)
        row = SizeMeasures(
            step, False, own.vocab_size, n_tokens, own.n_tokens, counts.for_corpus(run), other.name, other.key
        )
        use = UseOfVocabulary(
            step, of_text.n_unused, of_text.working_share, own.n_unused, own.n_rare, own.working_share
        )
        none = np.zeros(0)
        content = CutText(
            text[:drawn], span.starts, span.ends, span.ids < 0, partial(token_tip, run, span, step), none, none, run,
            span.ids,
        )  # fmt: skip
        return OtherResult(other, row, use, content)

    def _segmenter(self, run: Run) -> Segmenter:
        """A segmenter for the pool: the run's own belongs to the window's thread."""
        found = self._segmenters.get(id(run.columns))
        if found is None or found.columns is not run.columns:
            found = self._segmenters[id(run.columns)] = run.new_segmenter()
        return found

    def _tokens(self, other: OtherRun, text: str) -> tuple[IntArray, FloatArray, FloatArray]:
        from bpe_studio.engine.encoding.editable_text import EditableText

        live = EditableText(self._segmenter(other.run))
        live.set_text(text)
        span = live.tokens(other.step, 0, len(text))
        return span.ids, span.starts, span.ends

    def _vocabulary(self, other: Other) -> frozenset[bytes]:
        if isinstance(other, OtherRun):
            return frozenset(self._of_run_at(other.run, other.step))
        tokenizer = other.tokenizer
        if id(tokenizer) not in self._vocabularies:
            special = set(tokenizer.special_ids.values())
            contents = frozenset(tokenizer.content(token) for token in tokenizer.tokens if token not in special)
            self._vocabularies[id(tokenizer)] = tokenizer, contents
        return self._vocabularies[id(tokenizer)][1]

    def _of_run_at(self, run: Run, step: int) -> list[bytes]:
        """The content of each token of a run at a step."""
        holder, contents = self._contents.get(id(run.columns), (None, []))
        if holder is not run.columns:
            contents = []
            self._contents[id(run.columns)] = run.columns, contents
        n_tokens = run.n_alphabet + step
        contents += [run.token_content(token) for token in range(len(contents), n_tokens)]
        return contents[:n_tokens]

    def forget(self) -> None:
        """Drop what is kept, as when another text is opened."""
        self._segmenters, self._contents, self._vocabularies = {}, {}, {}


def _of_tokenizer(other: OtherTokenizer, text: str, counts: TextCounts, rare: int) -> OtherResult:
    import numpy as np

    from bpe_studio.engine.analysis.size_measures import vocabulary_use

    tokenizer = other.tokenizer
    special = set(tokenizer.special_ids.values())
    numbers = np.array([token for token in tokenizer.tokens if token not in special], np.int64)
    highest = int(numbers.max(initial=-1)) + 1
    n_corpus: int | None = None
    unused, n_rare, working = None, None, None
    if other.counts is not None:
        n_corpus = int(other.counts.sum())
        of_corpus = vocabulary_use(_counts_of(other.counts, numbers, highest), rare)
        unused, n_rare, working = of_corpus.n_unused, of_corpus.n_rare, of_corpus.working_share
    try:
        encoded = tokenizer.encode(text)
    except BpeError as error:
        row = SizeMeasures(-1, False, tokenizer.vocab_size, None, n_corpus, counts, other.name, other.key)
        use = UseOfVocabulary(-1, None, None, unused, n_rare, working)
        return OtherResult(other, row, use, None, str(error))
    ids = np.array(encoded.ids, np.int64)
    of_text = vocabulary_use(_counts_of(np.bincount(ids, minlength=1), numbers, highest))
    row = SizeMeasures(-1, False, tokenizer.vocab_size, len(ids), n_corpus, counts, other.name, other.key)
    use = UseOfVocabulary(-1, of_text.n_unused, of_text.working_share, unused, n_rare, working)
    return OtherResult(other, row, use, _content(tokenizer, text, ids, encoded.offsets), other.why_not)


def _counts_of(counts: IntArray, numbers: IntArray, highest: int) -> IntArray:
    """The counts of these ids, of (n,) counts by id that may end before the highest."""
    import numpy as np

    filled = np.zeros(max(highest, len(counts)), np.int64)
    filled[: len(counts)] = counts
    return filled[numbers]


def _content(tokenizer: Tokenizer, text: str, ids: IntArray, offsets: Sequence[tuple[int, int]]) -> CutText:
    import numpy as np

    drawn = min(len(text), MOST_DRAWN)
    kept = [place for place, (start, _) in enumerate(offsets) if start < drawn]
    starts, ends = _places([offsets[place] for place in kept], [int(ids[place]) for place in kept], tokenizer, text)
    found = ids[: len(kept)]
    unknown = -1 if tokenizer.unknown_id is None else tokenizer.unknown_id
    none = np.zeros(0)
    tip = partial(_tip, tokenizer, found)
    return CutText(text[:drawn], starts, np.minimum(ends, drawn), found == unknown, tip, none, none, None, found)


def _places(
    offsets: Sequence[tuple[int, int]], ids: Sequence[int], tokenizer: Tokenizer, text: str
) -> tuple[FloatArray, FloatArray]:
    """The places of tokens as fractions: offsets are whole characters, of which several tokens may have parts."""
    import numpy as np

    starts, ends = (np.array([each[side] for each in offsets], np.float64) for side in (0, 1))
    place = 0
    while place < len(offsets):
        last = place
        # Tokens that end inside a character overlap the next one by that character.
        while last + 1 < len(offsets) and offsets[last + 1][0] < offsets[last][1]:
            last += 1
        if last > place:
            first, end = int(starts[place]), int(max(ends[place : last + 1]))
            sizes = [max(1, len(tokenizer.content(token))) for token in ids[place : last + 1]]
            # A token's share is one of bytes, of which the characters have different numbers.
            in_bytes = byte_places(text[first:end].encode("utf-8", "replace"))
            shares = in_bytes[-1] * np.cumsum([0, *sizes]) / sum(sizes)
            edges = first + np.interp(shares, in_bytes, np.arange(len(in_bytes)))
            starts[place : last + 1], ends[place : last + 1] = edges[:-1], edges[1:]
        place = last + 1
    return starts, ends


def _tip(tokenizer: Tokenizer, ids: IntArray, k: int) -> str:
    token = int(ids[k])
    return f"{display_token(tokenizer.content(token))}\nid {number(token)}"


def by_key(results: Sequence[OtherResult]) -> Mapping[str, OtherResult]:
    """The results by the keys of what they are of."""
    return {result.other.key: result for result in results}
