"""Decodes a text file in one pass: yields it as UTF-8, and settles the encoding if it is not UTF-8.

The text is read as UTF-8 until the first invalid byte, so that a valid file is read once and its
bytes are passed on as they are. At an invalid byte the rest is examined: a few invalid bytes among
valid characters are damage and are kept; bytes that make sense in an older encoding are decoded
with it. ASCII slices, which are frequent in most files, are the same in nearly every encoding and
are not decoded. `sources` opens files.
"""

from __future__ import annotations

import codecs
from collections.abc import Generator, Iterator
from typing import IO, TYPE_CHECKING

from bpe_studio.errors import SourceError
from bpe_studio.files.text import encodings

if TYPE_CHECKING:
    from bpe_studio.files.text.sources import Source

BLOCK_BYTES = 1 << 20
SAMPLE_BYTES = 1 << 18
WHERE_TO_NAME_IT = "(--encoding NAME, or in the window: File, Reopen with encoding)"
NAME_THE_ENCODING = f"if that is wrong, name the right one {WHERE_TO_NAME_IT}"


class Reader:
    """One pass through a file: decodes it, and decides on the encoding at the first byte that is
    not UTF-8.
    """

    def __init__(self, source: Source, stream: IO[bytes]) -> None:
        self._source = source
        self._stream = stream
        self._n_read = source.mark_bytes
        self._n_nul = 0

    def contents(self) -> Iterator[bytes]:
        """The text from the current position, in pieces; see `Source.contents`."""
        source = self._source
        if source.encoding == "utf-8" and not source.is_chosen:
            contents = self._utf8_contents()
        else:
            contents = self._decoded(source.encoding, "strict")
        for content in contents:
            if b"\0" in content:
                self._n_nul += content.count(0)
            yield content
        if self._n_nul:
            source.notices.append(
                f"{source.name} contains {_plural(self._n_nul, 'NUL character')}; "
                "remove them from the file if they do not belong to the text."
            )

    def _utf8_contents(self) -> Iterator[bytes]:
        """UTF-8 up to the first invalid byte, at which the rest is examined to tell damage from
        another encoding.
        """
        decoder = codecs.getincrementaldecoder("utf-8")("strict")
        is_ascii = self._source.mark_bytes == 0
        for data, is_last in self._slices():
            pending = decoder.getstate()[0]
            if pending or not data.isascii():
                try:
                    is_ascii = decoder.decode(data, is_last).isascii() and is_ascii
                except UnicodeDecodeError:
                    start = self._n_read - len(data) - len(pending)
                    break
                data = pending + data
                data = data[: len(data) - len(decoder.getstate()[0])]
            yield data
        else:
            return
        self._stream.seek(start)
        encoding = yield from self._judged(start, may_be_legacy=is_ascii)
        self._source.encoding = encoding
        self._stream.seek(start)
        self._n_read = start
        errors = "surrogateescape" if encoding == "utf-8" else "strict"
        yield from self._decoded(encoding, errors)

    def _judged(self, start: int, may_be_legacy: bool) -> Generator[bytes, None, str]:
        """The encoding of everything from `start` on, judged by all of it; adds a notice."""
        source = self._source
        decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        n_stray = 0
        n_valid = 0
        n_binary = 0
        n_slices = 0
        n_bytes = start
        first_byte = -1
        sample = b""
        high = set[int]()
        for data, is_last in self._slices():
            n_slices += 1
            if encodings.looks_binary(data, is_utf8=False):
                n_binary += 1
            if data.isascii() and not decoder.getstate()[0]:
                n_bytes += len(data)
                yield b""
                continue
            text = decoder.decode(data, is_last)
            n_here = encodings.count_stray(text)
            if n_here:
                place = len(text[: encodings.first_stray(text)].encode("utf-8"))
                if first_byte < 0:
                    first_byte = n_bytes + place
                sample += data[max(0, place - 4096) :][: SAMPLE_BYTES - len(sample)]
            n_bytes += len(text.encode("utf-8", "surrogateescape"))
            n_stray += n_here
            n_valid += len(encodings.high_bytes(data)) - n_here
            high.update(encodings.high_bytes(data))
            yield b""
        if n_binary > n_slices // 2:
            raise not_text(source.name)
        guess = encodings.guess_legacy(sample) if may_be_legacy and n_valid < n_stray else ""
        if guess and (yield from self._holds(guess, start, high)):
            how = f"was read as {encodings.nice_name(guess)}; {NAME_THE_ENCODING}"
            source.notices.append(f"{source.name} is not UTF-8 and {how}.")
            return guess
        first_line = 1 + (yield from self._n_line_feeds(first_byte))
        stray_are = f"{_plural(n_stray, 'byte')} that are"
        they_are = "they are"
        if n_stray == 1:
            stray_are = "1 byte that is"
            they_are = "it is"
        source.notices.append(
            f"{source.name} holds {stray_are} not valid UTF-8, the first at byte {first_byte:,} in"
            f" line {first_line:,}: {they_are} kept as raw bytes; if those are letters,"
            f" name the file's encoding {WHERE_TO_NAME_IT}."
        )
        return "utf-8"

    def _holds(self, encoding: str, start: int, high: set[int]) -> Generator[bytes, None, bool]:
        """Whether everything from `start` on can be decoded.

        `high` has the bytes of all slices that are not ASCII.
        """
        if encodings.is_single_byte(encoding):
            return encodings.can_decode(bytes(high), encoding)
        decoder = codecs.getincrementaldecoder(encoding)("strict")
        self._stream.seek(start)
        for data, is_last in self._slices():
            try:
                decoder.decode(data, is_last)
            except UnicodeError:
                return False
            yield b""
        return True

    def _n_line_feeds(self, end: int) -> Generator[bytes, None, int]:
        """The number of line feeds before a place."""
        self._stream.seek(self._source.mark_bytes)
        n_left = end - self._source.mark_bytes
        n_lines = 0
        while n_left and (data := self._stream.read(min(BLOCK_BYTES, n_left))):
            n_left -= len(data)
            n_lines += data.count(b"\n")
            yield b""
        return n_lines

    def _decoded(self, encoding: str, errors: str) -> Iterator[bytes]:
        decoder = codecs.getincrementaldecoder(encoding)(errors)
        keeps_ascii = encodings.keeps_ascii(encoding)
        is_first = True
        for data, is_last in self._slices():
            pending, flags = decoder.getstate()
            if keeps_ascii and not pending and not flags and data.isascii():
                is_first = is_first and not data
                yield data
                continue
            try:
                text = decoder.decode(data, is_last)
            except UnicodeDecodeError as error:
                place = self._n_read - len(data) - len(pending) + error.start
                raise self._invalid(encoding, place) from None
            except UnicodeError:
                raise self._invalid(encoding, self._n_read - len(data)) from None
            if is_first and self._source.is_chosen:
                text = text.removeprefix("\ufeff")
            is_first = is_first and not text
            yield text.encode("utf-8", "surrogatepass")

    def _invalid(self, encoding: str, place: int) -> SourceError:
        how = NAME_THE_ENCODING
        if self._source.is_chosen:
            how = "choose another encoding, or none to detect it"
        return SourceError(
            f"{self._source.name} is not {encodings.nice_name(encoding)} at byte {place:,}: {how}"
        )

    def _slices(self) -> Iterator[tuple[bytes, bool]]:
        """The bytes from the current position in slices, each with whether it is the last."""
        n_before = self._stream.tell()
        data = self._stream.read(BLOCK_BYTES)
        while True:
            following = self._stream.read(BLOCK_BYTES) if data else b""
            n_before += len(data)
            self._n_read = n_before
            self._source.position_bytes = n_before
            yield data, not following
            if not following:
                return
            data = following


def not_text(name: str) -> SourceError:
    """The error for a file that is binary."""
    return SourceError(
        f"{name} is a binary file, not text: choose a plain text file, or name its encoding"
    )


def _plural(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
