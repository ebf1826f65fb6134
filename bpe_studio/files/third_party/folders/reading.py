"""Makes one `tokenizer.json` and the settings of batches of the files of a folder.

It does what `PreTrainedTokenizerFast.from_pretrained` does, in the same order: settings and roles,
added tokens, the template. The names of other classes do not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.formats.huggingface.folder import (
    INPUT_NAMES,
    Batch,
    input_names,
    known_length,
)
from bpe_studio.files.formats.huggingface.writing import template_json
from bpe_studio.files.json_parts import checked, member, optional
from bpe_studio.files.third_party.folders.added_tokens import AddedToken, AddedTokens
from bpe_studio.files.third_party.folders.files import FolderFiles
from bpe_studio.files.third_party.hugging_face import MAX_ADDED

JsonObject = dict[str, Any]
ROLES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
_DECODER = "added_tokens_decoder"
_EXTRA = "extra_special_tokens"
_ADDITIONAL = "additional_special_tokens"
_OWN_ROLES = "model_specific_special_tokens"
_NOT_FOLLOWED = ("init_inputs", "fast_tokenizer_files", "fix_mistral_regex", "vocab", "merges")
"""Settings that would change the `tokenizer.json`."""
_OF_CLASSES = ("tokenizer_class", "add_bos_token", "add_eos_token")
"""Settings that do not count beside a `tokenizer.json`."""
_CLEANS_BPE = "clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output"
_GENERIC = "PreTrainedTokenizerFast"
_NO_TEMPLATE = template_json([(0, 0)], [(0, 0), (1, 1)], {})
"""The template that Transformers gives a file without one."""


@dataclass(frozen=True)
class FolderTokenizer:
    """A tokenizer as its folder describes it.

    Attributes:
        root: the `tokenizer.json` that means the same.
        batch: the settings of batches and of decoded text.
        named: the special tokens by role.
        roles: those of `named`, and others whose roles Transformers does not know.
        not_followed: the settings that are left out.
    """

    root: JsonObject
    batch: Batch
    named: Mapping[str, str]
    roles: Mapping[str, str]
    not_followed: Sequence[str] = ()

    def is_as_in(self, root: JsonObject) -> bool:
        """Whether a `tokenizer.json` alone means the same as with the other files."""
        given = {**root, "padding": None, "truncation": None}
        if given.get("post_processor") is None:
            given["post_processor"] = _NO_TEMPLATE
        return given == self.root

    def written(self, root: JsonObject, config: JsonObject) -> JsonObject:
        """The `tokenizer_config.json` to write beside a `tokenizer.json`: with it, Transformers
        opens the tokenizer as it is.

        Args:
            root: the `tokenizer.json`, which may have further tokens.
            config: the `tokenizer_config.json` of the folder, with the ids of `root`.
        """
        left_out = {"auto_map", *self.not_followed}
        kept = {key: value for key, value in config.items() if key not in left_out}
        entries = {}
        for token in root["added_tokens"]:
            entries[str(token["id"])] = {key: value for key, value in token.items() if key != "id"}
        return {
            **kept,
            **self.named,
            "padding_side": self.batch.padding_side,
            "truncation_side": self.batch.truncation_side,
            "model_input_names": list(self.batch.input_names or INPUT_NAMES),
            _DECODER: entries,
            "tokenizer_class": _GENERIC,
        }


@dataclass
class _Said:
    """The settings of a folder.

    Attributes:
        values: the settings by name; those of roles are texts, added tokens or `None`.
        own: the special tokens in roles that Transformers does not know.
        listed: the added tokens that the files list by id.
        not_followed: the settings that are left out.
    """

    values: JsonObject
    own: JsonObject
    listed: dict[int, AddedToken]
    not_followed: Sequence[str]

    @property
    def extra(self) -> list[str | AddedToken]:
        """The special tokens without a role."""
        found = self.values.get(_EXTRA, self.values.get(_ADDITIONAL))
        return [] if found is None else list(checked(found, list, repr(_EXTRA)))


def read(files: FolderFiles, root: JsonObject) -> FolderTokenizer:
    """The tokenizer of a folder.

    Args:
        files: the files beside its `tokenizer.json`.
        root: that file.

    Raises:
        TokenizerFormatError: Transformers does not open the folder.
    """
    try:
        return _read(files, root)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        raise TokenizerFormatError(
            "something in its files is of another type than expected"
        ) from None


def _read(files: FolderFiles, root: JsonObject) -> FolderTokenizer:
    said = _settings_of(files, root)
    roles = {role: said.values.get(role) for role in ROLES}
    padding = optional(root, "padding", dict, "the file") or {}
    truncation = optional(root, "truncation", dict, "the file") or {}
    if "pad_token" not in said.values:
        roles["pad_token"] = padding.get("pad_token")
    vocab = root["model"]["vocab"]
    tokens = AddedTokens(_numbers(vocab), len(vocab), root.get("added_tokens") or ())
    special = {**roles, **said.own}
    given = [value for value in special.values() if value is not None]
    _check_special([*given, *said.extra])
    _add(tokens, said, special)
    made = {
        **root,
        "added_tokens": tokens.entries(),
        "post_processor": root.get("post_processor") or _NO_TEMPLATE,
        "padding": None,
        "truncation": None,
    }
    sides = (padding.get("direction"), truncation.get("direction"))
    usual_type = "BPE" if "merges" in root["model"] else ""
    is_bpe = root["model"].get("type", usual_type) == "BPE"
    batch = _batch_of(said.values, roles["pad_token"], *sides, is_bpe=is_bpe)
    named = {role: str(value) for role, value in roles.items() if value}
    own = {role: str(value) for role, value in said.own.items() if value}
    return FolderTokenizer(made, batch, named, named | own, said.not_followed)


def _settings_of(files: FolderFiles, root: JsonObject) -> _Said:
    """The settings of a folder; `tokenizer_config.json` goes before the other files."""
    values = {key: value for key, value in files.config.items() if key not in _OF_CLASSES}
    not_followed = [key for key in _NOT_FOLLOWED if values.pop(key, None) not in (None, False, [])]
    if _ADDITIONAL in values and not values.get(_EXTRA):
        values[_EXTRA] = values.pop(_ADDITIONAL)
    specific = optional(values, _OWN_ROLES, dict, "tokenizer_config.json") or {}
    values.pop(_OWN_ROLES, None)
    own = {key: values.pop(key) for key in list(values) if _is_own_role(key, values[key])}
    if isinstance(values.get(_EXTRA), dict):
        own |= values.pop(_EXTRA)
    own = own or specific
    entries: list[tuple[int, AddedToken]] = []
    by_id = values.pop(_DECODER, None)
    n_by_id = len(by_id) if isinstance(by_id, dict) else 0
    n_added = max(n_by_id, len(files.added))
    if n_added > MAX_ADDED:
        raise TokenizerFormatError(
            f"it has {n_added:,} added tokens, and {MAX_ADDED:,} at most are read"
        )
    if _DECODER in files.config:
        for number, token in checked(by_id, dict, repr(_DECODER)).items():
            described = checked(token, dict, f"the added token {number[:40]!r}")
            entries.append((_number(number), AddedToken.of(described)))
    else:
        _take_special_map(files.special, values, own)
        special = {str(values[role]) for role in ROLES if values.get(role)}
        special.update(map(str, values.get(_EXTRA) or ()))
        for name, number in files.added.items():
            is_special = name in special
            checked(number, int, f"the id of the added token {name[:40]!r}")
            entries.append(
                (number, AddedToken(name, normalized=not is_special, special=is_special))
            )
        for entry in optional(root, "added_tokens", list, "the file") or ():
            entries.append((member(entry, "id", int, "an added token"), AddedToken.of(entry)))
    tokens = (*ROLES, _EXTRA, _ADDITIONAL)
    for key, value in values.items():
        if key in tokens:
            values[key] = _converted(value)
    own = {key: _converted(value) for key, value in own.items()}
    # A role may also name a token whose id another one has taken.
    by_name = {token.content: token for _, token in entries}
    for role in ROLES:
        if values.get(role) is not None:
            values[role] = by_name.get(str(values[role]), values[role])
    return _Said(values, own, dict(entries), not_followed)


def _take_special_map(special: JsonObject, values: JsonObject, own: JsonObject) -> None:
    """Adds the settings of a `special_tokens_map.json`, which count if no tokens are listed by id.

    Args:
        special: its content.
        values: the settings, which get those of roles and of special tokens.
        own: the special tokens in roles that Transformers does not know, which get others.
    """
    for key, given in special.items():
        value = given
        if isinstance(value, dict) and key != _EXTRA:
            value = AddedToken.of(value, special=True)
        elif isinstance(value, list) and key == _EXTRA:
            there = [_converted(one) for one in values.get(_EXTRA) or ()]
            known = {one for one in there if isinstance(one, str | AddedToken)}
            for one in value:
                if isinstance(one, dict) and "special" in one:
                    raise TokenizerFormatError(
                        f"{_EXTRA!r} of special_tokens_map.json has a token with 'special'"
                    )
                token = AddedToken.of(one, special=True) if isinstance(one, dict) else one
                if token not in known:
                    there.append(token)
            value = there
        if _is_own_role(key, value):
            own[key] = value
        else:
            values[key] = value
    if isinstance(values.get(_EXTRA), dict):
        own |= values.pop(_EXTRA)


def _is_own_role(key: str, value: object) -> bool:
    return key not in ROLES and key.endswith("_token") and isinstance(value, str | AddedToken)


def _converted(value: Any) -> Any:
    """A setting, with an `AddedToken` for each added token as Transformers writes it."""
    if isinstance(value, dict) and value.get("__type") == "AddedToken":
        return AddedToken.of(value)
    if isinstance(value, list):
        return list(map(_converted, value))
    return value


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise TokenizerFormatError(
            f"the id of an added token is {text[:40]!r}, not a number"
        ) from None


def _check_special(values: Iterable[object]) -> None:
    """Makes sure that special tokens are texts or added tokens, and not empty.

    Raises:
        TokenizerFormatError: one is not.
    """
    for value in values:
        if not isinstance(value, str | AddedToken) or not str(value):
            raise TokenizerFormatError(f"a special token is {repr(value)[:40]}, not a text")


def _batch_of(
    values: Mapping[str, Any],
    pad_token: str | AddedToken | None,
    padding_side: object,
    truncation_side: object,
    *,
    is_bpe: bool,
) -> Batch:
    """The settings of batches and of decoded text.

    Args:
        values: the settings of the folder.
        pad_token: the token that fills up a batch.
        padding_side, truncation_side: those of the `tokenizer.json`.
        is_bpe: whether its model is a BPE, whose text Transformers cleans up only if two settings
            ask for it.

    Raises:
        TokenizerFormatError: a setting is of another type.
    """
    length = values.get("model_max_length", values.get("max_len"))
    if length is not None and not isinstance(length, int | float):
        raise TokenizerFormatError(f"'model_max_length' is {repr(length)[:40]}, not a number")
    cleans_up = bool(values.get("clean_up_tokenization_spaces"))
    if is_bpe and not values.get(_CLEANS_BPE):
        cleans_up = False
    pad = None if pad_token is None else str(pad_token)
    return Batch(
        pad,
        known_length(length),
        _side(values, "padding_side", padding_side),
        _side(values, "truncation_side", truncation_side),
        _flag(values, "split_special_tokens"),
        input_names(values),
        cleans_up,
    )


def _numbers(vocab: object) -> Mapping[str, int]:
    """The ids of a vocabulary; in a list, the place of a token is its id."""
    if isinstance(vocab, list):
        numbers = {}
        for number, entry in enumerate(vocab):
            name = entry[0] if isinstance(entry, list) and entry else entry
            numbers[str(name)] = number
        return numbers
    return checked(vocab, dict, "the vocabulary")


def _add(tokens: AddedTokens, said: _Said, named: Mapping[str, str | AddedToken | None]) -> None:
    """Adds the tokens that the files list by id, then the special ones that are not there yet."""
    in_order = [said.listed[number] for number in sorted(said.listed)]
    waiting: dict[AddedToken | str, None] = dict.fromkeys(in_order)
    known = {*tokens, *map(str, waiting)}
    for value in (*named.values(), *said.extra):
        if value is not None and str(value) not in known:
            waiting[value] = None
    names = {str(value) for value in named.values() if value}
    for token in waiting:
        if isinstance(token, str):
            tokens.add([AddedToken(token, special=True)])
        else:
            tokens.add([token], special=token.content in names)


def _side(values: Mapping[str, Any], key: str, of_file: object) -> str:
    usual = of_file.lower() if isinstance(of_file, str) else "right"
    side = values.get(key, usual)
    if side not in ("right", "left"):
        raise TokenizerFormatError(f"{key!r} is {repr(side)[:40]}, not right or left")
    return str(side)


def _flag(values: Mapping[str, Any], name: str) -> bool:
    value = values.get(name, False)
    if not isinstance(value, bool):
        raise TokenizerFormatError(f"{name!r} is {repr(value)[:40]}, not true or false")
    return value
