"""Tokenizers as other programs make them, small, trained by the libraries themselves."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import sentencepiece
from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

Json = dict[str, Any]
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
QWEN = LLAMA3.replace("{1,3}", "")
CLIP = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"

TRAINING = [
    (
        "The hugs of the pug: it's what they've said, don't you think? We'll see the hugging pugs "
        "again and again."
    ),
    "سلام دنیا، این یک متن فارسی است و نیم‌فاصله می‌خواهد. سلام بر این متن و آن متن.",
    "我能吞下玻璃而不伤身体。日本語のテキストと日本語の文章。",
    "Straße, naïve façade, Škoda; naïve Straße. 1234 567 1234 2026 20 °C",
    "def hugs(x):\n    return x + 1\n\n\n    return x\t\tpass",
    "👍🏽 👩‍👩‍👧‍👦 👍🏽",
] * 4

TEXTS = [
    "",
    " ",
    "Hugs! The pugs aren't hugging; THE PUG'S hug. it’s",
    "سلام بر دنیا، نیم‌فاصله‌ها می‌خواهند ۱۲۳۴۵",
    "玻璃 and ガラス日本語のテキスト한국어 ㋿",
    "😀👍🏽👩‍👩‍👧‍👦🇮🇷 z͑ͫ̓ͪ̂ͫ̽ ",
    "0 12 345 6789 01234567890 3.14",
    "  two   three    four\t\ttabs \n \n\n  \r\n\r\n   end   ",
    "naïve Å é ﬁ ½ İstanbul ΣΊΣΥΦΟΣ \u00a0\u200b\u2028\ufeff",
    "a<|endoftext|>b <s> </s> <mask>  <|endoftext|><|begin_of_text|> <pad>\n<unk>x<sep>",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "\x00\x01\x7f\ufffd\ue000\U0010ffff",
    "def f(x):\n    return {'a': x**2}  # why?\n\n\tif x:\r\n\t\tpass </w> ## @@ ▁▁ Ġ <0x41>",
]


def strange_texts(n: int, seed: int) -> list[str]:
    """Texts of characters from all of Unicode among usual ones."""
    draw = random.Random(seed)
    usual = "".join(TRAINING) + " \n\t'" * 50
    texts = []
    for _ in range(n):
        chars = [draw.choice(usual) for _ in range(draw.randrange(30))]
        chars += [
            chr(draw.choice((draw.randrange(0xD800), draw.randrange(0xE000, 0x110000))))
            for _ in range(4)
        ]
        draw.shuffle(chars)
        texts.append("".join(chars))
    return texts


def _trained(tokenizer: Tokenizer, size: int, **options: Any) -> Tokenizer:
    tokenizer.train_from_iterator(
        TRAINING, trainers.BpeTrainer(vocab_size=size, show_progress=False, **options)
    )
    return tokenizer


def _byte_level(**options: Any) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(**options))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


_BYTES: Json = {"initial_alphabet": pre_tokenizers.ByteLevel.alphabet()}


def gpt2() -> Json:
    tokenizer = _byte_level()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return json.loads(_trained(tokenizer, 500, **_BYTES, special_tokens=["<|endoftext|>"]).to_str())


def gpt2_with_gaps() -> Json:
    """The same with ids that are not dense and not in the order of the merges."""
    root = gpt2()
    vocab = root["model"]["vocab"]
    root["model"]["vocab"] = {
        name: 3 * number + (number % 7) * 1000 for name, number in vocab.items()
    }
    for token in root["added_tokens"]:
        token["id"] = root["model"]["vocab"][token["content"]]
    return root


def out_of_order() -> Json:
    """The same with the merges in another order, so that some use a token which only later ones
    make.
    """
    root = gpt2()
    random.Random(3).shuffle(root["model"]["merges"])
    return root


def converted(without: int) -> Json:
    """The same as converted from ranks: all pairs that spell a token, token by token, and whole
    tokens first.

    Args:
        without: each token of so many is left out, so that merges no longer make some of the
            others, or only late.
    """
    root = gpt2()
    model = root["model"]
    merged = ["".join(pair) for pair in model["merges"]]
    left_out = set(merged[without - 1 :: without]) if without else set()
    model["vocab"] = vocab = {
        name: number for name, number in model["vocab"].items() if name not in left_out
    }
    pairs = (
        (name[:at], name[at:]) for name in merged if name in vocab for at in range(1, len(name))
    )
    model["merges"] = [list(pair) for pair in pairs if vocab.keys() >= set(pair)]
    model["ignore_merges"] = True
    return root


def llama3() -> Json:
    tokenizer = _byte_level()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(LLAMA3), "isolated", invert=False),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    _trained(tokenizer, 500, **_BYTES)
    tokenizer.add_special_tokens(["<|begin_of_text|>", "<|endoftext|>"])
    tokenizer.post_processor = processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=True),
            processors.TemplateProcessing(
                "<|begin_of_text|> $A", special_tokens=[("<|begin_of_text|>", 500)]
            ),
        ]
    )
    root: Json = json.loads(tokenizer.to_str())
    model = root["model"]
    model["ignore_merges"] = True
    # Whole words that no merge makes, and one that the merges make in another way.
    for name in ("Ġaren", "hugging", "ĠĠ", "aaaa"):
        model["vocab"].setdefault(name, 2000 + len(model["vocab"]))
    model["merges"] = [pair for pair in model["merges"] if "".join(pair) != "Ġpug"]
    made = {*pre_tokenizers.ByteLevel.alphabet(), "Ġpug"} | {
        "".join(pair) for pair in model["merges"]
    }
    model["merges"] = [pair for pair in model["merges"] if set(pair) <= made]
    return root


def qwen() -> Json:
    tokenizer = _byte_level()
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(QWEN), "isolated", invert=False),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    _trained(tokenizer, 480, **_BYTES)
    tokenizer.add_special_tokens(["<|endoftext|>"])
    tokenizer.add_tokens(
        [AddedToken("<pad>", single_word=True), AddedToken("hug", normalized=True)]
    )
    return json.loads(tokenizer.to_str())


def roberta() -> Json:
    tokenizer = _byte_level()
    specials = ["<s>", "<pad>", "</s>", "<unk>"]
    _trained(tokenizer, 500, **_BYTES, special_tokens=specials)
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True)])
    tokenizer.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), add_prefix_space=False
    )
    return json.loads(tokenizer.to_str())


def clip() -> Json:
    tokenizer = Tokenizer(models.BPE(end_of_word_suffix="</w>", unk_token="<|endoftext|>"))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(CLIP), "removed", invert=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.BPEDecoder("</w>")
    ends = ["<|startoftext|>", "<|endoftext|>"]
    _trained(tokenizer, 700, **_BYTES, end_of_word_suffix="</w>", special_tokens=ends)
    root: Json = json.loads(tokenizer.to_str())
    # CLIP has every byte at the end of a word as well.
    vocab = root["model"]["vocab"]
    for char in pre_tokenizers.ByteLevel.alphabet():
        vocab.setdefault(char + "</w>", len(vocab))
    root["post_processor"] = {
        "type": "RobertaProcessing",
        "cls": [ends[0], vocab[ends[0]]],
        "sep": [ends[1], vocab[ends[1]]],
        "trim_offsets": False,
        "add_prefix_space": False,
    }
    return root


def _sentencepiece_like(**parts: Any) -> Json:
    specials = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    _trained(tokenizer, 450, special_tokens=specials, limit_alphabet=60)
    root: Json = json.loads(tokenizer.to_str())
    root["added_tokens"] = [one for one in root["added_tokens"] if one["id"] < 3]
    decoding = [
        decoders.Replace("▁", " "),
        decoders.ByteFallback(),
        decoders.Fuse(),
        decoders.Strip(" ", 1, 0),
    ]
    tokenizer.decoder = decoders.Sequence(decoding)
    return {**root, "decoder": json.loads(tokenizer.to_str())["decoder"], **parts}


def llama2() -> Json:
    template = processors.TemplateProcessing("<s> $A", special_tokens=[("<s>", 1)])
    tokenizer = Tokenizer(models.BPE())
    tokenizer.post_processor = template
    return _sentencepiece_like(post_processor=json.loads(tokenizer.to_str())["post_processor"])


def mistral() -> Json:
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False}
    return _sentencepiece_like(normalizer=None, pre_tokenizer=metaspace)


def unknown() -> Json:
    """Characters with an unknown token, which neighbours do not share, and `##` inside words."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", continuing_subword_prefix="##"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    options: Json = {"continuing_subword_prefix": "##", "limit_alphabet": 50}
    return json.loads(_trained(tokenizer, 300, special_tokens=["<unk>"], **options).to_str())


def _variant(
    pre_tokenizer: Any = None,
    normalizer: Any = None,
    added: tuple[AddedToken, ...] = (),
    model: Json | None = None,
    **options: Any,
) -> Callable[[], Json]:
    def make() -> Json:
        tokenizer = Tokenizer(models.BPE(**(model or {})))
        if pre_tokenizer is not None:
            tokenizer.pre_tokenizer = pre_tokenizer
        if normalizer is not None:
            tokenizer.normalizer = normalizer
        _trained(tokenizer, 400, **options).add_tokens(list(added))
        return json.loads(tokenizer.to_str())  # type: ignore[no-any-return]

    return make


_PLAIN_BYTES = pre_tokenizers.ByteLevel(add_prefix_space=False)
_PIECES = pre_tokenizers.Sequence(
    [
        pre_tokenizers.Split(" ", "merged_with_previous"),
        pre_tokenizers.Punctuation("contiguous"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ]
)
_STRIPPING = normalizers.Sequence(
    [normalizers.NFD(), normalizers.StripAccents(), normalizers.Strip(), normalizers.Lowercase()]
)
_MARKS: Json = {"continuing_subword_prefix": "##", "end_of_word_suffix": "</w>"}
_UNKNOWN: Json = {"unk_token": "<unk>"}
_ADDED = (
    AddedToken("HUG", normalized=True),
    AddedToken("pug", single_word=True, rstrip=True),
    AddedToken("  ", normalized=False),
    AddedToken("<mask>", lstrip=True, rstrip=True, special=True),
)
VARIANTS: dict[str, Callable[[], Json]] = {
    "space before the text": _variant(pre_tokenizers.ByteLevel(add_prefix_space=True), **_BYTES),
    "single digits": _variant(
        pre_tokenizers.Sequence([pre_tokenizers.Digits(True), _PLAIN_BYTES]), **_BYTES
    ),
    "words with marks": _variant(
        pre_tokenizers.Metaspace(), model=_UNKNOWN, special_tokens=["<unk>"]
    ),
    "dropped characters": _variant(
        pre_tokenizers.Metaspace(prepend_scheme="never"), limit_alphabet=40
    ),
    "spaces before words": _variant(_PIECES, **_BYTES),
    "stripped text": _variant(
        pre_tokenizers.Split(" ", "merged_with_next"),
        _STRIPPING,
        model={**_UNKNOWN, "fuse_unk": True},
        special_tokens=["<unk>"],
        limit_alphabet=50,
    ),
    "bytes by the normalizer": _variant(
        pre_tokenizers.Split(Regex(r"\s+"), "isolated"), normalizers.ByteLevel(), **_BYTES
    ),
    "scripts": _variant(
        pre_tokenizers.Sequence(
            [pre_tokenizers.UnicodeScripts(), pre_tokenizers.WhitespaceSplit()]
        ),
        normalizers.NFKC(),
        model=_UNKNOWN,
        special_tokens=["<unk>"],
    ),
    "prefix and suffix": _variant(
        pre_tokenizers.BertPreTokenizer(),
        model={**_UNKNOWN, **_MARKS},
        special_tokens=["<unk>"],
        **_MARKS,
    ),
    "added tokens": _variant(_PLAIN_BYTES, normalizers.Lowercase(), _ADDED, **_BYTES),
    "no parts at all": _variant(),
}


def word_level() -> Json:
    tokenizer = Tokenizer(models.WordLevel(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordLevelTrainer(
        vocab_size=60, show_progress=False, special_tokens=["<unk>"]
    )
    tokenizer.train_from_iterator(TRAINING, trainer)
    return json.loads(tokenizer.to_str())


def word_piece() -> Json:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    specials = ["[UNK]", "[CLS]", "[SEP]"]
    trainer = trainers.WordPieceTrainer(
        vocab_size=300, show_progress=False, special_tokens=specials
    )
    tokenizer.train_from_iterator(TRAINING, trainer)
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    root: Json = json.loads(tokenizer.to_str())
    root["truncation"] = {
        "direction": "Right",
        "max_length": 8,
        "strategy": "LongestFirst",
        "stride": 0,
    }
    return root


def unigram() -> Json:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=200, show_progress=False, special_tokens=["<unk>", "</s>"], unk_token="<unk>"
    )
    tokenizer.train_from_iterator(TRAINING, trainer)
    return json.loads(tokenizer.to_str())


BPES: dict[str, Callable[[], Json]] = {
    one.__name__: one
    for one in (
        gpt2,
        gpt2_with_gaps,
        out_of_order,
        llama3,
        qwen,
        roberta,
        clip,
        llama2,
        mistral,
        unknown,
    )
}
OTHERS: dict[str, Callable[[], Json]] = {
    one.__name__: one for one in (word_level, word_piece, unigram)
}


@cache
def content_of(name: str) -> str:
    """The `tokenizer.json` of that name."""
    return json.dumps({**BPES, **OTHERS, **VARIANTS}[name](), ensure_ascii=False)


SENTENCEPIECE: dict[str, Json] = {
    "usual": {},
    "llama": {
        "byte_fallback": True,
        "normalization_rule_name": "identity",
        "remove_extra_whitespaces": False,
        "split_digits": True,
        "user_defined_symbols": ["<sep>", "\n\n", "<mask>"],
    },
    "suffix": {"treat_whitespace_as_suffix": True, "normalization_rule_name": "nfkc"},
    "across words": {"add_dummy_prefix": False, "split_by_whitespace": False},
    "few characters": {"character_coverage": 0.98, "allow_whitespace_only_pieces": True},
    "unigram": {"model_type": "unigram"},
    "words": {"model_type": "word"},
    "characters": {"model_type": "char"},
}


@cache
def sentencepiece_model(name: str) -> bytes:
    """The bytes of the `.model` of that name."""
    lines = [line for text in TRAINING for line in text.split("\n") if line.strip()]
    return trained_pieces(lines, **{"model_type": "bpe", "vocab_size": 600, **SENTENCEPIECE[name]})


def trained_pieces(lines: Iterable[str], **options: Any) -> bytes:
    """The bytes of a `.model` that the library trains on lines of text."""
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=out,
        hard_vocab_limit=False,
        minloglevel=3,
        num_threads=1,
        **{"character_coverage": 1.0, **options},
    )
    return out.getvalue()
