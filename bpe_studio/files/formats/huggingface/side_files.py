"""The small files beside a `tokenizer.json` that other programs read: special tokens by their roles, chat templates.

They are written again with the tokenizer. Those of a model, or of the vocabulary in another form, are only named.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.formats.huggingface.folder import ROLES, SPECIAL
from bpe_studio.files.formats.tokenizer_file import read_bytes
from bpe_studio.files.json_parts import checked, parse_json

ADDED, TEMPLATE = "added_tokens.json", "chat_template.jinja"
_FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
CARRIED = (SPECIAL, ADDED, TEMPLATE)
MOST_BYTES = 1 << 20
_LEFT = (
    "additional_chat_templates", "config.json", "generation_config.json", "merges.txt", "preprocessor_config.json",
    "processor_config.json", "sentencepiece.bpe.model", "spiece.model", "tokenizer.model", "vocab.json", "vocab.txt",
)  # fmt: skip


@dataclass(frozen=True)
class SideFiles:
    """What is beside a tokenizer.

    Attributes:
        texts: the files that are written again, by name.
        left: the names of those that are not.
    """

    texts: Mapping[str, str]
    left: tuple[str, ...] = ()

    def written(self, tokens: Mapping[int, str]) -> dict[str, str]:
        """The files of the tokenizer with other ids, which only one of the files has.

        Args:
            tokens: the tokens by id.
        """
        found = dict(self.texts)
        if ADDED in found:
            listed = parse_json(found[ADDED].encode(), ADDED)
            numbers = {name: number for number, name in tokens.items() if name in listed}
            found[ADDED] = json.dumps({name: numbers[name] for name in listed if name in numbers}, ensure_ascii=False)
        return found


NO_SIDE_FILES = SideFiles({})


def with_added_tokens(root: dict[str, Any], config: dict[str, Any], side: SideFiles) -> dict[str, Any]:
    """A `tokenizer.json` with the added tokens that Transformers takes from the other files of its folder.

    Those of `tokenizer_config.json`, or else of `added_tokens.json`, come first, with their flags; then the tokens that
    have a role and are not listed.

    Args:
        root: its content; the result is the same object if nothing is added, or the files are not valid.
        config: the `tokenizer_config.json`.
        side: the other files.
    """
    try:
        return _with_added_tokens(root, config, side)
    except (AttributeError, KeyError, TypeError, ValueError):
        return root


def _with_added_tokens(root: dict[str, Any], config: dict[str, Any], side: SideFiles) -> dict[str, Any]:
    parsed = {name: parse_json(side.texts[name].encode(), name) for name in (SPECIAL, ADDED) if name in side.texts}
    roles = [_entry(value) for file in (config, parsed.get(SPECIAL, {})) for value in _with_roles(file)]
    names = {one["content"] for one in roles}
    listed = config.get("added_tokens_decoder")
    if not isinstance(listed, dict):
        numbers = {number: name for name, number in parsed.get(ADDED, {}).items()}
        listed = {number: {"content": name, "normalized": name not in names} for number, name in numbers.items()}
    listed = {int(number): one for number, one in listed.items() if str(number).isdecimal() and isinstance(one, dict)}
    given = {one["content"]: one for one in root.get("added_tokens") or ()}
    entries = [_entry(listed[number]) for number in sorted(listed)]
    known = given.keys() | {one["content"] for one in entries}
    entries += [{**one, "special": True} for one in roles if one["content"] not in known]
    vocab = root["model"].get("vocab")
    ids = vocab if isinstance(vocab, dict) else {name: number for number, (name, *_) in enumerate(vocab or ())}
    added = dict(given)
    for one in entries:
        name = one["content"]
        following = max(len(ids), *(1 + other["id"] for other in added.values()), 0)
        number = added[name]["id"] if name in added else ids.get(name, following)
        if name:
            added[name] = {"id": number, **one, "special": one["special"] or name in names}
    return root if added == given else {**root, "added_tokens": list(added.values())}


def _with_roles(file: Mapping[str, Any]) -> Iterator[Any]:
    """The tokens that have a role in a file."""
    for role in (*ROLES, "unk_token", "additional_special_tokens", "extra_special_tokens"):
        value = file.get(role)
        yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str | dict))


def _entry(token: str | dict[str, Any]) -> dict[str, Any]:
    """A token as a `tokenizer.json` lists it, without its id."""
    one = {"content": token, "special": True} if isinstance(token, str) else token
    name = one.get("content")
    return {"content": name if isinstance(name, str) else "", **{flag: one.get(flag) is True for flag in _FLAGS}}


def beside(file: str, used: Collection[str] = ()) -> SideFiles:
    """The files beside a tokenizer.

    Args:
        file: its file.
        used: the files that it was read from.
    """
    folder, texts, left = os.path.dirname(file), dict[str, str](), list[str]()
    for name in CARRIED:
        path = os.path.join(folder, name)
        if os.path.lexists(path):
            try:
                texts[name] = _text(path)
            except (OSError, UnicodeError, TokenizerFormatError):
                left.append(f"{name}, which is not valid or larger than {MOST_BYTES >> 20} MB")
    names = set(_LEFT) - set(map(os.path.basename, used))
    left += sorted(name for name in names if os.path.lexists(os.path.join(folder, name)))
    return SideFiles(texts, tuple(left))


def _text(path: str) -> str:
    if os.path.getsize(path) > MOST_BYTES:
        raise TokenizerFormatError("it is too large")
    data = read_bytes(path)
    if path.endswith(".json"):
        checked(parse_json(data, path), dict, "the file")
    return data.decode("utf-8-sig")
