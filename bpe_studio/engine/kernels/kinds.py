"""The kinds of arrays that kernels are given: for readers, and for `to_c.py`, which reads their
names.

To Python they are anything that can be indexed, because a small corpus is in lists.
"""

from __future__ import annotations

from typing import Any

Bytes = Any  # uint8
Uint16s = Any
Uint32s = Any
Int32s = Any
Int64s = Any
Int64Rows = Any  # two dimensions
EightBytes = Any  # int64: the eight bytes that begin at each byte, so that entries overlap
