"""Reads and writes counts files: `pre-token TAB count` lines in UTF-8, to add up and to train from.

With byte units, the pre-token is written with GPT-2's printable stand-ins, so that no line is ambiguous. With character
units it is written as it is; a pre-token with a line break makes a record of several lines, which ends with TAB, digits
and a line break. The rare pre-token that contains such an ending cannot be written.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from typing import IO

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.text.alphabet import to_stand_ins
from bpe_studio.errors import SaveError, SourceError
from bpe_studio.files.text.decoding import SAMPLE_BYTES
from bpe_studio.files.text.encodings import is_utf8_so_far, looks_binary
from bpe_studio.files.text.regular_files import is_regular, open_regular
from bpe_studio.files.text.sources import standard_input

MAX_BYTES = 4 << 30
_CHUNK = 1 << 20
RECORD = re.compile(r"(.*?)\t(\d{1,18})\r?(?:\n|\Z)", re.DOTALL)
INNER_END = re.compile(r"\t\d+\r?\n")
LINE_SPLITS = ("whitespace", "words", "sentencepiece")


def counts_text(corpus: Corpus) -> bytes:
    """The corpus as the bytes of a counts file, in first-seen order.

    Raises:
        SaveError: a pre-token contains what ends a record.
    """
    by_bytes = corpus.config.units == "bytes"
    lines = []
    for index, count in enumerate(corpus.counts.tolist()):
        if by_bytes:
            name = to_stand_ins(corpus.pre_token_bytes(index)).encode()
        else:
            name = corpus.pre_token_bytes(index)
            text = corpus.pre_token(index)
            if INNER_END.search(text):
                raise SaveError(
                    f"The pre-token {text[:40]!r} cannot be written with units characters, because it contains what "
                    "ends a line of a counts file; count with --units bytes instead"
                )
        lines.append(b"%s\t%d\n" % (name, count))
    # A reader drops one byte-order mark: if the first pre-token begins with that character, it is written twice.
    mark = b"\xef\xbb\xbf"
    return (mark if lines and lines[0].startswith(mark) else b"") + b"".join(lines)


def read_counts(path: str, config: TrainingConfig) -> Corpus:
    """The corpus of a counts file; the counts of a pre-token that occurs twice are added.

    Args:
        path: the file; "-" is standard input.
        config: its units say how pre-tokens are written, and its split whether they can contain line breaks.

    Raises:
        SourceError: the file cannot be read, or a line is not a pre-token and a count.
        CorpusError: a pre-token contains a character that is not a byte stand-in.
    """
    is_by_line = config.units == "bytes" or config.split in LINE_SPLITS
    name = "standard input" if path == "-" else path
    text = _read(path, name, is_by_line=is_by_line).removeprefix("\ufeff")
    return Corpus.from_counts(list(_records(text, name, is_by_line=is_by_line)), config)


def _records(text: str, name: str, *, is_by_line: bool) -> Iterator[tuple[str, int]]:
    position = 0
    n_lines = 0
    while position < len(text):
        found = RECORD.match(text, position)
        start = n_lines + 1
        if found is None or (is_by_line and "\n" in found[1]) or not found[1]:
            line = text[position:].split("\n", 1)[0]
            raise SourceError(
                f"Line {start} of {name} is {line[:60]!r}; each line of a counts file is a pre-token, a TAB and a "
                "whole number"
            )
        n_lines += found[0].count("\n")
        position = found.end()
        yield found[1], int(found[2])


def _read(path: str, name: str, *, is_by_line: bool) -> str:
    """The file as text, decoded as UTF-8; invalid bytes become lone surrogates.

    A stream without an end is given up at its beginning where that is no counts file, and else at `MAX_BYTES`.
    """
    try:
        if os.path.isdir(path):
            raise SourceError(f"{path} is a folder; give a counts file in it")
        if path != "-" and os.path.exists(path) and not is_regular(path):
            raise SourceError(
                f"{path} is a pipe or a device, not a file; give a counts file, or - to read standard input"
            )
        with contextlib.nullcontext(standard_input()) if path == "-" else open_regular(path) as stream:
            head = stream.read(SAMPLE_BYTES)
            if looks_binary(head, is_utf8=is_utf8_so_far(head)):
                raise SourceError(f"{name} is a binary file; a counts file has a line of text for each pre-token")
            if is_by_line and b"\n" in head:
                first = head[: head.index(b"\n") + 1].decode("utf-8", "surrogateescape").removeprefix("\ufeff")
                next(_records(first, name, is_by_line=is_by_line))
            data = head + _rest(stream, MAX_BYTES + 1 - len(head))
    except FileNotFoundError:
        raise SourceError(f"There is no file {path}; check its name") from None
    except OSError as error:
        raise SourceError(f"{path} cannot be read ({error.strerror or error}); check its permissions") from None
    if not data:
        raise SourceError(f"{name} is empty; a counts file has a line for each pre-token")
    if len(data) > MAX_BYTES:
        raise SourceError(
            f"{name} has more than {MAX_BYTES >> 30} GB; count with fewer distinct pre-tokens, or train from the text"
        )
    return data.decode("utf-8", "surrogateescape")


def _rest(stream: IO[bytes], most: int) -> bytes:
    """Up to so many bytes more; `read(most)` would take the memory for all of them first."""
    parts: list[bytes] = []
    while most > 0 and (part := stream.read(min(most, _CHUNK))):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)
