"""Lines that the kernel cannot judge alone: whether a line is NFC, and whether it is mojibake."""

from __future__ import annotations

import unicodedata

from bpe_studio.engine.text.cleaning import LONGEST_JUDGED


def is_nfc(line: bytes) -> bool:
    """Whether a line is in Normalization Form C."""
    return unicodedata.is_normalized("NFC", line.decode("utf-8", "surrogatepass"))


def is_mojibake(line: bytes) -> bool:
    """Whether ftfy would decode a line, of which the beginning is looked at, in another way."""
    import ftfy  # most texts have no line that it is asked about

    text = line.decode("utf-8", "surrogatepass")[:LONGEST_JUDGED]
    return ftfy.badness.is_bad(text) and bool(ftfy.fix_encoding(text) != text)
