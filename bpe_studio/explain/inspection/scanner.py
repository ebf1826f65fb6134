"""Reads the pieces of a corpus once, and gathers the findings of an inspection.

numpy looks up the characters of a piece in one table; only the places that it finds are looked at
one by one.

Memory is bounded: `MOST_HASHES` lines, and as many documents, are remembered by hashes of 64 bits.
A line of more than `LONGEST_LINE` bytes is read in parts, as if each were a line.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import numpy as np

from bpe_studio.engine.arrays import BoolArray, ByteArray, Int64Array
from bpe_studio.engine.counting.cleaner import DocumentHash
from bpe_studio.engine.text.cleaning import (
    BASE64_CHARACTERS,
    DATA,
    KNOWN_SPECIALS,
    LONG_LINE_BYTES,
    LONGEST_JUDGED,
    REPEATED_CHARACTERS,
    RUN_CHARACTERS,
    kind_of_data,
    size_in_file,
)
from bpe_studio.explain.inspection import code_points as table
from bpe_studio.explain.inspection.code_points import CHARACTER_FINDINGS, INFO, SCRIPTS
from bpe_studio.explain.inspection.findings import BOILERPLATE_LINES, FORMS, MOST_PLACES, Place

MOST_HASHES = 1 << 24
MOST_BOILERPLATE = 1000
LONGEST_LINE = 1 << 24
MOST_JUDGED = 10_000
THEN_EVERY = 100
"""Of the lines that may be mojibake, the first `MOST_JUDGED` are judged, then one in a hundred."""
_EXCERPT = 80
_BEFORE = 12
_N_BLOCKS = 4096
_NO_WIDTH, _MARK = (
    CHARACTER_FINDINGS.index(name) + 1 for name in ("zero_width", "byte_order_mark")
)
_WIDE = re.compile(r"[^\x00-\x7f]+")
_STRAY = re.compile("[\udc80-\udcff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Scanner:
    """Inspects text as it is read.

    Args:
        specials: special tokens to look for in the text, besides those of well-known tokenizers.

    Attributes:
        counts: the count of each finding, complete after `finish`.
        places: the first places of each finding.
        excerpts: the text around each of `places`.
        boilerplate: lines that occur often, shortened.
        code_counts: (0x110000,) int64, the count of each code point.
        special_counts: the count of each special token that is written in the text.
        n_bytes: the size of the text as UTF-8.
        n_documents: the number of documents that have ended.
        n_lines: the number of lines.
        n_suspected: the number of lines that may be mojibake; `n_judged` of them were judged.
        misread_as: the encodings in which files were read because they are not UTF-8.
    """

    def __init__(self, specials: Iterable[str] = ()) -> None:
        self.counts: Counter[str] = Counter()
        self.places: dict[str, list[Place]] = {}
        self.excerpts: dict[str, list[str]] = {}
        self.boilerplate: list[str] = []
        self.code_counts: Int64Array = np.zeros(table.N_CODES, np.int64)
        self.special_counts: Counter[str] = Counter()
        self.n_bytes = 0
        self.n_documents = 0
        self.n_lines = 0
        self.n_suspected = 0
        self.n_judged = 0
        self.misread_as: set[str] = set()
        found = {each for each in (*KNOWN_SPECIALS, *specials) if each.strip() and "\n" not in each}
        self._specials = re.compile("|".join(map(re.escape, sorted(found, key=len, reverse=True))))
        self._blocks: Int64Array = np.zeros((_N_BLOCKS, len(SCRIPTS)), np.int64)
        self._n_characters = 0
        self._shift = 0
        self._seen_lines: set[int] = set()
        self._line_counts: dict[int, int] = {}
        self._seen_documents: set[bytes] = set()
        self._document = DocumentHash()
        self._forms = {name: _Forms() for name in FORMS}
        self._tail: list[bytes] = []
        self._file = ""
        self._misread_as = ""
        self._line = 1
        self._last = (Place("", 1, 1), "")

    def begin_file(self, name: str) -> None:
        """Begin a file; the last document of the previous file must have ended."""
        self._file = name
        self._line = 1
        self._misread_as = ""

    def feed(
        self,
        content: bytes,
        ends: Sequence[int] = (),
        misread_as: str = "",
        records: Sequence[int] = (),
    ) -> None:
        """Inspect a piece of text.

        Args:
            content: UTF-8 of whole characters, lone surrogates as three bytes.
            ends: the offsets in it at which documents end, in order.
            misread_as: the encoding in which bytes that are not UTF-8 were read, to count them; ""
                for none, or for the encoding of earlier pieces of this file.
            records: the number of the record of each document that ends; a piece with records
                holds whole documents. Empty for plain text.
        """
        self._misread_as = misread_as or self._misread_as
        last_end = ends[-1] if len(ends) else 0
        cut = max(content.rfind(b"\n") + 1, last_end)
        if not cut and sum(map(len, self._tail)) + len(content) > LONGEST_LINE:
            cut = len(content)
        if cut or len(ends):
            before = b"".join(self._tail)
            moved_ends = [len(before) + end for end in ends]
            self._inspect(before + content[:cut], moved_ends, records)
            self._tail = []
            content = content[cut:]
        if content:
            self._tail.append(content)

    def finish(self) -> None:
        """Inspect the rest of the text."""
        if self._tail:
            self.feed(b"", (0,))

    def script_shares(self) -> list[dict[str, float]]:
        """The share of each script among the letters of each tenth of the text, the most frequent
        first.
        """
        n_blocks = (self._n_characters - 1 >> self._shift) + 1
        bounds = np.linspace(0, n_blocks, 11).round().astype(np.int64)
        shares = []
        for low, high in pairwise(bounds.tolist()):
            counts = self._blocks[low:high].sum(0)
            counts[SCRIPTS.index("Common")] = 0
            total = int(counts.sum())
            order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
            share_of = {SCRIPTS[i]: int(counts[i]) / total for i in order.tolist()}
            shares.append(share_of)
        return shares

    def _inspect(self, content: bytes, ends: Sequence[int], records: Sequence[int]) -> None:
        """Inspects whole lines and documents; the last document may go on."""
        parts = [content[low:high] for low, high in pairwise((0, *ends, len(content)))]
        lines = []
        for part in parts:
            lines.append(part)
            if part and not part.endswith(b"\n"):
                lines[-1] += b"\n"
        n_lines = [part.count(b"\n") for part in lines]
        page = _Page(b"".join(lines), n_lines, self._file, self._line, records)
        if page.text:
            self._count_characters(page, len(content))
            self._find_lines(page)
            self._find_in_lines(page)
            if not page.text.isascii():
                self._find_wide(page)
            if self._misread_as and not page.text.isascii():
                self._count_misread(page, self._misread_as)
        self._count_forms(page, len(ends))
        for number, part in enumerate(parts):
            self._document.add(part)
            if number < len(ends):
                self._end_document(page, number)
        if page.text:
            self._last = page.place(int(page.line_starts[-1]))
            self._line += page.n_lines

    def _count_characters(self, page: _Page, n_bytes: int) -> None:
        """Counts code points and scripts, and finds the findings of single characters."""
        counts = np.bincount(page.codes)
        present = np.flatnonzero(counts)
        table.look_up(present[INFO[present] == 0].tolist())
        page.info = INFO[page.codes]
        self.code_counts[: len(counts)] += counts
        self.n_bytes += n_bytes - 2 * int(counts[0xDC80:0xDD00].sum())
        self.n_lines += page.n_lines
        self._count_scripts((page.info >> table.SCRIPT_SHIFT).astype(np.uint8))
        numbers = INFO[present] >> table.FINDING_SHIFT & table.FINDING_BITS
        if not numbers.any():
            return
        of_each = page.info >> table.FINDING_SHIFT & table.FINDING_BITS
        for number in np.unique(numbers[numbers > 0]).tolist():
            if number != _NO_WIDTH:
                self._find(page, CHARACTER_FINDINGS[number - 1], np.flatnonzero(of_each == number))
        # A byte-order mark inside the text has no width, either.
        self._find(page, "zero_width", np.flatnonzero((of_each == _NO_WIDTH) | (of_each == _MARK)))

    def _count_scripts(self, scripts: ByteArray) -> None:
        """Counts the scripts of characters in blocks, which grow with the text."""
        start = self._n_characters
        self._n_characters += len(scripts)
        while self._n_characters - 1 >> self._shift >= _N_BLOCKS:
            self._blocks[: _N_BLOCKS // 2] = self._blocks[::2] + self._blocks[1::2]
            self._blocks[_N_BLOCKS // 2 :] = 0
            self._shift += 1
        for block in range(start >> self._shift, (self._n_characters - 1 >> self._shift) + 1):
            low = (block << self._shift) - start
            high = (block + 1 << self._shift) - start
            self._blocks[block] += np.bincount(scripts[max(0, low) : high], minlength=len(SCRIPTS))

    def _find_lines(self, page: _Page) -> None:
        """Finds long lines, and those that have occurred before."""
        starts = page.line_starts
        ends = page.line_ends
        lengths = page.line_ends - page.line_starts
        text = page.text
        long = [
            starts[i]
            for i in np.flatnonzero(4 * lengths > LONG_LINE_BYTES).tolist()
            if size_in_file(text[starts[i] : ends[i]]) > LONG_LINE_BYTES
        ]
        self._find(page, "long_lines", long)
        lengths = lengths - ((page.codes[ends - 1] == ord("\r")) & (lengths > 0))
        repeated = []
        for i in np.flatnonzero(lengths >= REPEATED_CHARACTERS).tolist():
            key = hash(text[starts[i] : starts[i] + lengths[i]])
            if key not in self._seen_lines:
                if len(self._seen_lines) < MOST_HASHES:
                    self._seen_lines.add(key)
                continue
            repeated.append(starts[i])
            n = self._line_counts[key] = self._line_counts.get(key, 1) + 1
            if n == BOILERPLATE_LINES:
                self._find(page, "boilerplate_lines", [starts[i]], n)
                if len(self.boilerplate) < MOST_BOILERPLATE:
                    self.boilerplate.append(text[starts[i] : starts[i] + min(200, lengths[i])])
            elif n > BOILERPLATE_LINES:
                self.counts["boilerplate_lines"] += 1
        self._find(page, "repeated_lines", repeated)

    def _find_in_lines(self, page: _Page) -> None:
        """Finds addresses, special tokens, data and runs of a character."""
        text = page.text
        codes = page.codes
        places = []
        found = text.find("://")
        while found >= 0:
            if "a" <= text[max(0, found - 1)] <= "z":
                places.append(found)
            found = text.find("://", found + 1)
        self._find(page, "urls", places)
        specials = list(self._specials.finditer(text))
        self.special_counts.update(each[0] for each in specials)
        starts = [each.start() for each in specials]
        self._find(page, "special_tokens", starts)
        is_run = (codes[1:] == codes[:-1]) & (page.info[1:] & table.SPACE == 0)
        self._find(page, "character_runs", run_starts(is_run, RUN_CHARACTERS - 1))
        for place in run_starts(page.info & table.BASE64 != 0, BASE64_CHARACTERS).tolist():
            word = DATA.match(text, place)
            if word is not None and (kind := kind_of_data(word[1].encode())):
                self._find(page, kind, [place])

    def _find_wide(self, page: _Page) -> None:
        """Finds words of two scripts, lines that are not NFC, and mojibake."""
        info = page.info
        text = page.text
        letters = np.flatnonzero(info & table.LETTER)
        scripts = info[letters] >> table.SCRIPT_SHIFT
        changes = np.flatnonzero(scripts[1:] != scripts[:-1]) + 1
        if len(changes):
            borders = np.flatnonzero(info & table.WORD == 0)
            words = np.searchsorted(borders, letters[changes])
            is_same = words == np.searchsorted(borders, letters[changes - 1])
            starts = np.concatenate([[0], borders + 1])
            self._find(page, "mixed_scripts", starts[np.unique(words[is_same])])
        if not unicodedata.is_normalized("NFC", text):
            self._find_judged(page, "not_nfc", range(page.n_lines), is_not_nfc)
        lines = np.unique(np.searchsorted(page.line_ends, _misread_places(info)))
        numbers = np.arange(self.n_suspected + 1, self.n_suspected + 1 + len(lines))
        judged = lines[(numbers <= MOST_JUDGED) | (numbers % THEN_EVERY == 0)].tolist()
        self.n_suspected += len(lines)
        self.n_judged += len(judged)
        self._find_judged(page, "mojibake", judged, is_mojibake)

    def _find_judged(
        self, page: _Page, name: str, lines: Iterable[int], judge: Callable[[str], bool]
    ) -> None:
        starts = [page.line_starts[i] for i in lines if judge(page.line(i))]
        self._find(page, name, starts)

    def _count_misread(self, page: _Page, encoding: str) -> None:
        """Counts the bytes that are not UTF-8 in a text that was read in another encoding."""
        self.misread_as.add(encoding)
        raw = page.text.encode(encoding, "replace").decode("utf-8", "surrogateescape")
        if n := len(_STRAY.findall(raw)):
            places = [found.start() for found in _WIDE.finditer(page.text)]
            self._find(page, "invalid_bytes", places, n)

    def _count_forms(self, page: _Page, n_ended: int) -> None:
        """Counts letters that a document has in two forms."""
        for name, letters in FORMS.items():
            forms = self._forms[name]
            if not forms.has_any and not any(letter in page.text for letter in letters):
                continue
            for number, (low, high) in enumerate(pairwise(page.document_starts)):
                for k, letter in enumerate(letters):
                    if n := page.text.count(letter, low, high):
                        if not forms.counts[k]:
                            forms.places[k] = page.place(page.text.find(letter, low))
                        forms.counts[k] += n
                if number < n_ended:
                    rare = int(forms.counts[1] < forms.counts[0])
                    if forms.counts[rare]:
                        self.counts[name] += forms.counts[rare]
                        self._add_place(name, *forms.places[rare])
                    forms = self._forms[name] = _Forms()

    def _end_document(self, page: _Page, number: int) -> None:
        self.n_documents += 1
        if self._document.has_text:
            key = self._document.digest()
            if key in self._seen_documents:
                start, end = page.document_starts[number : number + 2]
                last = (
                    page.place(page.text.rfind("\n", start, end - 1) + 1 or start)
                    if end > start
                    else self._last
                )
                self.counts["repeated_documents"] += 1
                self._add_place("repeated_documents", *last)
            elif len(self._seen_documents) < MOST_HASHES:
                self._seen_documents.add(key)
        self._document = DocumentHash()

    def _find(
        self, page: _Page, name: str, places: Sequence[int] | Int64Array, n: int | None = None
    ) -> None:
        """Counts a finding, `n` times if that is not the number of its places."""
        self.counts[name] += len(places) if n is None else n
        for place in places[: MOST_PLACES - len(self.places.get(name, ()))]:
            self._add_place(name, *page.place(int(place)))

    def _add_place(self, name: str, place: Place, excerpt: str) -> None:
        places = self.places.setdefault(name, [])
        if len(places) < MOST_PLACES:
            places.append(place)
            self.excerpts.setdefault(name, []).append(excerpt)


class _Page:
    """Whole lines of a file that are inspected together.

    Args:
        content: UTF-8; each line ends with a line feed.
        n_lines: the number of lines in each document.
        file: the file.
        line: the number of the first line in the file.
        records: the number of the record of each document; empty for none.
    """

    def __init__(
        self, content: bytes, n_lines: list[int], file: str, line: int, records: Sequence[int]
    ) -> None:
        self.text = content.decode("utf-8", "surrogatepass")
        self.codes = np.frombuffer(self.text.encode("utf-32-le", "surrogatepass"), np.uint32)
        self.info = self.codes
        self.line_ends = np.flatnonzero(self.codes == ord("\n"))
        starts = np.concatenate([[0], self.line_ends + 1])
        self.line_starts = starts[:-1]
        self.n_lines = len(self.line_ends)
        self._first_lines = np.cumsum([0, *n_lines])
        self.document_starts: list[int] = starts[self._first_lines].tolist()
        self._file = file
        self._line = line
        self._records = records

    def line(self, number: int) -> str:
        """A line by its number here, from 0."""
        return self.text[self.line_starts[number] : self.line_ends[number]]

    def place(self, place: int) -> tuple[Place, str]:
        """A place in the text as it is reported, and the text around it."""
        number = int(np.searchsorted(self.line_ends, place))
        before = place - int(self.line_starts[number])
        record = 0
        line = self._line + number
        if len(self._records):
            document = int(np.searchsorted(self._first_lines, number, "right")) - 1
            record = self._records[document]
            line = number - int(self._first_lines[document]) + 1
        low = place - min(before, _BEFORE)
        high = low + _EXCERPT
        end = int(self.line_ends[number])
        excerpt = _SURROGATE.sub("\ufffd", self.text[low : min(high, end)])
        excerpt = "…" * (before > _BEFORE) + excerpt + "…" * (high < end)
        return Place(self._file, line, before + 1, record), excerpt


class _Forms:
    """The count and the first place of each form of a letter in a document."""

    def __init__(self) -> None:
        self.counts = [0, 0]
        self.places = [(Place("", 0, 0), "")] * 2

    @property
    def has_any(self) -> bool:
        return any(self.counts)


def is_not_nfc(line: str) -> bool:
    """Whether a line is not in Normalization Form C."""
    return not unicodedata.is_normalized("NFC", line)


def is_mojibake(line: str) -> bool:
    """Whether ftfy would decode the beginning of a line differently."""
    import ftfy  # for most texts, it is not needed

    text = line[:LONGEST_JUDGED]
    return ftfy.badness.is_bad(text) and bool(ftfy.fix_encoding(text) != text)


def run_starts(is_there: BoolArray, length: int) -> Int64Array:
    """The places where runs of at least `length` true values begin.

    >>> run_starts(np.array([1, 1, 0, 1, 1, 1, 0], bool), 2).tolist()
    [0, 3]
    """
    found = is_there
    n = 1
    while n < length:
        step = min(n, length - n)
        found = found[:-step] & found[step:]
        n = n + step
    if not len(found):
        return np.zeros(0, np.int64)
    return np.flatnonzero(found & ~np.concatenate([[False], found[:-1]]))


def _misread_places(info: np.ndarray) -> Int64Array:
    """The places of characters that may be the misread bytes of one character."""
    leads = sum(table.LEAD_BITS)
    places = np.flatnonzero((info[:-1] & leads != 0) & (info[1:] & table.CONTINUATION != 0))
    # For two, three and four characters: the characters after the first, and whether all are small.
    padded = np.append(info, np.zeros(3, info.dtype))
    found = np.zeros(len(places), bool)
    rest = np.ones(len(places), bool)
    small = info[places] & table.SMALL
    for n_more, bit in enumerate(table.LEAD_BITS, 1):
        here = padded[places + n_more]
        follows = table.CONTINUATION if n_more == 1 else table.CONTINUATION | table.LOSS
        rest &= here & follows != 0
        small &= here
        found |= (info[places] & bit != 0) & rest & (small == 0)
    return places[found]
