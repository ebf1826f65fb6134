"""What a person should know about a folder that is not read as Transformers reads it."""

from __future__ import annotations

from collections.abc import Sequence

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.errors import BpeError
from bpe_studio.files.third_party.trial import asked_of_transformers

_TEXTS = (
    "a", " a", "a b", "a  b", "A", "a!", "a ! b", "12", "2024", "a\nb", "a\tb", "don't", "\u00e9", "e\u0301", "\ufb01",
    "\u65e5\u672c", "\u0633\u0644\u0627\u0645", "\U0001f917", "Hello world",
)  # fmt: skip
"""Texts on which preparation, split, fallback or template may differ."""
_MOST_NAMES = 20


def notice(how: str, folder: str, names: Sequence[str], tokenizer: Tokenizer) -> str:
    """A sentence with a text whose ids differ, if Transformers is installed and can be asked for one.

    Args:
        how: how the folder is read, and why.
        folder: its path.
        names: the added tokens that its files list.
        tokenizer: what is read.
    """
    some = [name[:40] for name in names[:_MOST_NAMES]]
    around = (text for name in some for text in (name, f"a{name}b", f"a {name} b"))
    texts = sorted(dict.fromkeys((*_TEXTS, *around)), key=len)
    answer = asked_of_transformers(folder, texts)
    if answer is None:
        where = next((f", for example around {name!r}" for name in some if len(_ids(tokenizer, name) or ()) != 1), "")
        return f"{how}; Transformers may refuse the folder, or give other ids{where}"
    why, theirs = answer
    if why:
        return f"{how}; Transformers refuses the folder{' unless it may run that code' * ('custom code' in why)}"
    for text, ids in zip(texts, theirs, strict=True):
        if ids is not None and ids != _ids(tokenizer, text, is_whole=True):
            return f"{how}; Transformers gives other ids, for example for {text!r}"
    return f"{how}; Transformers gives the same ids for the {len(texts)} short texts that were tried"


def _ids(tokenizer: Tokenizer, text: str, *, is_whole: bool = False) -> list[int] | None:
    """The ids of a text, `None` if it cannot be encoded."""
    try:
        return [int(number) for number in tokenizer(text, add_special_tokens=is_whole)["input_ids"]]
    except BpeError:
        return None
