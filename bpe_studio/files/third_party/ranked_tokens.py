"""Ranked tokens with a split, as a tokenizer of ours or as the content of a `tokenizer.json`.

`tiktoken` looks a piece up first, and then joins any two neighbours that spell a token, the lowest
rank first. If each token is made of two that rank before it, these are merges
(`formats/ranked_pieces`), and the tokenizer is one of ours. In Llama 3's file, 588 tokens are not:
such a file becomes a `tokenizer.json` that takes whole pieces (`ignore_merges`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.engine.text.alphabet import are_stand_ins, byte_to_stand_in
from bpe_studio.errors import SaveError, TokenizerFormatError
from bpe_studio.files.formats.huggingface.reading import read_merges
from bpe_studio.files.formats.huggingface.splits import read_normalizers, read_pre_tokenizers
from bpe_studio.files.formats.huggingface.writing import added_token, byte_level, pre_tokenizer_json
from bpe_studio.files.formats.ranked_pieces import (
    Merge,
    NotMergeable,
    check_lengths,
    recover_merges,
)
from bpe_studio.files.formats.tokenizer_file import config_as_read
from bpe_studio.files.third_party.piece_merges import one_for_each_token

_MARK = re.compile(r"<[^<>\s]+>")
"""The form of added tokens that count as special, such as `<tool_call>`, even if a file does not
say so.
"""
_NOT_OF_RANKS = ("dropout", "continuing_subword_prefix", "end_of_word_suffix")


@dataclass(frozen=True)
class RankedTokens:
    """Ranked tokens with special tokens and a split.

    Attributes:
        names: the tokens by id, in the order of their ranks, as byte stand-ins.
        special_ids: the id of each special token; together with the ranks, every id has a token.
        split: the name of the split, or `regex:PATTERN`.
    """

    names: Mapping[int, str]
    special_ids: Mapping[str, int]
    split: str

    @classmethod
    def filled(
        cls, names: Mapping[int, str], special_ids: Mapping[str, int], split: str
    ) -> RankedTokens:
        """The tokens, with a reserved special token for each id that is free."""
        taken = {*names, *special_ids.values()}
        reserved = {
            f"<|reserved_{number}|>": number
            for number in range(max(taken) + 1)
            if number not in taken
        }
        every = sorted({**special_ids, **reserved}.items(), key=lambda item: item[1])
        return cls(names, dict(every), split)

    def model(self) -> TokenizerModel | None:
        """The tokenizer as our data; `None` if no merge makes some token.

        Raises:
            TokenizerFormatError: no merge makes some token, and a byte is missing.
        """
        numbers = {name: number for number, name in self.names.items()}
        n_bytes = sum(len(name) == 1 for name in numbers)
        merged = [name for name in numbers if len(name) > 1]
        try:
            merges = recover_merges(merged, numbers)
        except NotMergeable as piece:
            if n_bytes < len(byte_to_stand_in):
                raise TokenizerFormatError(
                    f"its token {str(piece)[:40]!r} is not made from two that rank before it, and"
                    " not every byte is a token"
                ) from None
            return None
        every = {**self.names, **{number: name for name, number in self.special_ids.items()}}
        config = config_as_read(
            units="bytes",
            split=self.split,
            full_alphabet=n_bytes == len(byte_to_stand_in),
            special=tuple(self.special_ids),
            merges=len(merges),
        )
        tokens = tuple(every[number] for number in range(len(every)))
        return TokenizerModel(config, tokens, tuple(merges), dict(self.special_ids))

    def as_tokenizer_json(self) -> dict[str, Any]:
        """The content of a `tokenizer.json` that gives the same ids.

        Raises:
            TokenizerFormatError: the split may match something else there.
        """
        vocab = {name: number for number, name in self.names.items()}
        merges = _merges_of(vocab)
        try:
            pre_tokenizer = pre_tokenizer_json(config_as_read(units="bytes", split=self.split))
        except SaveError as error:
            raise TokenizerFormatError(f"{error}") from None
        return {
            "version": "1.0",
            "added_tokens": [
                added_token(number, name) for name, number in self.special_ids.items()
            ],
            "normalizer": None,
            "pre_tokenizer": pre_tokenizer,
            "post_processor": None,
            "decoder": byte_level(use_regex=True),
            "model": {
                "type": "BPE",
                "vocab": {**vocab, **self.special_ids},
                "merges": [[self.names[left], self.names[right]] for left, right, _ in merges],
                "ignore_merges": True,
            },
        }


def ranks_of(root: dict[str, Any]) -> Mapping[int, str]:
    """The tokens of a `tokenizer.json` that are not added, by id, if `tiktoken` joins them in the
    same way.

    The program that uses `tiktoken` must give it the split and the special tokens, and normalize
    texts.

    Raises:
        SaveError: `tiktoken` would join them in another way, or find other tokens in a text.
    """
    try:
        return _ranks_of(root)
    except TokenizerFormatError as error:
        raise SaveError(f"A tiktoken file cannot hold this tokenizer: {error}") from None
    except NotMergeable as piece:
        raise SaveError(
            f"The token {str(piece)!r} would be made in another way in a tiktoken file"
        ) from None


def _ranks_of(root: dict[str, Any]) -> Mapping[int, str]:
    model = root["model"]
    if model.get("type") not in (None, "BPE"):
        raise TokenizerFormatError(f"its model is of the type {model['type']}, not BPE")
    odd = next((key for key in _NOT_OF_RANKS if model.get(key)), "")
    if odd:
        raise TokenizerFormatError(f"its model has {odd}")
    if read_normalizers(root.get("normalizer")) not in ((), ("nfc",)):
        raise TokenizerFormatError("its text is normalized otherwise than by NFC")
    if not read_pre_tokenizers(root.get("pre_tokenizer")).is_bytes:
        raise TokenizerFormatError("its units are characters")
    for token in root.get("added_tokens") or ():
        flag = next((flag for flag in ("lstrip", "rstrip", "single_word") if token.get(flag)), "")
        is_mark = token.get("special")
        if not token.get("normalized"):
            is_mark = is_mark or _MARK.fullmatch(token["content"])
        if flag or not is_mark:
            what = f"has the flag {flag}" if flag else "is found in any text without being special"
            raise TokenizerFormatError(f"its added token {token['content'][:40]!r} {what}")
    added = {token["content"] for token in root.get("added_tokens") or ()}
    vocab = {name: number for name, number in model["vocab"].items() if name not in added}
    numbers = dict(sorted(vocab.items(), key=lambda item: item[1]))
    for name in numbers:
        if not name or not are_stand_ins(name):
            raise TokenizerFormatError(f"its token {name[:40]!r} does not stand for bytes")
    if sum(len(name) == 1 for name in numbers) < len(byte_to_stand_in):
        raise TokenizerFormatError("not every byte is a token")
    check_lengths(numbers)
    merges = read_merges(model.get("merges") or [], numbers, 0)
    if model.get("ignore_merges"):
        is_same = one_for_each_token(merges, numbers) == _merges_of(numbers)
    else:
        merged = [name for name in numbers if len(name) > 1]
        is_same = merges == recover_merges(merged, numbers)
    if not is_same:
        raise TokenizerFormatError("its merges would be applied in another order")
    return {number: name for name, number in numbers.items()}


def _merges_of(vocab: Mapping[str, int]) -> list[Merge]:
    """The merges that ever apply if any two tokens that spell a token are joined.

    Args:
        vocab: the id of each token, in the order of the ranks.
    """
    pairs = []
    for name, number in vocab.items():
        for at in range(1, len(name)):
            left = name[:at]
            right = name[at:]
            if left in vocab and right in vocab:
                pairs.append((vocab[left], vocab[right], number))
    return one_for_each_token(pairs, vocab)
