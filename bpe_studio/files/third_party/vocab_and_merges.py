"""`vocab.json` and `merges.txt` of GPT-2, RoBERTa, CLIP or GPT, if no other file says how they are
read.

The two files do not say how text is split. Programs that read them have one split each, and the
tokens show the program:

- `</w>` and all bytes are of CLIP.
- `</w>` and characters are of GPT. It drops capitals and accents unless a token has one, and splits
  at white space only if tokens join a letter and a comma at the end of a word (`CharBPETokenizer`).
- `▁` is of the class `SentencePieceBPETokenizer`.
- Bytes with `<s>`, `</s>` and `<pad>` are of RoBERTa, and bytes alone of GPT-2.

CLIP's single file `bpe_simple_vocab_16e6.txt.gz` has only merges; its vocabulary follows from them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from bpe_studio.engine.presets import WORD_START
from bpe_studio.engine.text.alphabet import are_stand_ins, byte_to_stand_in, stand_in_to_byte
from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.formats.huggingface.writing import added_token

JsonObject = dict[str, Any]
_MARK = "</w>"
_UNKNOWN = "<unk>"
_JOINED = re.compile(r"[^\W\d_][,;:!?…،؛؟。、！？，；：।]</w>")
_FEW_JOINED = 1 / 1000
_ROBERTA = ("<s>", "<pad>", "</s>")
_CLIP = ("<|startoftext|>", "<|endoftext|>")
_CLIP_MERGES = 49152 - 256 - 2


def clip_vocab(pairs: list[list[str]]) -> tuple[dict[str, int], list[list[str]]]:
    """The vocabulary and the merges of CLIP's single file, which lists more than CLIP has."""
    kept = pairs[:_CLIP_MERGES]
    order = sorted(
        stand_in_to_byte,
        key=lambda char: (not ("!" <= char <= "~" or "¡" <= char <= "ÿ"), ord(char)),
    )
    names = [
        *order,
        *(char + _MARK for char in order),
        *(left + right for left, right in kept),
        *_CLIP,
    ]
    return {name: number for number, name in enumerate(dict.fromkeys(names))}, kept


def is_gpt2(vocab: dict[str, int], pairs: Sequence[Sequence[str]]) -> bool:
    """Whether the two files are of GPT-2's kind: all bytes, no marks, no gaps between ids, and not
    RoBERTa's.
    """
    is_marked = any(right.endswith(_MARK) for _, right in pairs)
    is_roberta = vocab.keys() >= set(_ROBERTA)
    has_bytes = vocab.keys() >= set(byte_to_stand_in)
    is_bytes = has_bytes and (not pairs or are_stand_ins("".join(pairs[0])))
    is_dense = set(vocab.values()) == set(range(len(vocab))) and "" not in vocab
    return is_bytes and is_dense and not is_marked and not is_roberta


def said_of_split(root: JsonObject, *, is_chosen: bool) -> str:
    """A sentence about the split that was found for the two files; "" if there is no doubt about
    it.

    Args:
        root: the content of the `tokenizer.json` made of them.
        is_chosen: whether a person chose the split.
    """
    kind = root["pre_tokenizer"]["type"]
    if is_chosen or kind not in ("WhitespaceSplit", "BertPreTokenizer"):
        return ""
    only = "at white space only"
    other = "at white space and at each punctuation character"
    if kind == "WhitespaceSplit":
        return (
            f"The files do not say how text is split: it is split {only}, because tokens join"
            " letters and commas"
        )
    return (
        f"The files do not say how text is split: it is split {other}; --split whitespace splits"
        f" {only}"
    )


_MASK = {
    "__type": "AddedToken",
    "content": "<mask>",
    "lstrip": True,
    "special": True,
    "normalized": False,
}


def usual_config(vocab: dict[str, int], pairs: list[list[str]]) -> JsonObject:
    """The settings of the class of Transformers for files like these; empty if their tokens do not
    show a class.
    """
    made = {left + right for left, right in pairs}
    if any(right.endswith(_MARK) for _, right in pairs):
        return {"tokenizer_class": "CLIPTokenizer"} if vocab.keys() >= set(byte_to_stand_in) else {}
    if not all(map(are_stand_ins, made)):
        return {}
    if vocab.keys() >= set(_ROBERTA):
        unknown = "<unk>" if "<unk>" in vocab else None
        mask = _MASK if "<mask>" in vocab else None
        return {
            "tokenizer_class": "RobertaTokenizer",
            "unk_token": unknown,
            "mask_token": mask,
        }
    special = [name for name in vocab if name and name not in made and name not in stand_in_to_byte]
    roles = dict.fromkeys(("bos_token", "eos_token", "unk_token"))
    return {"tokenizer_class": "GPT2Tokenizer", **roles, "extra_special_tokens": special}


def as_tokenizer_json(
    vocab: dict[str, int], pairs: list[list[str]], split: str | None = None
) -> JsonObject:
    """The content of the `tokenizer.json` of two files without a class of Transformers.

    Args:
        vocab: the ids of the tokens.
        pairs: the merges.
        split: "whitespace" if words of characters are known to be cut at white space only.

    Raises:
        TokenizerFormatError: the tokens are of none of these kinds.
    """
    made = {left + right for left, right in pairs}
    marked = any(right.endswith(_MARK) for _, right in pairs)
    suffix = _MARK if marked else None
    bpe: JsonObject = {
        "type": "BPE",
        "vocab": vocab,
        "merges": pairs,
        "end_of_word_suffix": suffix,
    }
    if marked:
        return _gpt(bpe, split)
    if WORD_START in {name[0] for name in made}:
        marks = {
            "type": "Metaspace",
            "replacement": WORD_START,
            "prepend_scheme": "always",
            "split": True,
        }
        return _root(bpe, normalizer={"type": "NFKC"}, pre_tokenizer=marks, decoder=marks)
    stray = next((name for name in made if not are_stand_ins(name)), "")
    raise TokenizerFormatError(
        f"its token {stray[:40]!r} does not stand for bytes, and no token ends in {_MARK} or begins"
        f" with {WORD_START}, so it does not say how text is split"
    )


def _gpt(bpe: JsonObject, split: str | None) -> JsonObject:
    vocab = bpe["vocab"]
    joins = sum(_JOINED.search(name) is not None for name in vocab) > _FEW_JOINED * len(vocab)
    lowers = not any(name != name.lower() for name in vocab)
    decomposed = unicodedata.normalize("NFD", "".join(vocab))
    has_accents = any(unicodedata.category(char) == "Mn" for char in decomposed)
    strips = False if has_accents else None
    cleaning = {
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": strips,
        "lowercase": lowers,
    }
    cuts_at_spaces = joins or split == "whitespace"
    pre_tokenizer = "WhitespaceSplit" if cuts_at_spaces else "BertPreTokenizer"
    return _root(
        bpe,
        normalizer={"type": "BertNormalizer", **cleaning},
        pre_tokenizer={"type": pre_tokenizer},
        decoder={"type": "BPEDecoder", "suffix": _MARK},
    )


def _root(bpe: JsonObject, **parts: Any) -> JsonObject:
    usual = dict.fromkeys(("normalizer", "pre_tokenizer", "post_processor", "decoder"))
    added = []
    unknown = None
    number = bpe["vocab"].get(_UNKNOWN)
    if number is not None:
        added = [added_token(number, _UNKNOWN)]
        unknown = _UNKNOWN
    model = {**bpe, "unk_token": unknown}
    return {"version": "1.0", "added_tokens": added, **usual, **parts, "model": model}
