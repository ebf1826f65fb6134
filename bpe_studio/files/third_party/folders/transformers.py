"""Asks Transformers about a folder, in a process of its own: for a `tokenizer.json` if there is
none, and for ids.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.errors import BpeError, TokenizerFormatError
from bpe_studio.files.extras import install_command
from bpe_studio.files.third_party.trial import Answer, asked_of_transformers, has_transformers

TEXTS = (
    "a",
    " a",
    "a b",
    "a  b",
    "A",
    "a!",
    "a ! b",
    "12",
    "1234",
    "a\nb",
    "a\tb",
    "don't",
    "\u00e9",
    "e\u0301",
    "\ufb01",
    "\u65e5\u672c",
    "\u0633\u0644\u0627\u0645",
    "\U0001f917",
    "Hello world",
)
"""Short texts on which normalization, split, byte fallback or template may differ."""
_MOST_NAMES = 20
_MOST_CHARACTERS = 40


def made_by_transformers(folder: str, contents: Mapping[str, bytes]) -> Answer:
    """The `tokenizer.json` and the settings that Transformers makes of a folder without one.

    Args:
        folder: the folder.
        contents: the files to read instead, by name; empty to read those of the folder.

    Raises:
        TokenizerFormatError: Transformers is not installed, or makes none.
    """
    if not has_transformers():
        raise TokenizerFormatError(
            "a class of Transformers decides how it is read, and Transformers is not installed:"
            f" install it with `{install_command('transformers')}`"
        )
    if not contents:
        return _made(folder)
    with tempfile.TemporaryDirectory() as place:
        for name, content in contents.items():
            with open(os.path.join(place, name), "wb") as stream:
                stream.write(content)
        return _made(place)


def _made(folder: str) -> Answer:
    texts = _texts_around(())
    answer = asked_of_transformers(folder, texts, wants_files=True)
    if answer is None:
        raise TokenizerFormatError("Transformers did not come to an end with it")
    if answer.why:
        raise TokenizerFormatError(f"Transformers makes no tokenizer.json of it ({answer.why})")
    return answer


def compared_with_transformers(tokenizer: Tokenizer, folder: str) -> tuple[bool, str] | None:
    """Compares the ids of a tokenizer with those of Transformers.

    Args:
        tokenizer: the tokenizer.
        folder: the folder that it was opened from.

    Returns:
        Whether they are the same, and a sentence about it; `None` if Transformers is not installed,
        or does not end.
    """
    texts = _texts_around(tokenizer.added_ids)
    answer = asked_of_transformers(folder, texts)
    if answer is None:
        return None
    if answer.why:
        return False, f"Transformers does not open the folder ({answer.why})"
    for text, theirs in zip(texts, answer.ids, strict=True):
        ours = _ids_as_input(tokenizer, text)
        if theirs is not None and theirs != ours:
            given = " ".join(map(str, theirs))
            return False, f"Transformers gives other ids, for example {given} for {text!r}"
    return True, f"Transformers gives the same ids for {len(texts)} short texts"


def _texts_around(names: Iterable[str]) -> list[str]:
    """Short texts, some with added tokens in them, the shortest first."""
    some = [name for name in names if len(name) <= _MOST_CHARACTERS][:_MOST_NAMES]
    around = []
    for name in some:
        around += [name, f"a{name}b", f"a {name} b"]
    return sorted(dict.fromkeys((*TEXTS, *around)), key=len)


def _ids_as_input(tokenizer: Tokenizer, text: str) -> list[int] | None:
    """The ids of a text as model input; `None` if it cannot be encoded."""
    try:
        return [int(number) for number in tokenizer(text)["input_ids"]]
    except BpeError:
        return None
