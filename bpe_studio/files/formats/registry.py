"""The tokenizer formats by name: what each keeps of a tokenizer, and the files that it makes of
one.

Each format is a module, and has one line in `FORMATS`; the package says what the module holds. The
document has no `read_back`, as it holds more than a tokenizer. `files/saving` writes the files,
`files/recognition` recognizes them, and `files/third_party` reads them.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from types import ModuleType

from bpe_studio.engine.arguments import shown
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.encoding.tokenizer_model import ChatTemplate, Kept
from bpe_studio.errors import SaveError
from bpe_studio.files.atomic_file import as_bytes
from bpe_studio.files.formats.broad_text import passages
from bpe_studio.files.formats.huggingface.items import lines_of
from bpe_studio.files.formats.read_back import check

Content = str | bytes | Mapping[str, str | bytes]
"""A file to write, or the files of a folder by their names."""


@dataclass(frozen=True)
class Format:
    """A tokenizer format.

    Attributes:
        name: its name on the command line.
        description: one line for a list or a dialog.
        home: its module, below `bpe_studio.files`; imported when it is first needed.
        is_folder: whether it is a folder of files.
        suffix: the usual end of a file's name; "" for a folder.
    """

    name: str
    description: str
    home: str
    is_folder: bool = False
    suffix: str = ""

    @cached_property
    def module(self) -> ModuleType:
        """Its module; `formats/__init__` says what that holds."""
        return importlib.import_module(f"bpe_studio.files.{self.home}")

    @property
    def kept(self) -> Kept:
        """The parts of a tokenizer that it holds, and those that it does not."""
        return Kept(self.module.KEEPS, self.module.DROPS)


FORMATS: dict[str, Format] = {
    one.name: one
    for one in (
        Format(
            "huggingface",
            "Hugging Face folder (tokenizer.json)",
            "formats.huggingface.folder",
            is_folder=True,
        ),
        Format("gpt2", "GPT-2 folder (vocab.json and merges.txt)", "formats.gpt2", is_folder=True),
        Format("tiktoken", "tiktoken ranks", "formats.tiktoken", suffix=".tiktoken"),
        Format("subword-nmt", "subword-nmt codes", "formats.subword_nmt", suffix=".codes"),
        Format("sentencepiece", "SentencePiece model", "formats.sentencepiece", suffix=".model"),
        Format("minbpe", "minbpe model", "formats.minbpe", suffix=".model"),
        Format(
            "studio", "Studio document (corpus and runs)", "document.studio", suffix=".bpestudio"
        ),
    )
}
"""Every format."""

_AS_TEXT = ("sentencepiece", "subword-nmt")
"""Formats whose programs take special tokens in a text as text."""
_AS_FOLDER = (
    "put the model into a folder and convert the folder, which is read as Transformers reads it"
)


def content(tokenizer: Tokenizer, format: str) -> Content:
    """The files of a tokenizer in a format, checked by the format's program.

    A third-party tokenizer in this very format has its own files, as they are. For others, the
    program must give the same ids on texts that hold every added token.

    Raises:
        SaveError: the format is not known or cannot hold this tokenizer exactly.
    """
    if not isinstance(format, str) or format not in FORMATS:
        raise SaveError(
            f"The format {shown(format)} is not known: choose one of {', '.join(FORMATS)}"
        )
    own = tokenizer.own_files
    if own is not None and own.format == format:
        return own.content()
    if not tokenizer.tokens:
        raise SaveError(
            "The tokenizer has no token at all: train it on some text, or with a full alphabet"
        )
    texts = None
    if tokenizer.own_files is None and tokenizer.model.config.units == "items":
        if format not in ("huggingface", "studio"):
            raise SaveError(
                "In this format, a symbol is a byte or a character, and not what white space"
                " separates: save the tokenizer as huggingface"
            )
        texts = chain(passages(), lines_of(tokenizer.tokens.values()))
    module = FORMATS[format].module
    made: Content = module.content(tokenizer)
    if hasattr(module, "read_back"):
        try:
            back = module.read_back(made, tokenizer)
            if back is not None:
                check(tokenizer, back, f"The {FORMATS[format].description}", texts)
        except SaveError as error:
            if not tokenizer.encodes_lines:
                raise
            raise SaveError(f"{error}: {_AS_FOLDER}") from None
    return made


def why_not(tokenizer: Tokenizer, format: str) -> str:
    """The reason why a format cannot hold a tokenizer exactly, as a sentence; "" if it can."""
    try:
        made = content(tokenizer, format)
        parts = made.values() if isinstance(made, Mapping) else [made]
        for data in parts:
            as_bytes(f"A {format} file", data)
    except SaveError as error:
        return str(error)
    return ""


def refusal(tokenizer: Tokenizer, format: str) -> str:
    """The reason why a format cannot hold a tokenizer exactly, and the formats that can; "" if it
    can.
    """
    reason = why_not(tokenizer, format)
    if not reason:
        return ""
    others = [name for name in FORMATS if name != format and not why_not(tokenizer, name)]
    return f"{reason}; these formats can hold it: {', '.join(others)}" if others else reason


def holds_chat_template(format: str, template: ChatTemplate) -> bool:
    """Whether the files of a format can hold a chat template, or several with their names."""
    return format == "huggingface" or (format == "gpt2" and isinstance(template, str))


def kept(tokenizer: Tokenizer, format: str) -> Kept:
    """The parts of a tokenizer that a format which can hold it keeps, and those that it drops.

    It keeps more than usual if the tokenizer's own files are written as they are.
    """
    own = tokenizer.own_files
    if own is not None and own.format == format:
        return own.kept
    keeps, drops = FORMATS[format].kept
    module = FORMATS[format].module
    if hasattr(module, "left_out"):
        drops = "; ".join(filter(None, (drops, module.left_out(tokenizer))))
    settings = ""
    template = ""
    lines = ""
    if format != "huggingface" and own is None and tokenizer.model.settings:
        settings = f"{', '.join(tokenizer.model.settings)} of its tokenizer_config.json"
    found = tokenizer.chat_template
    if found is not None and not holds_chat_template(format, found):
        template = "its chat template"
    says_so = format in _AS_TEXT or (
        format == "huggingface" and "split_special_tokens" in tokenizer.model.settings
    )
    if tokenizer.splits_special and tokenizer.special_ids and not says_so:
        name = next(iter(tokenizer.special_ids))
        lines = (
            f"that special tokens in a text, such as {name!r}, are text: programs of this format"
            " find them"
        )
    return Kept(
        keeps, "; ".join(filter(None, (drops, settings, template, lines, *tokenizer.left_files)))
    )
