"""The `minbpe` format, version 1: the split's expression, the special tokens, and for each merge a
line with two ids.

The format fixes the ids: a byte has its value, and merges follow from 256 on. Only a tokenizer with
these ids can be written.
"""

from __future__ import annotations

from collections.abc import Sequence

from bpe_studio.engine.config import MAX_TOKEN_CHARACTERS
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.engine.presets import pattern_of
from bpe_studio.engine.text.alphabet import byte_to_stand_in
from bpe_studio.errors import SaveError, TokenizerFormatError
from bpe_studio.files.formats.gpt2 import refuse_unless_plain_bytes
from bpe_studio.files.formats.read_back import ReadBack
from bpe_studio.files.formats.tokenizer_file import config_as_read, split_of_expression

_HEADER = "minbpe v1"
_MAX_SPECIAL = 100_000
KEEPS = "ids, merges, the split's expression and special tokens; bytes have the ids 0 to 255"
DROPS = "roles of special tokens, template, padding, training settings"


def content(tokenizer: Tokenizer) -> str:
    """The file.

    Raises:
        SaveError: the format cannot hold the tokenizer exactly.
    """
    model = tokenizer.model
    refuse_unless_plain_bytes(model, "a minbpe file")
    if model.config.word_start:
        raise SaveError(
            "A minbpe file cannot hold the split SentencePiece: use the SentencePiece or the"
            " Hugging Face format"
        )
    merges = list(model.merges)
    specials = {number: name for name, number in model.special_ids.items()}
    numbered = [new for _, _, new in merges] == list(range(256, 256 + len(merges)))
    if list(model.tokens[:256]) != byte_to_stand_in or not numbered:
        raise SaveError(
            "A minbpe file numbers the bytes 0 to 255, then the merges, then special tokens, unlike"
            " this tokenizer: train without special tokens and with the ties “smallest ids by byte”"
            " (raw-ids) or “first in the text” (first-seen), or use another format"
        )
    split = model.config.cutting
    pattern = "" if split == "none" else pattern_of(split)
    if "\n" in pattern or "\r" in pattern or pattern != pattern.strip():
        raise SaveError(
            "The split's expression has a line break or a space at its end, which a minbpe file"
            " cannot hold"
        )
    if any(name.split() != [name] for name in specials.values()):
        raise SaveError(
            "A special token contains white space, which a minbpe file cannot hold: use the Hugging"
            " Face format"
        )
    if sorted(specials) != list(range(256 + len(merges), len(model.tokens))):
        raise SaveError(
            "A minbpe file holds the bytes, the tokens that merges make and then special tokens,"
            " and no others, unlike this tokenizer: use the Hugging Face format"
        )
    lines = [_HEADER, pattern, str(len(specials))]
    # Of several that match at a place, minbpe takes the one that is listed first.
    longest_first = sorted(specials.items(), key=lambda item: (-len(item[1]), item[0]))
    lines += [f"{name} {number}" for number, name in longest_first]
    lines += [f"{left} {right}" for left, right, _ in merges]
    return "\n".join(lines) + "\n"


def read_back(written: str, tokenizer: Tokenizer) -> ReadBack:
    """The encoding of minbpe."""
    back = tokenizer_of(written.removesuffix("\n").split("\n"))
    return ReadBack(
        lambda text, finds: back.encode(text, recognize_special=finds).ids, back.special_ids
    )


def tokenizer_of(lines: Sequence[str]) -> Tokenizer:
    """The tokenizer of the lines of a file.

    Raises:
        TokenizerFormatError: the file is not valid.
    """
    if lines[0] != _HEADER or len(lines) < 3:
        raise TokenizerFormatError("it does not begin like one")
    n_special = _number(lines[2], 3)
    if n_special > min(_MAX_SPECIAL, len(lines) - 3):
        raise TokenizerFormatError(f"it announces {n_special:,} special tokens and contains fewer")
    specials = dict(_special(line, place) for place, line in enumerate(lines[3 : 3 + n_special], 4))
    tokens = list(byte_to_stand_in)
    merges = []
    pairs = set[tuple[int, int]]()
    n_bytes = len(tokens)
    for place, line in enumerate(lines[3 + n_special :], 4 + n_special):
        parts = line.split()
        if len(parts) != 2:
            raise TokenizerFormatError(f"line {place:,} is not two ids")
        left = _number(parts[0], place)
        right = _number(parts[1], place)
        if max(left, right) >= len(tokens):
            raise TokenizerFormatError(
                f"line {place:,} uses the id {max(left, right)}, which is not made yet"
            )
        if (left, right) in pairs:
            raise TokenizerFormatError(f"line {place:,} repeats the merge of {left} and {right}")
        pairs.add((left, right))
        merges.append((left, right, len(tokens)))
        n_bytes += len(tokens[left]) + len(tokens[right])
        if n_bytes > MAX_TOKEN_CHARACTERS:
            raise TokenizerFormatError(
                f"its tokens up to line {place:,} together have {n_bytes:,} bytes, and"
                f" {MAX_TOKEN_CHARACTERS:,} at most are read"
            )
        tokens.append(tokens[left] + tokens[right])
    for number, name in sorted(specials.items()):
        if number != len(tokens):
            raise TokenizerFormatError(
                f"its special token {name[:40]!r} has the id {number}, where {len(tokens)} is next"
            )
        tokens.append(name)
    special_ids = {name: number for number, name in specials.items()}
    config = config_as_read(
        units="bytes",
        split=split_of_expression(lines[1]),
        full_alphabet=True,
        ties="first-seen",
        special=tuple(special_ids),
        merges=len(merges),
    )
    return Tokenizer(TokenizerModel(config, tuple(tokens), tuple(merges), special_ids))


def _number(text: str, place: int) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise TokenizerFormatError(f"line {place:,} holds {text[:40]!r} instead of a number")
    return int(text)


def _special(line: str, place: int) -> tuple[int, str]:
    parts = line.split()
    if len(parts) != 2:
        raise TokenizerFormatError(f"line {place:,} is not a special token and its id")
    return _number(parts[1], place), parts[0]
