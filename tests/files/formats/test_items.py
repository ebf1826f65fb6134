"""A tokenizer of items in a Hugging Face folder, read by the library and by us."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import tokenizers

import bpe_studio as bpe
from tests.examples import examples

BETWEEN = (" ", "  ", "\t", "\n", "\r\n", "\n\n <end> ", "<end>", "\u3000")


def trained(draw: random.Random, kinds: list[str], **options: object) -> bpe.Tokenizer:
    values: dict[str, object] = {"merges": 12, "min_frequency": 1, "special": ("<end>",)}
    config = bpe.TrainingConfig.preset("gpt2", units="items", **{**values, **options})  # type: ignore[arg-type]
    lines = [" ".join(draw.choices(kinds, k=draw.randint(1, 12))) for _ in range(12)]
    return bpe.train(bpe.Corpus.from_text("\n".join(lines), config), config).tokenizer()


@pytest.mark.parametrize("options", [{}, {"unknown": "[UNK]"}, {"normalize": ("lowercase",)}])
def test_the_library_gives_the_same_ids_and_texts(
    options: dict[str, object], tmp_path: Path
) -> None:
    draw = random.Random(str(options))
    for number in range(examples(5)):
        letters = ["".join(draw.choices("abAB1#é.", k=draw.randint(1, 3))) for _ in range(6)]
        kinds = sorted(set(letters))
        tokenizer = trained(draw, kinds, **options)
        folder = tmp_path / f"{number}"
        tokenizer.save(folder)
        library = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        opened = bpe.load(folder)
        assert opened.model == tokenizer.model
        if "unknown" in options:
            kinds += ["zz", "a1b2", kinds[0] + "x"]
        for _ in range(20):
            items = draw.choices(kinds, k=draw.randint(1, 9))
            text = draw.choice(BETWEEN).join(items) + draw.choice(("", " ", "\n"))
            try:
                ids = tokenizer.encode(text).ids
            except bpe.BpeError:
                continue  # lowercased, an item of the text may be none of the alphabet
            assert library.encode(text).ids == ids == opened.encode(text).ids
            assert library.decode(ids, skip_special_tokens=False) == tokenizer.decode(ids)


def test_other_formats_and_very_long_items_are_refused(tmp_path: Path) -> None:
    draw = random.Random(1)
    tokenizer = trained(draw, ["C4", "E4"])
    for format in ("gpt2", "tiktoken", "minbpe", "sentencepiece", "subword-nmt"):
        with pytest.raises(bpe.BpeError, match="huggingface"):
            tokenizer.save(tmp_path / format, format=format)  # type: ignore[arg-type]
    with pytest.raises(bpe.BpeError, match="200 characters"):
        trained(draw, ["C" * 201, "E4"]).save(tmp_path / "long")
