"""Golden files: texts with the ids that a tokenizer gives them, to find out later whether they have
changed.

A line is a JSON object with a `text` and its `ids`; they are `null` if it cannot be encoded. If a
template puts special tokens around the text, `with_special_tokens` has the ids with them. The empty
text always has it, to show a new template.
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.errors import SourceError
from bpe_studio.explain.tokenizer_diff.pair import ids_of
from bpe_studio.explain.wording import json_line

_TEXT = "text"
_IDS = "ids"
_AROUND = "with_special_tokens"


@dataclass(frozen=True)
class Drift:
    """The texts of a golden file to which a tokenizer gives other ids.

    Attributes:
        n_texts: the number of texts in the file.
        n_drifted: the number of texts with other ids.
        line: the line of the first of these, from 1; 0 for none.
        text: that text.
        expected, found: its ids in the file, and those that the tokenizer gives.
    """

    n_texts: int
    n_drifted: int
    line: int
    text: str
    expected: list[int] | None
    found: list[int] | None


def golden_lines(tokenizer: Tokenizer, texts: Iterable[str]) -> Iterator[str]:
    """The lines of a golden file, each with its line break."""
    for text in dict.fromkeys(texts):
        ids = ids_of(tokenizer, text)
        around = ids_of(tokenizer, text, add_special_tokens=True)
        entry = {_TEXT: text, _IDS: ids}
        if around != ids or not text:
            entry[_AROUND] = around
        yield json_line(entry)


def checking(tokenizer: Tokenizer, path: str | os.PathLike[str]) -> Generator[int, None, Drift]:
    """Compares a tokenizer with a golden file; yields the number of texts that were compared.

    Raises:
        SourceError: the file cannot be read, or is no golden file.
    """
    n_texts = 0
    n_drifted = 0
    first = 0
    shown: tuple[str, list[int] | None, list[int] | None] = "", None, None
    for line, entry in _entries(path):
        text = entry[_TEXT]
        wanted = [(key, entry[key]) for key in (_IDS, _AROUND) if key in entry]
        found = [ids_of(tokenizer, text, add_special_tokens=key == _AROUND) for key, _ in wanted]
        n_texts += 1
        other = next(
            ((ids, mine) for (_, ids), mine in zip(wanted, found, strict=True) if ids != mine), None
        )
        if other is not None:
            n_drifted += 1
            if not first:
                first = line
                shown = (text, *other)
        yield n_texts
    return Drift(n_texts, n_drifted, first, *shown)


def _entries(path: str | os.PathLike[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    name = os.fspath(path)
    n = 0
    try:
        with open(name, encoding="utf-8") as file:
            for n, line in enumerate(file, 1):
                yield n, _entry(line)
    except OSError as error:
        raise SourceError(f"{name} cannot be read ({error.strerror}): check the name") from None
    except (ValueError, RecursionError):
        raise SourceError(
            f"{name} is no golden file: line {max(1, n):,} is not an object with a text and its"
            " ids; write one with --golden"
        ) from None
    if not n:
        raise SourceError(f"{name} is empty: write texts with their ids into it with --golden")


def _entry(line: str) -> dict[str, Any]:
    entry = json.loads(line)
    if not isinstance(entry, dict) or not isinstance(entry.get(_TEXT), str) or _IDS not in entry:
        raise ValueError(line)
    for ids in (entry[_IDS], entry.get(_AROUND)):
        if ids is not None and not (
            isinstance(ids, list) and all(type(number) is int for number in ids)
        ):
            raise ValueError(line)
    return entry
