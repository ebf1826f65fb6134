"""A third-party tokenizer as our data (`TokenizerModel`), to convert it or to train further merges on top of it.

Our own encoder must give the ids of the library on the broad text; otherwise the reason is said.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.engine.text.pretokenization import WORD_START
from bpe_studio.errors import BpeError, SaveError, TokenizerFormatError, VocabularyError
from bpe_studio.files.formats import sentencepiece
from bpe_studio.files.formats.huggingface.reading import model_from_json
from bpe_studio.files.third_party.native_library import Library
from bpe_studio.files.third_party.piece_merges import one_for_each_token
from bpe_studio.files.third_party.self_check import texts_for

_SPACES = re.compile(rf"\s|{WORD_START}")


def of_json(root: dict[str, Any], library: Library) -> TokenizerModel:
    """A `tokenizer.json` as data.

    Raises:
        SaveError: we have no counterpart to one of its parts.
    """
    try:
        model = model_from_json(root)
    except TokenizerFormatError as error:
        raise _not_ours(error) from None
    return _checked(_with_one_merge_each(model), library)


def of_sentencepiece(proto: sentencepiece.Proto, library: Library) -> TokenizerModel:
    """A SentencePiece model as data.

    Raises:
        SaveError: we have no counterpart to one of its parts.
    """
    try:
        model = sentencepiece.model_of(proto)
    except TokenizerFormatError as error:
        raise _not_ours(error) from None
    # The library is given lines of words with spaces between them; there, a mark in the text is a space, too.
    return _checked(model, library, lambda text: _SPACES.sub(" ", text))


def _with_one_merge_each(model: TokenizerModel) -> TokenizerModel:
    """The same tokenizer without the merges that never make a token, where several make the same one."""
    is_plain = not (model.config.continuing or model.config.word_end)
    if not is_plain or len({new for *_, new in model.merges}) == len(model.merges):
        return model
    special = set(model.special_ids.values())
    names = {name: number for number, name in reversed(list(enumerate(model.tokens))) if number not in special}
    return replace(model, merges=tuple(one_for_each_token(list(model.merges), names)))


def _checked(
    model: TokenizerModel, library: Library, prepared: Callable[[str], str] = lambda text: text
) -> TokenizerModel:
    tokenizer = Tokenizer(model)
    if any(list(tokenizer.template(n)) != list(library.template(n)) for n in (1, 2)):
        raise _not_ours("the special tokens around a text, or two, would be others")
    known = None
    if model.unknown_id is None and model.config.units == "characters":
        # The library drops characters that it does not know; we say so in an error, which is no silent difference.
        known = set("".join(model.tokens)) | {" "}
    for text in map(prepared, texts_for(library)):
        text = "".join(char for char in text if not _is_new(char) and (known is None or char in known))
        try:
            found = tokenizer.encode(text, recognize_special=library.finds_special).ids
            same = found == library.ids(text, recognize_special=library.finds_special)
        except VocabularyError:
            continue  # A character that we say we do not know is no silent difference.
        except BpeError as error:
            raise _not_ours(error) from None
        if not same:
            raise _not_ours("our own encoder would give different ids")
    return model


def _is_new(char: str) -> bool:
    """Whether a character is newer than the tables of Unicode that one of the two has.

    They do not know U+32FF, of 2019, and what its class is differs for those that this Python does not know.
    """
    return char == "\u32ff" or unicodedata.category(char) == "Cn"


def _not_ours(why: object) -> SaveError:
    return SaveError(f"Our engine can neither train this tokenizer nor write it in another format: {why}")
