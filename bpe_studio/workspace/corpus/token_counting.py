"""Counts each token of an opened tokenizer in the open corpus.

The distinct pre-tokens are counted once for each way of cutting the text. A tokenizer that cuts as
the open run does needs no reading at all; of several that cut alike, the first one reads the text.
A third-party tokenizer encodes each distinct piece once, if it is known where its pieces end.
Otherwise, it encodes the whole text, in parts that are cut where this changes nothing. So does any
tokenizer that has a special token which the text holds.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from bpe_studio.engine.generators import relay
from bpe_studio.errors import BpeError, ConfigError, SourceError
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.raw_facts import RawFacts, documents_of_request
from bpe_studio.workspace.corpus.reading import check_has_text, count_request, request_bytes
from bpe_studio.workspace.corpus.text_files import has_text
from bpe_studio.workspace.state import CorpusInfo, Progress

if TYPE_CHECKING:
    from bpe_studio.engine.arrays import Int64Array
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.counting.corpus import Corpus
    from bpe_studio.engine.encoding.tokenizer import Tokenizer
    from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
    from bpe_studio.files.third_party.tokenizer import ThirdPartyTokenizer

_CHARACTERS_AT_ONCE = 1 << 16
_TEXTS_AT_ONCE = 1_000
"""The number of texts in one call; each thread of a library encodes another text."""
_IDS_AT_ONCE = 1 << 16
_MOST_CHARACTERS = 1 << 26
"""The limit for a part of a text that our engine encodes."""
_PART_CHARACTERS = 1 << 14
"""The limit for a part that a library encodes in one go: it may keep the interpreter's lock, and
then the window waits.
"""
WHOLE = "Its library encoded each text as a whole, because it is not known where a text can be cut"
DOUBTFUL = (
    "The text is too large for the library, so it was cut at {} places, every {:,} characters. At"
    " these places the count may differ by a few tokens"
)


class TokenCounts(NamedTuple):
    """The counts of all tokens.

    Attributes:
        counts: (n,) int64, the count of each id.
        remark: a sentence on how they were counted; "" for the usual way.
    """

    counts: Int64Array
    remark: str = ""


class Tables:
    """The corpora of one text, one for each way of cutting it, and the facts about the text."""

    def __init__(self) -> None:
        self._corpora: list[Corpus] = []
        self._facts: RawFacts | None = None

    def facts(self, backend: Backend, info: CorpusInfo) -> RawFacts:
        """The facts about the text; the same object at each call."""
        self._facts = self._facts or RawFacts(backend, info)
        return self._facts

    def add(self, corpus: Corpus) -> None:
        """Keep a corpus."""
        self._corpora.append(corpus)

    def find(self, config: TrainingConfig) -> Corpus | None:
        """The corpus that is cut by these options; None if there is none yet."""
        return next((each for each in self._corpora if config.same_cut(each.config)), None)


def count_tokens(
    backend: Backend, info: CorpusInfo, tokenizer: Tokenizer, name: str, tables: Tables
) -> Generator[Progress, None, TokenCounts]:
    """Counts the tokens of the open corpus under a tokenizer.

    Args:
        backend: the engine and the file layer.
        info: the open corpus.
        tokenizer: the tokenizer.
        name: its name, for the progress.
        tables: the known corpora of this text; a new one is added.

    Returns:
        The counts, exact unless the remark says otherwise.

    Raises:
        BpeError: the text cannot be read again or has changed, or the tokenizer cannot encode it.
    """
    # Imported here, because nothing of this is needed before there are tokenizers to compare.
    from bpe_studio.engine.encoding.corpus_tokens import can_share_pieces, tokens_in_corpus
    from bpe_studio.files.third_party.tokenizer import ThirdPartyTokenizer

    what = f"Counting the tokens of {name}"
    if isinstance(tokenizer, ThirdPartyTokenizer) and not info.corpus.is_counted:
        found = yield from _by_its_pieces(backend, info, tokenizer, what, tables)
        if found is not None:
            return TokenCounts(found)
        return (yield from _of_whole_text(backend, info, tokenizer, what))
    model = _model_of(tokenizer)
    cut = None
    if model is not None and can_share_pieces(model):
        cut = _way_of_cutting(model.config, info.corpus.config)
    if cut is None:
        return (yield from _of_whole_text(backend, info, tokenizer, what))
    # No text holds a separator. Without a text, only its words can be counted.
    found_in_text = tokenizer.added_ids if tokenizer.finds_special() else ()
    names = set(found_in_text).difference(cut.all_special)
    if (
        names
        and has_text(info.request)
        and (yield from tables.facts(backend, info).holds_any(names, what))
    ):
        return (yield from _of_whole_text(backend, info, tokenizer, what))
    corpus = yield from _cut(backend, info, cut, tables)
    return TokenCounts((yield from _shown(tokens_in_corpus(tokenizer, corpus), what)))


def _by_its_pieces(
    backend: Backend, info: CorpusInfo, tokenizer: ThirdPartyTokenizer, what: str, tables: Tables
) -> Generator[Progress, None, Int64Array | None]:
    """The counts from distinct pieces; `None` if they may differ from those of the text."""
    from bpe_studio.files.third_party import piece_counting

    check_has_text(info.request)
    yield Progress(what, 0, 100, "%")
    cutting = piece_counting.cutting_for_counting(tokenizer)
    if cutting is None:
        return None
    cut = _way_of_cutting(piece_counting.config_for_counting(cutting), info.corpus.config)
    if cut is None or (cutting.prefix and cut.documents == "separator"):
        return None
    facts: RawFacts = tables.facts(backend, info)
    if cutting.normalize and cutting.normalized_otherwise((yield from facts.characters(what))):
        return None
    if (yield from facts.holds_any(piece_counting.names_found(tokenizer, cutting), what)):
        return None
    corpus = yield from _cut(backend, info, cut, tables)
    if not piece_counting.is_exact(tokenizer, cutting, corpus, facts.sample()):
        return None
    beginnings: Mapping[str, int] = {}
    if cutting.prefix:
        beginnings = yield from facts.beginnings(cut.documents, what)
    work = piece_counting.tokens_in_pieces(tokenizer, cutting, corpus, beginnings)
    return (yield from _shown(work, what))


def _cut(
    backend: Backend, info: CorpusInfo, cut: TrainingConfig, tables: Tables
) -> Generator[Progress, None, Corpus]:
    """The open corpus, cut by some options."""
    if info.corpus.is_counted or cut.same_cut(info.corpus.config):
        return info.corpus
    own = info.corpus.config
    weighed = cut.replace(weight=own.weight, alpha=own.alpha)
    corpus = tables.find(cut)
    if corpus is None:
        check_has_text(info.request)
        read = yield from count_request(backend, info.request, weighed)
        if info.checksum not in (None, read.checksum):
            raise SourceError(
                f"{info.name} has changed since it was opened: open it again to compare tokenizers"
                " on it"
            )
        corpus = read.corpus
        tables.add(corpus)
    return corpus.weighed(weighed)


def _shown(
    work: Generator[float, None, Int64Array], what: str
) -> Generator[Progress, None, Int64Array]:
    return (yield from relay(work, lambda share: Progress(what, round(100 * share), 100, "%")))


def _model_of(tokenizer: Tokenizer) -> TokenizerModel | None:
    """The model of a tokenizer; None if only its library knows its rules."""
    try:
        return tokenizer.model
    except BpeError:
        return None


def _way_of_cutting(own: TrainingConfig, config: TrainingConfig) -> TrainingConfig | None:
    """The options of a tokenizer, with those of the open corpus for reading a text.

    `None` if the two contradict each other.
    """
    is_separated = config.documents == "separator"
    special = config.special if is_separated else ()
    try:
        found = own.replace(documents=config.documents, special=special, force=(), forbid=())
    except ConfigError:
        return None
    # Its unknown token would separate documents, too.
    return None if is_separated and set(found.all_special) != set(config.all_special) else found


def _of_whole_text(
    backend: Backend, info: CorpusInfo, tokenizer: Tokenizer, what: str
) -> Generator[Progress, None, TokenCounts]:
    import numpy as np

    from bpe_studio.files.third_party.borders import parts_of
    from bpe_studio.files.third_party.tokenizer import ThirdPartyTokenizer

    check_has_text(info.request)
    if info.corpus.config.is_weighted:
        raise ConfigError(
            "This tokenizer is counted on the text as it is, without weights of files; drop the"
            " weights to compare it"
        )
    library = tokenizer.native if isinstance(tokenizer, ThirdPartyTokenizer) else None
    most = _MOST_CHARACTERS if library is None else library.most_characters
    spaces = "" if library is None or library.prefixes_parts else library.cuts_before
    part_characters = _PART_CHARACTERS if spaces else most
    n_whole = 0
    n_doubtful = 0

    def parts() -> Iterator[str]:
        nonlocal n_whole, n_doubtful
        for document in documents_of_request(backend, info.request):
            for text in _texts(b"".join(document).decode("utf-8", "replace"), info.corpus.config):
                cut = list(parts_of(text, spaces, part_characters))
                if len(cut) == 1 and len(text) > _PART_CHARACTERS:
                    n_whole += 1
                if not spaces:
                    n_doubtful += len(cut[1:])
                yield from cut

    found = np.zeros(max(tokenizer.tokens, default=0) + 1, np.int64)
    total = request_bytes(info.request)
    done = 0
    for texts in _batches(parts()):
        ids = tokenizer.encode_many(texts, as_arrays=True).ids
        for start in range(0, len(ids), _IDS_AT_ONCE):
            np.add.at(found, ids[start : start + _IDS_AT_ONCE], 1)
        done += sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
        yield Progress(what, min(done, total), total, "bytes")
    if n_doubtful:
        return TokenCounts(found, DOUBTFUL.format(n_doubtful, most))
    remark = WHOLE if n_whole else ""
    return TokenCounts(found, remark)


def _texts(document: str, config: TrainingConfig) -> list[str]:
    """The texts in a document by the settings: its lines, the parts between separators, or all."""
    from bpe_studio.engine.text.special_text import specials_pattern

    if config.documents == "line":
        *lines, last = document.split("\n")
        return [*(f"{line}\n" for line in lines), last]
    if config.documents == "separator" and config.all_special:
        return specials_pattern(config.all_special).split(document)
    return [document]


def _batches(texts: Iterator[str]) -> Iterator[list[str]]:
    """Texts in groups that a library encodes in one go."""
    batch: list[str] = []
    n_characters = 0
    for text in texts:
        batch.append(text)
        n_characters += len(text)
        if len(batch) == _TEXTS_AT_ONCE or n_characters >= _CHARACTERS_AT_ONCE:
            yield batch
            batch = []
            n_characters = 0
    if batch:
        yield batch
