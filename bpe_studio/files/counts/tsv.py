"""Counts as text: a line with the head, then `pre-token TAB count` lines in UTF-8, to add up and to train from.

Files joined end to end are read as the sum; each part has its own head. With byte units, the pre-token is written with
GPT-2's printable stand-ins, so that no line is ambiguous. With character units it is written as it is; a pre-token with
a line break makes a record of several lines, which ends with TAB, digits and a line break. The rare pre-token that
contains such an ending, or the beginning of a head, cannot be written.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.arrays import ByteArray
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.counter import Counter
from bpe_studio.engine.counting.plain_counting import to_bytes
from bpe_studio.engine.counting.word_table import Words
from bpe_studio.engine.text.alphabet import from_stand_ins, stand_in_to_byte, to_stand_ins
from bpe_studio.errors import CorpusError, SaveError, SourceError, VocabularyError
from bpe_studio.files.counts.head import MAX_CHARACTERS, START, Head, head_text, read_head

MAX_RECORD_CHARACTERS = 1 << 30
"""The longest record; a stream without an end is given up there, and at its beginning where it is no counts file."""
_CHUNK = 1 << 20
_ROWS = 1 << 12
_RECORD = re.compile(r"(.*?)\t(\d{1,18})\r?(?:\n|\Z)", re.DOTALL)
_LINE = re.compile(r"([^\n]*?)\t(\d{1,18})\r?(?:\n|\Z)")
_INNER_END = re.compile(r"\t\d+\r?\n")
_LINE_SPLITS = ("whitespace", "words", "sentencepiece")
_MOST_DIGITS = 18
_BYTES_OF = np.full(1 << 11, -1, np.int16)
"""By the code point of a stand-in, its byte."""
for _name, _byte in stand_in_to_byte.items():
    _BYTES_OF[ord(_name)] = _byte

Row = tuple[bytes, int]


class Readable(Protocol):
    """What can be read."""

    def read(self, size: int, /) -> bytes:
        """Up to so many bytes."""


def tsv_parts(counter: Counter) -> Iterator[bytes]:
    """The bytes of a counts file, in parts.

    Raises:
        SaveError: a pre-token contains what ends a record.
    """
    yield f"{START}{head_text(counter)}\n".encode()
    by_bytes = counter.config.units == "bytes"
    lines: list[bytes] = []
    for word, count in counter.rows():
        lines.append(b"%s\t%d\n" % (to_stand_ins(word).encode() if by_bytes else _checked(word), count))
        if len(lines) == _ROWS:
            yield b"".join(lines)
            lines = []
    yield b"".join(lines)


def _checked(word: bytes) -> bytes:
    if b"\n" in word or word.startswith(START.encode()):
        text = word.decode("utf-8", "surrogateescape")
        if _INNER_END.search(text) or text.startswith(START):
            raise SaveError(
                f"The pre-token {text[:40]!r} cannot be written with units characters, because it contains what ends a "
                "line of a counts file; count with --units bytes instead"
            )
    return word


def read_tsv(stream: Readable, config: TrainingConfig | None, name: str) -> Iterator[Head | Words]:
    """The heads and rows of a counts file, in order.

    Args:
        stream: the file.
        config: says how the rows of a part without a head are written; None if there must be a head.
        name: the name of the file in messages.

    Raises:
        SourceError: a line is not a pre-token and a count.
        CorpusError: a pre-token contains a character that is not a byte stand-in.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    text, place, n_lines = "", 0, 0
    is_end = False
    while not is_end:
        data = stream.read(max(_CHUNK, len(text) - place))
        is_end = not data
        added = decoder.decode(data, is_end)
        text = (text[place:] + added) if n_lines or text else added.removeprefix("\ufeff")
        place = 0
        end = len(text) if is_end else text.rfind("\n") + 1
        rows: list[Row] = []
        is_usual = True
        while place < end:
            if text.startswith(START, place):
                line_end = text.find("\n", place)
                if line_end < 0:
                    break
                if rows:
                    yield _words_of(rows)
                    rows = []
                head = read_head(text[place + len(START) : line_end], name)
                config = head.config
                yield head
                place, n_lines = line_end + 1, n_lines + 1
                is_usual = True
                continue
            if config is None:
                raise SourceError(f"{name} does not say how its text was cut: give the options it was counted with")
            by_bytes = config.units == "bytes"
            is_by_line = by_bytes or config.split in _LINE_SPLITS
            if is_by_line and is_usual:
                next_head = text.find("\n" + START, place, end) + 1 or end
                many = _usual_lines(text[place:next_head], by_bytes)
                is_usual = many is not None  # tried once for each part, and again after a head
                if many is not None:
                    yield many
                    place, n_lines = next_head, n_lines + len(many.counts)
                    continue
            found = (_LINE if is_by_line else _RECORD).match(text, place)
            if found is not None and not is_end and found.end() == len(text) and not found[0].endswith("\n"):
                found = None
                if not is_by_line:
                    break
            if found is None or not found[1]:
                if found is None and not is_by_line and not is_end and len(text) - place < MAX_RECORD_CHARACTERS:
                    break  # the record may go on
                raise _no_row(text[place:], n_lines + 1, name)
            rows.append((_word(found[1], by_bytes), int(found[2])))
            n_lines += found[0].count("\n") if not is_by_line else 1
            place = found.end()
            if len(rows) == _ROWS:
                yield _words_of(rows)
                rows = []
        if rows:
            yield _words_of(rows)
        limit = MAX_CHARACTERS if text.startswith(START, place) else MAX_RECORD_CHARACTERS
        if not is_end and len(text) - place > limit and "\n" not in text[place:]:
            raise _no_row(text[place:], n_lines + 1, name)
        if is_end and place < len(text):
            raise _no_row(text[place:], n_lines + 1, name)


def _usual_lines(text: str, by_bytes: bool) -> Words | None:
    """The rows of some lines if each is a name, one TAB and digits; None for a closer look at what they are."""
    b = np.frombuffer(text.encode("utf-8", "surrogateescape") + b"\n" * (not text.endswith("\n")), np.uint8)
    line_ends, tabs = np.flatnonzero(b == ord("\n")), np.flatnonzero(b == ord("\t"))
    if len(tabs) != len(line_ends):
        return None
    starts = np.concatenate([[0], line_ends[:-1] + 1])
    n_digits = line_ends - tabs - 1
    if (tabs <= starts).any() or n_digits.min() < 1 or n_digits.max() > _MOST_DIGITS:
        return None
    counts = np.zeros(len(tabs), np.int64)
    for k in range(1, int(n_digits.max()) + 1):
        has_digit = n_digits >= k
        digits = b[tabs[has_digit] + k] - np.uint8(ord("0"))
        if (digits > 9).any():
            return None
        counts[has_digit] = counts[has_digit] * 10 + digits
    steps = np.zeros(len(b), np.int8)
    steps[starts], steps[tabs] = 1, -1
    is_name = np.cumsum(steps, dtype=np.int8).astype(np.bool_)
    if by_bytes:
        found = _bytes_of_stand_ins(b, is_name)
        if found is None:
            return None
        b, is_name = found
    places = np.concatenate([[0], np.cumsum(is_name)])
    return Words(b[is_name], np.concatenate([places[starts], places[-1:]]), counts)


def _bytes_of_stand_ins(b: ByteArray, is_name: npt.NDArray[np.bool_]) -> tuple[ByteArray, npt.NDArray[np.bool_]] | None:
    """The byte of each stand-in, where it begins, and where that is; None if one of the characters is none."""
    is_next, is_first = b & 0xC0 == 0x80, (b & 0xE0 == 0xC0) & (b >= 0xC2)
    is_other = (b >= 0x80) & ~is_next & ~is_first
    if is_next[0] or (is_next[1:] != is_first[:-1]).any() or is_other.any():
        return None
    code = b.astype(np.int16)
    places = np.flatnonzero(is_first)
    code[places] = (code[places] & 0x1F) << 6 | code[places + 1] & 0x3F
    begins = is_name & ~is_next
    values = _BYTES_OF[code]
    return None if (values[begins] < 0).any() else (values.astype(np.uint8), begins)


def _words_of(rows: list[Row]) -> Words:
    lengths = np.array([len(word) for word, _ in rows], np.int64)
    content = np.frombuffer(b"".join(word for word, _ in rows), np.uint8)
    return Words(content, np.concatenate([[0], np.cumsum(lengths)]), np.array([count for _, count in rows], np.int64))


def _word(name: str, by_bytes: bool) -> bytes:
    if not by_bytes:
        return to_bytes(name)
    try:
        return from_stand_ins(name)
    except VocabularyError as error:
        raise CorpusError(str(error)) from None


def _no_row(text: str, number: int, name: str) -> SourceError:
    line = text[:61].split("\n", 1)[0]
    return SourceError(
        f"Line {number} of {name} is {line[:60]!r}; each line of a counts file is a pre-token, a TAB and a whole "
        f"number of at most {_MOST_DIGITS} digits"
    )
