"""Codes of fastBPE: as those of subword-nmt, with the count of each pair behind it and without a
header.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.formats.subword_nmt import model_of

_LINE = re.compile(r"([^ ]+ [^ ]+) [0-9]{1,19}")


def tokenizer_of(lines: Sequence[str]) -> Tokenizer:
    """The tokenizer of the lines of a codes file.

    Raises:
        TokenizerFormatError: a line is not two symbols and a count, or the pairs are not in order.
    """
    pairs = ["#version: 0.2"]
    for place, line in enumerate(lines, 1):
        match = _LINE.fullmatch(line)
        if match is None and line:
            raise TokenizerFormatError(f"line {place:,} is not two symbols and a count")
        if match is not None:
            pairs.append(match[1])
    return Tokenizer(model_of(pairs))
