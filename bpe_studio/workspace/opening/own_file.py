"""Extending and pruning a tokenizer of others in its own file, because our engine cannot train it.

The library is given the text itself, read again, and not its words. The result is opened as the file would be; what its
new merges save in the text are their counts.
"""

from __future__ import annotations

import zlib
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from bpe_studio.engine.generators import relay
from bpe_studio.errors import SourceError
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.raw_facts import documents_of_request
from bpe_studio.workspace.corpus.reading import (
    Countdown,
    check_has_text,
    check_is_text,
    request_bytes,
    with_files_of_folders,
)
from bpe_studio.workspace.corpus.text_files import checksum_of, text_files
from bpe_studio.workspace.opening.tokenizer_change import Change, Plan, extended_sentence, pruned_sentence
from bpe_studio.workspace.opening.tokenizers import session_of
from bpe_studio.workspace.session import Session
from bpe_studio.workspace.state import CorpusInfo, OpeningRequest, Progress

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.encoding.tokenizer import Tokenizer
    from bpe_studio.files.foreign.rewriting.pruning import FilePruning
    from bpe_studio.files.foreign.rewriting.reading import Stage
    from bpe_studio.files.foreign.tokenizer import ForeignTokenizer
    from bpe_studio.files.records.pieces import Piece
    from bpe_studio.files.text.sources import Source

R = TypeVar("R")


class CorpusText:
    """The documents of a corpus, read again whenever they are asked for.

    Attributes:
        size_bytes: about how many bytes they have; 0 if that is not known.
        notices: what reading them had to guess.

    Args:
        backend: the file layer.
        request: names the text, which can be read.
        checksum: that of the files when they were opened; None if it is not known.
        left_out: what is to be said of files that were left out.
    """

    def __init__(
        self, backend: Backend, request: OpeningRequest, checksum: int | None, left_out: Sequence[str] = ()
    ) -> None:
        self._backend, self._request, self._left_out = backend, request, left_out
        self._checksum = None if request.text is not None else checksum
        self.size_bytes = request_bytes(request)
        self.notices: tuple[str, ...] = ()

    def __call__(self) -> Iterator[str]:
        """Each document as a whole.

        Raises:
            SourceError: a file cannot be read any more, or has changed.
        """
        checksum, notices = 0, [*self._left_out]

        def read(source: Source) -> Iterator[Piece]:
            nonlocal checksum
            for piece in source.pieces():
                checksum = zlib.crc32(piece.content, checksum)
                yield piece
            notices.extend(source.notices)

        for document in documents_of_request(self._backend, self._request, read):
            yield b"".join(document).decode("utf-8", "surrogatepass")
        if self._checksum not in (None, checksum):
            raise SourceError(
                f"{self._request.name} has changed since it was opened: open it again, and then extend or prune"
            )
        self.notices = tuple(notices)


def text_of(backend: Backend, asked: CorpusInfo | OpeningRequest) -> Generator[Progress, None, CorpusText]:
    """The text of the open corpus, or of what is to be read.

    Raises:
        BpeError: it cannot be read.
    """
    if isinstance(asked, CorpusInfo):
        check_has_text(asked.request)
        return CorpusText(backend, asked.request, checksum_of(asked))
    request, left_out = yield from with_files_of_folders(backend, asked)
    check_has_text(request)
    for file in text_files(request):
        check_is_text(backend, file)
    return CorpusText(backend, request, None, left_out)


@dataclass(frozen=True, eq=False)
class FileToChange:
    """A tokenizer of others that is changed in its own file; otherwise as `Changeable`.

    Attributes:
        name: what it is called.
        tokenizer: the tokenizer.
    """

    name: str
    tokenizer: ForeignTokenizer
    replaces_what_is_open = True

    @property
    def vocab_size(self) -> int:
        """The number of its tokens."""
        return self.tokenizer.vocab_size

    def extending(
        self, backend: Backend, asked: CorpusInfo | OpeningRequest, vocab_size: int, own: TrainingConfig
    ) -> Generator[Progress, None, Change]:
        """Trains further merges on the ids that the library gives."""
        from bpe_studio.files.foreign.rewriting.extending import extending

        text = yield from text_of(backend, asked)
        found = yield from self._shown(extending(self.tokenizer, text(), vocab_size), text)
        stop_reason = found.stop_reason if vocab_size > self.vocab_size else ""
        said = extended_sentence(self.name, len(found.merges), self.vocab_size, found.n_tokens, stop_reason)
        saved = [merge.count for merge in found.merges]
        session = self._opened(backend, f"{self.name}, extended", found.tokenizer, saved, text, own)
        return Change(session, said, is_same=not saved)

    def planning(self, backend: Backend, asked: CorpusInfo | OpeningRequest) -> Generator[Progress, None, Plan]:
        """Finds what can be removed, by the ids that the library gives."""
        text = yield from text_of(backend, asked)
        order = yield from self._shown(self.tokenizer.planning(text), text)
        return Plan(order, partial(self._pruning, backend, text, order))

    def _pruning(
        self, backend: Backend, text: CorpusText, order: FilePruning, vocab_size: int, own: TrainingConfig
    ) -> Generator[Progress, None, Change]:
        found = yield from self._shown(order.pruning(vocab_size), text)
        said = pruned_sentence(self.name, len(found.removed), self.vocab_size, found.n_tokens)
        return Change(self._opened(backend, f"{self.name}, pruned", found.tokenizer, (), text, own), said)

    def _opened(
        self,
        backend: Backend,
        name: str,
        tokenizer: Tokenizer,
        saved: Sequence[int],
        text: CorpusText,
        own: TrainingConfig,
    ) -> Session:
        run = backend.opened_run(tokenizer, saved)
        assert run is not None
        return session_of(name, run, own, text.notices)

    def _shown(self, work: Generator[Stage, None, R], text: CorpusText) -> Generator[Progress, None, R]:
        """Runs some work on the file, and says how far it is."""
        countdowns: dict[str, Countdown] = {}

        def progress(stage: Stage) -> Progress:
            unit, done, total = stage
            if not unit:
                return Progress(f"Checking what becomes of {self.name}", 0, 0, "%")
            what = f"Extending {self.name}"
            if unit == "bytes":
                what, total = f"Counting the tokens of {self.name}", text.size_bytes
                done = min(done, total)
            left = countdowns.setdefault(unit, Countdown(done)).seconds_left(done, total)
            return Progress(what, done, total, unit, left)

        return (yield from relay(work, progress))
