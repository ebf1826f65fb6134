"""Third-party tokenizers are read exactly, or refused by the part that has no counterpart."""

from __future__ import annotations

import json

import pytest
import tokenizers
from tokenizers import Regex, models, normalizers, pre_tokenizers, processors, trainers

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.formats.huggingface.reading import model_from_json
from bpe_studio.files.loading import load
from tests.files.formats.cases import TEXT, texts

pytestmark = pytest.mark.usefixtures("sound_files")

BYTES = pre_tokenizers.ByteLevel(add_prefix_space=False)
PLAIN_BYTES = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
GPT4 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)


def split(pattern, behavior="isolated", *, invert=False):
    return pre_tokenizers.Split(pattern, behavior, invert)


def peer(pre_tokenizer=None, normalizer=None, **options):
    """A tokenizer trained by the other library."""
    made = tokenizers.Tokenizer(models.BPE(unk_token=options.pop("unk_token", "[UNK]"), **options))
    if pre_tokenizer is not None:
        made.pre_tokenizer = pre_tokenizer
    if normalizer is not None:
        made.normalizer = normalizer
    affixes = {
        name: options[name]
        for name in ("continuing_subword_prefix", "end_of_word_suffix")
        if name in options
    }
    trainer = trainers.BpeTrainer(
        vocab_size=250, special_tokens=["[UNK]", "<s>", "</s>"], show_progress=False, **affixes
    )
    made.train_from_iterator([TEXT], trainer)
    return made


def read(made, tmp_path) -> Tokenizer:
    path = tmp_path / "tokenizer.json"
    made.save(str(path))
    return load(path)


def sequence(*parts):
    return pre_tokenizers.Sequence(list(parts))


PRE_TOKENIZERS = {
    "none": None,
    "words": pre_tokenizers.Whitespace(),
    "whitespace": pre_tokenizers.WhitespaceSplit(),
    "bytes": BYTES,
    "plain bytes": PLAIN_BYTES,
    "gpt-4": sequence(split(Regex(GPT4)), PLAIN_BYTES),
    "digits and bytes": sequence(pre_tokenizers.Digits(individual_digits=True), BYTES),
    "numbers and bytes": sequence(pre_tokenizers.Digits(individual_digits=False), BYTES),
    "kept": split(Regex(r"[\p{L}\d]+"), "removed", invert=True),
    "isolated": split(Regex(r"\d+|[a-f]|[^\da-f]")),
    "nested": sequence(sequence(split(Regex(r"\p{N}{1,3}"))), PLAIN_BYTES),
}


@pytest.mark.parametrize("name", PRE_TOKENIZERS)
def test_pre_tokenizers(name, tmp_path):
    made = peer(PRE_TOKENIZERS[name])
    ours = read(made, tmp_path)
    for text in texts():
        assert ours.encode(text).ids == made.encode(text).ids, text


@pytest.mark.parametrize(
    "normalizer",
    [
        normalizers.NFC(),
        normalizers.Sequence([normalizers.NFKD(), normalizers.Lowercase()]),
        normalizers.Sequence(
            [normalizers.Sequence([normalizers.NFD()]), normalizers.Replace(Regex(r"\p{Mn}+"), "")]
        ),
    ],
)
def test_normalizers(normalizer, tmp_path):
    made = peer(pre_tokenizers.Whitespace(), normalizer)
    ours = read(made, tmp_path)
    for text in texts():
        assert ours.encode(text).ids == made.encode(text).ids, text


@pytest.mark.parametrize(
    "affixes",
    [{"end_of_word_suffix": "</w>"}, {"continuing_subword_prefix": "##"}],
)
def test_marks(affixes, tmp_path):
    made = peer(pre_tokenizers.WhitespaceSplit(), **affixes)
    ours = read(made, tmp_path)
    for text in texts():
        assert ours.encode(text).ids == made.encode(text).ids, text


@pytest.mark.parametrize(
    "processor",
    [
        processors.TemplateProcessing("<s> $A </s>", None, [("<s>", 1), ("</s>", 2)]),
        processors.RobertaProcessing(("</s>", 2), ("<s>", 1)),
        processors.BertProcessing(("</s>", 2), ("<s>", 1)),
        processors.Sequence(
            [
                processors.ByteLevel(),
                processors.TemplateProcessing("<s> $A", None, [("<s>", 1), ("</s>", 2)]),
            ]
        ),
        processors.ByteLevel(trim_offsets=False),
    ],
)
def test_templates(processor, tmp_path):
    made = peer(BYTES)
    made.post_processor = processor
    ours = read(made, tmp_path)
    for add in (False, True):
        assert (
            ours.encode("low lower", add_special_tokens=add).ids
            == made.encode("low lower", add_special_tokens=add).ids
        )


def refused(root, tmp_path, match):
    path = tmp_path / "refused.json"
    path.write_text(json.dumps(root) if not isinstance(root, str) else root)
    with pytest.raises(TokenizerFormatError, match=match) as caught:
        if isinstance(root, str):
            load(path)
        else:
            model_from_json(root)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("part", "value", "match"),
    [
        ("normalizer", {"type": "BertNormalizer"}, "normalizer BertNormalizer"),
        ("normalizer", {"type": "StripAccents"}, "normalizer StripAccents"),
        (
            "normalizer",
            {"type": "Replace", "pattern": {"String": "ab"}, "content": "c"},
            "normalizer Replace",
        ),
        ("normalizer", {"type": "Prepend", "prepend": "▁"}, "normalizer Prepend"),
        ("normalizer", {"normalizers": []}, "has no 'type'"),
        (
            "pre_tokenizer",
            {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first"},
            "Metaspace",
        ),
        (
            "pre_tokenizer",
            {"type": "ByteLevel", "add_prefix_space": True, "use_regex": True},
            "add_prefix_space",
        ),
        ("pre_tokenizer", {"type": "UnicodeScripts"}, "UnicodeScripts"),
        (
            "pre_tokenizer",
            {
                "type": "Sequence",
                "pretokenizers": [{"type": "Whitespace"}, {"type": "UnicodeScripts"}],
            },
            "do not add up",
        ),
        (
            "pre_tokenizer",
            {"type": "Split", "pattern": {"Regex": "(a"}, "behavior": "Isolated"},
            "cannot be used",
        ),
        (
            "pre_tokenizer",
            {"type": "Split", "pattern": {"Regex": r"\w+"}, "behavior": "Removed", "invert": True},
            "may match other text here",
        ),
        (
            "pre_tokenizer",
            {"type": "Split", "pattern": {"Regex": "a*"}, "behavior": "Isolated"},
            "may match nothing",
        ),
        (
            "pre_tokenizer",
            {"type": "Split", "pattern": {"Regex": "a"}, "behavior": "Odd"},
            "behavior 'Odd'",
        ),
        (
            "pre_tokenizer",
            {"type": "Split", "pattern": 7, "behavior": "Isolated"},
            "is 7, not an object",
        ),
        ("post_processor", {"type": "TemplateProcessing", "single": []}, "exactly one text"),
        (
            "post_processor",
            {"type": "RobertaProcessing", "sep": ["x", 1], "cls": ["y", 2]},
            "adds the token 'y'",
        ),
        ("added_tokens", [{"id": 3, "content": "[UNK]"}], "has two ids, 0 and 3"),
        ("added_tokens", [{"id": True, "content": "x"}], "not a whole number"),
        ("added_tokens", {}, "not a list"),
        ("model", {"type": "WordPiece", "vocab": {}}, "only BPE"),
        ("model", {"type": "BPE", "vocab": {}, "merges": []}, "vocabulary is empty"),
        (
            "model",
            {"type": "BPE", "vocab": {"a": 0, "b": 0}, "merges": []},
            "stands for two tokens",
        ),
        ("model", {"type": "BPE", "vocab": {"a": 0, "b": 2}, "merges": []}, "none has the id 1"),
        ("model", {"type": "BPE", "vocab": {"a": -1}, "merges": []}, "below 0"),
        ("model", {"type": "BPE", "vocab": {"a": 1.5}, "merges": []}, "not a whole number"),
        (
            "model",
            {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": ["a b"]},
            "needs the token 'ab'",
        ),
        ("model", {"type": "BPE", "vocab": {"a": 0}, "merges": ["aa"]}, "merge 0 is not a pair"),
        (
            "model",
            {"type": "BPE", "vocab": {"a": 0}, "merges": [], "unk_token": "[NO]"},
            "unknown token",
        ),
        ("model", {"type": "BPE", "vocab": {"a": 0}, "merges": [], "dropout": 0.1}, "dropout 0.1"),
        (
            "model",
            {"type": "BPE", "vocab": {"<0x0A>": 0}, "merges": [], "byte_fallback": True},
            "byte fallback",
        ),
        (
            "model",
            {"type": "BPE", "vocab": {"a": 0}, "merges": [], "unk_token": "a", "fuse_unk": True},
            "fuse_unk",
        ),
    ],
)
def test_what_has_no_counterpart_is_refused_by_name(part, value, match, tmp_path):
    root = {
        "added_tokens": [],
        "model": {"type": "BPE", "vocab": {"[UNK]": 0, "a": 1}, "merges": []},
        part: value,
    }
    refused(root, tmp_path, match)


def places(value, path=()):
    """Every place in a JSON value, as the keys that lead to it."""
    yield path
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))
