"""Tests against other programs that learn or apply byte-pair encodings."""
