"""The splits of llama.cpp's pre-tokenizers, by the names that GGUF files have for them.

The expressions are those of the tokenizers that the names stand for. llama.cpp adapts them to its
own engine, which tells capital letters from small ones only in English, and some white space not at
all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bpe_studio.engine.presets import PATTERNS

_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_LETTERS = r"[^\r\n\p{L}\p{N}]?\p{L}+"
_OTHERS = r" ?[^\s\p{L}\p{N}]+[\r\n]*"
_OTHERS_AND_SLASHES = r" ?[^\s\p{L}\p{N}]+[\r\n/]*"
_SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_SINGLE_LINES = r"\s*[\r\n]|\s+(?!\S)|\s+"
_ANY_CASE = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+CONTRACTIONS"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*CONTRACTIONS"
)
_WORDS = _ANY_CASE.replace("CONTRACTIONS", f"{_CONTRACTIONS}?")
_HAN_AND_KANA = "[一-龥\u3040-ゟ゠-ヿ]+"
_DEEPSEEK = r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+"  # noqa: E501
_BLOOM = r" ?[^(\s|.,!?…。，、।۔،)]+"

DIGITS = "each digit by itself, before GPT-2's split"
_EXPRESSIONS: dict[str, Sequence[str]] = {
    "gpt-2 phi-2 jina-es jina-de gigachat jina-v2-es jina-v2-de a.x-4.0 mellum modern-bert jina-v1-en jina-v2-code "  # noqa: E501
    "roberta-bpe exaone4 mpt olmo jais trillion granite-docling": (),
    "starcoder refact command-r smollm codeshell exaone minerva-7b mellum2": (DIGITS,),
    "llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano dbrx smaug-bpe glm4 chatglm-bpe": (  # noqa: E501
        PATTERNS["llama3"],
    ),
    "qwen2 deepseek-r1-qwen kormo f2llmv2 megrez stablelm2 hunyuan solar-open grok-2": (
        PATTERNS["qwen2"],
    ),
    "gpt-4o llama4 kanana2 talkie minimax-m2 granite-embed-multi-97m": (PATTERNS["o200k"],),
    "qwen35": (
        rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}\p{{M}}]+|\p{{N}}| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*"  # noqa: E501
        rf"|{_SPACES}",
    ),
    "tekken": (
        rf"{_ANY_CASE.replace('CONTRACTIONS', '')}|\p{{N}}|{_OTHERS_AND_SLASHES}|{_SPACES}",
    ),
    "deepseek-v3 hunyuan-dense joyai-llm hy_v4": (
        r"\p{N}{1,3}",
        _HAN_AND_KANA,
        rf"{_DEEPSEEK}[\r\n]*|{_SPACES}",
    ),
    "spark2_5": (r"\p{N}{1,3}", _HAN_AND_KANA, rf"{_DEEPSEEK}|[\r\n]|\s+(?!\S)|\s+", r"\p{N}"),
    "deepseek-coder": (r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-\ud7ff]+", r"\p{N}"),
    "superbpe": (r"\p{N}+", r"(?=([0-9]{3})+(?![0-9]))"),
    "youtu": (
        f"[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|{_HAN_AND_KANA}",
        rf"{_WORDS}|\p{{N}}|{_OTHERS_AND_SLASHES}|{_SPACES}",
    ),
    "tiny_aya cohere2moe": (
        r"\d{1,3}(?=(?:\d{3})*\b)",
        rf"{_WORDS}|\p{{N}}{{1,3}}|{_OTHERS_AND_SLASHES}|{_SPACES}",
    ),
    "falcon": (r"[\p{P}\$\+<=>\^~\|`]+", PATTERNS["gpt2"], "[0-9][0-9][0-9]"),
    "default": (r"[\p{P}\$\+<=>\^~\|]+", PATTERNS["gpt2"], r"\p{N}+", "[0-9][0-9][0-9]"),
    "bloom poro-chat gpt3-finnish": (_BLOOM,),
    "viking": (_BLOOM, r"\p{N}"),
    "bailingmoe bailingmoe2 llada-moe": (
        rf"'(?i:[sdmt]|ll|ve|re)|{_LETTERS}|\p{{N}}|{_OTHERS}|{_SINGLE_LINES}",
    ),
    "seed-coder": (rf"{_CONTRACTIONS}|{_LETTERS}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}\r\n]+|{_SPACES}",),
    "ufakzeka": (rf"{_LETTERS}|\p{{N}}|{_OTHERS}|{_SPACES}",),
    "laguna": (r"[^\n]+|[\n]+", PATTERNS["qwen2"]),
    "minicpm5": (r"\p{N}{1,3}", rf"{_CONTRACTIONS}|{_LETTERS}|\p{{N}}+|{_OTHERS}|{_SPACES}"),
    "exaone-moe": (
        rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?(?:\p{{L}}\p{{M}}*(?: \p{{L}}\p{{M}}*)*)+|\p{{N}}"
        rf"| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]?|{_SINGLE_LINES}",
    ),
    "jais-2": (
        rf"{_CONTRACTIONS}|{_LETTERS}|\p{{N}}{{1,3}}|{_OTHERS}|\s*[\r\n]+|"
        + "".join(rf"\s{{{n}}}(?!\S)|" for n in (512, 256, 128, 64, 32, 16, 8, 4))
        + r"\s{1,2}(?!\S)|\s{1}",
    ),
}
_START = "llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano tekken"
_WHOLE = f"{_START} youtu minicpm5 granite-embed-multi-97m"
_ADAPTED = (
    "gpt-4o llama4 kanana2 talkie minimax-m2 granite-embed-multi-97m tekken youtu tiny_aya"
    " cohere2moe deepseek-coder"
)


@dataclass(frozen=True)
class Split:
    """The split of a pre-tokenizer, and how llama.cpp uses it.

    Attributes:
        expressions: the expressions, each of which cuts the pieces that the one before it left;
            empty for GPT-2's split.
        takes_whole_pieces: whether a piece that is a token is taken whole.
        adds_start: whether the start token is put before a text if the file does not say it.
        is_adapted: whether llama.cpp cuts some text in another way than the original tokenizer.
    """

    expressions: Sequence[str]
    takes_whole_pieces: bool
    adds_start: bool
    is_adapted: bool


def _splits() -> dict[str, Split]:
    whole = _WHOLE.split()
    start = _START.split()
    adapted = _ADAPTED.split()
    splits = {}
    for names, expressions in _EXPRESSIONS.items():
        for name in names.split():
            splits[name] = Split(expressions, name in whole, name in start, name in adapted)
    return splits


SPLITS = _splits()
NO_NAME = "default"
"""The split of a file that names none."""
