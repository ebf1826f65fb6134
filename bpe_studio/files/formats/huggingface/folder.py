"""The `huggingface` format: a folder that Transformers reads, or a bare `tokenizer.json`.

The folder holds `tokenizer.json` (the tokenizer itself) and two small files that name the special tokens for
Transformers. Options that only training uses are stored in `tokenizer_config.json`, where Transformers ignores them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.errors import ConfigError, SaveError
from bpe_studio.files.formats.huggingface.reading import model_from_json
from bpe_studio.files.formats.huggingface.writing import added_token, pre_tokenizer_json, tokenizer_json
from bpe_studio.files.formats.tokenizer_file import read_bytes, reading
from bpe_studio.files.json_parts import parse_json

TOKENIZER, CONFIG, SPECIAL = "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"
OUR_KEY = "bpe_studio"
_ROLES = {
    "bos_token": ("<s>", "[BOS]", "<bos>", "<|begin_of_text|>", "<|startoftext|>", "<|endoftext|>"),
    "eos_token": ("</s>", "[EOS]", "<eos>", "<|end_of_text|>", "<|endoftext|>"),
    "pad_token": ("[PAD]", "<pad>", "<PAD>", "<|pad|>"),
    "cls_token": ("[CLS]", "<cls>"),
    "sep_token": ("[SEP]", "<sep>"),
    "mask_token": ("[MASK]", "<mask>"),
}
_CUT_OPTIONS = ("units", "normalize", "word_end", "word_end_as", "continuing", "unknown")
KEEPS = (
    "ids, merges, split, normalization, special tokens and the training settings of a run; Transformers gives the same "
    "ids"
)
DROPS = ""


def content(tokenizer: Tokenizer) -> dict[str, str]:
    """The files of the folder.

    Raises:
        SaveError: the format cannot hold this tokenizer exactly.
    """
    model = tokenizer.model
    roles = _roles(model)
    return {
        TOKENIZER: _dumped(tokenizer_json(model)),
        CONFIG: _dumped(_config_json(model, roles)),
        SPECIAL: _dumped(roles),
    }


def as_read(root: dict[str, Any], config: dict[str, Any]) -> dict[str, str]:
    """The files of the folder of a tokenizer that another program made.

    Args:
        root: its `tokenizer.json`.
        config: its `tokenizer_config.json`; empty for none.
    """
    files = {TOKENIZER: root, CONFIG: config or {"tokenizer_class": "PreTrainedTokenizerFast"}}
    return {name: json.dumps(content, ensure_ascii=False) for name, content in files.items()}


def renumbered(config: dict[str, Any], number: Callable[[int], int]) -> dict[str, Any]:
    """A `tokenizer_config.json` of a tokenizer whose tokens have other ids."""
    listed = config.get("added_tokens_decoder")
    if not isinstance(listed, dict) or not all(old.isdecimal() for old in listed):
        return config
    return {**config, "added_tokens_decoder": {str(number(int(old))): token for old, token in listed.items()}}


def load(path: str | os.PathLike[str]) -> Tokenizer:
    """Reads the folder, or a bare `tokenizer.json`.

    Raises:
        TokenizerFormatError: the file is not valid, or describes a tokenizer that BPE Studio cannot repeat exactly.
    """
    name = os.fspath(path)
    folder = Path(name) if os.path.isdir(name) else None
    file = str(folder / TOKENIZER) if folder else name
    with reading(file, "a Hugging Face tokenizer"):
        root = parse_json(read_bytes(file), file)
        model = model_from_json(root)
    if folder and (folder / CONFIG).is_file():
        config = parse_json(read_bytes(folder / CONFIG), str(folder / CONFIG))
        if isinstance(config, dict):
            model = with_config(model, config, root.get("pre_tokenizer"))
    return Tokenizer(model)


def _dumped(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise SaveError(
            "A token holds a byte that is not valid UTF-8, which this format cannot hold: "
            "train from a clean text, or with byte units"
        ) from None
    return text


def _roles(model: TokenizerModel) -> dict[str, Any]:
    """The special tokens by their role in Transformers, recognized by their usual names."""
    roles: dict[str, Any] = {}
    for role, usual in _ROLES.items():
        found = next((name for name in usual if name in model.special_ids), None)
        if found is not None:
            roles[role] = found
    if model.pad_token is not None:
        roles["pad_token"] = model.pad_token
    if model.unknown_id is not None:
        roles["unk_token"] = model.tokens[model.unknown_id]
    others = [name for name in model.special_ids if name not in roles.values()]
    if others:
        roles["additional_special_tokens"] = others
    return roles


def _config_json(model: TokenizerModel, roles: dict[str, Any]) -> dict[str, Any]:
    listed = {}
    for name, number in sorted(model.special_ids.items(), key=lambda item: item[1]):
        entry = added_token(number, name)
        del entry["id"]
        listed[str(number)] = entry
    config: dict[str, Any] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "added_tokens_decoder": listed,
        "clean_up_tokenization_spaces": False,
        "add_prefix_space": False,
        **roles,
        OUR_KEY: model.config.to_dict(),
    }
    if model.model_max_length is not None:
        config["model_max_length"] = model.model_max_length
    for key in ("padding_side", "truncation_side"):
        if getattr(model, key) == "left":
            config[key] = "left"
    return config


def with_config(model: TokenizerModel, config: dict[str, Any], pre_tokenizer: object = None) -> TokenizerModel:
    """Adds what a `tokenizer_config.json` knows beyond the other files; invalid entries are ignored."""
    pad = config.get("pad_token")
    pad = pad.get("content") if isinstance(pad, dict) else pad
    length = config.get("model_max_length")
    if isinstance(pad, str) and pad in model.special_ids:
        model = replace(model, pad_token=pad)
    if isinstance(length, int) and not isinstance(length, bool) and 0 < length < 10**9:
        model = replace(model, model_max_length=length)
    padding, truncation = (
        "left" if config.get(f"{what}_side") == "left" else "right" for what in ("padding", "truncation")
    )
    model = replace(model, padding_side=padding, truncation_side=truncation)
    kept = config.get(OUR_KEY)
    if isinstance(kept, dict):
        try:
            ours = TrainingConfig.from_dict(kept)
        except (ConfigError, TypeError, ValueError):
            return model
        if _same_cut(ours, model.config, pre_tokenizer):
            model = replace(model, config=ours)
    return model


def _same_cut(ours: TrainingConfig, found: TrainingConfig, pre_tokenizer: object) -> bool:
    """Whether the stored options are those that `tokenizer.json` describes."""
    if any(getattr(ours, name) != getattr(found, name) for name in _CUT_OPTIONS):
        return False
    if set(ours.all_special) != set(found.all_special):
        return False
    if not ours.split.startswith("regex:"):
        return ours.split == found.split or (ours.split, found.split) == ("llama3", "cl100k")  # the same expression
    try:
        return pre_tokenizer_json(ours) == pre_tokenizer
    except SaveError:
        return False
