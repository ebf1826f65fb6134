"""The small files beside a `tokenizer.json` that other programs read: special tokens by their
roles, and chat templates.

They are written again with the tokenizer. Files of a model, and those that hold the vocabulary in
another form, are only named.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bpe_studio.engine.encoding.tokenizer_model import ChatTemplate
from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.formats.huggingface.folder import (
    CONFIG,
    SPECIAL,
    TEMPLATE,
    TOKENIZER,
    chat_template,
)
from bpe_studio.files.formats.tokenizer_file import read_bytes
from bpe_studio.files.json_parts import checked, parse_json

ADDED = "added_tokens.json"
CARRIED = (SPECIAL, ADDED, TEMPLATE)
MOST_BYTES = 1 << 20
_TEMPLATES = "additional_chat_templates"
_MOST_TEMPLATES = 20
VOCAB = "vocab.json"
MERGES = "merges.txt"
WRITTEN = (TOKENIZER, CONFIG, *CARRIED, _TEMPLATES, VOCAB, MERGES, "source.spm", "target.spm")
"""The names that a save may write into a folder: they belong to the tokenizer there, and another
save replaces them.
"""
_MODELS = ("sentencepiece.bpe.model", "spiece.model", "tokenizer.model", "vocab.txt")
VOCABULARIES = (*_MODELS, "bpe.codes", "encoder.json", "tekken.json", "vocab.bpe")
"""The vocabularies that belong to a folder's tokenizer and that a save cannot make; so it refuses
to remove them.
"""
_LEFT = (
    "README.md",
    "chat_template.json",
    "config.json",
    "generation_config.json",
    "preprocessor_config.json",
    "processor_config.json",
    VOCAB,
    MERGES,
    *_MODELS,
)


@dataclass(frozen=True)
class SideFiles:
    """The files beside a tokenizer.

    Attributes:
        texts: the content of each file that is written again, by its path in the folder.
        left: the names of those that are not.
    """

    texts: Mapping[str, str]
    left: tuple[str, ...] = ()

    def chat_template(self, config: Mapping[str, Any]) -> ChatTemplate | None:
        """The chat template of the files, which go before a `tokenizer_config.json`; `None` if
        there is none.
        """
        named = {}
        for path, text in self.texts.items():
            if path.endswith(".jinja"):
                name = "default" if path == TEMPLATE else Path(path).stem
                named[name] = text
        if not named:
            return chat_template(config.get("chat_template"))
        return named["default"] if list(named) == ["default"] else tuple(named.items())

    def written(self, added: Mapping[str, int]) -> dict[str, str]:
        """The files for the tokenizer with other ids; only `added_tokens.json` has ids.

        Args:
            added: the new ids of its added tokens.
        """
        found = dict(self.texts)
        if ADDED in found:
            listed = parse_json(found[ADDED].encode(), ADDED)
            ids = {name: added[name] for name in listed if name in added}
            found[ADDED] = json.dumps(ids, ensure_ascii=False)
        return found


NO_SIDE_FILES = SideFiles({})


def beside(file: str, used: Collection[str] = ()) -> SideFiles:
    """The files beside a tokenizer.

    Args:
        file: its file.
        used: all the files that it was read from.
    """
    folder = os.path.dirname(file)
    texts = dict[str, str]()
    left = list[str]()
    templates = [
        f"{_TEMPLATES}/{path.name}" for path in sorted(Path(folder, _TEMPLATES).glob("*.jinja"))
    ]
    if len(templates) > _MOST_TEMPLATES:
        left.append(f"all but {_MOST_TEMPLATES} of its {len(templates):,} {_TEMPLATES}")
    for name in (*CARRIED, *templates[:_MOST_TEMPLATES]):
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
