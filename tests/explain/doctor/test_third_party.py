"""A token of another program's tokenizer is reachable just if some text becomes it, at its
beginning or inside.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

import bpe_studio as bpe
from bpe_studio.explain.doctor.token_classes import TokenClass, classes_of
from bpe_studio.files.formats.broad_text import usual_texts
from bpe_studio.files.loading import load
from tests.files.third_party.made import (
    BPES,
    OTHERS,
    SENTENCEPIECE,
    TRAINING,
    VARIANTS,
    content_of,
    sentencepiece_model,
)

pytestmark = pytest.mark.usefixtures("sound_files")

_BEFORE = ("", " ", "\n", "  ", "a ", "\t", "a\n", *"axqXb1.éß漢ꀀ")
_AFTER = ("", " ", "\n", "  ", " a", "\na", *"axqXb1.éß漢ꀀ")


def found_by_brute_force(tokenizer: bpe.Tokenizer, wanted: set[int]) -> set[int]:
    """The tokens among some that texts become: usual ones, and what each stands for, next to
    others.
    """
    draw = random.Random(1)
    found = set[int]()
    names = tokenizer.tokens
    texts = {
        number: tokenizer.decode([number])
        for number in names
        if number not in tokenizer.added_ids.values()
    }
    mixed = ["".join(draw.choices(list(texts.values()), k=12)) for _ in range(200)]
    for text in (*usual_texts(), *TRAINING, *mixed):
        found.update(tokenizer.encode_ids(text).tolist())
    for number in wanted - found:
        content = tokenizer.content(number).decode(errors="replace")
        for text in dict.fromkeys((texts[number], content, content.strip(), names[number])):
            for before in _BEFORE:
                found.update(
                    *(tokenizer.encode_ids(before + text + after).tolist() for after in _AFTER)
                )
    return wanted & found


def unreachable(tokenizer: bpe.Tokenizer) -> set[int]:
    return {number for number, kind in classes_of(tokenizer) if kind is TokenClass.unreachable}


def opened(folder: Path, content: str | bytes) -> bpe.Tokenizer:
    file = folder / "tokenizer"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return load(file)


_MADE = [*BPES, *OTHERS, *VARIANTS, *(f"sentencepiece, {name}" for name in SENTENCEPIECE)]


@pytest.mark.parametrize("name", _MADE)
def test_what_a_text_becomes_is_reachable(name: str, tmp_path: Path) -> None:
    pieces = name.partition(", ")[2]
    tokenizer = opened(
        tmp_path, sentencepiece_model(pieces) if pieces in SENTENCEPIECE else content_of(name)
    )
    never = unreachable(tokenizer)
    assert {tokenizer.tokens[number] for number in found_by_brute_force(tokenizer, never)} == set()


def _of_words(**parts: Any) -> str:
    """A BPE whose tokens are words with one or two marks before them, with other parts
    around it.
    """
    vocab = {name: number for number, name in enumerate(["<unk>", "▁", "\n", *"xyz", "▁▁"])}
    merges = [("▁", "▁")]
    for word in ("the", "of", "and", "he"):
        for name in (
            *word,
            *(word[: end + 1] for end in range(1, len(word))),
            f"▁{word}",
            f"▁▁{word}",
        ):
            vocab.setdefault(name, len(vocab))
        merges += [(word[:end], word[end]) for end in range(1, len(word))] + [
            ("▁", word),
            ("▁▁", word),
        ]
    tokenizer = Tokenizer(models.BPE(vocab, merges, unk_token="<unk>", fuse_unk=True))
    for key, part in {
        "normalizer": normalizers.Replace(" ", "▁"),
        "decoder": decoders.Metaspace(),
        **parts,
    }.items():
        setattr(tokenizer, key, part)
    return tokenizer.to_str()


def _normalizer(first: Any) -> dict[str, Any]:
    return {"normalizer": normalizers.Sequence([first, normalizers.Replace(" ", "▁")])}


_STRIPPED = decoders.Sequence(
    [decoders.Replace("▁", " "), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
)
_PARTS = {
    "nothing before a text": {},
    "no decoder": {"decoder": None},
    "stripped when decoded": {"decoder": _STRIPPED},
    "stripped": _normalizer(normalizers.Strip()),
    "no first spaces": _normalizer(normalizers.Replace(Regex("^ +"), "")),
    "no last space": _normalizer(normalizers.Replace(Regex(" $"), "")),
    "one space": _normalizer(normalizers.Replace(Regex(" {2,}"), " ")),
    "only inside a text": {
        "pre_tokenizer": pre_tokenizers.Split(Regex("(?<=x)▁+[a-z]+|[a-z]|▁"), "isolated")
    },
    "only before a line end": {
        "pre_tokenizer": pre_tokenizers.Split(Regex("▁+[a-z]+(?=\\n)|[a-z]|▁"), "isolated")
    },
}


@pytest.mark.parametrize("name", _PARTS)
def test_words_inside_a_text(name: str, tmp_path: Path) -> None:
    tokenizer = opened(tmp_path, _of_words(**_PARTS[name]))
    never = {tokenizer.tokens[number] for number in unreachable(tokenizer)}
    assert never.isdisjoint(("▁", "▁▁", "▁the", "▁of", "▁▁the", "▁▁he"))


def test_a_continuing_token_is_found_where_all_pairs_of_letters_are_tokens(tmp_path: Path) -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    pairs = [a + b for a in letters for b in letters]
    names = [
        "[UNK]",
        *letters,
        *pairs,
        *(f"##{one}" for one in (*letters, *pairs, "ing")),
        "日",
        "龍",
    ]
    model = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##"}
    model |= {
        "max_input_chars_per_word": 100,
        "vocab": {name: number for number, name in enumerate(names)},
    }
    tokenizer = Tokenizer.from_str(json.dumps({"model": model, "added_tokens": []}))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.normalizer = normalizers.BertNormalizer()
    opened_one = opened(tmp_path, tokenizer.to_str())
    assert {opened_one.tokens[number] for number in unreachable(opened_one)} == set()
