"""Lines and words that the kernel cannot judge alone: whether a line is NFC, mojibake, and what is Base64 or a hash."""

from __future__ import annotations

import re
import unicodedata

_HASH_DIGITS = frozenset({32, 40, 48, 56, 64, 96, 128})
_HEXADECIMAL = re.compile(rb"(?=[0-9]*[a-fA-F])(?=[a-fA-F]*[0-9])(?:[0-9a-f]+|[0-9A-F]+)")
_BASE64_CHARACTERS = 40
_LEAST_CHANGES = 0.4
_LONGEST_LINE = 10_000


def is_nfc(line: bytes) -> bool:
    """Whether a line is in Normalization Form C."""
    return unicodedata.is_normalized("NFC", line.decode("utf-8", "surrogatepass"))


def is_mojibake(line: bytes) -> bool:
    """Whether ftfy would decode a line, of which the beginning is looked at, in another way."""
    import ftfy  # most texts have no line that it is asked about

    text = line.decode("utf-8", "surrogatepass")[:_LONGEST_LINE]
    return bool(ftfy.fix_encoding(text) != text)


def kind_of_data(word: bytes) -> str:
    """The finding that a long run of letters and digits is: a hash, Base64, or "" for neither.

    Base64 changes often between capitals, small letters and digits; names and paths do not.

    >>> kind_of_data(b"d41d8cd98f00b204e9800998ecf8427e")
    'hashes'
    >>> kind_of_data(b"TWFueSBoYW5kcyBtYWtlIGxpZ2h0IHdvcmsuIEFuZCBtb3JlLg")
    'base64'
    >>> kind_of_data(b"Internationalization/LocalizationOfTheProgramsManual")
    ''
    """
    if len(word) in _HASH_DIGITS and _HEXADECIMAL.fullmatch(word):
        return "hashes"
    if len(word) < _BASE64_CHARACTERS:
        return ""
    kinds = [0 if 65 <= c <= 90 else 1 if c >= 97 else 2 if 48 <= c <= 57 else 3 for c in word[:256]]
    n_changes = sum(one != other for one, other in zip(kinds, kinds[1:], strict=False))
    return "base64" if {0, 1, 2} <= set(kinds) and n_changes >= _LEAST_CHANGES * (len(kinds) - 1) else ""
