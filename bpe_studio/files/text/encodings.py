"""Guesses the encoding of a text file from a sample of its bytes.

It opens no file and raises no error. The checks are ordered by their certainty: a byte-order mark,
valid UTF-8, then a guess by what the text would look like. A guess is always reported to the user,
who can choose the encoding instead. UTF-16 and UTF-32 need a mark, or a user who names them.
"""

from __future__ import annotations

import codecs
import re
from functools import lru_cache

import numpy as np

MARKS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

MAGIC = (
    (b"PK\x03\x04", "a ZIP archive or an office document"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90\x00", "a program"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"OggS\x00", "an Ogg recording"),
    (b"\x00\x00\x01\x00", "an icon"),
)

# The encodings of text files; among all codecs of Python, rare ones would win by chance on short
# texts.
_LEGACY = (
    "cp1252",
    "cp1250",
    "cp1251",
    "cp1253",
    "cp1254",
    "cp1255",
    "cp1256",
    "cp1257",
    "cp1258",
    "cp874",
    "koi8_r",
    "gb18030",
    "big5",
    "cp932",
    "euc_jp",
    "cp949",
    "iso8859_2",
    "iso8859_5",
    "iso8859_7",
    "iso8859_9",
    "koi8_u",
    "cp437",
    "cp850",
    "cp866",
    "mac_roman",
)
_MULTI_BYTE = frozenset({"gb18030", "big5", "cp932", "euc_jp", "cp949"})

# C0 controls that no text contains; tab, line breaks, form feed and escape (ISO-2022) are left out,
# and so is NUL.
_CONTROLS = bytes(set(range(1, 9)) | set(range(14, 27)) | set(range(28, 32)) | {127})
_ASCII = bytes(range(128))
_NOT_CONTROLS = bytes(set(range(256)) - set(_CONTROLS))
_STRAY = re.compile("[\udc80-\udcff]")
_HIGH = re.compile(rb"[\x80-\xff]")

_LETTERS_1252 = frozenset(b"\x83\x8a\x8c\x8e\x9a\x9c\x9e\x9f\xaa\xba") | (
    frozenset(range(0xC0, 0xFF)) - {0xD7, 0xF7}
)
_UPPER_1252 = frozenset(b"\x8a\x8c\x8e\x9f") | (frozenset(range(0xC0, 0xDF)) - {0xD7})
# Letters that are words by themselves.
_ALONE_1252 = frozenset("àÀèÈéÉóáíúåÅöÖæøØôòìùýªº".encode("cp1252"))
_UNDEFINED_1252 = frozenset(b"\x81\x8d\x8f\x90\x9d")
_ASCII_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


def magic_name(head: bytes) -> str:
    """The kind of file that the first bytes identify, such as "a PNG image"; "" for none.

    >>> magic_name(b"%PDF-1.7")
    'a PDF document'
    """
    return next((name for magic, name in MAGIC if head.startswith(magic)), "")


def mark_of(head: bytes) -> tuple[str, int]:
    """(encoding, length) of a byte-order mark; ("", 0) without a mark."""
    return next(((name, len(mark)) for mark, name in MARKS if head.startswith(mark)), ("", 0))


def looks_binary(sample: bytes, is_utf8: bool) -> bool:
    """Whether the sample is binary.

    A few NULs in otherwise valid text are accepted, and so are occasional control characters.
    """
    n_nul = sample.count(0) if b"\0" in sample else 0
    n_controls = _count_controls(sample)
    if is_utf8:
        return n_nul > max(4, 0.02 * len(sample)) or (n_nul > 0 and n_controls > 0.1 * len(sample))
    return n_nul > max(1, 0.002 * len(sample)) or n_controls > 0.05 * len(sample)


def _count_controls(sample: bytes) -> int:
    """The number of controls that no text contains; 0 if there are too few to matter."""
    # This faster count, which includes line breaks, decides for nearly every text.
    contents = np.frombuffer(sample, np.uint8)
    n_low = np.count_nonzero((contents < 32) | (contents == 127))
    return len(sample.translate(None, _NOT_CONTROLS)) if n_low > 0.05 * len(sample) else 0


def count_stray(text: str) -> int:
    """The number of invalid bytes in a text decoded with surrogateescape."""
    if text.isascii():
        return 0
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    return int(np.count_nonzero((codes >= 0xDC80) & (codes <= 0xDCFF)))


def first_stray(text: str) -> int:
    """The place of the first invalid byte in a text decoded with surrogateescape, in code points;
    -1 for none.
    """
    found = _STRAY.search(text)
    return found.start() if found else -1


def high_bytes(data: bytes) -> bytes:
    """The bytes above 127."""
    return data.translate(None, _ASCII)


def is_utf8_so_far(head: bytes) -> bool:
    """Whether the bytes are UTF-8, except for an incomplete last character."""
    try:
        codecs.getincrementaldecoder("utf-8")("strict").decode(head)
    except UnicodeDecodeError:
        return False
    return True


@lru_cache(maxsize=64)
def keeps_ascii(encoding: str) -> bool:
    """Whether ASCII bytes have their usual meaning in an encoding, if no character is incomplete
    before them.
    """
    try:
        return _ASCII.decode(encoding) == _ASCII.decode("ascii")
    except UnicodeError:
        return False


def is_single_byte(encoding: str) -> bool:
    """Whether each byte is one character, or invalid; for the encodings that are guessed."""
    return encoding not in _MULTI_BYTE


def can_decode(data: bytes, encoding: str) -> bool:
    """Whether the bytes are valid in an encoding."""
    try:
        data.decode(encoding)
    except UnicodeError:
        return False
    return True


def western_share(sample: bytes) -> float:
    """The share of the bytes above 127 that are plausible in Western European text, 0.0 to 1.0.

    In Windows-1252, a letter with an accent is next to plain letters, and a sign such as a euro or
    a quotation mark is between words. Arabic, Cyrillic or Chinese decoded in this way has runs of
    capitals, and signs inside words.
    """
    places = [m.start() for m in _HIGH.finditer(sample)]
    if not places:
        return 0.0
    return sum(_is_in_place(sample, i) for i in places) / len(places)


def _is_in_place(sample: bytes, i: int) -> bool:
    byte = sample[i]
    before = sample[i - 1] if i else 32
    after = sample[i + 1] if i + 1 < len(sample) else 32
    # 0xFF is a letter so rare that a broken byte is likelier.
    if byte in _UNDEFINED_1252 or byte == 0xFF:
        return False
    is_letter_before = before in _ASCII_LETTERS or before in _LETTERS_1252
    is_letter_after = after in _ASCII_LETTERS or after in _LETTERS_1252
    if byte not in _LETTERS_1252:
        return not (is_letter_before and is_letter_after) or byte in b"\x92\xb7\xad"
    if byte in _UPPER_1252 and (chr(before).islower() or before in _LETTERS_1252 - _UPPER_1252):
        return False
    if before not in _ASCII_LETTERS and after not in _ASCII_LETTERS:
        return byte in _ALONE_1252 and before < 128 and after < 128
    return before < 128 or after < 128


def guess_legacy(sample: bytes) -> str:
    """The encoding of a sample that is not UTF-8, by Python's name; "" if none fits.

    Args:
        sample: at most 256 KiB, with bytes above 127.
    """
    n_high = len(_HIGH.findall(sample))
    is_western = western_share(sample) >= 0.9
    if is_western and n_high < 64:
        return _western_name(sample)
    if n_high < 8:
        return ""
    from charset_normalizer import from_bytes  # a quarter of a second to import, and seldom needed

    found = from_bytes(sample, cp_isolation=list(_LEGACY), enable_fallback=False)
    best = found.best()
    if is_western:
        may_be_western = any("cp1252" in match.could_be_from_charset for match in found)
        if best is None or may_be_western:
            return _western_name(sample)
    if best is None or best.encoding in ("utf_8", "ascii"):
        return ""
    return codecs.lookup(best.encoding).name


def _western_name(sample: bytes) -> str:
    """Windows-1252, or Latin-1 if no byte is in the range where the two differ."""
    return "cp1252" if re.search(rb"[\x80-\x9f]", sample) else "iso8859-1"


def nice_name(encoding: str) -> str:
    """The usual name of an encoding; `encoding_named` accepts it as well."""
    known = {
        "iso8859-1": "Latin-1",
        "utf-16-le": "UTF-16-LE",
        "utf-16-be": "UTF-16-BE",
        "cp932": "Shift-JIS (cp932)",
    }
    if encoding.startswith("cp125"):
        return f"Windows-{encoding[2:]}"
    return known.get(encoding, encoding.upper())
