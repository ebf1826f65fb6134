"""Borders inside gold words: all steps at once, against a plain count at each."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import bpe_studio as bpe
from bpe_studio.engine.encoding.boundaries import (
    GoldWord,
    boundaries_at_steps,
    boundaries_of,
    read_gold,
)
from tests.examples import examples

PRESETS = ("gpt2", "sennrich", "textbook", "sentencepiece", "raw")
LETTERS = "abcdé"


def gold_word(draw: random.Random) -> GoldWord:
    parts = ["".join(draw.choices(LETTERS, k=draw.randrange(1, 5))) for _ in range(1, 4)]
    return GoldWord("".join(parts), tuple(parts))


def counted(tokenizer: bpe.Tokenizer, words: list[GoldWord]) -> list[float]:
    """Precision, recall and whole stems, from the places of tokens."""
    right = 0
    found = 0
    n_gold = 0
    whole = 0
    for gold in words:
        covered = [0] * (len(gold.word) + 1)
        spans = [(a - 1, b - 1) for a, b in tokenizer.encode(" " + gold.word).offsets]
        for a, b in spans:
            for place in range(max(1, a + 1), b):
                covered[place] = 1
        inside = range(1, len(gold.word))
        borders = {place for place in inside if not covered[place]}
        own = {len("".join(gold.parts[:n])) for n in range(1, len(gold.parts))}
        found += len(borders)
        right += len(borders & own)
        n_gold += len(own)
        stem = max(gold.parts, key=len)
        start = len("".join(gold.parts[: gold.parts.index(stem)]))
        token = range(start + 1, start + len(stem))
        ends = {start, start + len(stem)} & set(inside)
        if ends <= borders and not borders & set(token):
            whole += 1
    return [right / max(found, 1), right / n_gold, whole / len(words)]


@pytest.mark.parametrize("preset", PRESETS)
def test_all_steps_equal_a_count_at_each(preset: str) -> None:
    draw = random.Random(preset)
    for _ in range(examples(6)):
        words = list({gold.word: gold for gold in (gold_word(draw) for _ in range(20))}.values())
        text = " ".join(draw.choices([gold.word for gold in words], k=60))
        config = bpe.TrainingConfig.preset(preset, vocab_size=None, merges=draw.randrange(1, 40))
        run = bpe.train(bpe.Corpus.from_text(text, config), config)
        found = boundaries_at_steps(run.segmenter, run.tokenizer(0), len(run.merges), words)
        shown = np.stack([found.precision, found.recall, found.whole_stems], 1)
        assert len(shown) == len(run.merges) + 1
        for step, at_step in enumerate(shown.tolist()):
            tokenizer = run.tokenizer(step)
            assert at_step == pytest.approx(counted(tokenizer, words))
            alone = boundaries_of(tokenizer, words)
            assert [alone.precision[0], alone.recall[0], alone.whole_stems[0]] == at_step
            assert alone.f1[0] == found.f1[step]


def test_tables_as_they_come() -> None:
    lines = [
        "unlocks\tun lock s\ten",
        "lock\tlocked\tV;PST\tlock|ed",
        "walking\twalk @@ing",
        "",
        "ran\trun",
        "unlocks\tunlock s",
        "alone",
    ]
    words, n_left_out = read_gold(lines)
    assert [gold.parts for gold in words] == [("un", "lock", "s"), ("lock", "ed"), ("walk", "ing")]
    assert words[0].group == "en" and words[0].borders == [2, 6] and words[0].stem == (2, 6)
    assert n_left_out == 3


def test_a_file_is_read_as_it_is(tmp_path: Path) -> None:
    config = bpe.TrainingConfig.preset("textbook", merges=2)
    run = bpe.train(bpe.Corpus.from_text("lock locks", config), config)
    (tmp_path / "gold.tsv").write_text("locks\tlock s\n")
    assert run.boundaries(tmp_path / "gold.tsv").recall.tolist() == [1.0, 1.0, 1.0]
    (tmp_path / "gold.tsv").write_text("locks\tlock\n")
    with pytest.raises(bpe.CorpusError, match="no gold words"):
        run.boundaries(tmp_path / "gold.tsv")
    with pytest.raises(bpe.SourceError):
        run.boundaries(tmp_path / "none.tsv")
