"""How often each token of an opened tokenizer occurs in the open corpus.

The distinct pre-tokens are counted once for each way of cutting the text: a tokenizer that cuts as the open run needs
no reading at all, and of several that cut alike the first one reads. A tokenizer of others encodes each distinct piece
once, if it is known where its pieces end. Only one of which this is not known is given the whole text.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING

from bpe_studio.engine.generators import relay
from bpe_studio.errors import BpeError, ConfigError, SourceError
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.raw_facts import RawFacts, contents_of
from bpe_studio.workspace.corpus.reading import check_has_text, count_request, request_bytes
from bpe_studio.workspace.state import CorpusInfo, Progress

if TYPE_CHECKING:
    from bpe_studio.engine.arrays import Int64Array
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.counting.corpus import Corpus
    from bpe_studio.engine.encoding.tokenizer import Tokenizer
    from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
    from bpe_studio.files.foreign.tokenizer import ForeignTokenizer

CHUNK_CHARACTERS = 1 << 13
"""As much as a library may encode in one go: it may keep the interpreter's lock, and the window waits."""
CHUNKS_AT_ONCE = 8
"""Each thread of a library encodes another."""
LINES_AT_ONCE = 1_000


class Tables:
    """The corpora of one text, by how they are cut, and what is known of the text itself."""

    def __init__(self) -> None:
        self._corpora: list[Corpus] = []
        self._facts: RawFacts | None = None

    def facts(self, backend: Backend, info: CorpusInfo) -> RawFacts:
        """What is known of the text, which is the same at each call."""
        self._facts = self._facts or RawFacts(backend, info)
        return self._facts

    def add(self, corpus: Corpus) -> None:
        """Keep a corpus."""
        self._corpora.append(corpus)

    def find(self, config: TrainingConfig) -> Corpus | None:
        """The corpus that these options would cut; None if there is none yet."""
        return next((each for each in self._corpora if config.same_cut(each.config)), None)


def count_tokens(
    backend: Backend, info: CorpusInfo, tokenizer: Tokenizer, name: str, tables: Tables
) -> Generator[Progress, None, Int64Array]:
    """Counts the tokens of the open corpus under a tokenizer.

    Args:
        backend: the engine and the file layer.
        info: the open corpus.
        tokenizer: the tokenizer.
        name: its name, for the progress.
        tables: the corpora of this text that are known; a new one is added.

    Returns:
        (n,) int64, the count of each id.

    Raises:
        BpeError: the text cannot be read again or has changed, or the tokenizer cannot encode it.
    """
    # Imported here, because nothing of this is needed before there are tokenizers to compare.
    from bpe_studio.engine.encoding.corpus_tokens import tokens_in_corpus
    from bpe_studio.files.foreign.tokenizer import ForeignTokenizer

    what = f"Counting the tokens of {name}"
    if isinstance(tokenizer, ForeignTokenizer) and not info.corpus.is_counted:
        found = yield from _by_its_pieces(backend, info, tokenizer, what, tables)
        return (yield from _of_whole_text(backend, info, tokenizer, what)) if found is None else found
    model = _model_of(tokenizer)
    cut = None if model is None or model.replacements else _way_of_cutting(model.config, info.corpus.config)
    if cut is None:
        return (yield from _of_whole_text(backend, info, tokenizer, what))
    corpus = yield from _cut(backend, info, cut, tables)
    return (yield from _shown(tokens_in_corpus(tokenizer, corpus), what))


def _by_its_pieces(
    backend: Backend, info: CorpusInfo, tokenizer: ForeignTokenizer, what: str, tables: Tables
) -> Generator[Progress, None, Int64Array | None]:
    """The counts by distinct pieces; `None` if these would not be known to be those of the text."""
    from bpe_studio.files.foreign import piece_counting

    check_has_text(info.request)
    yield Progress(what, 0, 100, "%")
    cutting = piece_counting.cutting_for_counting(tokenizer)
    if cutting is None:
        return None
    cut = _way_of_cutting(piece_counting.config_for_counting(cutting), info.corpus.config)
    if cut is None or (cutting.prefix and cut.documents == "separator"):
        return None
    facts: RawFacts = tables.facts(backend, info)
    if cutting.normalize or cutting.absent:
        characters = yield from facts.characters(what)
        if cutting.normalize and cutting.normalized_otherwise(characters):
            return None
        if (yield from facts.holds_any(cutting.absent, what)):
            return None
    corpus = yield from _cut(backend, info, cut, tables)
    if not piece_counting.is_exact(tokenizer, cutting, corpus, facts.sample()):
        return None
    beginnings = (yield from facts.beginnings(cut.documents, what)) if cutting.prefix else {}
    return (yield from _shown(piece_counting.tokens_in_pieces(tokenizer, cutting, corpus, beginnings), what))


def _cut(backend: Backend, info: CorpusInfo, cut: TrainingConfig, tables: Tables) -> Generator[Progress, None, Corpus]:
    """The open corpus, cut in some way."""
    corpus = info.corpus if info.corpus.is_counted or cut.same_cut(info.corpus.config) else tables.find(cut)
    if corpus is None:
        check_has_text(info.request)
        read = yield from count_request(backend, info.request, cut)
        if info.checksum not in (None, read.checksum):
            raise SourceError(f"{info.name} has changed since it was opened: open it again to compare tokenizers on it")
        corpus = read.corpus
        tables.add(corpus)
    return corpus


def _shown(work: Generator[float, None, Int64Array], what: str) -> Generator[Progress, None, Int64Array]:
    return (yield from relay(work, lambda share: Progress(what, round(100 * share), 100, "%")))


def _model_of(tokenizer: Tokenizer) -> TokenizerModel | None:
    """A tokenizer as data; None for one whose rules are its library's alone."""
    try:
        return tokenizer.model
    except BpeError:
        return None


def _way_of_cutting(own: TrainingConfig, config: TrainingConfig) -> TrainingConfig | None:
    """The options of a tokenizer, for a text that is read as the open corpus is: in lines, or whole."""
    try:
        return own.replace(
            documents=config.documents, special=config.special if config.documents == "separator" else (), force=(),
            forbid=(),
        )  # fmt: skip
    except ConfigError:
        return None


def _of_whole_text(
    backend: Backend, info: CorpusInfo, tokenizer: Tokenizer, what: str
) -> Generator[Progress, None, Int64Array]:
    import numpy as np

    check_has_text(info.request)
    found = np.zeros(max(tokenizer.tokens, default=0) + 1, np.int64)
    total, done = request_bytes(info.request), 0
    contents = (content.decode("utf-8", "replace") for content in contents_of(backend, info))
    chunks, n_at_once = _chunks(contents), CHUNKS_AT_ONCE
    if info.corpus.config.documents == "line":
        chunks = chain.from_iterable(map(_lines, chunks))
        n_at_once = LINES_AT_ONCE
    while texts := list(islice(chunks, n_at_once)):
        for ids in tokenizer.encode_many(texts):
            np.add.at(found, ids, 1)
        done += sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
        yield Progress(what, min(done, total), total, "bytes")
    return found


def _lines(text: str) -> list[str]:
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _chunks(contents: Iterator[str]) -> Iterator[str]:
    """The text in larger pieces that end with a line, or where a word begins."""
    rest = ""
    for content in chain(contents, [None]):
        if content is None:
            if rest:
                yield rest
            return
        rest += content
        while len(rest) >= 2 * CHUNK_CHARACTERS:
            end = rest.rfind("\n", 0, CHUNK_CHARACTERS) + 1 or rest.rfind(" ", 1, CHUNK_CHARACTERS)
            end = end if end > 0 else CHUNK_CHARACTERS
            yield rest[:end]
            rest = rest[end:]
