"""The files of a folder that together make a tokenizer."""

from __future__ import annotations

import json
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
_MODEL_CONFIG = "config.json"
SETTINGS = (CONFIG, SPECIAL, ADDED)
"""The files beside a tokenizer that change its ids."""


@dataclass(frozen=True)
class FolderFiles:
    """The contents of the files of a folder; empty for those that are missing.

    Attributes:
        config: the content of `tokenizer_config.json`.
        model_config: the content of `config.json`.
        special: the content of `special_tokens_map.json`.
        added: the content of `added_tokens.json`.
        root: the content of `tokenizer.json`; `None` if there is none.
        data: the bytes of `tokenizer.json`.
        vocab: the ids of a `vocab.json`; `None` if there is none.
        merges: the merges beside it.
        lines: the lines of a `vocab.txt`.
        model: the bytes of a SentencePiece model.
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

    @property
    def names_class(self) -> bool:
        """Whether a class of Transformers follows from the files."""
        names = (self.config.get("tokenizer_class"), self.model_config.get("tokenizer_class"))
        return any(names) or bool(self.model_config.get("model_type"))

    @property
    def says_something(self) -> bool:
        """Whether there is more than the main file."""
        return bool(self.config or self.special or self.added or self.names_class)

    def written(self, config: JsonObject) -> dict[str, bytes]:
        """The bytes of the files of a pair, or of a list of tokens, under the names that
        Transformers knows.

        Args:
            config: the `tokenizer_config.json`.
        """
        merges = "".join(f"{left} {right}\n" for left, right in self.merges)
        parts = {
            CONFIG: config,
            _MODEL_CONFIG: self.model_config,
            SPECIAL: self.special,
            ADDED: self.added,
        }
        texts = {name: json.dumps(part, ensure_ascii=False) for name, part in parts.items() if part}
        if self.vocab is None:
            texts["vocab.txt"] = "".join(f"{line}\n" for line in self.lines)
        else:
            texts["vocab.json"] = json.dumps(self.vocab, ensure_ascii=False)
            texts["merges.txt"] = f"#version: 0.2\n{merges}"
        return {name: text.encode() for name, text in texts.items()}


def files_of(found: Found) -> tuple[FolderFiles, str]:
    """The contents of a tokenizer's file and of those beside it, and the error in one of the latter
    ("" for none).

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

    others: dict[str, Any] = {"config": content(CONFIG)}
    # Beside a `tokenizer.json`, the class does not count.
    if found.kind != "huggingface":
        others["model_config"] = content(_MODEL_CONFIG)
    # The two older files count only if the settings do not list added tokens.
    if "added_tokens_decoder" not in others["config"]:
        others |= {"special": content(SPECIAL), "added": content(ADDED)}
    return FolderFiles(**others, **_main(found)), next(iter(wrong), "")


def _main(found: Found) -> dict[str, Any]:
    """The contents of the main file, and of those that belong to it, as fields of `FolderFiles`."""
    file = found.files[0]
    match found.kind:
        case "huggingface":
            data = contents(file)
            return {"root": checked(json_in(data, file), dict, "the file"), "data": data}
        case "bert":
            return {"lines": lines_of(file)}
        case "sentencepiece":
            return {"model": contents(file)}
    pairs = pairs_of(lines_of(found.files[-1]))
    if len(found.files) > 1:
        return {"vocab": _vocab(file), "merges": pairs}
    vocab, kept = vocab_and_merges.clip_vocab(pairs)
    return {"vocab": vocab, "merges": kept}


def _vocab(file: str) -> dict[str, int]:
    vocab = checked(json_of(file), dict, "the file")
    name = os.path.basename(file)
    for token, number in vocab.items():
        checked(number, int, f"the id of {token[:40]!r} in {name}")
    return vocab
