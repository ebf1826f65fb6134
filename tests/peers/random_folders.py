"""Random folders of tokenizer files, as Transformers saves them and as people put them together."""

from __future__ import annotations

import json
import random
from typing import Any

from tests.files.third_party.made import SENTENCEPIECE, content_of, sentencepiece_model

Json = dict[str, Any]
ROLES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
CLASSES: dict[str, tuple[str, ...]] = {
    "json": (
        "LlamaTokenizer",
        "Qwen2Tokenizer",
        "GPT2Tokenizer",
        "CodeGenTokenizer",
        "WhisperTokenizer",
        "CLIPTokenizer",
        "RobertaTokenizer",
        "GPTNeoXTokenizer",
        "GemmaTokenizer",
        "BertTokenizer",
        "XLMRobertaTokenizer",
        "T5Tokenizer",
        "PreTrainedTokenizerFast",
        "TokenizersBackend",
        "NoSuchTokenizer",
        "BartTokenizer",
        "",
        "MPNetTokenizer",
        "CohereTokenizer",
        "DebertaTokenizer",
        "Qwen3_5Tokenizer",
    ),
    "pair": (
        "Qwen2Tokenizer",
        "GPT2Tokenizer",
        "CodeGenTokenizer",
        "WhisperTokenizer",
        "RobertaTokenizer",
        "CLIPTokenizer",
        "GPTNeoXTokenizer",
        "OpenAIGPTTokenizer",
        "CohereTokenizer",
        "DebertaTokenizer",
    ),
    "txt": ("BertTokenizer", "DistilBertTokenizer", "MPNetTokenizer"),
    "model": (
        "LlamaTokenizer",
        "XLMRobertaTokenizer",
        "T5Tokenizer",
        "PreTrainedTokenizerFast",
        "",
        "GemmaTokenizer",
    ),
}
"""The classes that read each kind of main file."""
_FITTING = {
    "LlamaTokenizer": ("llama2", "mistral", "gpt2"),
    "GemmaTokenizer": ("llama2",),
    "BertTokenizer": ("word_piece",),
    "MPNetTokenizer": ("word_piece",),
    "XLMRobertaTokenizer": ("unigram",),
    "T5Tokenizer": ("unigram",),
    "CLIPTokenizer": ("clip",),
    "RobertaTokenizer": ("roberta", "gpt2"),
}
_BASES = (
    "gpt2",
    "llama3",
    "qwen",
    "roberta",
    "clip",
    "llama2",
    "mistral",
    "unigram",
    "word_piece",
    "word_level",
)
_BYTES = ("gpt2", "qwen", "roberta", "llama3")
_FILES = {
    "LlamaTokenizer": "tokenizer.model",
    "XLMRobertaTokenizer": "sentencepiece.bpe.model",
    "T5Tokenizer": "spiece.model",
}
_NAMES = (
    "<tool>",
    "<|im|>",
    "<s>",
    "</s>",
    "<pad>",
    "<unk>",
    "<|endoftext|>",
    "[PAD]",
    "hug",
    "<mask>",
    "the",
)
_TYPES = (
    "llama",
    "qwen2",
    "gpt2",
    "phi",
    "bert",
    "t5",
    "xlm-roberta",
    "whisper",
    "clip",
    "mistral",
    "phi3",
    "no-such",
)
WORDS = ("the hugs", " PUG ", "12 e\u0301", "  a", "سلام", "don't", "\n", "▁x", "日本", "PUG,", "")


def folder(rng: random.Random) -> tuple[str, dict[str, bytes]]:
    """What a random folder is about, and its files."""
    kind = rng.choices(("json", "pair", "txt", "model"), (5, 3, 1, 2))[0]
    name = rng.choice(CLASSES[kind])
    files, tokens = _main(rng, kind, name)
    config = _config(rng, tokens)
    if name:
        config["tokenizer_class"] = name + rng.choice(("", "", "Fast"))
    parts: Json = {}
    if name or rng.random() < 0.7:
        parts["tokenizer_config.json"] = config
    if rng.random() < 0.25:
        parts["special_tokens_map.json"] = _special_map(rng, tokens)
    if rng.random() < 0.25:
        parts["added_tokens.json"] = {
            one: 900 + n if rng.random() < 0.7 else n for n, one in enumerate(_some(rng))
        }
    if rng.random() < 0.15:
        parts["config.json"] = {"model_type": rng.choice(_TYPES)}
    if rng.random() < 0.03:
        parts[rng.choice(list(parts) or ["tokenizer_config.json"])] = rng.choice(
            ([1], "text", 3, None)
        )
    files |= {
        file: json.dumps(content, ensure_ascii=False).encode() for file, content in parts.items()
    }
    return f"{kind} {name or 'no class'}", files


def texts(rng: random.Random) -> list[str]:
    """Texts with the tokens of such folders in them."""
    names = [*_NAMES, "<extra_id_0>", "<extra_id_1>", "<|startoftext|>"]
    pieces = [*WORDS, *names, *(f" {name} " for name in names), *(name + "x" for name in names)]
    return ["", *("".join(rng.choices(pieces, k=rng.randint(1, 7))) for _ in range(8))]


def _main(rng: random.Random, kind: str, name: str) -> tuple[dict[str, bytes], list[str]]:
    """The main files, and some of their tokens."""
    if kind == "model":
        model = sentencepiece_model(
            rng.choice([one for one in SENTENCEPIECE if one not in ("words", "characters")])
        )
        return {_FILES.get(name, "tokenizer.model"): model}, ["<s>", "</s>", "<unk>"]
    bases = _FITTING.get(name, _BYTES if rng.random() < 0.8 else _BASES)
    if kind == "json" and (
        not name or "Tokenizers" in name or "NoSuch" in name or rng.random() < 0.1
    ):
        bases = _BASES
    base = {
        "txt": "word_piece",
        "pair": "clip" if name in ("CLIPTokenizer", "OpenAIGPTTokenizer") else "",
    }.get(kind)
    root = json.loads(content_of(base or rng.choice(_BYTES if kind == "pair" else bases)))
    added = [one["content"] for one in root["added_tokens"]]
    pairs = root["model"].get("merges")
    vocab = root["model"]["vocab"]
    if kind == "txt":
        return {"vocab.txt": "\n".join(sorted(vocab, key=vocab.get)).encode() + b"\n"}, added
    if kind == "pair":
        if rng.random() < 0.7:
            for one in added:
                vocab.setdefault(one, len(vocab))
        model = {"tokenizer.model": sentencepiece_model("usual")} if rng.random() < 0.05 else {}
        merges = "#version: 0.2\n" + "".join(" ".join(pair) + "\n" for pair in pairs)
        return model | {
            "vocab.json": json.dumps(vocab).encode(),
            "merges.txt": merges.encode(),
        }, added
    if rng.random() < 0.2:
        root["post_processor"] = None
    if rng.random() < 0.1:
        root["padding"] = {
            "strategy": "BatchLongest",
            "direction": rng.choice(("Left", "Right")),
            "pad_to_multiple_of": None,
            "pad_id": 2,
            "pad_type_id": 0,
            "pad_token": rng.choice(_NAMES),
        }
    if rng.random() < 0.3:
        root["added_tokens"] += [
            {"id": 900 + n, "content": one, **_flags(rng)}
            for n, one in enumerate(_some(rng))
            if one not in added
        ]
    return {"tokenizer.json": json.dumps(root, ensure_ascii=False).encode()}, added


def _some(rng: random.Random) -> list[str]:
    return rng.sample(_NAMES, rng.randint(0, 4))


def _flags(rng: random.Random) -> Json:
    return {
        key: rng.random() < share
        for key, share in {
            "single_word": 0.15,
            "lstrip": 0.2,
            "rstrip": 0.2,
            "normalized": 0.4,
            "special": 0.6,
        }.items()
    }


def _token(rng: random.Random, name: str) -> Any:
    """A token as `tokenizer_config.json` may write it."""
    if rng.random() < 0.7:
        return name
    flags = _flags(rng)
    for key in rng.sample(sorted(flags), rng.randint(0, 2)):
        del flags[key]
    return {"content": name, **flags} | ({"__type": "AddedToken"} if rng.random() < 0.8 else {})


def _config(rng: random.Random, tokens: list[str]) -> Json:
    names = [*tokens, *_NAMES]
    config: Json = {}
    for role in ROLES:
        if rng.random() < 0.3:
            config[role] = None if rng.random() < 0.1 else _token(rng, rng.choice(names))
    if rng.random() < 0.4:
        numbers = rng.choice(
            ([300 + n for n in range(20)], [900 + 7 * n for n in range(20)], list(range(20)))
        )
        chosen = rng.sample(names, rng.randint(0, min(5, len(names))))
        config["added_tokens_decoder"] = {
            str(number): {"content": one, **_flags(rng)}
            for number, one in zip(numbers, chosen, strict=False)
        }
    for key, share in (("additional_special_tokens", 0.25), ("extra_special_tokens", 0.2)):
        if rng.random() < share:
            config[key] = [_token(rng, one) for one in _some(rng)]
    if rng.random() < 0.05:
        config["extra_special_tokens"] = {"image_token": "<img>", "eoi_token": "<eoi>"}
    if rng.random() < 0.05:
        config["image_token"] = "<image>"
    switches = (
        "add_bos_token",
        "add_eos_token",
        "add_prefix_space",
        "legacy",
        "do_lower_case",
        "keep_accents",
        "tokenize_chinese_chars",
        "strip_accents",
        "trim_offsets",
        "split_special_tokens",
        "clean_up_tokenization_spaces",
        "fix_mistral_regex",
    )
    for key in switches:
        if rng.random() < (0.02 if key in ("split_special_tokens", "fix_mistral_regex") else 0.2):
            config[key] = (
                rng.random() < 0.6 if rng.random() < 0.97 else rng.choice((None, 1, "yes"))
            )
    if rng.random() < 0.3:
        config["model_max_length"] = rng.choice((5, 9, 512, 10**30, None))
    for key in ("padding_side", "truncation_side"):
        if rng.random() < 0.2:
            config[key] = rng.choice(("left", "right")) if rng.random() < 0.97 else "middle"
    if rng.random() < 0.08:
        config |= {
            "language": rng.choice(("en", "Spanish", "haitian", "xx")),
            "task": rng.choice((None, "translate")),
        }
    if rng.random() < 0.1:
        config["extra_ids"] = rng.choice((0, 3))
    return config


def _special_map(rng: random.Random, tokens: list[str]) -> Json:
    names = [*tokens, *_NAMES]
    found = {role: _token(rng, rng.choice(names)) for role in ROLES if rng.random() < 0.4}
    if rng.random() < 0.3:
        found["additional_special_tokens"] = [_token(rng, one) for one in _some(rng)]
    if rng.random() < 0.1:
        found["extra_special_tokens"] = [_token(rng, one) for one in _some(rng)]
    return found
