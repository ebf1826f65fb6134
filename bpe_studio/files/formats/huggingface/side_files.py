"""The small files beside a `tokenizer.json` that other programs read: special tokens by their roles, chat templates.

They are written again with the tokenizer. Those of a model, or of the vocabulary in another form, are only named.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.formats.huggingface.folder import SPECIAL, TEMPLATE
from bpe_studio.files.formats.tokenizer_file import read_bytes
from bpe_studio.files.json_parts import checked, parse_json

ADDED = "added_tokens.json"
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

    def written(self, added: Mapping[str, int]) -> dict[str, str]:
        """The files of the tokenizer with other ids, which only one of the files has.

        Args:
            added: the ids of its added tokens.
        """
        found = dict(self.texts)
        if ADDED in found:
            listed = parse_json(found[ADDED].encode(), ADDED)
            found[ADDED] = json.dumps({name: added[name] for name in listed if name in added}, ensure_ascii=False)
        return found


NO_SIDE_FILES = SideFiles({})


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
