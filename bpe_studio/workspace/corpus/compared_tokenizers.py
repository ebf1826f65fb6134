"""Tokenizers that are opened to be compared: opened and counted in a thread of their own, without touching the run.

They belong to the session and not to the text: when another text is opened they stay, and are counted again when they
are looked at. Neither the open run nor the settings of the next one follow from them.

A document keeps their paths and checksums. As anybody may have written it, nothing at such a path is touched before a
person has allowed it (`open_stored`), and then it must have the checksum.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Generator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal, Slot

from bpe_studio.errors import TokenizerFormatError
from bpe_studio.explain.sizes.others import OtherTokenizer
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.token_counting import Tables, count_tokens
from bpe_studio.workspace.jobs import Ended, Jobs, Outcome
from bpe_studio.workspace.messages import failure_of
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.state import Progress
from bpe_studio.workspace.thread_job import run_in_thread

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.tokenizer import Tokenizer

MOST = 20
_MOST_FILES, _MOST_FILE_BYTES, _MOST_PATH = 100, 1 << 30, 4096
CANCELLED = "Counting it was cancelled"
USUAL_NAMES = frozenset(("tokenizer.json", "vocab.json", "merges.txt", "tokenizer.model", "encoder.json", "vocab.bpe"))
"""Names of files that say nothing about the tokenizer."""


class StoredTokenizer(NamedTuple):
    """A tokenizer that a document names.

    Attributes:
        path: the file or folder, which is data and no permission.
        digest: its SHA-256, in hex.
    """

    path: Path
    digest: str


class ComparedTokenizers(QObject):
    """The tokenizers, in the order in which they were opened.

    Signals:
        changed: the tokenizers or their counts.
        progress_changed: Progress of what is opened or counted, or None.
        failed: str, why one could not be opened; the others stay.
    """

    changed = Signal()
    progress_changed = Signal(object)
    failed = Signal(str)

    def __init__(self, open_state: OpenState, backend: Backend, parent: QObject | None = None) -> None:
        """No tokenizer is open.

        Args:
            open_state: has the open corpus.
            backend: reads tokenizers and texts.
            parent: the QObject that owns it.
        """
        super().__init__(parent)
        self._open, self._backend = open_state, backend
        self._jobs = Jobs(self)
        self._entries: tuple[OtherTokenizer, ...] = ()
        self._waiting: list[StoredTokenizer] = []
        self._stored: tuple[StoredTokenizer, ...] = ()
        self._tables = Tables()
        self._counted_for: tuple[object, ...] | None = None
        self._n_opened = 0
        self._job: int | None = None
        self._subject = -1
        self._progress: Progress | None = None
        open_state.corpus_changed.connect(self._on_corpus_changed)

    @property
    def entries(self) -> tuple[OtherTokenizer, ...]:
        """The tokenizers."""
        return self._entries

    @property
    def can_count(self) -> bool:
        """Whether there is a corpus to count."""
        info = self._open.corpus
        return info is not None and info.has_words

    @property
    def progress(self) -> Progress | None:
        """The progress of what is opened or counted; None if nothing is."""
        return self._progress

    def add(self, paths: Sequence[Path]) -> None:
        """Opens tokenizers, each a file or a folder, and counts the corpus under them."""
        room = max(0, MOST - len(self._entries) - len(self._waiting))
        if len(paths) > room:
            self.failed.emit(f"At most {MOST} tokenizers can be compared: remove one first.")
        self._waiting += [StoredTokenizer(path, "") for path in paths[:room]]
        self._continue()

    # What a document keeps.

    @property
    def stored(self) -> tuple[StoredTokenizer, ...]:
        """The tokenizers that the open document names and that nobody has allowed to be opened yet."""
        return self._stored

    def to_list(self) -> list[dict[str, str]]:
        """What a document keeps of them, as JSON values."""
        opened = [(each.path, each.digest) for each in self._entries if each.path is not None]
        return [{"path": str(path), "sha256": digest} for path, digest in [*opened, *self._stored]]

    def offer_stored(self, kept: object) -> None:
        """Takes over what a document keeps, as far as it is valid and not open; nothing is opened."""
        found = [each for each in map(_stored, kept if isinstance(kept, list) else []) if each is not None]
        open_ones = {(each.path, each.digest) for each in self._entries}
        self._set_stored([each for each in dict.fromkeys(found) if each not in open_ones][:MOST])

    def open_stored(self) -> None:
        """Opens the tokenizers that the document names, because a person has allowed it."""
        wanted, room = self._stored, max(0, MOST - len(self._entries) - len(self._waiting))
        self._set_stored([])
        self._waiting += wanted[:room]
        self._continue()

    def forget_stored(self) -> None:
        """Compares without them from now on."""
        self._set_stored([])

    def _set_stored(self, stored: Sequence[StoredTokenizer]) -> None:
        if tuple(stored) != self._stored:
            self._stored = tuple(stored)
            self.changed.emit()

    def remove(self, number: int) -> None:
        """Removes a tokenizer."""
        if self._subject == number:
            self._abandon()
        self._set_entries([each for each in self._entries if each.number != number])
        self._continue()

    def cancel(self) -> None:
        """Stops opening and counting; what is not counted says so."""
        self._waiting.clear()
        self._abandon()
        self._set_entries(
            [each if each.counts is not None else replace(each, why_not=CANCELLED) for each in self._entries]
        )

    def count(self) -> None:
        """Counts those that are not counted yet, as when they are looked at."""
        self._continue()

    def shutdown(self) -> None:
        """Ends the thread; may be called again."""
        self._jobs.shutdown()

    def _text(self) -> tuple[object, ...] | None:
        """What identifies the text and how it is read."""
        info = self._open.corpus
        return None if info is None else (info.request, info.corpus.config.documents, info.corpus.is_counted)

    @Slot()
    def _on_corpus_changed(self) -> None:
        text = self._text()
        if text == self._counted_for and text is not None:
            return
        self._counted_for = text
        self._tables = Tables()
        self._set_stored([])  # they belong to the document that was open
        if self._subject >= 0:
            self._abandon()
        self._set_entries([replace(each, counts=None, why_not="", remark="") for each in self._entries])

    def _continue(self) -> None:
        """Starts the next job, if none is under way."""
        if self._job is not None:
            return
        if self._waiting:
            path, digest = self._waiting.pop(0)
            make = partial(run_in_thread, partial(open_tokenizer, self._backend, path, digest))
            self._begin(make, partial(self._on_opened, path), Progress(f"Opening {path.name}", 0, 0, "%"), -1)
            return
        info = self._open.corpus
        if info is None or not self.can_count:
            return
        entry = next((each for each in self._entries if each.counts is None and not each.why_not), None)
        if entry is not None:
            work = partial(count_tokens, self._backend, info, entry.tokenizer, entry.name, self._tables)
            begun = Progress(f"Counting the tokens of {entry.name}", 0, 0, "%")
            self._begin(partial(run_in_thread, work), partial(self._on_counted, entry.number), begun, entry.number)

    def _begin(self, make: object, on_end: object, begun: Progress, subject: int) -> None:
        self._subject = subject
        self._set_progress(begun)
        self._job = self._jobs.start(make, self._set_progress, on_end)  # type: ignore[arg-type]

    def _abandon(self) -> None:
        if self._job is not None:
            self._jobs.abandon(self._job)
        self._ended()

    def _ended(self) -> None:
        self._job, self._subject = None, -1
        self._set_progress(None)

    def _on_opened(self, path: Path, ended: Ended) -> None:
        self._ended()
        if ended.outcome is Outcome.finished:
            self._n_opened += 1
            name = name_of(path, {each.name for each in self._entries})
            tokenizer, digest = ended.result
            added = OtherTokenizer(self._n_opened, name, tokenizer, path=path.absolute(), digest=digest)
            self._set_entries([*self._entries, added])
        elif ended.error is not None:
            self.failed.emit(failure_of(f"Open {path.name}", ended.error).message)
        self._continue()

    def _on_counted(self, number: int, ended: Ended) -> None:
        self._ended()
        why_not = failure_of("Count the tokens", ended.error).message if ended.error is not None else ""
        counts, remark = ended.result if ended.result is not None else (None, "")
        self._set_entries(
            [
                replace(each, counts=counts, why_not=why_not, remark=remark) if each.number == number else each
                for each in self._entries
            ]
        )
        self._continue()

    def _set_progress(self, progress: Progress | None) -> None:
        self._progress = progress
        self.progress_changed.emit(progress)

    def _set_entries(self, entries: Sequence[OtherTokenizer]) -> None:
        if len(entries) != len(self._entries) or any(a is not b for a, b in zip(entries, self._entries, strict=True)):
            self._entries = tuple(entries)
            self.changed.emit()


def name_of(path: Path, taken: Collection[str]) -> str:
    """What a tokenizer is called: its file, or the folder of a file that is called as all of its kind are.

    Example:
        `name_of(Path("gpt2/tokenizer.json"), {"gpt2"})` is "gpt2 (2)".
    """
    path = path.absolute()
    name = path.parent.name if path.name in USUAL_NAMES and path.parent.name else path.name
    number, wanted = 1, name
    while wanted in taken:
        number += 1
        wanted = f"{name} ({number})"
    return wanted


def open_tokenizer(backend: Backend, path: Path, digest: str = "") -> Generator[None, None, tuple[Tokenizer, str]]:
    """Reads a tokenizer of any kind, and returns it with the SHA-256 of its files.

    Args:
        backend: reads tokenizers.
        path: its file or folder.
        digest: the checksum that it must have; "" for any.

    Raises:
        TokenizerFormatError: it is no tokenizer, cannot be read, or is another one than that of the checksum.
    """
    yield
    found = yield from _digest_of(path)
    if digest and found != digest:
        raise TokenizerFormatError(
            f"{path.name} is not what the document was compared with: it has changed, is gone, or is another one; add "
            "it yourself to compare it as it is now"
        )
    tokenizer = backend.load(path)
    _ = tokenizer.tokens  # made when it is first asked for, here and not in the window's thread
    return tokenizer, found


def _digest_of(path: Path) -> Generator[None, None, str]:
    """The SHA-256 of a file, or of the names and contents of the files in a folder."""
    if not path.is_dir():
        return _file_digest(path)
    whole = hashlib.sha256()
    for file in sorted(each for each in path.iterdir() if each.is_file())[:_MOST_FILES]:
        whole.update(f"{file.name}\0{_file_digest(file)}\n".encode("utf-8", "surrogatepass"))
        yield
    return whole.hexdigest()


def _file_digest(path: Path) -> str:
    """The SHA-256 of a regular file, without the end of one that is larger than any tokenizer; "" for no such file."""
    if not path.is_file():
        return ""
    digest, n_left = hashlib.sha256(), _MOST_FILE_BYTES
    with path.open("rb") as stream:
        while n_left > 0 and (block := stream.read(1 << 20)):
            digest.update(block)
            n_left -= len(block)
    return digest.hexdigest()


def _stored(value: object) -> StoredTokenizer | None:
    """One entry of a document, which anybody may have written; None if it is none."""
    path, digest = (value.get("path"), value.get("sha256")) if isinstance(value, dict) else (None, None)
    if not isinstance(path, str) or not isinstance(digest, str) or not re.fullmatch("[0-9a-f]{64}", digest):
        return None
    is_path = 0 < len(path) <= _MOST_PATH and "\0" not in path and Path(path).is_absolute()
    return StoredTokenizer(Path(path), digest) if is_path else None
