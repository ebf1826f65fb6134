"""A third-party tokenizer as our data (`TokenizerModel`), to convert it or to train further merges
on top of it.

Our own encoder must give the ids of the library on the broad text and around every added token. If
it does not, the error says why.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.errors import SaveError, TokenizerFormatError
from bpe_studio.files.formats import sentencepiece
from bpe_studio.files.formats.huggingface.reading import model_from_json
from bpe_studio.files.formats.read_back import ReadBack, check
from bpe_studio.files.third_party.native_library import Library
from bpe_studio.files.third_party.piece_merges import one_for_each_token
from bpe_studio.files.third_party.self_check import texts_for


def of_json(root: dict[str, Any], library: Library) -> TokenizerModel:
    """The content of a `tokenizer.json` as our data.

    Raises:
        SaveError: a part has no counterpart here, or our encoder gives other ids.
    """
    try:
        model = model_from_json(root)
    except TokenizerFormatError as error:
        raise _not_ours(error) from None
    return _checked(_with_one_merge_each(model), library)


def of_sentencepiece(proto: sentencepiece.Proto, library: Library) -> TokenizerModel:
    """A SentencePiece model as our data.

    Raises:
        SaveError: a part has no counterpart here, or our encoder gives other ids.
    """
    try:
        model = sentencepiece.model_of(proto)
    except TokenizerFormatError as error:
        raise _not_ours(error) from None
    return _checked(model, library)


def _with_one_merge_each(model: TokenizerModel) -> TokenizerModel:
    """The tokenizer without the merges that never apply, where several make the same token."""
    is_plain = not (model.config.continuing or model.config.word_end)
    if not is_plain or len({new for *_, new in model.merges}) == len(model.merges):
        return model
    special = set(model.special_ids.values())
    names = {
        name: number
        for number, name in reversed(list(enumerate(model.tokens)))
        if number not in special
    }
    return replace(model, merges=tuple(one_for_each_token(list(model.merges), names)))


def _checked(model: TokenizerModel, library: Library) -> TokenizerModel:
    tokenizer = Tokenizer(model)
    if any(list(tokenizer.template(n)) != list(library.template(n)) for n in (1, 2)):
        raise _not_ours("the special tokens around a text, or two, would be others")
    back = ReadBack(
        lambda text, finds: library.ids(text, recognize_special=finds),
        library.added_ids,
        encodes_lines=not library.finds_special,
    )
    try:
        check(tokenizer, back, "our own encoder", texts_for(library))
    except SaveError as error:
        raise _not_ours(error) from None
    return model


def _not_ours(why: object) -> SaveError:
    return SaveError(
        f"Our engine can neither train this tokenizer nor write it in another format: {why}"
    )
