"""How often each token of an opened tokenizer occurs in the open corpus.

The distinct pre-tokens are counted once for each way of cutting the text: a tokenizer that cuts as the open run needs
no reading at all, and of several that cut alike the first one reads. A tokenizer of others encodes each distinct piece
once, if it is known where its pieces end. Only one of which this is not known is given the whole text.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING

from bpe_studio.engine.generators import relay
from bpe_studio.errors import BpeError, ConfigError, SourceError
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.held_out import KeptText
from bpe_studio.workspace.corpus.reading import check_has_text, count_request, request_bytes, source_of
from bpe_studio.workspace.corpus.text_files import text_files
from bpe_studio.workspace.state import CorpusInfo, Progress

if TYPE_CHECKING:
    from bpe_studio.engine.arrays import Int64Array
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.counting.corpus import Corpus
    from bpe_studio.engine.encoding.tokenizer import Tokenizer
    from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel

CHUNK_CHARACTERS = 1 << 13
"""As much as a library may encode in one go: it may keep the interpreter's lock, and the window waits."""
CHUNKS_AT_ONCE = 8
"""Each thread of a library encodes another."""


class Tables:
    """The corpora of one text, by how they are cut."""

    def __init__(self) -> None:
        self._corpora: list[Corpus] = []

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
    what = f"Counting the tokens of {name}"
    config, count = yield from _way_of_counting(backend, info, tokenizer, what)
    cut = None if config is None else _way_of_cutting(config, info.corpus.config)
    if cut is None:
        return (yield from _of_whole_text(backend, info, tokenizer, what))
    corpus = info.corpus if info.corpus.is_counted or cut.same_cut(info.corpus.config) else tables.find(cut)
    if corpus is None:
        check_has_text(info.request)
        read = yield from count_request(backend, info.request, cut)
        if info.checksum not in (None, read.checksum):
            raise SourceError(f"{info.name} has changed since it was opened: open it again to compare tokenizers on it")
        corpus = read.corpus
        tables.add(corpus)
    return (yield from relay(count(corpus), lambda share: Progress(what, round(100 * share), 100, "%")))


def _way_of_counting(
    backend: Backend, info: CorpusInfo, tokenizer: Tokenizer, what: str
) -> Generator[Progress, None, tuple[TrainingConfig | None, Callable[[Corpus], Generator[float, None, Int64Array]]]]:
    """The options that cut a text as a tokenizer does, None if they are not known, and what counts its pieces."""
    # Imported here, because nothing of this is needed before there are tokenizers to compare.
    from bpe_studio.engine.encoding.corpus_tokens import tokens_in_corpus
    from bpe_studio.files.foreign.piece_counting import config_for_counting, tokens_in_pieces
    from bpe_studio.files.foreign.tokenizer import ForeignTokenizer

    model = _model_of(tokenizer)
    if model is not None:
        return None if model.replacements else model.config, partial(tokens_in_corpus, tokenizer)
    if not isinstance(tokenizer, ForeignTokenizer) or info.corpus.is_counted:
        return None, partial(tokens_in_corpus, tokenizer)
    check_has_text(info.request)
    yield Progress(what, 0, 100, "%")
    sample = next(_chunks(_contents(backend, info)), "")
    return config_for_counting(tokenizer, sample), partial(tokens_in_pieces, tokenizer)


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
    chunks = _chunks(_contents(backend, info))
    while texts := list(islice(chunks, CHUNKS_AT_ONCE)):
        for ids in tokenizer.encode_many(texts):
            np.add.at(found, ids, 1)
        done += sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
        yield Progress(what, min(done, total), total, "bytes")
    return found


def _contents(backend: Backend, info: CorpusInfo) -> Iterator[str]:
    """The text of a corpus in pieces, without the part that is held out."""
    request = info.request
    kept = KeptText(request.held_out, request_bytes(request)) if request.held_out else None
    documents: Iterator[Iterator[str | bytes]] = (
        iter([iter([request.text])])
        if request.text is not None
        else (iter(source_of(backend, file, request.reading).contents()) for file in text_files(request))
    )
    for document in documents:
        for content in document if kept is None else kept.document(document):
            yield content if isinstance(content, str) else content.decode("utf-8", "replace")


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
