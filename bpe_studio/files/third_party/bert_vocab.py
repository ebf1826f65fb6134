"""The settings that BERT's `vocab.txt`, one token a line, does not hold: whether capitals are kept.

The settings next to it may say so. Otherwise capitals are kept if a word has one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bpe_studio.errors import TokenizerFormatError

_SPECIAL = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}


def usual_config(lines: Sequence[str], config: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of BERT's class for a vocabulary.

    Args:
        lines: the lines of the file.
        config: the `tokenizer_config.json` next to it; empty if there is none.

    Raises:
        TokenizerFormatError: a token occurs twice, or one that every text needs is missing.
    """
    vocab: dict[str, int] = {}
    for number, name in enumerate(lines):
        if vocab.setdefault(name, number) != number:
            raise TokenizerFormatError(f"line {number + 1:,} repeats the token {name[:40]!r}")
    for name in ("[UNK]", "[CLS]", "[SEP]"):
        if name not in vocab:
            raise TokenizerFormatError(
                f"no line is {name} alone, which every BERT vocabulary has: download it again"
            )
    # Marks such as [CLS] and <S> are not words.
    has_capitals = any(name != name.lower() for name in vocab if name.removeprefix("##").isalnum())
    flags = {
        "do_lower_case": not has_capitals,
        "tokenize_chinese_chars": True,
        "strip_accents": None,
    }
    said = {name: config[name] for name in flags if isinstance(config.get(name), bool)}
    roles = {}
    for role, name in _SPECIAL.items():
        roles[role] = name if name in vocab else None
    return {"tokenizer_class": "BertTokenizer", **roles, **flags, **said}
