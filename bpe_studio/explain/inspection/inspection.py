"""Inspects a corpus: reads its files, counts its words on the way, and lists its problems."""

from __future__ import annotations

import unicodedata
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np

from bpe_studio.engine.config import TrainingConfig, checked_config
from bpe_studio.engine.counting.corpus import Corpus, CorpusBuilder
from bpe_studio.engine.file_access import file_access
from bpe_studio.engine.generators import result_of
from bpe_studio.engine.presets import DEFAULT_PRESET
from bpe_studio.engine.progress_bar import ProgressBar
from bpe_studio.engine.text.cleaning import KNOWN_SPECIALS
from bpe_studio.explain.inspection.findings import FIXES, FORMS, MEANINGS, Finding, first_ones
from bpe_studio.explain.inspection.scanner import Scanner
from bpe_studio.explain.wording import data_size, plural
from bpe_studio.files.text.encodings import nice_name
from bpe_studio.files.text.places import paths_of
from bpe_studio.files.text.reading import Reading
from bpe_studio.files.text.sources import Source, Sources

_MOST_CHANGED = 20


@dataclass(frozen=True)
class Inspection:
    """The findings in a corpus.

    Attributes:
        n_bytes: its size as UTF-8.
        n_documents: the number of its documents.
        n_lines: the number of its lines.
        findings: its problems; empty for a clean text.
        measures: facts about any text: `digits` by their kind; `scripts` of each tenth of the text,
            as shares of the letters; `words` that occur once; and the characters that NFKC would
            change (`nfkc`).
        notices: sentences about the reading of the files.
        corpus: its counted pre-tokens.
    """

    n_bytes: int
    n_documents: int
    n_lines: int
    findings: list[Finding]
    measures: dict[str, Any]
    notices: list[str] = field(default_factory=list)
    corpus: Corpus | None = None

    def __repr__(self) -> str:
        counted = (
            f"{data_size(self.n_bytes)}, {plural(self.n_documents, 'document')},"
            f" {plural(self.n_lines, 'line')}"
        )
        return f"<Inspection: {counted}, {plural(len(self.findings), 'finding')}>"

    def _repr_html_(self) -> str:
        return file_access().html_of(self)

    def __getitem__(self, name: str) -> Finding:
        """A finding by its name."""
        return next(found for found in self.findings if found.name == name)

    def as_json(self) -> dict[str, Any]:
        """The findings as the command prints them."""
        return {
            "n_bytes": self.n_bytes,
            "n_documents": self.n_documents,
            "n_lines": self.n_lines,
            "findings": [found.as_json() for found in self.findings],
            "measures": self.measures,
        }


def inspect(
    sources: Iterable[str | PathLike[str]] | str | PathLike[str],
    config: TrainingConfig | None = None,
    *,
    encoding: str | None = None,
    column: str | None = None,
    progress: bool = False,
) -> Inspection:
    """Inspect a corpus for dirt that becomes tokens.

    Args:
        sources: files, folders, patterns or addresses, or one of them.
        config: the options with which its words are counted; `None` for the default preset. Its
            special tokens are looked for in the text.
        encoding: the encoding of the files; `None` to detect it for each.
        column: the column of records that holds the text; `None` to find it.
        progress: whether to show a progress bar.

    Raises:
        SourceError: a file cannot be read as text.
    """
    config = TrainingConfig.preset(DEFAULT_PRESET) if config is None else checked_config(config)
    job = inspecting(paths_of(sources), config, Reading(encoding, column))
    with ProgressBar("Inspecting", is_shown=progress) as bar:
        return result_of(job, lambda place: bar.update(*place))


def inspecting(
    paths: Iterable[str | PathLike[str]], config: TrainingConfig, reading: Reading
) -> Generator[tuple[int, int, str], None, Inspection]:
    """`inspect` as a job.

    Yields:
        The number of bytes of a file that have been read, its size (0 if it is not known), and its
        name.
    """
    files = Sources(paths, reading)
    scanner = scanner_for(config)
    builder = CorpusBuilder(config.unweighted)
    notices: list[str] = []
    for source in files:
        builder.begin_source(source.path)
        for content, ends in scanned_pieces(scanner, source):
            for _ in builder.feed(content, ends):
                yield source.position_bytes, source.size_bytes, source.name
            yield source.position_bytes, source.size_bytes, source.name
        notices += source.notices
    notices += files.notices
    return inspection_of(scanner, builder.finish(), notices)


def scanner_for(config: TrainingConfig) -> Scanner:
    """A scanner that also looks for the special tokens of a run, unless they separate documents."""
    if config.documents == "separator":
        return Scanner()
    return Scanner(config.all_special)


def scanned_pieces(scanner: Scanner, source: Source) -> Iterator[tuple[bytes, Sequence[int]]]:
    """The pieces of a file, each with the ends of documents in it; the scanner has read them."""
    place = source.path
    scanner.begin_file(place)
    for content, ends, records, member in source.pieces():
        if member and place != f"{source.path}/{member}":
            place = f"{source.path}/{member}"
            scanner.begin_file(place)
        scanner.feed(content, ends, _misread_as(source, content), records)
        yield content, ends


def inspection_of(scanner: Scanner, corpus: Corpus, notices: list[str]) -> Inspection:
    """The inspection of a text that a scanner has read.

    Args:
        scanner: the scanner.
        corpus: the counted words of the text.
        notices: sentences about the reading of the files.
    """
    scanner.finish()
    return Inspection(
        scanner.n_bytes,
        scanner.n_documents,
        scanner.n_lines,
        _findings(scanner),
        _measures(scanner, corpus),
        notices,
        corpus,
    )


def _misread_as(source: Source, content: bytes) -> str:
    """The encoding that was guessed for a text that is not UTF-8; "" if nothing was guessed."""
    is_guessed = (
        source.encoding != "utf-8"
        and not source.is_chosen
        and not source.mark_bytes
        and not source.guess
    )
    return source.encoding if is_guessed and not content.isascii() else ""


def _findings(scanner: Scanner) -> list[Finding]:
    details = {"special_tokens": first_ones(scanner.special_counts)}
    if scanner.boilerplate:
        details["boilerplate_lines"] = f"such as “{_shortened(scanner.boilerplate[0])}”"
    if scanner.n_judged < scanner.n_suspected:
        details["mojibake"] = (
            f"{scanner.n_judged:,} of {scanner.n_suspected:,} suspected lines checked"
        )
    if scanner.misread_as:
        encodings = ", ".join(sorted(map(nice_name, scanner.misread_as)))
        details["invalid_bytes"] = f"read as {encodings}"
    return [
        Finding(
            name,
            scanner.counts[name],
            scanner.places.get(name, []),
            details.get(name, ""),
            scanner.excerpts.get(name, []),
            _fix(scanner, name),
        )
        for name in MEANINGS
        if scanner.counts[name]
    ]


def _fix(scanner: Scanner, name: str) -> str:
    """The fix that removes a finding and nothing else; "" for none."""
    if name in FORMS:
        arabic, persian = (int(scanner.code_counts[ord(letter)]) for letter in FORMS[name])
        letters = name.removeprefix("mixed_")
        return f"persian-{letters}" if persian >= arabic else f"arabic-{letters}"
    is_read_otherwise = name == "invalid_bytes" and scanner.misread_as
    has_others = name == "special_tokens" and not set(scanner.special_counts) <= set(KNOWN_SPECIALS)
    return "" if is_read_otherwise or has_others else FIXES[name]


def _shortened(line: str) -> str:
    line = " ".join(line.split())
    return line if len(line) <= 60 else line[:59] + "…"


def _measures(scanner: Scanner, corpus: Corpus) -> dict[str, Any]:
    digits: dict[str, int] = {}
    changed: list[dict[str, Any]] = []
    n_changed = 0
    for code in np.flatnonzero(scanner.code_counts).tolist():
        char = chr(code)
        count = int(scanner.code_counts[code])
        if char.isdecimal():
            kind = unicodedata.name(char, "").partition("DIGIT ")[0].strip().title() or "ASCII"
            digits[kind] = digits.get(kind, 0) + count
        if unicodedata.normalize("NFKC", char) != unicodedata.normalize("NFC", char):
            n_changed += count
            changed.append(
                {"character": char, "becomes": unicodedata.normalize("NFKC", char), "count": count}
            )
    changed.sort(key=lambda each: (-each["count"], each["character"]))
    return {
        "words": {"n_distinct": len(corpus), "n_once": int(np.count_nonzero(corpus.counts == 1))},
        "digits": dict(sorted(digits.items(), key=lambda item: -item[1])),
        "nfkc": {"n_characters": n_changed, "characters": changed[:_MOST_CHANGED]},
        "scripts": scanner.script_shares(),
    }
