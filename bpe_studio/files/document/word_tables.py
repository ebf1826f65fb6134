"""Reads the parts of a studio document, and the tables of counted words among them, as untrusted
input.

Sizes are limited before anything is decompressed. `reading.py` checks what the parts mean together.
"""

from __future__ import annotations

import zipfile
from collections.abc import Generator, Iterator
from typing import Any

import numpy as np

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import MOST_SYMBOLS, Corpus, n_symbols_about
from bpe_studio.engine.counting.word_table import Words
from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.document import records as d
from bpe_studio.files.json_parts import checked, member, optional

MOST = 2**53
"""The greatest count that a document may state."""
_CHUNK = 1 << 20

Steps = Generator[tuple[int, int], None, Any]


class DocumentArchive:
    """The parts of the file; each is decompressed when it is read, up to its stated size.

    Attributes:
        n_word_bytes: the number of bytes of words that have been read.
        n_tokens: the number of tokens of tokenizers that have been read.
    """

    def __init__(self, archive: zipfile.ZipFile, size: int) -> None:
        self._archive = archive
        self._infos = {info.filename: info for info in archive.infolist()}
        if len(self._infos) < len(archive.infolist()):
            raise TokenizerFormatError("one of its parts occurs twice")
        self._done = 0
        self.n_word_bytes = 0
        self.n_tokens = 0
        self._total = sum(info.file_size for info in self._infos.values())
        if self._total > max(d.FREELY_UNPACKED_BYTES, d.MAX_RATIO * size):
            raise TokenizerFormatError(
                f"it would unpack to {self._total:,} bytes from {size:,}, so it is damaged or"
                " malicious"
            )

    @property
    def progress(self) -> tuple[int, int]:
        """(bytes decompressed, bytes in all)."""
        return self._done, self._total

    def __contains__(self, name: str) -> bool:
        return name in self._infos

    def read(
        self, name: str, most: int, exact: int | None = None
    ) -> Generator[tuple[int, int], None, bytearray]:
        """The bytes of a part, in writable memory of its own, as the kernels expect of arrays."""
        content = bytearray()
        for chunk in self.chunks(name, most, exact):
            content += chunk
            yield self.progress
        return content

    def chunks(self, name: str, most: int, exact: int | None = None) -> Iterator[bytes]:
        """The bytes of a part, block by block.

        Args:
            name: the part.
            most: the most bytes that it may have.
            exact: the number that it must have; `None` if that is not known.

        Raises:
            TokenizerFormatError: it is missing, has another size, or is compressed as no document
                is.
        """
        info = self._infos.get(name)
        if info is None:
            raise TokenizerFormatError(f"its part {name} is missing: copy or save it again")
        # Some methods take whatever memory the file asks for.
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise TokenizerFormatError(f"its part {name} is packed in a way that no document uses")
        if info.file_size > most or (exact is not None and info.file_size != exact):
            limit = f"not {exact:,}" if exact is not None else f"more than {most:,}"
            raise TokenizerFormatError(f"its part {name} has {info.file_size:,} bytes, {limit}")
        done_before = self._done
        with self._archive.open(info) as part:
            while chunk := part.read(_CHUNK):
                self._done += len(chunk)
                yield chunk
        if self._done - done_before != info.file_size:
            raise TokenizerFormatError(f"its part {name} is cut short: copy or save it again")


def read_corpus(
    parts: DocumentArchive,
    about: dict[str, Any],
    table: str = d.WORDS,
    config: TrainingConfig | None = None,
) -> Steps:
    """Reads a table of words; its settings are those given, or else the stored ones."""
    if config is None:
        config = TrainingConfig.from_dict(member(about, "config", dict, "the corpus"))
    n_words = whole(about, "n_words", d.MAX_WORD_BYTES)
    words_part, lengths_part, counts_part = d.word_parts(table)
    # The limit holds for all tables together.
    blob = np.frombuffer(
        (yield from parts.read(words_part, d.MAX_WORD_BYTES - parts.n_word_bytes)), np.uint8
    )
    parts.n_word_bytes += len(blob)
    packed_lengths = yield from parts.read(lengths_part, d.MAX_WORD_BYTES, 4 * n_words)
    packed_counts = yield from parts.read(counts_part, d.MAX_WORD_BYTES, 8 * n_words)
    lengths = np.frombuffer(packed_lengths, "<u4").astype(np.int64)
    counts = np.frombuffer(packed_counts, "<i8").astype(np.int64)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    if int(offsets[-1]) != len(blob):
        raise TokenizerFormatError(f"its words end at byte {int(offsets[-1]):,} of {len(blob):,}")
    if n_words and (lengths.min() < 1 or counts.min() < 1 or counts.max() > MOST):
        raise TokenizerFormatError(
            f"one of its words is empty, or its count is not from 1 to {MOST:,}"
        )
    if n_symbols_about(counts, lengths + 1) > MOST_SYMBOLS:
        raise TokenizerFormatError("its words are more than can be counted")
    first = None
    if len(config.stages) > 1:
        one = member(about, "first", dict, "the corpus")
        first = yield from read_corpus(parts, one, d.first_words(table), config.stages[0])
    sources = {}
    repetitions = {}
    for number, each in enumerate(optional(about, "files", list, "the corpus") or ()):
        values = checked(each, dict, "a file")
        source = yield from read_corpus(
            parts, values, d.file_words(table, number), config.unweighted
        )
        name = member(values, "name", str, "a file")
        sources[name] = source
        repetitions[name] = whole(values, "repetitions", MOST)
    if first is not None:
        first.sources = {name: source.first for name, source in sources.items()}
        first.repetitions = repetitions
    return Corpus(
        config,
        Words(blob, offsets, counts),
        size_bytes=whole(about, "size_bytes", MOST),
        n_characters=whole(about, "n_characters", MOST),
        n_whitespace_words=whole_or_none(about, "n_whitespace_words", MOST),
        n_documents=whole(about, "n_documents", MOST),
        is_counted=member(about, "is_counted", bool, "the corpus"),
        first=first,
        sources=sources,
        repetitions=repetitions,
    )


def read_held_out(parts: DocumentArchive, values: dict[str, Any], base: TrainingConfig) -> Steps:
    """Reads the held-out share and its words; 0 and `None` if nothing is held out."""
    about = optional(values, "held_out", dict, d.MAIN_PART)
    if about is None:
        return 0.0, None
    share = about.get("share")
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share < 1:
        raise TokenizerFormatError(
            f"the share that it holds out is {str(share)[:40]}, not one between 0 and 1"
        )
    return float(share), (yield from read_corpus(parts, about, d.HELD_OUT_WORDS, base))


def whole(value: object, key: str, most: int) -> int:
    """The whole number from 0 to `most` that an object must have under a key.

    Raises:
        TokenizerFormatError: it has none.
    """
    values = checked(value, dict, f"what has {key!r}")
    return in_range(member(values, key, int, d.MAIN_PART), most, repr(key))


def whole_or_none(values: dict[str, Any], key: str, most: int) -> int | None:
    """The whole number from 0 to `most` under a key; `None` if there is none.

    Raises:
        TokenizerFormatError: it is something else.
    """
    return None if values.get(key) is None else whole(values, key, most)


def in_range(value: object, most: int, what: str) -> int:
    """The value, if it is a whole number from 0 to `most`.

    Raises:
        TokenizerFormatError: it is not.
    """
    number = checked(value, int, what)
    if not 0 <= number <= most:
        raise TokenizerFormatError(f"{what} is {str(number)[:40]}, not a number from 0 to {most:,}")
    return number
