"""Ranks in tiktoken's format, which have neither the split nor the special tokens.

Both are known for the published files, recognized by the number of their ranks, an empty one
included. The name of another file may say the split. Otherwise it is guessed from the tokens, and
the tokenizer says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bpe_studio.engine.text.pretokenization import compile_split
from bpe_studio.errors import PatternError, TokenizerFormatError
from bpe_studio.files.formats.tiktoken import names_of, split_of
from bpe_studio.files.third_party.ranked_tokens import RankedTokens


class _Published(NamedTuple):
    split: str
    special_ids: Mapping[str, int]


def _llama3() -> dict[str, int]:
    reserved = (f"<|reserved_special_token_{number}|>" for number in range(251))
    names = ["<|begin_of_text|>", "<|end_of_text|>", *(next(reserved) for _ in range(4))]
    names += ["<|start_header_id|>", "<|end_header_id|>", next(reserved), "<|eot_id|>", *reserved]
    return {name: number for number, name in enumerate(names[:256], 128_000)}


_PUBLISHED = {
    # gpt2, r50k_base
    50_256: _Published("gpt2", {"<|endoftext|>": 50_256}),
    # Whisper, of many languages
    50_257: _Published("gpt2", {"<|endoftext|>": 50_257, "<|startoftranscript|>": 50_258}),
    # p50k_base
    50_280: _Published("gpt2", {"<|endoftext|>": 50_256}),
    100_256: _Published(
        "cl100k",
        {
            "<|endoftext|>": 100_257,
            "<|fim_prefix|>": 100_258,
            "<|fim_middle|>": 100_259,
            "<|fim_suffix|>": 100_260,
            "<|endofprompt|>": 100_276,
        },
    ),
    128_000: _Published("llama3", _llama3()),
    151_643: _Published(
        "qwen2", {"<|endoftext|>": 151_643, "<|im_start|>": 151_644, "<|im_end|>": 151_645}
    ),
    199_998: _Published("o200k", {"<|endoftext|>": 199_999, "<|endofprompt|>": 200_018}),
}
_BY_NAME = (
    (r"r50k|p50k|gpt-?2", "gpt2"),
    ("cl100k", "cl100k"),
    ("o200k", "o200k"),
    ("llama-?3", "llama3"),
    ("llama-?4", "o200k"),
    ("qwen", "qwen2"),
)


def ranked(lines: Sequence[str], name: str, split: str | None) -> tuple[RankedTokens, bool]:
    """The tokens of the lines of a file, and whether their split is a guess.

    Args:
        lines: the lines.
        name: the name of the file, which may say the split.
        split: the name of the split, or `regex:PATTERN`; `None` to find out.

    Raises:
        TokenizerFormatError: the file is not valid, or there is no such split.
    """
    names = names_of(lines)
    published = _PUBLISHED.get(sum(map(bool, lines)), _Published("", {}))
    special_ids = {
        name: number for name, number in published.special_ids.items() if number not in names
    }
    named = next((named for part, named in _BY_NAME if re.search(part, name.lower())), "")
    known = split or published.split or named
    found = known or split_of(name for name in names.values() if len(name) > 1)
    try:
        compile_split(found)
    except PatternError as error:
        raise TokenizerFormatError(f"its split cannot be used: {error}") from None
    return RankedTokens.filled(names, special_ids, found), not known
