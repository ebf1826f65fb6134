"""Cleans the text of a corpus before it is split and counted: the option `clean`.

A normalization belongs to the tokenizer, which applies it to every text. Cleaning belongs to the
corpus alone: it leaves data and repetitions out of training, and the tokenizer still encodes them.

Lines and documents that occur again are recognized by hashes of 64 bits, up to `MOST_HASHES` of
them. A line of more than `LONGEST_LINE` bytes is cleaned in parts, and is never taken for one that
occurs again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from tempfile import SpooledTemporaryFile

from bpe_studio.engine.text.cleaning import (
    CHANGES,
    LONG_LINE_BYTES,
    REPEATED_CHARACTERS,
    size_in_file,
)

LONGEST_LINE = 1 << 22
MOST_HASHES = 1 << 24
_IN_MEMORY = 1 << 26
_PIECE = 1 << 20
_HASH_BYTES = 8
Piece = tuple[bytes, list[int]]
"""A piece of a text, and the offsets at which documents end in it: none, or its end."""


class Cleaner:
    """Cleans a text as it is read.

    Args:
        names: values of the option `clean`.

    >>> cleaner = Cleaner(["urls"])
    >>> [*cleaner.feed(b"see https://exam"), *cleaner.feed(b"ple.org now", [11])]
    [(b'see  now', [8])]
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._changes = [change for name, change in CHANGES.items() if name in names]
        self._drops_long = "long-lines" in names
        self._drops_repeated = "repeated-lines" in names
        self._documents = _Documents() if "repeated-documents" in names else None
        self._lines: set[bytes] = set()
        self._tail = b""
        self._is_skipping = False  # the rest of a long line
        self._is_inside = False  # of a line of which a part has been passed on

    def feed(self, content: bytes, ends: Sequence[int] = ()) -> Iterator[Piece]:
        """The cleaned text up to the last complete line.

        Args:
            content: UTF-8 of whole characters, lone surrogates as three bytes.
            ends: the offsets in it at which documents end, in order.
        """
        start = 0
        for end in ends:
            yield from self._part(content[start:end], is_end=True)
            start = end
        if start < len(content):
            yield from self._part(content[start:], is_end=False)

    def finish(self) -> Iterator[Piece]:
        """The rest of a document that has not ended."""
        if self._tail or (self._documents is not None and self._documents.has_text):
            yield from self._part(b"", is_end=True)

    def _part(self, content: bytes, *, is_end: bool) -> Iterator[Piece]:
        whole = self._tail + content if self._tail else content
        if self._is_skipping:
            feed = whole.find(b"\n")
            self._is_skipping = feed < 0 and not is_end
            whole = whole[feed + 1 :] if feed >= 0 else b""
        cut = len(whole) if is_end else whole.rfind(b"\n") + 1
        if len(whole) - cut > LONGEST_LINE:
            self._is_skipping = self._drops_long
            whole = whole[:cut] if self._drops_long else whole
            cut = len(whole)
        part = whole[:cut]
        self._tail = whole[cut:]
        if self._documents is None:
            yield from self._cleaned(part, is_end)
            return
        self._documents.add(part)
        if is_end:
            for piece, is_last in self._documents.end():
                yield from self._cleaned(piece, is_last)

    def _cleaned(self, part: bytes, is_end: bool) -> Iterator[Piece]:
        is_whole = is_end or part.endswith(b"\n")
        if self._drops_long or self._drops_repeated:
            part = self._without_lines(part, is_whole)
        self._is_inside = bool(part) and not is_whole
        if self._changes and part:
            text = part.decode("utf-8", "surrogatepass")
            for change in self._changes:
                text = change(text)
            part = text.encode("utf-8", "surrogatepass")
        if part or is_end:
            ends = [len(part)] if is_end else []
            yield part, ends

    def _without_lines(self, part: bytes, is_whole: bool) -> bytes:
        """A part without the lines that are left out; its first line may have begun before."""
        lines = part.split(b"\n")
        last = len(lines) - 1
        dropped = set()
        for number, line in enumerate(lines):
            is_part = (number == 0 and self._is_inside) or (number == last and not is_whole)
            if len(line) >= REPEATED_CHARACTERS and not is_part and not self._is_kept(line):
                dropped.add(number)
        if not dropped:
            return part
        kept = [line for number, line in enumerate(lines) if number not in dropped]
        if last in dropped:
            kept.append(b"")
        return b"\n".join(kept)

    def _is_kept(self, line: bytes) -> bool:
        if self._drops_long and len(line) > LONG_LINE_BYTES and _is_long(line):
            return False
        text = line.removesuffix(b"\r")
        if not self._drops_repeated or _n_characters(text) < REPEATED_CHARACTERS:
            return True
        return _is_new(self._lines, blake2b(text, digest_size=_HASH_BYTES).digest())


class DocumentHash:
    """The hash of a document that is read in parts.

    Carriage returns, and whether the last line ends with a line feed, make no difference.
    """

    def __init__(self) -> None:
        self._hash = blake2b(digest_size=_HASH_BYTES)
        self._break = b""
        self.has_text = False

    def add(self, part: bytes) -> None:
        """Add a part that ends with a line, or with the document."""
        if part:
            same = part.replace(b"\r\n", b"\n")
            self._hash.update(self._break + same.removesuffix(b"\n").removesuffix(b"\r"))
            self._break = b"\n" if same.endswith(b"\n") else b""
            self.has_text = True

    def digest(self) -> bytes:
        """The hash."""
        return self._hash.digest()


class _Documents:
    """Holds a document until it ends, a large one in a file, and recognizes those before."""

    def __init__(self) -> None:
        self._seen: set[bytes] = set()
        self._begin()

    def _begin(self) -> None:
        self._hash = DocumentHash()
        self._file: SpooledTemporaryFile[bytes] | None = None

    def add(self, part: bytes) -> None:
        """Add a part that ends with a line, or with the document."""
        if part:
            if self._file is None:
                self._file = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115
            self._file.write(part)
            self._hash.add(part)

    @property
    def has_text(self) -> bool:
        """Whether a document has begun."""
        return self._file is not None

    def end(self) -> Iterator[tuple[bytes, bool]]:
        """The document in parts of whole lines, each with whether it is the last one.

        It is empty if the document has occurred before.
        """
        if self._file is None:
            yield b"", True
            return
        with self._file as file:
            if _is_new(self._seen, self._hash.digest()):
                file.seek(0)
                lines = file.readlines(_PIECE)
                while further := file.readlines(_PIECE):
                    yield b"".join(lines), False
                    lines = further
                yield b"".join(lines), True
        self._begin()


def _is_new(seen: set[bytes], key: bytes) -> bool:
    """Whether a hash was not seen before; it is remembered if there is room."""
    if key in seen:
        return False
    if len(seen) < MOST_HASHES:
        seen.add(key)
    return True


def _n_characters(text: bytes) -> int:
    return len(text) if text.isascii() else len(text.decode("utf-8", "surrogatepass"))


def _is_long(line: bytes) -> bool:
    return size_in_file(line.decode("utf-8", "surrogatepass")) > LONG_LINE_BYTES
