"""The `tiktoken` format: one line for each token, with its bytes in base64, a space and its rank.

The rank is both the id and the order of merging. The file holds neither the split nor special
tokens, whose ids are gaps. `files/third_party/tiktoken_ranks.py` makes a tokenizer of the ranks.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.engine.text.alphabet import from_stand_ins, to_stand_ins
from bpe_studio.engine.text.pretokenization import spans
from bpe_studio.errors import SaveError, TokenizerFormatError
from bpe_studio.files.formats.gpt2 import refuse_unless_plain_bytes
from bpe_studio.files.formats.ranked_pieces import check_exact, check_lengths
from bpe_studio.files.formats.read_back import ReadBack

_EMPTY = re.compile(r"={0,2} [0-9]{1,9}")
"""The line of an empty token, such as Whisper has: it never occurs, and its rank stays free."""
_LINE = re.compile(r"([A-Za-z0-9+/]+={0,2}) ([0-9]{1,9})")
_MAX_RESERVED = 4096
_SPLITS = ("gpt2", "qwen2", "cl100k", "o200k")
_NOT_NFC = "e\u0301"
_FEW_NAMES = 3
_FEW_CUT = 100
"""The split that a tokenizer was trained with cuts less than one in so many tokens."""
KEEPS = "ids and merges of tokens made of bytes"
DROPS = (
    "split and special tokens, which the program that loads it must name; template, padding,"
    " training settings"
)


def content(tokenizer: Tokenizer) -> str:
    """The text of the file.

    Raises:
        SaveError: the format cannot hold the tokenizer exactly.
    """
    ranked = tokenizer.byte_ranks()
    if ranked is None:
        ranked = _ranks_of(tokenizer.model)
    lines = [
        f"{base64.b64encode(from_stand_ins(name)).decode()} {number}"
        for number, name in ranked.items()
    ]
    try:
        names_of(lines)
    except TokenizerFormatError as error:
        raise SaveError(f"A tiktoken file cannot hold this tokenizer: {error}") from None
    return "\n".join(lines) + "\n"


def _ranks_of(model: TokenizerModel) -> dict[int, str]:
    refuse_unless_plain_bytes(model, "a tiktoken file", normalize=("nfc",))
    special = set(model.special_ids.values())
    ranked = [(number, name) for number, name in enumerate(model.tokens) if number not in special]
    if sum(len(name) == 1 for _, name in ranked) < 256:
        raise SaveError(
            "A tiktoken file needs all 256 bytes: train with a full alphabet, or use the Hugging"
            " Face format"
        )
    empty = next((number for number, name in ranked if not name), None)
    if empty is not None:
        raise SaveError(
            f"The token with the id {empty} is empty, which a tiktoken file cannot hold"
        )
    merged = [name for _, name in ranked if len(name) > 1]
    check_exact(model, merged, "a tiktoken file")
    return dict(ranked)


def left_out(tokenizer: Tokenizer) -> str:
    """The parts of this tokenizer that the file does not hold, besides those of `DROPS`."""
    parts = []
    if tokenizer.normalized_text(_NOT_NFC) != _NOT_NFC:
        parts.append("the normalization NFC, which that program must do first")
    ordinary = tokenizer.added_ids.keys() - tokenizer.special_ids.keys()
    if ordinary:
        names = ", ".join(sorted(ordinary)[:_FEW_NAMES])
        more = f" and {len(ordinary) - _FEW_NAMES} more" if len(ordinary) > _FEW_NAMES else ""
        parts.append(
            f"added tokens that are not special ({names}{more}), which that program must name as"
            " special and allow in every text"
        )
    return "; ".join(parts)


def read_back(written: str, tokenizer: Tokenizer) -> ReadBack | None:
    """The encoding of `tiktoken` by the ranks, given the split and the special tokens, which the
    file does not hold; `None` if the tokens were ranks already.
    """
    if tokenizer.byte_ranks() is not None:
        return None
    model = tokenizer.model
    names = {number: name for name, number in model.special_ids.items()} | names_of(
        written.split("\n")
    )
    back = Tokenizer(replace(model, tokens=tuple(names[number] for number in range(len(names)))))
    return ReadBack(lambda text, finds: back.encode(text, recognize_special=finds).ids)


def names_of(lines: Sequence[str]) -> dict[int, str]:
    """The tokens by rank, as byte stand-ins, in the order of the ranks.

    Raises:
        TokenizerFormatError: a line is not a token and a rank, or a rank or a token occurs twice.
    """
    names: dict[int, str] = {}
    seen: dict[str, int] = {}
    for place, line in enumerate(lines, 1):
        if not line or _EMPTY.fullmatch(line):
            continue
        match = _LINE.fullmatch(line)
        if not match:
            raise TokenizerFormatError(f"line {place:,} is not base64, a space and a rank")
        try:
            name = to_stand_ins(base64.b64decode(match[1], validate=True))
        except binascii.Error:
            raise TokenizerFormatError(f"line {place:,} is not valid base64") from None
        number = int(match[2])
        if number in names or name in seen:
            raise TokenizerFormatError(f"line {place:,} repeats a rank or a token")
        names[number] = name
        seen[name] = number
    if not names:
        raise TokenizerFormatError("it contains no token")
    if max(names) + 1 - len(names) > _MAX_RESERVED:
        raise TokenizerFormatError(
            f"its ranks have gaps: {len(names):,} tokens, but ranks up to {max(names):,}"
        )
    check_lengths(names.values())
    return dict(sorted(names.items()))


def split_of(pieces: Iterable[str]) -> str:
    """The named split that cuts the fewest of the tokens in two; `none` if each cuts many.

    Some published ranks have a few tokens that their own split cuts, such as 7 of Llama 4's
    200,000.
    """
    texts = []
    for piece in pieces:
        try:
            texts.append(from_stand_ins(piece).decode("utf-8"))
        except UnicodeDecodeError:
            continue
    found = "none"
    fewest = len(texts) // _FEW_CUT + 1
    for split in _SPLITS:
        cut = (text for text in texts if _is_cut(text, split))
        n_cut = sum(1 for _ in islice(cut, fewest))
        if n_cut < fewest:
            found = split
            fewest = n_cut
    return found


def _is_cut(text: str, split: str) -> bool:
    pieces = islice(spans(text, split), 2)
    return len(list(pieces)) != 1
