"""What the files of a folder say together, as one `tokenizer.json` and the settings of batches.

It does what `AutoTokenizer.from_pretrained` of Transformers 5 does, in the same order: the class, its settings and
roles, the added tokens, the parts, the template. Nothing is guessed: what is not known here is an error, which says
what it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.formats.huggingface.folder import INPUT_NAMES, Batch, input_names
from bpe_studio.files.formats.sentencepiece import USER_DEFINED
from bpe_studio.files.json_parts import checked, member, optional
from bpe_studio.files.third_party.auto_tokenizer import pieces
from bpe_studio.files.third_party.auto_tokenizer.added_tokens import AddedToken, AddedTokens
from bpe_studio.files.third_party.auto_tokenizer.classes import (
    CLASSES,
    GENERIC,
    ROLES,
    Settings,
    TokenizerClass,
    bos_and_eos,
)
from bpe_studio.files.third_party.auto_tokenizer.files import FolderFiles
from bpe_studio.files.third_party.auto_tokenizer.names import class_of
from bpe_studio.files.third_party.hugging_face import MAX_ADDED

JsonObject = dict[str, Any]
_DECODER = "added_tokens_decoder"
_EXTRA, _ADDITIONAL = "extra_special_tokens", "additional_special_tokens"
_NOT_FOLLOWED = (
    "init_inputs", "fast_tokenizer_files", "fix_mistral_regex", "model_specific_special_tokens", "vocab", "merges",
)  # fmt: skip
"""Settings that are rare, and change more than can be said here."""
_NO_LENGTH = 10**9
_BPE = dict.fromkeys(("dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix"))
_DEFAULTS: Mapping[str, JsonObject] = {
    "BPE": {**_BPE, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False},
    "Unigram": {"byte_fallback": False},
    "WordPiece": {"continuing_subword_prefix": "##", "max_input_chars_per_word": 100},
}


@dataclass(frozen=True)
class FolderTokenizer:
    """A tokenizer as its folder says it.

    Attributes:
        root: the `tokenizer.json` that means the same.
        batch: how it makes batches.
        class_name: the class of Transformers.
        named: the special tokens by role.
        roles: the same, with roles that Transformers does not know.
        unknown: what of it is not known here, as a part of a sentence; "" for nothing.
    """

    root: JsonObject
    batch: Batch
    class_name: str
    named: Mapping[str, str]
    roles: Mapping[str, str]
    unknown: str = ""

    def is_as_in(self, root: JsonObject | None) -> bool:
        """Whether a `tokenizer.json` says the same without the other files."""
        given, made = ({**(one or {}), "padding": None, "truncation": None} for one in (root, self.root))
        if given.get("post_processor") is None:
            given["post_processor"] = bos_and_eos(None, None).json(lambda _: None)
        return given == made

    def written(self, files: FolderFiles, root: JsonObject, config: JsonObject) -> JsonObject:
        """The `tokenizer_config.json` to write beside a `tokenizer.json`, with which Transformers opens it as it is.

        Args:
            files: the files of the folder.
            root: the `tokenizer.json`, which may have further tokens.
            config: the `tokenizer_config.json` of the folder, with their ids.
        """
        if self.class_name == GENERIC:
            named = config or {"tokenizer_class": "PreTrainedTokenizerFast"}
        else:
            named = {**config, "tokenizer_class": config.get("tokenizer_class") or self.class_name}
        beside = replace(files, config=named, model_config={}, root=root, vocab_file="tokenizer.json")
        try:
            again = read(beside)
            is_same = again.is_as_in(root) and again.batch == self.batch
        except TokenizerFormatError:
            is_same = False
        if is_same:
            return named
        # A class that makes its parts anew, or a list of other flags, would change what the file says.
        sides = {name: getattr(self.batch, name) for name in ("padding_side", "truncation_side")}
        names = {"model_input_names": list(self.batch.input_names or INPUT_NAMES)}
        entries = {str(one["id"]): {key: one[key] for key in one if key != "id"} for one in root["added_tokens"]}
        listed = {_DECODER: entries, "tokenizer_class": "PreTrainedTokenizerFast"}
        return {**config, **self.named, **sides, **names, **listed}


@dataclass
class Said:
    """What the settings of a folder say.

    Attributes:
        values: the settings; roles are texts, added tokens or `None`.
        own: the special tokens with names of their own.
        listed: the added tokens that are listed by id.
    """

    values: JsonObject
    own: JsonObject
    listed: dict[int, AddedToken]

    @property
    def extra(self) -> list[str | AddedToken]:
        """The special tokens without a name."""
        found = self.values.get(_EXTRA, self.values.get(_ADDITIONAL))
        return [] if found is None else list(checked(found, list, repr(_EXTRA)))


def class_name(files: FolderFiles) -> str:
    """The class of Transformers that opens a folder.

    Raises:
        TokenizerFormatError: it is not known.
    """
    is_byte_level = files.root is not None and '"ByteLevel"' in repr(_without_vocab(files.root)).replace("'", '"')
    return class_of(files.config, files.model_config, is_byte_level=is_byte_level)


def read(files: FolderFiles) -> FolderTokenizer:
    """The tokenizer of a folder.

    Raises:
        TokenizerFormatError: Transformers does not open the folder, or what it does is not known here.
    """
    try:
        return _read(files)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        raise TokenizerFormatError("something in its files is of another type than expected") from None


def _read(files: FolderFiles) -> FolderTokenizer:
    name = class_name(files)
    unknown = "" if name in CLASSES or name == GENERIC else f"the class {name} is not known here"
    if unknown and files.root is None:
        raise TokenizerFormatError(unknown)
    one = CLASSES.get(name)
    said = settings_of(files)
    values, listed = said.values, said.listed
    root, defaults = _generic(files, values, listed) if one is None else _of_class(files, one, values)
    roles = {role: values.get(role, defaults.get(role)) for role in ROLES}
    if one is not None and one.strips_before_mask and isinstance(roles["mask_token"], str):
        roles["mask_token"] = AddedToken(roles["mask_token"], lstrip=True)
    settings = Settings({**values, **roles})
    given = set(values) | set(defaults)
    padding, truncation = (optional(files.root or {}, key, dict, "the file") or {} for key in ("padding", "truncation"))
    if "pad_token" not in given and padding:
        roles["pad_token"] = padding.get("pad_token")
    vocab = root["model"]["vocab"]
    tokens = AddedTokens(_numbers(vocab), len(vocab), root.get("added_tokens") or ())
    named = {**roles, **said.own}
    if one is not None and one.extra is not None:
        values[_ADDITIONAL] = one.extra(settings, values.get(_ADDITIONAL))
    extra = said.extra
    check_special(named, extra)
    _add(tokens, listed, named, extra)
    if one is not None and one.adds_again:
        again = [value for value in (*named.values(), *extra) if value is not None]
        plain = [AddedToken(str(value), special=True) for value in again]
        tokens.add(plain if one.adds_again == "plain" else _with_flags(again, plain), special=True)
    root = {**root, "added_tokens": tokens.entries(), "post_processor": _post(root, one, settings, tokens)}
    root = {**root, "padding": None, "truncation": None}
    side = "right" if one is None else one.padding_side
    names = (*INPUT_NAMES, "token_type_ids") if one is not None and one.has_types else INPUT_NAMES
    sides = padding.get("direction"), truncation.get("direction"), side
    batch = batch_of(values, roles["pad_token"], *sides, default_names=names)
    given_roles = {role: str(value) for role, value in roles.items() if value}
    own_roles = {role: str(value) for role, value in said.own.items() if value}
    return FolderTokenizer(root, batch, name, given_roles, given_roles | own_roles, unknown)


def _with_flags(values: Sequence[object], plain: Sequence[AddedToken]) -> list[AddedToken]:
    return [value if isinstance(value, AddedToken) else one for value, one in zip(values, plain, strict=True)]


def _without_vocab(root: JsonObject) -> JsonObject:
    """All of a `tokenizer.json` that can name a part."""
    return {key: value for key, value in root.items() if key not in ("model", "added_tokens")}


def settings_of(files: FolderFiles) -> Said:
    """What the settings of a folder say, `tokenizer_config.json` first.

    Raises:
        TokenizerFormatError: Transformers does not read them.
    """
    values = {key: value for key, value in files.config.items() if key != "tokenizer_class"}
    unknown = next((key for key in _NOT_FOLLOWED if values.get(key) not in (None, False, [])), None)
    if unknown is not None:
        raise TokenizerFormatError(f"{unknown!r} in tokenizer_config.json is not known here")
    if files.root is not None:
        values.pop("add_bos_token", None)
        values.pop("add_eos_token", None)
    if _ADDITIONAL in values and not values.get(_EXTRA):
        values[_EXTRA] = values.pop(_ADDITIONAL)
    own = {key: values.pop(key) for key in list(values) if _is_own_role(key, values[key])}
    if isinstance(values.get(_EXTRA), dict):
        own |= values.pop(_EXTRA)
    listed: dict[int, AddedToken] = {}
    by_id = values.pop(_DECODER, None)
    n_added = max(len(by_id) if isinstance(by_id, dict) else 0, len(files.added))
    if n_added > MAX_ADDED:
        raise TokenizerFormatError(f"it has {n_added:,} added tokens, and {MAX_ADDED:,} at most are read")
    if _DECODER in files.config:
        for number, token in checked(by_id, dict, repr(_DECODER)).items():
            listed[_number(number)] = AddedToken.of(checked(token, dict, f"the added token {number[:40]!r}"))
    else:
        _take_special_map(files.special, values, own)
        special = {str(values[role]) for role in ROLES if values.get(role)}
        special.update(map(str, values.get(_EXTRA) or ()))
        for name, number in files.added.items():
            is_special = name in special
            checked(number, int, f"the id of the added token {name[:40]!r}")
            listed[number] = AddedToken(name, normalized=not is_special, special=is_special)
        for entry in optional(files.root or {}, "added_tokens", list, "the file") or ():
            listed[member(entry, "id", int, "an added token")] = AddedToken.of(entry)
    tokens = (*ROLES, _EXTRA, _ADDITIONAL)
    values = {key: _converted(value) if key in tokens else value for key, value in values.items()}
    own = {key: _converted(value) for key, value in own.items()}
    by_name = {token.content: token for token in listed.values()}
    for role in ROLES:
        if values.get(role) is not None:
            values[role] = by_name.get(str(values[role]), values[role])
    return Said(values, own, listed)


def _take_special_map(special: JsonObject, values: JsonObject, own: JsonObject) -> None:
    """Takes what `special_tokens_map.json` says, which counts where no tokens are listed by id."""
    for key, given in special.items():
        value = given
        if isinstance(value, dict) and key != _EXTRA:
            value = AddedToken.of(value, special=True)
        elif isinstance(value, list) and key == _EXTRA:
            there = [_converted(one) for one in values.get(_EXTRA) or ()]
            known = {one for one in there if isinstance(one, str | AddedToken)}
            for one in value:
                if isinstance(one, dict) and "special" in one:
                    raise TokenizerFormatError(f"{_EXTRA!r} of special_tokens_map.json has a token with 'special'")
                token = AddedToken.of(one, special=True) if isinstance(one, dict) else one
                there += [] if token in known else [token]
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
    """A token, or a list of them, as tokenizers of Transformers write them."""
    if isinstance(value, dict) and value.get("__type") == "AddedToken":
        return AddedToken.of(value)
    return [_converted(one) for one in value] if isinstance(value, list) else value


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise TokenizerFormatError(f"the id of an added token is {text[:40]!r}, not a number") from None


def check_special(named: Mapping[str, object], extra: Sequence[object]) -> None:
    """Makes sure that special tokens are tokens, or that no token has a role.

    Raises:
        TokenizerFormatError: one is not.
    """
    for value in (*(value for value in named.values() if value is not None), *extra):
        if not isinstance(value, str | AddedToken) or not str(value):
            raise TokenizerFormatError(f"a special token is {repr(value)[:40]}, not a text")


def batch_of(
    values: Mapping[str, Any],
    pad_token: str | AddedToken | None,
    padding_side: object = None,
    truncation_side: object = None,
    default_side: str = "right",
    *,
    default_length: int | None = None,
    default_names: tuple[str, ...] = INPUT_NAMES,
) -> Batch:
    """How a tokenizer makes batches.

    Args:
        values: the settings.
        pad_token: the token that fills up a batch.
        padding_side, truncation_side: those of a `tokenizer.json`.
        default_side: the side of the class.
        default_length: the maximum length of the class.
        default_names: the columns of model input of the class.

    Raises:
        TokenizerFormatError: a side is none, or a flag is neither true nor false.
    """
    length = values.get("model_max_length", values.get("max_len", default_length))
    if length is not None and not isinstance(length, int | float):
        raise TokenizerFormatError(f"'model_max_length' is {repr(length)[:40]}, not a number")
    has_length = isinstance(length, int) and not isinstance(length, bool) and 0 < length < _NO_LENGTH
    return Batch(
        None if pad_token is None else str(pad_token),
        int(length) if length is not None and has_length else None,
        _side(values, "padding_side", padding_side, default_side),
        _side(values, "truncation_side", truncation_side, "right"),
        Settings(values).flag("split_special_tokens"),
        input_names(values, default_names),
    )


def _of_class(
    files: FolderFiles, one: TokenizerClass, values: JsonObject
) -> tuple[JsonObject, Mapping[str, str | None]]:
    """What a class makes of the vocabulary, before tokens are added."""
    settings = Settings({**dict.fromkeys(ROLES), **one.roles, **values}, pieces.table_of(files.root, files.model))
    vocab, merges = _vocab_of(files, one, settings, values)
    parts = one.parts(settings)
    model = {"type": one.model, **_DEFAULTS[one.model], **parts.pop("model", {}), "vocab": vocab}
    if one.model == "BPE":
        model["merges"] = merges
    none = dict.fromkeys(("normalizer", "pre_tokenizer", "post_processor", "decoder"))
    root = {"version": "1.0", "added_tokens": [], **none, **parts, "model": model}
    given = (files.root or {}).get("post_processor")
    if given is not None:
        root["post_processor"] = given
    return root, one.roles


def _vocab_of(files: FolderFiles, one: TokenizerClass, settings: Settings, values: JsonObject) -> tuple[Any, Any]:
    """The vocabulary and the merges that a class is given."""
    if files.root is not None:
        model = checked(files.root.get("model"), dict, "the model")
        vocab = model.get("vocab")
        if isinstance(vocab, list) and one.model != "Unigram":
            vocab = {entry[0] if isinstance(entry, list) else entry: n for n, entry in enumerate(vocab)}
        if not isinstance(vocab, list if one.model == "Unigram" else dict):
            raise TokenizerFormatError("the vocabulary of tokenizer.json is not of the type of its class")
        return vocab, model.get("merges") or []
    if files.model and files.vocab_file in (one.vocab_file, "tokenizer.model") and one.model != "WordPiece":
        proto = pieces.parsed(files.model)
        values[_ADDITIONAL] = pieces.added_tokens(proto)
        if one.model == "Unigram":
            found = [[name, score] for name, score, _ in proto.pieces]
            return (found if one.pieces is None else one.pieces(settings, found)), []
        vocab = {name: number for number, (name, _, _) in enumerate(proto.pieces)}
        return vocab, pieces.merges_of_vocab(vocab)
    if files.model or files.vocab_file != one.vocab_file:
        raise TokenizerFormatError(f"the class that it names does not read {files.vocab_file}")
    if files.lines:
        return {line.rstrip(): number for number, line in enumerate(files.lines)}, []
    return files.vocab or {}, files.merges


def _generic(
    files: FolderFiles, values: JsonObject, listed: dict[int, AddedToken]
) -> tuple[JsonObject, Mapping[str, str | None]]:
    """The tokenizer without a class of its own: `tokenizer.json`, or what a SentencePiece model says."""
    if files.root is not None:
        return files.root, {}
    if not files.model or files.vocab_file != "tokenizer.model":
        raise TokenizerFormatError(f"no class that reads {files.vocab_file} is named")
    proto = pieces.parsed(files.model)
    root = pieces.as_tokenizer_json(proto, values, listed)
    user_defined = {name for name, _, kind in proto.pieces if kind == USER_DEFINED}
    values[_ADDITIONAL] = [token for token in pieces.added_tokens(proto) if token.content not in user_defined]
    return root, pieces.roles_of(proto)


def _numbers(vocab: object) -> Mapping[str, int]:
    """The ids of a vocabulary; a list has those of its places."""
    if isinstance(vocab, list):
        return {str(entry[0] if isinstance(entry, list) and entry else entry): n for n, entry in enumerate(vocab)}
    return checked(vocab, dict, "the vocabulary")


def _add(
    tokens: AddedTokens,
    listed: Mapping[int, AddedToken],
    named: Mapping[str, str | AddedToken | None],
    extra: Sequence[str | AddedToken],
) -> None:
    """Adds the tokens that are listed by id, then the special ones that are not there yet."""
    waiting: dict[AddedToken | str, None] = dict.fromkeys(listed[number] for number in sorted(listed))
    known = {*tokens, *map(str, waiting)}
    waiting |= dict.fromkeys(
        value for value in (*named.values(), *extra) if value is not None and str(value) not in known
    )
    names = {str(value) for value in named.values() if value}
    for token in waiting:
        if isinstance(token, str):
            tokens.add([AddedToken(token, special=True)])
        else:
            tokens.add([token], special=token.content in names)


def _post(root: JsonObject, one: TokenizerClass | None, settings: Settings, tokens: AddedTokens) -> Any:
    """The post-processor, which adds special tokens around a text."""
    values = settings.values
    if one is not None and one.template is not None:
        return one.template(settings, tokens).json(tokens.id_of)
    is_asked = "add_bos_token" in values or "add_eos_token" in values
    if root.get("post_processor") is not None and not is_asked and not (one is not None and one.ignores_template):
        return root["post_processor"]
    ends = (
        settings.text(f"{end}_token") if values.get(f"add_{end}_token") and values.get(f"{end}_token") else None
        for end in ("bos", "eos")
    )
    return bos_and_eos(*ends).json(tokens.id_of)


def _side(values: Mapping[str, Any], key: str, of_file: object, default: str) -> str:
    side = values.get(key, of_file.lower() if isinstance(of_file, str) else default)
    if side not in ("right", "left"):
        raise TokenizerFormatError(f"{key!r} is {repr(side)[:40]}, not right or left")
    return str(side)
