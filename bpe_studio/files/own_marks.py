"""The marks at the beginning of this program's files, by which they are recognized."""

from __future__ import annotations

COUNTS_START = "#bpe-studio-counts "
"""The beginning of a table of counts; its head follows on the same line."""
COUNTS_KEY = b"bpe-studio-counts"
"""The key of the same head in the metadata of a Parquet table."""
MIMETYPE = b"application/x-bpe-studio"
MIMETYPE_PART = "mimetype"
"""The first part of a studio document, and its name."""
