"""Mistral's tekken JSON: the bytes of each token by rank, the expression of the split, and special
tokens.

Special tokens have the first ids, so the id of another token is its rank plus their number. If the
file lists more tokens than the vocabulary has room for, the rest is not used.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any

from bpe_studio.engine.text.alphabet import to_stand_ins
from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.formats.ranked_pieces import check_lengths
from bpe_studio.files.formats.tokenizer_file import split_of_expression
from bpe_studio.files.json_parts import checked, member, optional
from bpe_studio.files.third_party.ranked_tokens import RankedTokens

_MAX_SPECIAL = 100_000


def ranked(root: dict[str, Any]) -> RankedTokens:
    """The tokens, special tokens and split of a tekken file.

    Raises:
        TokenizerFormatError: it is not valid.
    """
    config = member(root, "config", dict, "the file")
    n_special = member(config, "default_num_special_tokens", int, "the config")
    n_tokens = member(config, "default_vocab_size", int, "the config")
    if not 0 <= n_special <= min(_MAX_SPECIAL, n_tokens):
        raise TokenizerFormatError(f"it has {n_special:,} special tokens among {n_tokens:,}")
    specials = [f"<SPECIAL_{number}>" for number in range(n_special)]
    for entry in optional(root, "special_tokens", list, "the file") or []:
        token = checked(entry, dict, "a special token")
        rank = member(token, "rank", int, "a special token")
        if not 0 <= rank < n_special:
            raise TokenizerFormatError(
                f"a special token has the rank {rank}, and there are {n_special:,}"
            )
        specials[rank] = member(token, "token_str", str, "a special token")
    entries = member(root, "vocab", list, "the file")[: n_tokens - n_special]
    names = [_name_of(entry, place) for place, entry in enumerate(entries)]
    check_lengths(names)
    numbers = {name: n_special + rank for rank, name in enumerate(names)}
    if len(numbers) < len(names) or len(set(specials)) < n_special:
        raise TokenizerFormatError("a token occurs twice in it")
    split = split_of_expression(member(config, "pattern", str, "the config"))
    special_ids = {name: number for number, name in enumerate(specials)}
    by_id = {number: name for name, number in numbers.items()}
    return RankedTokens(by_id, special_ids, split)


def _name_of(entry: object, place: int) -> str:
    token = checked(entry, dict, f"token {place:,}")
    if member(token, "rank", int, f"token {place:,}") != place:
        raise TokenizerFormatError(f"token {place:,} has another rank")
    try:
        content = base64.b64decode(
            member(token, "token_bytes", str, f"token {place:,}"), validate=True
        )
    except (binascii.Error, ValueError):
        raise TokenizerFormatError(f"the bytes of token {place:,} are not valid base64") from None
    if not content:
        raise TokenizerFormatError(f"token {place:,} has no bytes")
    return to_stand_ins(content)
