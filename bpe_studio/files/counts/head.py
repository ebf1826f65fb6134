"""The head of a counts file: how the text was cut, how much it was, and where it came from.

It guards training: a table that was cut in another way gives a wrong tokenizer, and nothing in its
rows says so.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NamedTuple

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.counter import Counter, cut_difference
from bpe_studio.engine.counting.plain_counting import TextMeasures
from bpe_studio.engine.counting.word_table import Words
from bpe_studio.errors import BpeError, SourceError

VERSION = 1
MAX_CHARACTERS = 1 << 24
_LEFT_OUT = ("force", "forbid", "weight", "alpha")
"""Options that decide nothing about how text is cut; the table holds counts without weights."""
_MOST = 2**63 - 1


@dataclass(frozen=True)
class Head:
    """The head of a counts file.

    Attributes:
        config: the options that the text was cut with.
        measures: the measures of the text; `None` if they are not known.
        n_rows: the number of rows that follow, of all stages.
        n_words: the sum of their counts.
        sources: the names of the first sources.
        n_sources: the number of all of them.
    """

    config: TrainingConfig
    measures: TextMeasures | None
    n_rows: int
    n_words: int
    sources: tuple[str, ...]
    n_sources: int


class Rows(NamedTuple):
    """Some rows of a counts file.

    Attributes:
        stage: the number of their stage, 0 or 1; 1 only with superwords.
        words: the pre-tokens and their counts.
    """

    stage: int
    words: Words


def head_text(counter: Counter) -> str:
    """The head of a counter as one line of JSON, without a TAB."""
    measures = counter.measures
    tables = counter.tables()
    config = {
        name: value for name, value in counter.config.to_dict().items() if name not in _LEFT_OUT
    }
    text = None
    if measures is not None:
        text = {
            "n_bytes": measures.size_bytes,
            "n_characters": measures.n_characters,
            "n_whitespace_words": measures.n_whitespace_words,
            "n_documents": measures.n_documents,
        }
    about = {
        "version": VERSION,
        "config": config,
        "n_rows": sum(len(words.counts) for words in tables),
        "n_words": sum(int(words.counts.sum()) for words in tables),
        "text": text,
        "sources": counter.sources,
        "n_sources": counter.n_sources,
    }
    return json.dumps(about)


def read_head(text: str | bytes, name: str) -> Head:
    """The head from its JSON.

    Raises:
        SourceError: it is not one, or of a later version of the program.
    """
    try:
        about: Any = json.loads(text)
        if about["version"] > VERSION:
            raise SourceError(
                f"{name} was counted by a newer version of BPE Studio (its head has version"
                f" {about['version']}, this program reads {VERSION}): update the program"
            )
        size = about["text"]
        measures = None
        if size is not None:
            measures = TextMeasures(
                _number(size["n_bytes"]),
                _number(size["n_characters"]),
                _number(size["n_whitespace_words"]),
                _number(size["n_documents"]),
            )
        return Head(
            TrainingConfig.from_dict(about["config"]),
            measures,
            _number(about["n_rows"]),
            _number(about["n_words"]),
            tuple(str(source)[:1000] for source in about["sources"])[:1000],
            _number(about["n_sources"]),
        )
    except SourceError:
        raise
    except (BpeError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SourceError(f"The head of {name} is damaged ({error!r:.100}): count again") from None


def stages_for(head: Head, config: TrainingConfig, name: str) -> tuple[int, ...]:
    """The numbers of the stages whose tables the options need: one table of two may be enough.

    Raises:
        SourceError: the text was cut in another way; the message says what differs.
    """
    different = cut_difference(head.config, config)
    if different:
        for stage, own in enumerate(head.config.stages):
            if not cut_difference(own, config):
                return (stage,)
        raise SourceError(
            f"{name} cannot be used here, because {different}: count again, or train with those"
            " options"
        )
    return tuple(range(len(config.stages)))


def check_rows(head: Head, n_rows: int, n_words: int, name: str) -> None:
    """Refuses a table that does not hold what its head says.

    Raises:
        SourceError: rows are missing, or were changed.
    """
    if (n_rows, n_words) != (head.n_rows, head.n_words):
        raise SourceError(
            f"{name} is cut short or was changed: its head says {head.n_rows:,} rows with a sum of"
            f" {head.n_words:,}, and {n_rows:,} with {n_words:,} follow; copy it again, or remove"
            " its first line if the change is meant"
        )


def _number(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST:
        raise ValueError(f"{value!r:.40} is not a count")
    return value
