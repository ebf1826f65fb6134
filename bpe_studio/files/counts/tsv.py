r"""Counts as text: a line with the head, then `pre-token TAB count` lines in UTF-8, to add up and
to train from.

Files joined end to end are read as the sum; each part has its own head. With byte units, the
pre-token is written with GPT-2's printable stand-ins, so that no line is ambiguous. With character
units it is written as it is, but below a head a backslash, a TAB and a line break are escaped:
`\\`, `\t`, `\n`, `\r`.

With superwords, the pre-tokens of the first stage come first. A line of its own divides them from
the pieces of the second stage.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import IO

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.arrays import ByteArray
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.counter import Counter
from bpe_studio.engine.counting.word_table import Words
from bpe_studio.engine.text.alphabet import from_stand_ins, stand_in_to_byte, to_stand_ins
from bpe_studio.errors import CorpusError, SourceError, VocabularyError
from bpe_studio.files.counts.head import MAX_CHARACTERS, Head, Rows, head_text, read_head
from bpe_studio.files.own_marks import COUNTS_START

MAX_LINE_BYTES = 1 << 30
"""The longest line; a stream without an end is given up there."""
_CHUNK = 1 << 20
_ROWS = 1 << 12
_START = COUNTS_START.encode()
_SECOND_STAGE = b'{"stage": 2}'
"""In the place of a head: the rows that follow are those of the second stage."""
_LINE = re.compile(rb"(.+)\t(\d{1,18})\r?", re.DOTALL)
_MOST_DIGITS = 18
_ESCAPED = {b"\\": b"\\\\", b"\t": b"\\t", b"\n": b"\\n", b"\r": b"\\r"}
_TO_ESCAPE = re.compile(rb"[\\\t\n\r]")
_ESCAPES = re.compile(rb"\\[\\tnr]")
_UNESCAPED = {escape: char for char, escape in _ESCAPED.items()}
_BYTES_OF = np.full(1 << 11, -1, np.int16)
"""The byte of each stand-in, by its code point; -1 for others."""
for _name, _byte in stand_in_to_byte.items():
    _BYTES_OF[ord(_name)] = _byte

Row = tuple[bytes, int]


def tsv_parts(counter: Counter) -> Iterator[bytes]:
    """The bytes of a counts file, in parts."""
    yield f"{COUNTS_START}{head_text(counter)}\n".encode()
    by_bytes = counter.config.units == "bytes"
    first, *second = counter.tables()
    yield from _lines_of(first, by_bytes)
    for words in second:
        yield b"%s%s\n" % (_START, _SECOND_STAGE)
        yield from _lines_of(words, by_bytes)


def _lines_of(words: Words, by_bytes: bool) -> Iterator[bytes]:
    lines: list[bytes] = []
    for word, count in words.rows():
        if by_bytes:
            name = to_stand_ins(word).encode()
        else:
            name = _TO_ESCAPE.sub(lambda found: _ESCAPED[found[0]], word)
        lines.append(b"%s\t%d\n" % (name, count))
        if len(lines) == _ROWS:
            yield b"".join(lines)
            lines = []
    yield b"".join(lines)


def read_tsv(
    beginning: bytes, stream: IO[bytes], config: TrainingConfig | None, name: str
) -> Iterator[Head | Rows]:
    """The heads and rows of a counts file, in order.

    Args:
        beginning: the first bytes of the file.
        stream: the file behind them.
        config: says how the rows of a part without a head are written; `None` if there must be a
            head.
        name: the name of the file in messages.

    Raises:
        SourceError: a line is not a pre-token and a count.
        CorpusError: a pre-token contains a character that is not a byte stand-in.
    """
    data = beginning
    rest = b""
    n_lines = 0
    is_below_head = False
    stage = 0
    is_end = False
    while not is_end:
        data = data or stream.read(max(_CHUNK, len(rest)))
        is_end = not data
        lines = rest + data
        data = b""
        if not n_lines:
            lines = lines.removeprefix(codecs.BOM_UTF8)
        end = len(lines) if is_end else lines.rfind(b"\n") + 1
        rest = lines[end:]
        lines = lines[:end]
        while lines:
            if lines.startswith(_START):
                about, _, lines = lines.partition(b"\n")
                about = about[len(_START) :].rstrip()
                n_lines += 1
                if about == _SECOND_STAGE:
                    stage = 1
                    continue
                head = read_head(about, name)
                config = head.config
                is_below_head = True
                stage = 0
                yield head
                continue
            if config is None:
                raise SourceError(
                    f"{name} does not say how its text was cut: give the options it was counted"
                    " with"
                )
            next_head = lines.find(b"\n" + _START) + 1 or len(lines)
            some = lines[:next_head]
            lines = lines[next_head:]
            by_bytes = config.units == "bytes"
            is_plain = by_bytes or not is_below_head or b"\\" not in some
            found = _usual_lines(some, by_bytes) if is_plain else None
            found = found or _words_of(list(_rows(some, by_bytes, is_plain, n_lines, name)))
            yield Rows(stage, found)
            n_lines += some.count(b"\n")
        most = MAX_CHARACTERS if rest.startswith(_START) else MAX_LINE_BYTES
        if len(rest) > most:
            raise _no_row(rest, n_lines + 1, name)


def _rows(lines: bytes, by_bytes: bool, is_plain: bool, n_before: int, name: str) -> Iterator[Row]:
    for number, line in enumerate(lines.removesuffix(b"\n").split(b"\n"), n_before + 1):
        found = _LINE.fullmatch(line)
        if found is None:
            raise _no_row(line, number, name)
        word = found[1]
        if not is_plain:
            word = _ESCAPES.sub(lambda escape: _UNESCAPED[escape[0]], word)
        if by_bytes:
            word = _bytes_of_name(word)
        yield word, int(found[2])


def _bytes_of_name(name: bytes) -> bytes:
    try:
        return from_stand_ins(name.decode("utf-8", "surrogateescape"))
    except VocabularyError as error:
        raise CorpusError(str(error)) from None


def _usual_lines(lines: bytes, by_bytes: bool) -> Words | None:
    """The rows of some lines if each is a name, one TAB and digits; `None` if they need a closer
    look.
    """
    if not lines.endswith(b"\n"):
        lines += b"\n"
    b = np.frombuffer(lines, np.uint8)
    line_ends = np.flatnonzero(b == ord("\n"))
    tabs = np.flatnonzero(b == ord("\t"))
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
    steps[starts] = 1
    steps[tabs] = -1
    is_name = np.cumsum(steps, dtype=np.int8).astype(np.bool_)
    if by_bytes:
        found = _bytes_of_stand_ins(b, is_name)
        if found is None:
            return None
        b, is_name = found
    places = np.concatenate([[0], np.cumsum(is_name)])
    return Words(b[is_name], np.concatenate([places[starts], places[-1:]]), counts)


def _bytes_of_stand_ins(
    b: ByteArray, is_name: npt.NDArray[np.bool_]
) -> tuple[ByteArray, npt.NDArray[np.bool_]] | None:
    """The byte of each stand-in, at the place where it begins, and whether one begins at each
    place; `None` if a character is not a stand-in.
    """
    is_next = b & 0xC0 == 0x80
    is_first = (b & 0xE0 == 0xC0) & (b >= 0xC2)
    is_other = (b >= 0x80) & ~is_next & ~is_first
    if is_next[0] or (is_next[1:] != is_first[:-1]).any() or is_other.any():
        return None
    code = b.astype(np.int16)
    places = np.flatnonzero(is_first)
    code[places] = (code[places] & 0x1F) << 6 | code[places + 1] & 0x3F
    begins = is_name & ~is_next
    values = _BYTES_OF[code]
    if (values[begins] < 0).any():
        return None
    return values.astype(np.uint8), begins


def _words_of(rows: list[Row]) -> Words:
    words = [word for word, _ in rows]
    counts = [count for _, count in rows]
    lengths = np.array(list(map(len, words)), np.int64)
    return Words(
        np.frombuffer(b"".join(words), np.uint8),
        np.concatenate([[0], np.cumsum(lengths)]),
        np.array(counts, np.int64),
    )


def _no_row(line: bytes, number: int, name: str) -> SourceError:
    shown = line[:240].decode("utf-8", "surrogateescape")[:60]
    return SourceError(
        f"Line {number} of {name} is {shown!r}; each line of a counts file is a pre-token, a TAB"
        f" and a whole number of at most {_MOST_DIGITS} digits"
    )
