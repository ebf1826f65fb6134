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

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.counter import Counter
from bpe_studio.engine.counting.plain_counting import to_bytes
from bpe_studio.engine.text.alphabet import from_stand_ins, to_stand_ins
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


def read_tsv(stream: Readable, config: TrainingConfig | None, name: str) -> Iterator[Head | list[Row]]:
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
                    yield rows
                    rows = []
                head = read_head(text[place + len(START) : line_end], name)
                config = head.config
                yield head
                place, n_lines = line_end + 1, n_lines + 1
                is_usual = True
                continue
            if config is None:
                raise SourceError(
                    f"{name} has no head that says how its text was cut: give the options that it was counted with"
                )
            by_bytes = config.units == "bytes"
            is_by_line = by_bytes or config.split in _LINE_SPLITS
            many = _usual_lines(text, place, end) if is_by_line and is_usual else []
            is_usual = bool(many)  # tried once for each part, and again after a head
            if many:
                for start in range(0, len(many), _ROWS):
                    yield [(_word(name, by_bytes), int(count)) for name, count in many[start : start + _ROWS]]
                place, n_lines = end, n_lines + len(many)
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
                yield rows
                rows = []
        if rows:
            yield rows
        limit = MAX_CHARACTERS if text.startswith(START, place) else MAX_RECORD_CHARACTERS
        if not is_end and len(text) - place > limit and "\n" not in text[place:]:
            raise _no_row(text[place:], n_lines + 1, name)
        if is_end and place < len(text):
            raise _no_row(text[place:], n_lines + 1, name)


def _usual_lines(text: str, place: int, end: int) -> list[tuple[str, str]]:
    """The names and counts of a part of a text if it is nothing but usual lines; else none, for a closer look."""
    if text.find(START, place, end) >= 0:
        return []
    found: list[tuple[str, str]] = _LINE.findall(text, place, end)
    is_all = sum(len(name) + len(count) + 2 if name else -1 for name, count in found) == end - place
    return found if is_all else []


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
        f"Line {number} of {name} is {line[:60]!r}; each line of a counts file is a pre-token, a TAB and a whole number"
    )
