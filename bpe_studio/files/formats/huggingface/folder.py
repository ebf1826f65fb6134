"""The `huggingface` format: a folder that Transformers reads, or a bare `tokenizer.json`.

The folder holds `tokenizer.json` (the tokenizer itself) and two small files that name the special
tokens for Transformers. A mark in `tokenizer_config.json`, which Transformers ignores, holds the
training settings. From a marked folder, the tokenizer that was written comes back, if it would be
written as the same `tokenizer.json`. Any other folder is read as a third-party tokenizer.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.encoding.tokenizer_model import (
    ChatTemplate,
    Kept,
    OwnFiles,
    TokenizerModel,
    TwoStages,
)
from bpe_studio.engine.presets import BETWEEN
from bpe_studio.errors import BpeError, SaveError
from bpe_studio.files.formats.huggingface.reading import (
    add_tokens,
    read_merges,
    read_template,
    read_vocab,
    tokens_in_order,
)
from bpe_studio.files.formats.huggingface.writing import (
    added_token,
    own_symbol,
    settings_json,
    tokenizer_json,
)
from bpe_studio.files.formats.tokenizer_file import contents, json_of
from bpe_studio.files.json_parts import checked, member, optional

if TYPE_CHECKING:
    from bpe_studio.files.formats.read_back import ReadBack

TOKENIZER = "tokenizer.json"
CONFIG = "tokenizer_config.json"
SPECIAL = "special_tokens_map.json"
TEMPLATE = "chat_template.jinja"
OUR_KEY = "bpe_studio"
_MADE_ANEW = ("added_tokens_decoder", "additional_special_tokens", "chat_template", OUR_KEY)
_ROLES = {
    "bos_token": ("<s>", "[BOS]", "<bos>", "<|begin_of_text|>", "<|startoftext|>", "<|endoftext|>"),
    "eos_token": ("</s>", "[EOS]", "<eos>", "<|end_of_text|>", "<|endoftext|>"),
    "cls_token": ("[CLS]", "<cls>"),
    "sep_token": ("[SEP]", "<sep>"),
    "mask_token": ("[MASK]", "<mask>"),
}
INPUT_NAMES = ("input_ids", "attention_mask")
"""The columns of model input that Transformers returns if no file names others."""
_NO_LENGTH = 10**9
"""Transformers writes a number beyond this one for an unknown length."""
KEEPS = (
    "ids, merges, split, normalization, special tokens with their roles and template, and the"
    " training settings of a run; Transformers gives the same ids"
)
DROPS = ""


def content(tokenizer: Tokenizer) -> dict[str, str]:
    """The files of the folder, by name.

    Raises:
        SaveError: the format cannot hold this tokenizer exactly.
    """
    model = tokenizer.model
    return {
        # A line for each entry, without indents: with indents, Python does not use its encoder in
        # C, which is five times as fast.
        TOKENIZER: _dumped(tokenizer_json(model), separators=(",\n", ": ")),
        **_small_files(model),
        **template_file(model),
    }


def _small_files(model: TokenizerModel) -> dict[str, str]:
    roles = _roles(model)
    return {
        CONFIG: _dumped(_config_json(model, roles), indent=2),
        SPECIAL: _dumped(roles, indent=2),
    }


def template_file(model: TokenizerModel) -> dict[str, str]:
    """The file of its chat template, by name; empty unless it has a single one."""
    return {TEMPLATE: model.chat_template} if isinstance(model.chat_template, str) else {}


def with_chat_template(files: OwnFiles, template: ChatTemplate | None) -> OwnFiles:
    """The files of a tokenizer with another chat template, which only a folder keeps."""
    kept = files.kept
    content = files.content
    if files.format == "huggingface":
        content = partial(_content_with, files.content, template)
    elif template is not None:
        kept = Kept(kept.keeps, "its chat template")
    remade = None if files.remade is None else partial(_remade_with, files.remade, template)
    return OwnFiles(files.format, kept, content, remade)


def with_roles(files: OwnFiles, names: Mapping[str, str]) -> OwnFiles:
    """The files of a folder that can be remade, with further roles of special tokens."""
    assert files.remade is not None
    content = partial(_content_with_roles, files.content, names)
    return OwnFiles(
        files.format, files.kept, content, partial(_remade_with_roles, files.remade, names)
    )


def _content_with_roles(made: Callable[[], Any], names: Mapping[str, str]) -> dict[str, Any]:
    found = dict(made())
    for file in (CONFIG, SPECIAL):
        if file in found:
            found[file] = json.dumps(json.loads(found[file]) | names, ensure_ascii=False)
    return found


def _remade_with_roles(
    remade: Callable[[Any, Callable[[int], int]], Any],
    names: Mapping[str, str],
    content: Any,
    number: Callable[[int], int],
) -> Any:
    tokenizer = remade(content, number)
    tokenizer._name_roles(names)
    tokenizer.roles = {**tokenizer.roles, **names}
    return tokenizer


def _content_with(made: Callable[[], Any], template: ChatTemplate | None) -> dict[str, str | bytes]:
    found = {name: text for name, text in made().items() if not name.endswith(".jinja")}
    config = json.loads(found[CONFIG])
    config.pop("chat_template", None)
    if isinstance(template, str):
        found[TEMPLATE] = template
    elif template is not None:
        config["chat_template"] = _listed(template)
    found[CONFIG] = json.dumps(config, ensure_ascii=False)
    return found


def _remade_with(
    remade: Callable[[Any, Callable[[int], int]], Any],
    template: ChatTemplate | None,
    content: Any,
    number: Callable[[int], int],
) -> Any:
    tokenizer = remade(content, number)
    tokenizer.chat_template = template
    return tokenizer


def _listed(templates: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "template": text} for name, text in templates]


def chat_template(found: object) -> ChatTemplate | None:
    """A chat template from the entry of a `tokenizer_config.json`; `None` if that is not one."""
    if isinstance(found, dict):
        found = [{"name": name, "template": text} for name, text in found.items()]
    if isinstance(found, list):
        pairs = [
            (each.get("name"), each.get("template")) for each in found if isinstance(each, dict)
        ]
        named = [
            (name, text) for name, text in pairs if isinstance(name, str) and isinstance(text, str)
        ]
        return tuple(named) if len(named) == len(found) > 0 else None
    return found if isinstance(found, str) else None


def roles_of(tokenizer: Tokenizer) -> dict[str, str]:
    """The special tokens of a tokenizer by role, as Transformers has them after it is saved."""
    if tokenizer.roles is not None:
        return dict(tokenizer.roles)
    try:
        return {
            role: name for role, name in _roles(tokenizer.model).items() if isinstance(name, str)
        }
    except SaveError:
        return {}


def roles_in(config: Mapping[str, Any]) -> dict[str, str]:
    """The special tokens by role, as a `tokenizer_config.json` has them."""
    texts = {key: _content(token) for key, token in config.items() if key.endswith("_token")}
    return {key: text for key, text in texts.items() if isinstance(text, str)}


def _content(token: object) -> object:
    """The text of a special token, which is an object or a text."""
    return token.get("content") if isinstance(token, dict) else token


def read_back(written: dict[str, str], tokenizer: Tokenizer) -> ReadBack:
    """The encoding of the library `tokenizers` with the written tokenizer."""
    import tokenizers

    from bpe_studio.files.formats.read_back import of_library

    library = tokenizers.Tokenizer.from_str(written[TOKENIZER])
    if hasattr(library.model, "_resize_cache"):
        # The cache is never freed.
        library.model._resize_cache(0)
    return of_library(library)


def as_read(root: dict[str, Any], config: dict[str, Any]) -> dict[str, str]:
    """The files of the folder of a tokenizer that another program made.

    Args:
        root: its `tokenizer.json`.
        config: its `tokenizer_config.json`; empty for none.
    """
    files = {TOKENIZER: root, CONFIG: config or {"tokenizer_class": "PreTrainedTokenizerFast"}}
    return {name: json.dumps(content, ensure_ascii=False) for name, content in files.items()}


def renumbered(config: dict[str, Any], number: Callable[[int], int]) -> dict[str, Any]:
    """The `tokenizer_config.json` of a tokenizer whose tokens get other ids.

    Args:
        config: the file's content before.
        number: gives the new id for an old one.
    """
    listed = config.get("added_tokens_decoder")
    if not isinstance(listed, dict) or not all(old.isdecimal() for old in listed):
        return config
    return {
        **config,
        "added_tokens_decoder": {str(number(int(old))): token for old, token in listed.items()},
    }


def own_model(root: dict[str, Any], config: dict[str, Any]) -> TokenizerModel | None:
    """The tokenizer of a folder that this program wrote; `None` for any other folder, and if the
    files have changed since.

    Args:
        root: its `tokenizer.json`.
        config: its `tokenizer_config.json`.
    """
    try:
        mark = member(config, OUR_KEY, dict, CONFIG)
        settings = TrainingConfig.from_dict(member(mark, "settings", dict, OUR_KEY))
        two_stages = None
        if settings.superwords_from is not None:
            two_stages = TwoStages(settings, member(mark, "n_first", int, OUR_KEY))
        bpe = member(root, "model", dict, TOKENIZER)
        vocab = read_vocab(member(bpe, "vocab", dict, TOKENIZER))
        merges = member(bpe, "merges", list, TOKENIZER)
        special_ids = add_tokens(root, vocab)
        names = tokens_in_order(vocab)
        found = read_merges(
            merges[member(mark, "n_helper_merges", int, OUR_KEY) :],
            vocab,
            len(settings.continuing or ""),
        )
        back = settings.word_end or "", *reversed(mark["renamed"])
        unknown = optional(bpe, "unk_token", str, TOKENIZER)
        tokens = names[: mark["n_tokens"]]
        if mark["renamed"]:
            from bpe_studio.files.formats.huggingface.word_end_mark import rename

            for number, name in enumerate(tokens):
                if name not in special_ids:
                    tokens[number] = rename(name, *back)
        if settings.units == "items":
            for number, name in enumerate(tokens):
                if name not in special_ids:
                    tokens[number] = name.removeprefix(BETWEEN)
        unknown_id = None if unknown is None else vocab[unknown]
        model = TokenizerModel(
            settings.stages[-1],
            tuple(tokens),
            tuple(found),
            special_ids,
            unknown_id,
            read_template(root.get("post_processor"), vocab),
            two_stages=two_stages,
        )
        is_as_written = _is_as_written(model, root)
    except (BpeError, KeyError, IndexError, TypeError, ValueError):
        return None
    if not is_as_written:
        return None
    model = with_config(model, config)
    ours = _config_json(model, _roles(model))
    theirs = {
        key: value
        for key, value in config.items()
        if key not in _MADE_ANEW and ours.get(key, ours) != value
    }
    return replace(model, settings=theirs)


def load_unchanged(path: str | os.PathLike[str]) -> Tokenizer | None:
    """The tokenizer of a folder that holds what this program wrote, and nothing more; `None` for
    any other folder.
    """
    try:
        files = {name: os.path.join(path, name) for name in os.listdir(path)}
        if files.keys() != {TOKENIZER, CONFIG, SPECIAL}:
            return None
        config = checked(json_of(files[CONFIG]), dict, CONFIG)
        if OUR_KEY not in config:
            return None
        # Only files of other programs are searched for names that occur twice: there they may mean
        # anything.
        root = checked(json_of(files[TOKENIZER], allows_repeats=True), dict, TOKENIZER)
        model = own_model(root, config)
        if model is None:
            return None
        small_files = _small_files(model)
        if any(contents(files[name]) != text.encode() for name, text in small_files.items()):
            return None
    except (OSError, ValueError, TypeError, BpeError):
        return None
    tokenizer = Tokenizer(model)
    tokenizer.roles = roles_in(config)
    return tokenizer


def _is_as_written(model: TokenizerModel, root: dict[str, Any]) -> bool:
    """Whether `tokenizer_json` makes the very content that the model was read from."""
    bpe = root["model"]
    vocab = bpe["vocab"]
    merges = bpe["merges"]
    if model.config.word_end_as == "own-symbol" or model.config.units == "items":
        return tokenizer_json(model) == root
    # Reading has made sure that each merge makes the token that its parts spell, and that no two
    # tokens are the same.
    if len(vocab) != len(model.tokens) or len(merges) != len(model.merges):
        return False
    if not all(isinstance(pair, list) for pair in merges):
        return False
    others = {key: value for key, value in bpe.items() if key not in ("vocab", "merges")}
    return settings_json(model, list(model.tokens)) == {**root, "model": others}


def _dumped(value: object, **layout: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, check_circular=False, **layout) + "\n"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise SaveError(
            "A token contains a byte that is not valid UTF-8, which this format cannot hold: "
            "train from a clean text, or with byte units"
        ) from None
    return text


def _roles(model: TokenizerModel) -> dict[str, Any]:
    """The special tokens by their role in Transformers, as training named them or by their usual
    names.
    """
    roles: dict[str, Any] = {}
    for role, usual in _ROLES.items():
        found = model.special_of(role, usual)
        if found is not None:
            roles[role] = found
    if model.pad_token is not None:
        roles["pad_token"] = model.pad_token
    if model.unknown_id is not None:
        roles["unk_token"] = model.tokens[model.unknown_id]
    roles |= roles_in(model.settings)
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
        "model_input_names": list(model.input_names or INPUT_NAMES),
        OUR_KEY: _mark(model),
    }
    if isinstance(model.chat_template, tuple):
        config["chat_template"] = _listed(model.chat_template)
    if model.model_max_length is not None:
        config["model_max_length"] = model.model_max_length
    for key in ("padding_side", "truncation_side"):
        if getattr(model, key) == "left":
            config[key] = "left"
    return config | dict(model.settings)


def _mark(model: TokenizerModel) -> dict[str, Any]:
    """The content of our mark: all that `own_model` needs besides the other files."""
    n_helper_merges = 0
    renamed: tuple[str, ...] = ()
    if own := own_symbol(model):
        n_helper_merges = len(own.helper_merges)
        renamed = own.renamed
    if model.config.units == "items":
        from bpe_studio.files.formats.huggingface.items import WrittenItems

        n_helper_merges = len(WrittenItems.of(model).helper_merges)
    mark = {
        "settings": model.trained_by.to_dict(),
        "n_tokens": len(model.tokens),
        "n_helper_merges": n_helper_merges,
        "renamed": renamed,
    }
    if model.two_stages is not None:
        mark["n_first"] = model.two_stages.n_first
    return mark


def with_config(model: TokenizerModel, config: dict[str, Any]) -> TokenizerModel:
    """The tokenizer with the settings of batches in a `tokenizer_config.json`."""
    return in_batches(model, Batch.of(config))


def in_batches(model: TokenizerModel, batch: Batch) -> TokenizerModel:
    """The tokenizer with the settings of batches."""
    pad_token = batch.pad_token if batch.pad_token in model.special_ids else None
    return replace(
        model,
        pad_token=pad_token,
        model_max_length=batch.model_max_length,
        padding_side=batch.padding_side,
        truncation_side=batch.truncation_side,
        splits_special=batch.splits_special,
        input_names=batch.input_names,
    )


class Batch(NamedTuple):
    """The settings of batches in a tokenizer's files; invalid entries count as missing.

    Attributes:
        pad_token: the token that fills up a batch; `None` if no file names one.
        model_max_length: the maximum length of the model in tokens; `None` if it is not known.
        padding_side: where a batch is filled up, "right" or "left".
        truncation_side: where a text that is too long is cut off.
        splits_special: whether the text of a special token is text like any other.
        input_names: the columns of model input, if a call does not name them; `None` for all.
        cleans_up: whether decoding removes the spaces before English punctuation.
    """

    pad_token: str | None = None
    model_max_length: int | None = None
    padding_side: str = "right"
    truncation_side: str = "right"
    splits_special: bool = False
    input_names: tuple[str, ...] | None = None
    cleans_up: bool = False

    @classmethod
    def of(cls, config: dict[str, Any], root: dict[str, Any] | None = None) -> Batch:
        """The settings in the content of a `tokenizer_config.json` and of a `tokenizer.json`.

        As in Transformers, the first goes before the second.
        """
        padding = _object_in(root or {}, "padding")
        truncation = _object_in(root or {}, "truncation")
        names = (_content(config.get("pad_token")), _content(padding.get("pad_token")))
        return cls(
            next((name for name in names if isinstance(name, str)), None),
            known_length(config.get("model_max_length")),
            _side(config.get("padding_side"), padding.get("direction")),
            _side(config.get("truncation_side"), truncation.get("direction")),
            config.get("split_special_tokens") is True,
            input_names=input_names(config),
        )


def known_length(found: object) -> int | None:
    """The maximum length of a model in a setting; `None` for any other value, and for the number
    with which Transformers writes that it is not known.
    """
    if isinstance(found, int) and not isinstance(found, bool) and 0 < found < _NO_LENGTH:
        return found
    return None


def input_names(
    config: Mapping[str, Any], default: tuple[str, ...] = INPUT_NAMES
) -> tuple[str, ...]:
    """The columns of model input that a `tokenizer_config.json` names; the default if it names
    none.
    """
    names = config.get("model_input_names")
    return tuple(map(str, names)) if isinstance(names, list) else default


def _object_in(values: dict[str, Any], key: str) -> dict[str, Any]:
    found = values.get(key)
    return found if isinstance(found, dict) else {}


def _side(*values: object) -> str:
    sides = (value.lower() for value in values if isinstance(value, str))
    return next((side for side in sides if side in ("right", "left")), "right")
