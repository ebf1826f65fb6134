"""The `gpt2` format: `vocab.json` (token to id) and `merges.txt` (one pair a line), in one folder.

The files do not say how text is split. Programs that read them use bytes and GPT-2's split, so only such a tokenizer
can be written, and every file is read as one. Tokens that no merge makes are special tokens.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.engine.text.alphabet import byte_to_stand_in, stand_in_to_byte
from bpe_studio.errors import SaveError, TokenizerFormatError
from bpe_studio.files.formats.huggingface.reading import read_merges, read_vocab, tokens_in_order
from bpe_studio.files.formats.ranked_pieces import as_merges
from bpe_studio.files.formats.tokenizer_file import (
    check_token_lengths,
    config_as_read,
    head_of,
    read_bytes,
    read_lines,
    reading,
)
from bpe_studio.files.json_parts import checked, parse_json

VOCAB, MERGES = "vocab.json", "merges.txt"
_HEADER = "#version"
KEEPS = "ids, merges and special tokens; its readers take bytes and the split gpt2, so no other tokenizer fits"
DROPS = "the training settings"


def content(tokenizer: Tokenizer) -> dict[str, str]:
    """The two files.

    Raises:
        SaveError: the tokenizer is not byte-level with GPT-2's split.
    """
    model = tokenizer.model
    refuse_unless_plain_bytes(model, "GPT-2 files", split="gpt2")
    vocab = {name: number for number, name in enumerate(model.tokens)}
    if len(vocab) < len(model.tokens):
        raise SaveError("Two tokens have the same text, which GPT-2 files cannot hold: use the format huggingface")
    names = model.tokens
    lines = [f"{_HEADER}: 0.2"]
    for left, right, new in as_merges(model):
        if names[left] + names[right] != names[new]:
            raise SaveError(
                f"A merge makes {names[new]!r} of parts that spell another text, which GPT-2 files cannot hold: "
                "use the format huggingface"
            )
        lines.append(f"{names[left]} {names[right]}")
    if _special_ids(names, {new for _, _, new in as_merges(model)}) != model.special_ids:
        raise SaveError(
            "In GPT-2 files the special tokens are those that are no byte and that no merge makes, which is not so in "
            "this tokenizer: use the format huggingface"
        )
    return {VOCAB: json.dumps(vocab, ensure_ascii=False) + "\n", MERGES: "\n".join(lines) + "\n"}


def refuse_unless_plain_bytes(model: TokenizerModel, where: str, *, split: str | None = None) -> None:
    """Checks that the units are bytes and that neither text nor words are changed.

    Raises:
        SaveError: the tokenizer has a setting that the format cannot hold.
    """
    config = model.config
    odd = next(
        (
            what
            for what, is_odd in (
                ("units characters", config.units != "bytes"),
                (f"the split {config.split}", split is not None and config.split != split),
                (f"normalizing ({', '.join(config.normalize)})", bool(config.normalize)),
                ("replaced characters", bool(model.replacements)),
                (f"the word-end mark {config.word_end}", config.word_end is not None),
                (f"the continuing prefix {config.continuing}", config.continuing is not None),
                (f"the unknown token {config.unknown}", config.unknown is not None),
            )
            if is_odd
        ),
        None,
    )
    if odd:
        raise SaveError(
            f"{where[0].upper()}{where[1:]} cannot hold {odd}: use the format huggingface, or train without it"
        )


def load(path: str | os.PathLike[str]) -> Tokenizer:
    """Reads the folder; the path may also be that of one of the two files.

    Raises:
        TokenizerFormatError: a file is missing or not valid, or its tokens are not byte stand-ins.
    """
    folder = _folder(path)
    vocab_file, merges_file = os.path.join(folder, VOCAB), os.path.join(folder, MERGES)
    with reading(vocab_file, "a GPT-2 vocabulary"):
        vocab = read_vocab(checked(parse_json(read_bytes(vocab_file), vocab_file), dict, "the file"))
        tokens = tokens_in_order(vocab)
        check_token_lengths(tokens)
    lines = read_lines(merges_file)
    with reading(merges_file, "GPT-2 merges"):
        merges = read_merges([line for line in lines if line and not line.startswith(_HEADER)], vocab, 0)
    made = {new for _, _, new in merges}
    special_ids = _special_ids(tokens, made)
    with reading(vocab_file, "a GPT-2 vocabulary"):
        for number in made:
            if not stand_in_to_byte.keys() >= set(tokens[number]):
                raise TokenizerFormatError(f"its token {tokens[number][:40]!r} does not stand for bytes")
        config = config_as_read(
            units="bytes",
            split="gpt2",
            full_alphabet=vocab.keys() >= set(byte_to_stand_in),
            special=tuple(special_ids),
            merges=len(merges),
        )
    return Tokenizer(TokenizerModel(config, tuple(tokens), tuple(merges), special_ids))


def _special_ids(tokens: Sequence[str], made: set[int]) -> dict[str, int]:
    """The ids of the special tokens, those that are neither a byte nor made by a merge."""
    return {name: number for number, name in enumerate(tokens) if number not in made and name not in stand_in_to_byte}


def recognizes(path: str | os.PathLike[str]) -> bool:
    """Whether the path is a folder with both files, or one of the two files in such a folder."""
    folder = _folder(path)
    vocab_file, merges_file = os.path.join(folder, VOCAB), os.path.join(folder, MERGES)
    if not (os.path.isfile(vocab_file) and os.path.isfile(merges_file)):
        return False
    if os.path.isdir(path) or os.path.samefile(path, merges_file):
        return True
    return os.path.samefile(path, vocab_file) and head_of(path).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def _folder(path: str | os.PathLike[str]) -> str:
    name = os.fspath(path)
    return name if os.path.isdir(name) else os.path.dirname(os.path.abspath(name))
