"""Reads the pieces of a corpus through the kernel `inspecting`, and gathers what it notes.

Memory is bounded: the hashes of 33 million distinct lines and as many documents are remembered (800 MB each at the
most), and beyond that a new line or document is not recognized when it occurs again. A line of more than 4 MB is read
in parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from functools import cached_property

import numpy as np

from bpe_studio.engine.arrays import ByteArray, Int64Array
from bpe_studio.engine.kernels import inspecting as kernel
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.text.cleaning import KNOWN_SPECIALS, kind_of_data
from bpe_studio.explain.corpus_doctor.code_points import CHARACTER_FINDINGS, INFO, N_CODES, SCRIPTS, ascii_bytes, fill
from bpe_studio.explain.corpus_doctor.findings import MOST_PLACES, Place
from bpe_studio.explain.corpus_doctor.judgements import is_mojibake, is_nfc

MOST_HASHES = 1 << 25
MOST_BOILERPLATE = 1000
_LONGEST_TAIL = 1 << 22
_EXCERPT, _BEFORE = 80, 12
_N_CHUNKS = 4096
_NOTES_ROOM = 1 << 12
_KIND_NAMES = {
    kernel.RUN: "character_runs",
    kernel.MIXED: "mixed_scripts",
    kernel.URL: "urls",
    kernel.LONG_LINE: "long_lines",
    kernel.REPEATED_LINE: "repeated_lines",
    kernel.BOILERPLATE: "boilerplate_lines",
    kernel.NOT_NFC: "not_nfc",
    kernel.SPECIAL: "special_tokens",
    kernel.REPEATED_DOCUMENT: "repeated_documents",
    kernel.MIXED_YEH: "mixed_yeh",
    kernel.MIXED_KAF: "mixed_kaf",
    **dict(enumerate(CHARACTER_FINDINGS, kernel.FIRST_CHARACTER_KIND)),
}


class Scanner:
    """Inspects text as it is read.

    Args:
        specials: special tokens to look for in the text, besides those of well-known tokenizers.

    Attributes:
        counts: how often each finding was found, complete after `finish`.
        places: the first places of each.
        boilerplate: lines that occur often, shortened.
        code_counts: (0x110000,) int64, how often each code point occurs; of ASCII only the digits, some under "0".
        n_judged: how many lines were judged for mojibake, out of `n_suspected`: the first ones, then each hundredth.
        misread_as: the encodings in which files were read because they are not UTF-8.
        excerpts: the text around each of `places`.
    """

    def __init__(self, specials: Iterable[str] = ()) -> None:
        self.counts: Counter[str] = Counter()
        self.places: dict[str, list[Place]] = {}
        self.excerpts: dict[str, list[str]] = {}
        self.boilerplate: list[str] = []
        self.misread_as: set[str] = set()
        self.code_counts: Int64Array = np.zeros(N_CODES, np.int64)
        self.n_judged = 0
        found = sorted({*KNOWN_SPECIALS, *specials}, key=lambda each: (-len(each), each))
        self._specials = [each for each in found if each[:1] and ord(each[0]) in range(33, 127) and "\n" not in each]
        encoded = [each.encode("utf-8", "surrogatepass") for each in self._specials]
        self._special_bytes = np.frombuffer(b"".join(encoded), np.uint8)
        self._special_offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        self._special_counts: Int64Array = np.zeros(len(encoded), np.int64)
        self._ascii = ascii_bytes("".join({each[0] for each in self._specials}))
        # The masks ignore what follows a token of one or two bytes.
        starts = sorted({each[:3] for each in encoded})
        masks = [[0xFF * (len(each) > k) for k in (1, 2)] for each in starts]
        self._starts = np.array(
            [[*each.ljust(3, b"\0"), *mask] for each, mask in zip(starts, masks, strict=True)], np.uint8
        )
        self._pairs = _pairs({each[:2] for each in encoded})
        self._state: Int64Array = np.zeros(kernel.N_STATE, np.int64)
        self._notes: Int64Array = np.zeros((_NOTES_ROOM, 6), np.int64)
        self._waiting: Int64Array = np.zeros((kernel.N_WAITING_LINES, 4), np.int64)
        self._found: Int64Array = np.zeros(2 * kernel.N_KINDS, np.int64)
        self._tables = [_table(1 << 10), _table(1 << 8)]
        self._scripts: Int64Array = np.zeros((len(SCRIPTS), _N_CHUNKS), np.int64)
        self._shift = 0
        self._tail = b""
        self._file = self._misread_as = ""
        self._lines = _NO_LINES
        self._kernel = loader.compiled("inspecting")
        if not INFO[0]:
            fill(0)  # of ASCII, the kernel asks for no page
        self._state[[kernel.HASH, kernel.DOCUMENT_HASH]] = kernel.START.astype(np.int64)
        self._state[kernel.LAST] = -1

    @property
    def n_bytes(self) -> int:
        """The size of the text as UTF-8."""
        return int(self._state[kernel.N_BYTES]) + len(self._tail)

    @property
    def n_documents(self) -> int:
        """The number of documents that have ended."""
        return int(self._state[kernel.N_DOCUMENTS])

    @property
    def n_lines(self) -> int:
        """The number of lines that have ended."""
        return int(self._state[kernel.N_LINES])

    @property
    def n_suspected(self) -> int:
        """The number of lines that may be mojibake, of those that have ended."""
        return int(self._state[kernel.N_SUSPECTED])

    def begin_file(self, name: str) -> None:
        """Begin a file; the last document of the one before must have ended."""
        self._file, self._lines, self._misread_as = name, _NO_LINES, ""
        self._state[kernel.LINE] = 1

    def feed(self, content: bytes, ends: Sequence[int] = (), misread_as: str = "", records: Sequence[int] = ()) -> None:
        """Inspect a piece of text.

        Args:
            content: UTF-8 of whole characters, lone surrogates as three bytes.
            ends: the offsets in it at which documents end, in order.
            misread_as: the encoding in which bytes that are not UTF-8 were read, so that they are counted; "" for none,
                or for that of the pieces of this file before.
            records: the number of the record of each document that ends; such a piece holds whole documents. Empty if
                the file is plain text.
        """
        self._misread_as = misread_as or self._misread_as
        start = content.find(b"\n") + 1 if self._tail and not len(ends) else 0
        if start:
            # Only the line that has begun is copied.
            line, self._tail = self._tail + content[:start], b""
            self._inspect(line, 0, len(line), _NO_ENDS, ())
        size = len(self._tail)
        whole = self._tail + content if size else content
        cut = max(whole.rfind(b"\n", size) + 1, ends[-1] + size if len(ends) else 0)
        if not cut and len(whole) > _LONGEST_TAIL:
            cut = len(whole)
        if not cut and not len(ends):
            self._tail = whole
            return
        self._tail = whole[cut:]
        if cut > start or not start:
            self._inspect(whole, start, cut, np.asarray(ends, np.int64) + size, records)

    def codes(self) -> list[int]:
        """The code points that occur, as far as `code_counts` has them."""
        # Only those of pages that were looked up occur, and digits.
        pages = np.union1d(0, np.flatnonzero(INFO[::256]))
        rows, columns = np.nonzero(self.code_counts.reshape(-1, 256)[pages])
        found: list[int] = (256 * pages[rows] + columns).tolist()
        return found

    def script_shares(self) -> list[dict[str, float]]:
        """The share of each script among the letters of each tenth of the text, the most frequent first.

        A tenth is exact to some 200 bytes and to a 2,048th of the text.
        """
        n_chunks = int(self.n_bytes - 1 >> self._shift) + 1
        bounds = np.linspace(0, n_chunks, 11).round().astype(np.int64)
        shares = []
        for low, high in zip(bounds, bounds[1:], strict=False):
            counts = self._scripts[:, low:high].sum(1)
            counts[SCRIPTS.index("Common")] = 0
            total = int(counts.sum())
            order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
            shares.append({SCRIPTS[i]: int(counts[i]) / total for i in order.tolist()})
        return shares

    def special_counts(self) -> dict[str, int]:
        """How often each special token is written in the text."""
        return {name: n for name, n in zip(self._specials, self._special_counts.tolist(), strict=True) if n}

    def finish(self) -> None:
        """Gather the counts."""
        if self._tail:
            self.feed(b"", (0,))
        for kind, name in _KIND_NAMES.items():
            self.counts[name] += int(self._found[kind])
        # A mark inside the text is of no width, too.
        self.counts["zero_width"] += self.counts["byte_order_mark"]

    def _inspect(self, content: bytes, start: int, n: int, ends: Int64Array, records: Sequence[int]) -> None:
        """Inspects a piece up to `n`, where a line or a document ends, or the piece; if not from 0, from a new line."""
        contents = np.frombuffer(content, np.uint8)
        if n:  # the end of a document may come alone, and is then about the lines before
            first, n_before = int(self._state[kernel.LINE]), int(self._state[kernel.N_LONG])
            self._lines = _Lines(content, start, ends, first, n_before, records)
        if self._misread_as:
            self.misread_as.add(self._misread_as)
            self._count_misread(content, contents[start:n], self._misread_as, start)
        while int(self._state[kernel.N_BYTES]) + n - start >> self._shift >= _N_CHUNKS:
            for counts in self._scripts if self._shift else ():
                if counts.any():
                    counts[: _N_CHUNKS // 2] = counts[::2] + counts[1::2]
                    counts[_N_CHUNKS // 2 :] = 0
            self._shift += 1
        place, state = start, self._state
        state[kernel.END] = 0
        while True:
            (keys, counts), (document_keys, document_counts) = self._tables
            place = self._kernel.inspect(
                contents, place, n, ends, self._ascii, self._pairs, self._starts, INFO, self.code_counts,
                state, self._notes, self._found, MOST_PLACES, keys, counts, MOST_HASHES, self._waiting,
                document_keys, document_counts, self._scripts, self._shift, self._special_bytes,
                self._special_offsets, self._special_counts,
            )  # fmt: skip
            self._gather(content)
            if state[kernel.STATUS] == kernel.DONE:
                break
            if state[kernel.STATUS] == kernel.UNKNOWN_PAGE:
                fill(int(state[kernel.PAGE]))
            self._grow()
        if state[kernel.N_LONG]:
            self._judge_part(content[max(0, n - int(state[kernel.N_LONG])) : n])

    def _grow(self) -> None:
        for number, used in enumerate((kernel.N_LINE_HASHES, kernel.N_DOCUMENT_HASHES)):
            keys, counts = self._tables[number]
            if 2 * self._state[used] > len(keys) and len(keys) < 2 * MOST_HASHES:
                self._tables[number] = _table(len(keys) * 4)
                self._kernel.grow(keys, counts, *self._tables[number])

    def _gather(self, content: bytes) -> None:
        """Takes the notes of the kernel; those of lines that may be strange are judged."""
        notes = self._notes[: self._state[kernel.N_NOTES]].tolist()
        self._state[kernel.N_NOTES] = 0
        for kind, line, column, start, end, begin in notes:
            name = _KIND_NAMES.get(kind)
            if kind == kernel.MAYBE_NFC:
                if not is_nfc(content[max(0, start) : end]):
                    self._add("not_nfc", line, column, begin)
            elif kind == kernel.MAYBE_MOJIBAKE:
                self.n_judged += 1
                if is_mojibake(content[max(0, start) : end]):
                    self._add("mojibake", line, column, begin)
            elif kind == kernel.BASE64:
                data = kind_of_data(content[max(0, start) : end])
                if data:
                    self._add(data, line, column, begin)
            elif name is not None:
                self._place(name, line, column, self._lines.start_of(line) if begin == kernel.UNKNOWN else begin)
                if name == "byte_order_mark":
                    self._place("zero_width", line, column, begin)
                if kind == kernel.BOILERPLATE and len(self.boilerplate) < MOST_BOILERPLATE:
                    self.boilerplate.append(content[max(0, start) : end][:200].decode("utf-8", "replace"))

    def _judge_part(self, part: bytes) -> None:
        """Judges a part of a long line, whose beginning is not there any more when it ends."""
        state = self._state
        h = state[kernel.HASH].astype(np.uint64)
        _, h = self._kernel.hashed_line(h, np.frombuffer(part, np.uint8), 0, len(part))
        state[kernel.HASH] = np.uint64(h).astype(np.int64)
        if state[kernel.LINE_FLAGS] & kernel.LINE_MAYBE_NFC:
            state[kernel.LINE_FLAGS] ^= kernel.LINE_MAYBE_NFC
            state[kernel.LINE_FLAGS] |= kernel.LINE_NOT_NFC * (not is_nfc(part))

    def _add(self, name: str, line: int, column: int, start: int) -> None:
        self.counts[name] += 1
        self._place(name, line, column, start)

    def _place(self, name: str, line: int, column: int, start: int) -> None:
        """Adds a place, in a line that begins at an offset of the piece; less than 0 if it is not there."""
        places = self.places.setdefault(name, [])
        if len(places) < MOST_PLACES:
            record, line_in_record = self._lines.in_record(line, start)
            places.append(Place(self._file, line_in_record, column, record))
            self.excerpts.setdefault(name, []).append(self._lines.excerpt(start, column))

    def _count_misread(self, content: bytes, contents: ByteArray, encoding: str, start: int) -> None:
        """Counts the bytes that are not UTF-8 in a text that was read in another encoding for that reason."""
        if content.isascii():
            return
        is_high = contents >= 0x80
        # Each run of other characters than ASCII, with the character that follows it.
        is_taken = is_high.copy()
        is_taken[1:] |= is_high[:-1]
        starts = np.flatnonzero(is_high & ~np.concatenate([[False], is_high[:-1]]))
        raw = contents[is_taken].tobytes().decode("utf-8", "surrogatepass").encode(encoding, "replace")
        strays = raw.decode("utf-8", "surrogateescape")
        n_stray = sum("\udc80" <= char <= "\udcff" for char in strays) if not strays.isascii() else 0
        self.counts["invalid_bytes"] += n_stray
        line, column = int(self._state[kernel.LINE]), int(self._state[kernel.COLUMN])
        borders = self._lines.borders
        for place in (starts + start).tolist():
            if not n_stray or len(self.places.get("invalid_bytes", ())) >= MOST_PLACES:
                break
            n_before = int(np.searchsorted(borders, place, "right"))
            begin = int(borders[n_before - 1]) if n_before else start
            before = content[begin:place].decode("utf-8", "replace")
            line_start = self._lines.start_of(line + n_before)
            self._place("invalid_bytes", line + n_before, len(before) + 1 + (0 if n_before else column), line_start)


class _Lines:
    """The lines of a piece, to quote from them.

    Args:
        content: the piece.
        start: where its first line begins.
        ends: where documents end in it.
        first: the number of its first line.
        n_before: how many bytes of that line are before the piece.
        records: the number of the record of each document that ends; empty for none.
    """

    def __init__(
        self, content: bytes, start: int, ends: Int64Array, first: int, n_before: int, records: Sequence[int] = ()
    ) -> None:
        self._content, self._start, self._ends = content, start, ends
        self._first, self._n_before, self._records = first, n_before, records

    @cached_property
    def borders(self) -> Int64Array:
        """Where lines end: behind line feeds, and where documents end; an empty document has no line."""
        found = np.flatnonzero(np.frombuffer(self._content, np.uint8) == 10) + 1
        if len(self._ends):
            ends = self._ends[np.diff(self._ends, prepend=-1) > 0]
            places = np.searchsorted(found, ends)
            is_new = np.append(found, -1)[places] != ends
            found = np.insert(found, places[is_new], ends[is_new])
        return found if self._n_before else found[found > self._start]

    def start_of(self, line: int) -> int:
        """Where a line begins; -1 if that is in another piece."""
        number = line - self._first
        if not 0 <= number <= len(self.borders) or (number == 0 and self._n_before):
            return -1
        return int(self.borders[number - 1]) if number else self._start

    def in_record(self, line: int, start: int) -> tuple[int, int]:
        """The record of a line that begins at an offset, and the line in it; 0 and the line if there is none."""
        if not len(self._records) or start < 0:
            return 0, line
        document = min(int(np.searchsorted(self._ends, start, "right")), len(self._records) - 1)
        begin = int(self._ends[document - 1]) if document else 0
        return self._records[document], self._content.count(b"\n", begin, start) + 1

    def excerpt(self, start: int, column: int) -> str:
        """The text around a place of a line that begins at an offset; "" if it is in another piece."""
        if start < 0:
            return ""
        text_end = start + 4 * (column + _EXCERPT)
        if len(self._ends):
            document = int(np.searchsorted(self._ends, start, "right"))
            text_end = min(text_end, int(self._ends[document])) if document < len(self._ends) else text_end
        line_feed = self._content.find(b"\n", start, text_end)
        text = self._content[start : line_feed if line_feed >= 0 else text_end].decode("utf-8", "replace")
        low = max(0, column - 1 - _BEFORE)
        return ("…" if low else "") + text[low : low + _EXCERPT] + ("…" if low + _EXCERPT < len(text) else "")


_NO_ENDS: Int64Array = np.zeros(0, np.int64)
_NO_LINES = _Lines(b"", 0, _NO_ENDS, 1, 0)


def _table(size: int) -> tuple[np.ndarray, np.ndarray]:
    """A hash table with the counts of its keys."""
    return np.zeros(size, np.uint64), np.zeros(size, np.uint32)


def _pairs(starts: Set[bytes]) -> ByteArray:
    """The first two bytes of special tokens, by the first one, as the kernel looks for them."""
    rows: list[list[int]] = []
    for first in sorted({each[0] for each in starts}):
        seconds = sorted(each[1] for each in starts if each[0] == first and len(each) > 1)
        if any(each[0] == first and len(each) == 1 for each in starts):
            rows.append([first, 0, *[0] * 8])
        for k in range(0, len(seconds), 8):
            rows.append([first, 0xFF, *(seconds[k : k + 8] + [seconds[k]] * 8)[:8]])
    return np.array(rows, np.uint8).reshape(-1, 10)
