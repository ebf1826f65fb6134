"""Reads the files of a folder that together make a tokenizer."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.formats.huggingface.folder import CONFIG, SPECIAL
from bpe_studio.files.formats.huggingface.side_files import ADDED
from bpe_studio.files.formats.tokenizer_file import contents, json_in, json_of, lines_of, pairs_of
from bpe_studio.files.json_parts import checked
from bpe_studio.files.recognition import Found
from bpe_studio.files.third_party import vocab_and_merges

JsonObject = dict[str, Any]
_MODEL, _MODEL_CONFIG = "tokenizer.model", "config.json"
SETTINGS = (CONFIG, SPECIAL, ADDED)
"""The files beside a tokenizer that change its ids."""


@dataclass(frozen=True)
class FolderFiles:
    """The contents of the files of a folder; empty for those that are not there.

    Attributes:
        config: of `tokenizer_config.json`.
        model_config: of `config.json`.
        special: of `special_tokens_map.json`.
        added: of `added_tokens.json`.
        root: of `tokenizer.json`; `None` if there is none.
        data: its bytes.
        vocab: the ids of a `vocab.json`; `None` if there is none.
        merges: the merges beside it.
        lines: the lines of a `vocab.txt`.
        model: a SentencePiece model; empty if there is none.
        target: the `target.spm` beside a `source.spm`; empty if there is none.
        vocab_file: the name of the main file.
    """

    config: JsonObject = field(default_factory=dict)
    model_config: JsonObject = field(default_factory=dict)
    special: JsonObject = field(default_factory=dict)
    added: JsonObject = field(default_factory=dict)
    root: JsonObject | None = None
    data: bytes = b""
    vocab: dict[str, int] | None = None
    merges: list[list[str]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    model: bytes = b""
    target: bytes = b""
    vocab_file: str = ""

    @property
    def names(self) -> list[str]:
        """The texts that may be added tokens, whatever is wrong with what lists them."""
        found, waiting = (
            list(self.added),
            [value for said in (self.config, self.special) for key, value in said.items() if "token" in key],
        )
        while waiting:
            one = waiting.pop()
            if isinstance(one, dict | list):
                waiting += one.values() if isinstance(one, dict) else one
            elif isinstance(one, str) and one not in ("", "AddedToken"):
                found.append(one)
        return list(dict.fromkeys(found))

    @property
    def says_something(self) -> bool:
        """Whether there is more than the main file."""
        kinds = (self.model_config.get(key) for key in ("model_type", "tokenizer_class"))
        return bool(self.config or self.special or self.added or any(kinds))


def files_of(found: Found) -> tuple[FolderFiles, str]:
    """The files beside a tokenizer, and with it; and what is wrong with one of the others, or "".

    Raises:
        TokenizerFormatError: the main file is not valid.
    """
    file = found.files[0]
    wrong = list[str]()

    def content(other: str) -> JsonObject:
        path = os.path.join(os.path.dirname(file), other)
        try:
            return checked(json_of(path), dict, other) if os.path.lexists(path) else {}
        except TokenizerFormatError as error:
            wrong.append(str(error).replace(path, other))
            return {}

    others: dict[str, Any] = {"config": content(CONFIG), "model_config": content(_MODEL_CONFIG)}
    if "added_tokens_decoder" not in others["config"]:  # otherwise the two older files do not count
        others |= {"special": content(SPECIAL), "added": content(ADDED)}
    main, name = _main(found), os.path.basename(file)
    if found.kind in ("gpt2", "bert") and os.path.isfile(model := os.path.join(os.path.dirname(file), _MODEL)):
        try:
            main["model"], name = contents(model), _MODEL  # which goes before the files of a class
        except TokenizerFormatError as error:
            wrong.append(str(error).replace(model, _MODEL))
    return FolderFiles(**others, **main, vocab_file=name), next(iter(wrong), "")


def _main(found: Found) -> dict[str, Any]:
    """What the main file contains, and those that belong to it."""
    file = found.files[0]
    match found.kind:
        case "huggingface":
            data = contents(file)
            return {"root": checked(json_in(data, file), dict, "the file"), "data": data}
        case "bert":
            return {"lines": lines_of(file)}
        case "sentencepiece":
            vocab_file = os.path.join(os.path.dirname(file), "vocab.json")
            ids = _vocab(vocab_file) if os.path.isfile(vocab_file) else None
            target = os.path.join(os.path.dirname(file), "target.spm")
            return {
                "model": contents(file),
                "vocab": ids,
                "target": contents(target) if os.path.isfile(target) else b"",
            }
    pairs = pairs_of(lines_of(found.files[-1]))
    vocab, pairs = (_vocab(file), pairs) if len(found.files) > 1 else vocab_and_merges.clip_vocab(pairs)
    return {"vocab": vocab, "merges": pairs}


def _vocab(file: str) -> dict[str, int]:
    vocab, name = checked(json_of(file), dict, "the file"), os.path.basename(file)
    for token, number in vocab.items():
        checked(number, int, f"the id of {token[:40]!r} in {name}")
    return vocab
