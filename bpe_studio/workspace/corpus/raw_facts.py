"""Facts about the text of a corpus, which is read again: its characters, whether some texts occur,
and the beginnings of its documents.

A third-party tokenizer may treat a rare character or text in a special way that the words of a
corpus do not show. Each fact is found out on the first request.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from bpe_studio.engine.text.special_text import specials_pattern
from bpe_studio.files.records.pieces import documents_of
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.held_out import KeptText
from bpe_studio.workspace.corpus.reading import request_bytes, sources_of
from bpe_studio.workspace.state import CorpusInfo, OpeningRequest, Progress

if TYPE_CHECKING:
    from bpe_studio.engine.arrays import BoolArray
    from bpe_studio.files.records.pieces import Piece
    from bpe_studio.files.text.sources import Source

_SAMPLE_CHARACTERS = 1 << 13
_LONGEST_BEGINNING = 1 << 12


class RawFacts:
    """The facts about the text of a corpus.

    Args:
        backend: the file layer.
        info: the corpus; its text must be readable.
    """

    def __init__(self, backend: Backend, info: CorpusInfo) -> None:
        self._backend = backend
        self._info = info
        self._characters: str | None = None
        self._held: dict[frozenset[str], bool] = {}
        self._beginnings: dict[str, Mapping[str, int]] = {}
        self._done = 0

    def _documents(self) -> Iterator[Iterator[bytes]]:
        self._done = 0
        return documents_of_request(self._backend, self._info.request)

    def _contents(self) -> Iterator[bytes]:
        return chain.from_iterable(self._documents())

    def sample(self) -> str:
        """The beginning of the text."""
        content = next(self._contents(), b"")[: 4 * _SAMPLE_CHARACTERS]
        return content.decode("utf-8", "replace")[:_SAMPLE_CHARACTERS]

    def characters(self, what: str) -> Generator[Progress, None, str]:
        """The distinct characters that are not ASCII.

        Args:
            what: the job in words, for the progress.
        """
        if self._characters is None:
            import numpy as np

            is_there: BoolArray = np.zeros(0x110000, np.bool_)
            for content in self._contents():
                yield self._progress(what, content)
                if not content.isascii():
                    text = content.decode("utf-8", "replace")
                    is_there[np.frombuffer(text.encode("utf-32-le"), np.uint32)] = True
            is_there[:128] = False
            self._characters = "".join(map(chr, is_there.nonzero()[0].tolist()))
        return self._characters

    def holds_any(self, texts: Iterable[str], what: str) -> Generator[Progress, None, bool]:
        """Whether one of some texts occurs."""
        asked = frozenset(texts)
        if asked and asked not in self._held:
            names = re.compile(specials_pattern(asked).pattern.encode())
            longest = max(len(text.encode()) for text in asked)
            rest = b""
            is_held = False
            for content in self._contents():
                yield self._progress(what, content)
                content = rest + content
                is_held = names.search(content) is not None
                if is_held:
                    break
                rest = content[max(0, len(content) - longest + 1) :]
            self._held[asked] = is_held
        return bool(asked) and self._held[asked]

    def beginnings(self, documents: str, what: str) -> Generator[Progress, None, Mapping[str, int]]:
        """The beginnings of the documents, up to the first word, each with its count.

        Args:
            documents: as in the options: "line" for lines; otherwise the documents of the files.
            what: the job in words, for the progress.
        """
        if documents not in self._beginnings:
            from bpe_studio.files.third_party.piece_counting import beginning

            found: Counter[str] = Counter()
            for document in self._documents():
                rest = b""
                for content in document:
                    yield self._progress(what, content)
                    rest += content
                    if documents == "line":
                        end = rest.rfind(b"\n") + 1
                        found.update(
                            _line_beginnings().findall(rest[:end].decode("utf-8", "replace"))
                        )
                        rest = rest[end:]
                    elif len(rest) > _LONGEST_BEGINNING:
                        break
                if rest:
                    found[beginning(rest.decode("utf-8", "replace"))] += 1
            self._beginnings[documents] = found
        return self._beginnings[documents]

    def _progress(self, what: str, content: bytes) -> Progress:
        self._done += len(content)
        total = request_bytes(self._info.request)
        return Progress(what, min(self._done, total), total, "bytes")


def documents_of_request(
    backend: Backend,
    request: OpeningRequest,
    read: Callable[[Source], Iterator[Piece]] = lambda file: file.pieces(),
) -> Iterator[Iterator[bytes]]:
    """The documents of a text, each in pieces, without the part that is held out.

    Args:
        backend: the file layer.
        request: the request of the text; it must be readable.
        read: reads each of its files.
    """
    kept = KeptText(request.held_out, request_bytes(request)) if request.held_out else None
    documents = chain.from_iterable(map(documents_of, map(read, sources_of(backend, request))))
    return documents if kept is None else map(kept.document, documents)


@cache
def _line_beginnings() -> re.Pattern[str]:
    # Imported here, so that the window starts without the modules that cut texts.
    from bpe_studio.engine.presets import WORD_START as START

    return re.compile(rf"(?m)^(?:[ {START}]*(?:\n|[^ {START}\n]+)|[ {START}]+\Z)")
