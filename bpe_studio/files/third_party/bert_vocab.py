"""`vocab.txt` of BERT, one token a line, as the content of a `tokenizer.json`: WordPiece on text as BERT prepares it.

The file does not say whether capitals are kept. The settings next to it may; otherwise they are if a word has one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bpe_studio.errors import TokenizerFormatError

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def as_tokenizer_json(lines: Sequence[str], config: Mapping[str, Any]) -> dict[str, Any]:
    """The content of the `tokenizer.json` that means the same.

    Args:
        lines: the lines of the file.
        config: the `tokenizer_config.json` next to it; empty if there is none.

    Raises:
        TokenizerFormatError: a token occurs twice, or one that no text can do without is missing.
    """
    vocab: dict[str, int] = {}
    for number, name in enumerate(lines):
        if vocab.setdefault(name, number) != number:
            raise TokenizerFormatError(f"line {number + 1:,} repeats the token {name[:40]!r}")
    for name in ("[UNK]", "[CLS]", "[SEP]"):
        if name not in vocab:
            raise TokenizerFormatError(f"no line is {name} alone, which every BERT vocabulary has: download it again")
    # Marks such as [CLS] and <S> are no words.
    has_capitals = any(name != name.lower() for name in vocab if name.removeprefix("##").isalnum())
    lowers = config.get("do_lower_case")
    lowers = lowers if isinstance(lowers, bool) else not has_capitals
    strips = config.get("strip_accents")
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {
        "version": "1.0",
        "added_tokens": [{"id": vocab[name], "content": name, **flags} for name in _SPECIAL if name in vocab],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": config.get("tokenize_chinese_chars") is not False,
            "strip_accents": strips if isinstance(strips, bool) else None,
            "lowercase": lowers,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "BertProcessing",
            "sep": ["[SEP]", vocab["[SEP]"]],
            "cls": ["[CLS]", vocab["[CLS]"]],
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": vocab,
        },
    }
