"""A pickled `tiktoken.Encoding`, as nanochat writes it: ranks, the expression of the split, and
special tokens.

Nothing is unpickled: the instructions of the file are read as data, and only those that fill an
encoding are accepted.
"""

from __future__ import annotations

import base64
import pickletools
from collections.abc import Iterator
from typing import Any

from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.formats.tiktoken import names_of
from bpe_studio.files.formats.tokenizer_file import split_of_expression
from bpe_studio.files.third_party.ranked_tokens import RankedTokens

_VALUES = (
    "SHORT_BINUNICODE",
    "BINUNICODE",
    "BINUNICODE8",
    "SHORT_BINBYTES",
    "BINBYTES",
    "BINBYTES8",
    "BININT",
    "BININT1",
    "BININT2",
)
_OTHERS = (
    "PROTO",
    "FRAME",
    "MEMOIZE",
    "STACK_GLOBAL",
    "EMPTY_TUPLE",
    "NEWOBJ",
    "EMPTY_DICT",
    "MARK",
    "SETITEM",
    "SETITEMS",
    "BUILD",
    "STOP",
)
_MOST = 10_000_000
_MOST_FREE = 4096
_HEAD = ["tiktoken.core", "Encoding", "name", "pat_str"]


def ranked(data: bytes) -> RankedTokens:
    """The ranks, special tokens and split of a file.

    Raises:
        TokenizerFormatError: it is damaged, or does anything but fill an encoding.
    """
    values = list(_values(data))
    try:
        begin = values.index("mergeable_ranks")
        end = values.index("special_tokens")
    except ValueError:
        raise _other() from None
    head = values[:begin]
    names = values[begin + 1 : end]
    special = values[end + 1 :]
    if [*head[:3], *head[4:5]] != _HEAD or len(head) != 6 or not _alternate(head[4:], str, str):
        raise _other()
    if not _alternate(names, bytes, int) or not _alternate(special, str, int):
        raise _other()
    lines = [f"{base64.b64encode(name).decode()} {rank}" for name, rank in _pairs(names)]
    by_id = names_of(lines)
    special_ids = dict(_pairs(special))
    if len({*by_id, *special_ids.values()}) < len(by_id) + len(special_ids):
        raise TokenizerFormatError("a special token has the id of another token")
    limit = len(by_id) + len(special_ids) + _MOST_FREE
    if not all(0 <= number < limit for number in special_ids.values()):
        raise TokenizerFormatError("its ids have gaps")
    return RankedTokens.filled(by_id, special_ids, split_of_expression(head[5]))


def _values(data: bytes) -> Iterator[Any]:
    """The texts, bytes and numbers in the order in which they are loaded."""
    try:
        for place, (code, value, _) in enumerate(pickletools.genops(data)):
            if place > _MOST:
                raise TokenizerFormatError(f"it has more than {_MOST:,} instructions")
            if code.name in _VALUES:
                yield value
            elif code.name not in _OTHERS:
                raise _other()
    except ValueError:
        raise TokenizerFormatError("it is damaged: copy it again") from None


def _pairs(values: list[Any]) -> Iterator[tuple[Any, Any]]:
    return zip(values[::2], values[1::2], strict=True)


def _alternate(values: list[Any], first: type, second: type) -> bool:
    """Whether values are pairs of two types."""
    if len(values) % 2:
        return False
    return all(isinstance(a, first) and isinstance(b, second) for a, b in _pairs(values))


def _other() -> TokenizerFormatError:
    return TokenizerFormatError(
        "it is not a plain tiktoken encoding, and a pickle is never run: write the ranks of the"
        " encoding as lines of base64, a space and the rank"
    )
