"""The `gpt2` format: `vocab.json` (token to id) and `merges.txt` (one pair a line), in one folder.

The files do not say how text is split. Programs that read them use bytes and GPT-2's split, so only
such a tokenizer can be written, and every file is read as one. Tokens that no merge makes are
special tokens. `tokenizer_config.json` lists them for Transformers, unless `<|endoftext|>` is the
only one and has no role.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.engine.options import ROLES, label_of
from bpe_studio.engine.text.alphabet import are_stand_ins, byte_to_stand_in, stand_in_to_byte
from bpe_studio.errors import ConfigError, SaveError, TokenizerFormatError
from bpe_studio.files.formats.huggingface.folder import CONFIG, template_file, with_config
from bpe_studio.files.formats.huggingface.reading import read_merges, read_vocab, tokens_in_order
from bpe_studio.files.formats.huggingface.side_files import MERGES, VOCAB
from bpe_studio.files.formats.huggingface.writing import added_token
from bpe_studio.files.formats.read_back import ReadBack, of_library
from bpe_studio.files.formats.tokenizer_file import config_as_read, pairs_of

_USUAL = "<|endoftext|>"
_HEADER = "#version"
KEEPS = (
    "ids, merges, special tokens and the roles pad_token, bos_token and eos_token; only for bytes"
    " and the split of GPT-2"
)
DROPS = "template, padding, training settings"


def content(tokenizer: Tokenizer) -> dict[str, str]:
    """The files of the folder, by name.

    Raises:
        SaveError: the tokenizer is not byte-level with GPT-2's split.
    """
    model = tokenizer.model
    refuse_unless_plain_bytes(model, "GPT-2 files", split="gpt2")
    vocab = {name: number for number, name in enumerate(model.tokens)}
    if len(vocab) < len(model.tokens):
        raise SaveError(
            "Two tokens have the same text, which GPT-2 files cannot hold: use the Hugging Face"
            " format"
        )
    names = model.tokens
    lines = [f"{_HEADER}: 0.2"]
    for left, right, new in model.merges:
        if names[left] + names[right] != names[new]:
            raise SaveError(
                f"A merge makes {names[new]!r} of parts that spell another text, which GPT-2 files"
                " cannot hold: use the Hugging Face format"
            )
        lines.append(f"{names[left]} {names[right]}")
    made = {new for _, _, new in model.merges}
    if _special_ids(names, made) != model.special_ids:
        raise SaveError(
            "In GPT-2 files the special tokens are those that are no byte and that no merge makes,"
            " which is not so in this tokenizer: use the Hugging Face format"
        )
    files = {VOCAB: json.dumps(vocab, ensure_ascii=False) + "\n", MERGES: "\n".join(lines) + "\n"}
    named = {role: model.special_of(role, ()) for role in ROLES}
    roles = {role: name for role, name in named.items() if name is not None}
    if config := _config(model.special_ids, roles):
        files[CONFIG] = json.dumps(config, ensure_ascii=False, indent=2) + "\n"
    return files | template_file(model)


def own_model(
    vocab: dict[str, int], pairs: Sequence[Sequence[str]], config: dict[str, Any]
) -> TokenizerModel | None:
    """The tokenizer of files that `content` wrote; `None` if it would write others."""
    if config.keys() - _config({"": 0}, dict.fromkeys(ROLES, "")).keys():
        return None
    roles: dict[str, Any] = {
        role: name for role in ROLES if isinstance(name := config.get(role), str)
    }
    try:
        model = model_of(vocab, pairs)
        model = replace(model, config=model.config.replace(**roles))
    except (ConfigError, TokenizerFormatError):
        return None
    is_as_written = (
        config == _config(model.special_ids, roles)
        and set(roles.values()) <= model.special_ids.keys()
    )
    return with_config(model, config) if is_as_written else None


def _config(special_ids: Mapping[str, int], roles: Mapping[str, str]) -> dict[str, Any]:
    """The settings by which Transformers finds special tokens in a text; empty if they are not
    needed, as it adds the usual one itself.
    """
    if not roles and not special_ids.keys() - {_USUAL}:
        return {}
    added = {str(number): added_token(number, name) for name, number in special_ids.items()}
    for token in added.values():
        del token["id"]
    no_roles: dict[str, None] = {}
    if _USUAL not in special_ids:
        no_roles = dict.fromkeys(("unk_token", "bos_token", "eos_token"))
    return {"tokenizer_class": "GPT2Tokenizer", **no_roles, **roles, "added_tokens_decoder": added}


def read_back(written: dict[str, str], tokenizer: Tokenizer) -> ReadBack:
    """The encoding of Transformers with the two files, which the library `tokenizers` does."""
    import tokenizers
    from tokenizers import decoders, models, pre_tokenizers

    vocab = json.loads(written[VOCAB])
    merges = [(left, right) for left, right in pairs_of(written[MERGES].split("\n"))]
    library = tokenizers.Tokenizer(models.BPE(vocab, merges, cache_capacity=0))
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    library.decoder = decoders.ByteLevel()
    library.add_special_tokens(list(tokenizer.model.special_ids))
    return of_library(library)


def refuse_unless_plain_bytes(
    model: TokenizerModel, where: str, *, split: str | None = None, normalize: tuple[str, ...] = ()
) -> None:
    """Makes sure that the units are bytes, and that neither text nor words are changed.

    Args:
        model: the tokenizer.
        where: the format, for a sentence.
        split: the split that it must have; `None` for any.
        normalize: the normalization that it may have, besides none.

    Raises:
        SaveError: the tokenizer has a setting that the format cannot hold.
    """
    config = model.config
    normalized = ", ".join(label_of("normalize", name) for name in config.normalize)
    settings = (
        ("characters as units", config.units != "bytes"),
        (
            f"the split “{label_of('split', config.split)}”",
            split is not None and config.split != split,
        ),
        ("a split of digits", split is not None and config.split_digits),
        (f"the normalization {normalized}", config.normalize not in ((), normalize)),
        (f"the word-end mark {config.word_end}", config.word_end is not None),
        (f"the continuing prefix {config.continuing}", config.continuing is not None),
        (f"the unknown token {config.unknown}", config.unknown is not None),
    )
    odd = next((what for what, is_odd in settings if is_odd), None)
    if odd:
        raise SaveError(
            f"{where[0].upper()}{where[1:]} cannot hold {odd}: use the Hugging Face format, or"
            " train without it"
        )


def model_of(vocab: dict[str, int], pairs: Sequence[Sequence[str]]) -> TokenizerModel:
    """The tokenizer of the two files, with GPT-2's split.

    Raises:
        TokenizerFormatError: ids are missing, or a merge needs or makes a token that is missing or
            does not consist of byte stand-ins.
    """
    tokens = tokens_in_order(read_vocab(vocab))
    merges = read_merges(list(map(list, pairs)), vocab, 0)
    made = {new for _, _, new in merges}
    for number in made:
        if not are_stand_ins(tokens[number]):
            raise TokenizerFormatError(
                f"its token {tokens[number][:40]!r} does not stand for bytes"
            )
    special_ids = _special_ids(tokens, made)
    config = config_as_read(
        units="bytes",
        split="gpt2",
        full_alphabet=vocab.keys() >= set(byte_to_stand_in),
        special=tuple(special_ids),
        merges=len(merges),
    )
    return TokenizerModel(config, tuple(tokens), tuple(merges), special_ids)


def _special_ids(tokens: Sequence[str], made: set[int]) -> dict[str, int]:
    """The ids of the special tokens: those that are neither a byte nor made by a merge."""
    return {
        name: number
        for number, name in enumerate(tokens)
        if number not in made and name not in stand_in_to_byte
    }
