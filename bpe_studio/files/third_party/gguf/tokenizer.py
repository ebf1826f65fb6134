"""The tokenizer in the head of a GGUF file, as the content of a `tokenizer.json` that gives the ids
of llama.cpp.

Two kinds are read: `gpt2` (byte-pair encoding, with the name of its split) and `llama` (a
SentencePiece model, which joins neighbours that together are a token, the highest score first). As
in llama.cpp, nothing is normalized, and in a `llama` model a space is put before a text and after
each special token.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bpe_studio.engine.encoding.tokenizer_model import Part
from bpe_studio.engine.presets import WORD_START
from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.formats.huggingface.writing import byte_level, replacement, template_json
from bpe_studio.files.formats.ranked_pieces import check_lengths
from bpe_studio.files.json_parts import checked
from bpe_studio.files.third_party.folders.added_tokens import AddedToken
from bpe_studio.files.third_party.gguf.splits import DIGITS, NO_NAME, SPLITS, Split
from bpe_studio.files.third_party.hugging_face import MAX_MERGES, MAX_TOKENS

JsonObject = dict[str, Any]
_KEY = "tokenizer.ggml."
_NORMAL, _UNKNOWN, _CONTROL, _USER_DEFINED, _UNUSED, _BYTE = range(1, 7)
_ENDS = (
    "<|eot_id|> <|im_end|> <|end|> <|return|> <|call|> <|flush|> <|calls|> <end_of_turn>"
    " <|endoftext|> </s> <|eom_id|> <EOT> [EOT] [EOS] <|end_of_text|> <end_of_utterance> <eos>"
    " <turn|> <|tool_response> <｜end▁of▁sentence｜> [e~["
)
"""The names by which llama.cpp knows a control token, whatever its type in the file."""
_ENDS_OF_ROLES = {
    "eot": "_<EOT>",
    "fim_pre": (
        "<|fim_prefix|> <fim-prefix> <fim_prefix> <｜fim▁begin｜> <PRE> ▁<PRE> <|code_prefix|>"
        " <|prefix|>"
    ),
    "fim_suf": (
        "<|fim_suffix|> <fim-suffix> <fim_suffix> <｜fim▁hole｜> <SUF> ▁<SUF> <|code_suffix|>"
        " <|suffix|>"
    ),
    "fim_mid": (
        "<|fim_middle|> <fim-middle> <fim_middle> <｜fim▁end｜> <MID> ▁<MID> <|code_middle|>"
        " <|middle|>"
    ),
    "fim_pad": "<|fim_pad|> <fim-pad> <fim_pad> <PAD> [PAD]",
    "fim_rep": "<|fim_repo|> <|repo_name|> <fim-repo> <REPO> <reponame>",
    "fim_sep": "<|file_sep|>",
}
"""The names by which llama.cpp knows a control token of a role, if no token of the file has the
role.
"""
_ALWAYS_FOUND = ("<|channel|>", "<|message|>", "<|start|>", "<|constrain|>")
_MOST_CHARACTERS = 1 << 27
_RIGHT_STRIPPED_BUT = ("<unk>", "<s>", "<|endoftext|>")


def as_tokenizer_json(head: Mapping[str, Any]) -> tuple[JsonObject, JsonObject]:
    """The contents of the `tokenizer.json` and the `tokenizer_config.json` that mean the same.

    Args:
        head: the keys of the file.

    Raises:
        TokenizerFormatError: they hold no tokenizer, one of another kind, or one that llama.cpp
            would not load.
    """
    kind = head.get(f"{_KEY}model")
    if kind in (None, "none", "no_vocab"):
        raise TokenizerFormatError(
            "it holds no tokenizer: open the file of the model itself, the first of several"
        )
    if kind not in ("gpt2", "llama"):
        raise TokenizerFormatError(
            f"its tokenizer is of the kind {str(kind)[:40]!r}, and gpt2 (byte-pair encoding) and"
            " llama (SentencePiece) are read: open the tokenizer.json of the model that it was"
            " made from"
        )
    names = _names(_list(head, "tokens", str))
    vocab = {name: number for number, name in enumerate(names)}
    if len(vocab) < len(names):
        twice = next(name for number, name in enumerate(names) if vocab[name] != number)
        raise TokenizerFormatError(f"its token {twice[:40]!r} has two ids")
    types = _types(head, names)
    if kind == "gpt2":
        name = checked(head.get(f"{_KEY}pre", NO_NAME), str, "the name of its pre-tokenizer")
        if name not in SPLITS:
            raise TokenizerFormatError(
                f"its pre-tokenizer {name[:40]!r} is not known: open the tokenizer.json of the"
                " model that it was made from"
            )
        split = SPLITS[name]
        parts = _byte_level(head, vocab, split)
        around = _around(head, names, adds_start=split.adds_start, usual=(11, 11))
    else:
        parts = _with_scores(head, vocab, types)
        around = _around(head, names, adds_start=True, usual=(1, 2))
    root = {
        "version": "1.0",
        "added_tokens": list(_added(head, names, types)),
        "post_processor": around,
        **parts,
    }
    return root, _config(head, names)


def said_of_split(head: Mapping[str, Any]) -> str:
    """A sentence about the split, if it is a default or differs from that of llama.cpp; otherwise
    "".
    """
    if head.get(f"{_KEY}model") != "gpt2":
        return ""
    name = head.get(f"{_KEY}pre")
    if name is None:
        return "The file does not name its pre-tokenizer: the default of llama.cpp is used"
    if not SPLITS[name].is_adapted:
        return ""
    return (
        f"The ids are those of the original pre-tokenizer {name}; llama.cpp, which cannot tell"
        " capital letters from small ones outside of English, cuts some words in another way"
    )


def _list(head: Mapping[str, Any], key: str, kind: type, n: int = 0) -> list[Any]:
    found = checked(head.get(_KEY + key), list, f"its list of {key}")
    if not all(isinstance(one, kind) for one in found[:1]) or len(found) < n:
        raise TokenizerFormatError(
            f"its list of {key} has {len(found):,} entries of another type, or too few"
        )
    return found


def _names(tokens: Sequence[str]) -> list[str]:
    if len(tokens) > MAX_TOKENS:
        raise TokenizerFormatError(
            f"it has {len(tokens):,} tokens, and {MAX_TOKENS:,} at most are read"
        )
    check_lengths(tokens)
    return [name or f"[EMPTY_{number}]" for number, name in enumerate(tokens)]


def _types(head: Mapping[str, Any], names: Sequence[str]) -> list[int]:
    """The type of each token; llama.cpp knows some by their names."""
    has_types = f"{_KEY}token_type" in head
    found = _list(head, "token_type", int, len(names)) if has_types else [_NORMAL] * len(names)
    types = dict(zip(names, found, strict=False))
    control = set(_ENDS.split())
    for role, usual in _ENDS_OF_ROLES.items():
        if f"{_KEY}{role}_token_id" not in head:
            control.update(usual.split())
    types.update(dict.fromkeys(control & types.keys(), _CONTROL))
    types.update(dict.fromkeys(set(_ALWAYS_FOUND) & types.keys(), _USER_DEFINED))
    has = types.keys()
    calls = has & {"<|call|>", "<|calls|>"}
    if "<|end|>" in has and calls and has & {"<|return|>", "<|flush|>"}:
        types["<|end|>"] = _USER_DEFINED
    return list(types.values())


def _added(
    head: Mapping[str, Any], names: Sequence[str], types: Sequence[int]
) -> Iterator[JsonObject]:
    """The added tokens, as a `tokenizer.json` lists them."""
    model = str(head.get("general.name", "")).lower()
    split = str(head.get(f"{_KEY}pre", ""))
    strips_right = "phi-3" in model or "phi3" in model
    strips_left = split in ("jina-v2-de", "jina-v2-es", "jina-v2-code")
    for number, (name, kind) in enumerate(zip(names, types, strict=True)):
        if kind in (_UNKNOWN, _CONTROL, _USER_DEFINED):
            yield AddedToken(
                name,
                lstrip=strips_left and name == "<mask>",
                rstrip=strips_right and name not in _RIGHT_STRIPPED_BUT,
                normalized=False,
                special=kind != _USER_DEFINED,
            ).entry(number)


def _byte_level(head: Mapping[str, Any], vocab: Mapping[str, int], split: Split) -> JsonObject:
    pairs: dict[tuple[str, str], None] = {}
    for rank, merge in enumerate(_list(head, "merges", str)):
        at = merge.find(" ", 1)
        if at < 0 or at == len(merge) - 1:
            raise TokenizerFormatError(
                f"its merge {rank:,} is not two tokens with a space between them"
            )
        pairs.setdefault((merge[:at], merge[at + 1 :]))
    parts: list[JsonObject] = []
    for expression in split.expressions:
        if expression == DIGITS:
            parts.append({"type": "Digits", "individual_digits": True})
        else:
            parts.append(
                {
                    "type": "Split",
                    "pattern": {"Regex": expression},
                    "behavior": "Isolated",
                    "invert": False,
                }
            )
    uses_gpt2 = not split.expressions or split.expressions == (DIGITS,)
    parts.append(byte_level(use_regex=uses_gpt2))
    pre_tokenizer = parts[0]
    if len(parts) > 1:
        pre_tokenizer = {"type": "Sequence", "pretokenizers": parts}
    return {
        "normalizer": None,
        "pre_tokenizer": pre_tokenizer,
        "decoder": byte_level(use_regex=True),
        "model": {
            "type": "BPE",
            "vocab": dict(vocab),
            "merges": list(map(list, pairs)),
            "ignore_merges": split.takes_whole_pieces,
        },
    }


def _with_scores(
    head: Mapping[str, Any], vocab: Mapping[str, int], types: Sequence[int]
) -> JsonObject:
    scores = _list(head, "scores", float, len(vocab))
    prefix = head.get(f"{_KEY}add_space_prefix") is not False
    unknown = _token_of(head, "unknown", list(vocab), 0)
    writes = replacement({"String": " "}, WORD_START)
    reads = replacement({"String": WORD_START}, " ")
    strips = [{"type": "Strip", "content": " ", "start": 1, "stop": 0}] if prefix else []
    puts = [{"type": "Prepend", "prepend": WORD_START}] if prefix else []
    return {
        "normalizer": {"type": "Sequence", "normalizers": [*puts, writes]},
        "pre_tokenizer": None,
        "decoder": {
            "type": "Sequence",
            "decoders": [reads, {"type": "ByteFallback"}, {"type": "Fuse"}, *strips],
        },
        "model": {
            "type": "BPE",
            "vocab": dict(vocab),
            "merges": list(_pairs(vocab, types, scores)),
            "unk_token": unknown,
            "fuse_unk": True,
            "byte_fallback": True,
        },
    }


def _pairs(
    vocab: Mapping[str, int], types: Sequence[int], scores: Sequence[float]
) -> Iterator[list[str]]:
    """Every two tokens that together are a token, those with the highest score first.

    Raises:
        TokenizerFormatError: the order of two is not certain, or a character is not a token.
    """
    longer = [
        name
        for name, number in vocab.items()
        if len(name) > 1 and types[number] not in (_BYTE, _USER_DEFINED)
    ]
    before: tuple[float, str] | None = None
    n_pairs = 0
    n_characters = 0
    for name in sorted(longer, key=lambda name: (-scores[vocab[name]], vocab[name])):
        score = scores[vocab[name]]
        pairs = [
            [name[:at], name[at:]]
            for at in range(1, len(name))
            if name[:at] in vocab and name[at:] in vocab
        ]
        is_found_first = types[vocab[name]] in (_CONTROL, _UNKNOWN)
        if not math.isfinite(score):
            raise TokenizerFormatError(f"the score of its token {name[:40]!r} is {score}")
        missing = next((char for char in name if char not in vocab), None)
        if missing is not None and not is_found_first:
            raise TokenizerFormatError(
                f"its token {name[:40]!r} holds {missing!r}, which is not a token"
            )
        if pairs and not is_found_first:
            if before is not None and before[0] == score:
                raise TokenizerFormatError(
                    f"its tokens {before[1][:40]!r} and {name[:40]!r} have the same score, so their"
                    " places in a text decide which is joined first, and not a list of merges"
                )
            before = (score, name)
        n_pairs += len(pairs)
        n_characters += len(pairs) * len(name)
        if n_pairs > MAX_MERGES or n_characters > _MOST_CHARACTERS:
            raise TokenizerFormatError(
                f"{n_pairs:,} or more pairs of its tokens are tokens: no tokenizer has as many"
            )
        yield from pairs


def _around(
    head: Mapping[str, Any], names: Sequence[str], *, adds_start: bool, usual: tuple[int, int]
) -> JsonObject | None:
    """The post-processor that puts special tokens before and after a text; `None` for none.

    Args:
        head: the keys of the file.
        names: the tokens by id.
        adds_start: whether the start token is put before a text if the file does not say it.
        usual: the ids of the start token and of the end token, if the file does not say them.

    Raises:
        TokenizerFormatError: the file asks for a token and does not say which.
    """
    before: list[Part] = []
    after: list[Part] = []
    ids: dict[str, int] = {}
    for role, number, adds_it, side in (
        ("bos", usual[0], adds_start, before),
        ("eos", usual[1], False, after),
    ):
        key = f"{_KEY}add_{role}_token"
        if checked(head.get(key, adds_it), bool, key):
            name = _token_of(head, role, names, number)
            if name is None:
                raise TokenizerFormatError(
                    "it asks for a special token before or after a text, and does not say for which"
                )
            side.append((name, 0))
            ids[name] = names.index(name)
    if not ids:
        return None
    first = [*before, (0, 0), *after]
    second = [*before, (1, 0), *after]
    return template_json(first, [*first, *second], ids)


def _token_of(
    head: Mapping[str, Any], role: str, names: Sequence[str], usual: int | None = None
) -> str | None:
    """The token with a role; `None` if the file does not say it.

    Raises:
        TokenizerFormatError: there is no token with the id in the file; for padding, many files
            have such an id, and it is ignored.
    """
    said = head.get(f"{_KEY}{role}_token_id")
    number = usual if said is None else said
    if isinstance(number, int) and 0 <= number < len(names):
        return names[number]
    if said is not None and role != "padding":
        raise TokenizerFormatError(
            f"its {role}_token_id is {repr(said)[:40]}, and it has {len(names):,} tokens"
        )
    return None


def _config(head: Mapping[str, Any], names: Sequence[str]) -> JsonObject:
    roles = {"bos_token": "bos", "eos_token": "eos", "unk_token": "unknown", "pad_token": "padding"}
    found = {key: _token_of(head, role, names) for key, role in roles.items()}
    found["chat_template"] = head.get("tokenizer.chat_template")
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        **{key: value for key, value in found.items() if value},
    }
