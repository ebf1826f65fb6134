"""The `subword-nmt` format: a codes file, `#version: 0.2` and one pair on each line.

It holds no ids and no alphabet. A tokenizer that is read from it has an unknown token for every
other character, the symbols of its pairs, sorted, and then its merges. Only a tokenizer with that
tool's settings can be written: characters, split at spaces and line ends, `</w>` on the last
character. In version 0.1 the mark was a symbol of its own for merges, but never a unit. Files that
were joined have several heads, of which the first counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.errors import SaveError, TokenizerFormatError
from bpe_studio.files.formats.read_back import ReadBack
from bpe_studio.files.formats.tokenizer_file import check_token_lengths, config_as_read

_MARK = "</w>"
_VERSION = "#version:"
_HEADERS = {"#version: 0.2": "on-last-character", "#version: 0.1": "own-symbol"}
UNKNOWN = "<unk>"
KEEPS = "the merges, in their order"
DROPS = (
    "ids, special tokens, characters that no merge uses, a word-end mark as a token of its own,"
    " template, padding, training settings"
)


def content(tokenizer: Tokenizer) -> str:
    """The text of the codes file.

    Raises:
        SaveError: the tokenizer does not have that tool's settings.
    """
    model = tokenizer.model
    config = tokenizer.model.config
    version = next(
        (header for header, place in _HEADERS.items() if place == config.word_end_as), ""
    )
    if (
        config.units != "characters"
        or config.cutting != "spaces"
        or config.word_end != _MARK
        or config.normalize
        or config.continuing
    ):
        raise SaveError(
            "A subword-nmt codes file can only hold characters, split at spaces, with the word-end"
            " mark </w>: train with the preset subword-nmt, or use the Hugging Face format"
        )
    lines = [version]
    for left, right, new in model.merges:
        if model.tokens[left] + model.tokens[right] != model.tokens[new]:
            raise SaveError(
                "A merge makes a token that its two parts do not spell: use the Hugging Face format"
            )
        lines.append(f"{model.tokens[left]} {model.tokens[right]}")
    try:
        back = model_of(lines)
    except TokenizerFormatError as error:
        raise SaveError(
            f"A subword-nmt codes file could not be read back ({error}): use the Hugging Face"
            " format"
        ) from None
    if len(back.merges) < len(lines) - 1:
        raise SaveError(
            "A pair occurs twice, which a subword-nmt codes file cannot hold: use the Hugging Face"
            " format"
        )
    return "\n".join(lines) + "\n"


def read_back(written: str, tokenizer: Tokenizer) -> ReadBack:
    """The encoding by the codes, which leave alone a character that they do not name."""
    model = model_of(written.removesuffix("\n").split("\n"))
    if not tokenizer.model.finals:
        model = replace(model, finals={})
    back = Tokenizer(model)
    return ReadBack(lambda text, _: back.encode(text).offsets, finds_special=False, has_ids=False)


def model_of(lines: Sequence[str]) -> TokenizerModel:
    """The tokenizer of a file's lines.

    Raises:
        TokenizerFormatError: a line is not a pair, or the part of a pair is neither a symbol nor
            made before.
    """
    head = lines[0].rstrip(" ")
    place = _HEADERS.get(head, "own-symbol")
    if head in _HEADERS:
        lines = lines[1:]
    pairs = _pairs(lines)
    check_token_lengths(chain.from_iterable(pairs))
    made = {left + right for left, right in pairs}
    alphabet = sorted(set(chain.from_iterable(pairs)) - made)
    for symbol in alphabet:
        body = symbol.removesuffix(_MARK)
        if symbol == _MARK and place == "own-symbol":
            body = "x"
        if len(body) != 1 or (place == "own-symbol" and body not in (symbol, "x")):
            raise TokenizerFormatError(
                f"the part {symbol[:40]!r} is neither a symbol nor made by a pair"
            )
    tokens = [UNKNOWN, *alphabet]
    numbers = {name: number for number, name in enumerate(tokens)}
    merges = []
    for left, right in pairs:
        if left not in numbers or right not in numbers:
            missing = left if left not in numbers else right
            raise TokenizerFormatError(f"the part {missing[:40]!r} is used before a pair makes it")
        if left + right not in numbers:
            numbers[left + right] = len(tokens)
            tokens.append(left + right)
        merges.append((numbers[left], numbers[right], numbers[left + right]))
    config = config_as_read(
        units="characters",
        split="spaces",
        word_end=_MARK,
        word_end_as=place,
        ties="subword-nmt",
        unknown=UNKNOWN,
        special=(UNKNOWN,),
        merges=len(merges),
    )
    finals = _finals(tokens, numbers) if place == "own-symbol" else {}
    # Programs that read codes take the unknown token in a text as text.
    return TokenizerModel(
        config, tuple(tokens), tuple(merges), {UNKNOWN: 0}, 0, finals=finals, splits_special=True
    )


def _finals(tokens: list[str], numbers: dict[str, int]) -> dict[int, int]:
    """The token that each token becomes at the end of a word, where no merge has put the mark.

    Adds the tokens that are missing.
    """
    finals = {0: 0}
    for number, name in enumerate(tokens[1:], 1):
        if not name.endswith(_MARK):
            finals[number] = numbers.setdefault(name + _MARK, len(numbers))
    tokens += list(numbers)[len(tokens) :]
    return finals


def _pairs(lines: Sequence[str]) -> list[tuple[str, str]]:
    pairs: dict[tuple[str, str], None] = {}
    for place, line in enumerate(lines, 2):
        parts = line.strip(" ").split(" ")
        if parts[0] == _VERSION:
            # The head of another file that was joined to the first.
            continue
        if line and (len(parts) != 2 or not all(parts)):
            raise TokenizerFormatError(
                f"line {place:,} is not two symbols with a space between them"
            )
        if line:
            pairs.setdefault((parts[0], parts[1]))
    return list(pairs)
