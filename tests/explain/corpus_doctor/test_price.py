"""The price of a finding: what a run without it does not have, and nothing else."""

from __future__ import annotations

import random
from pathlib import Path

import bpe_studio as bpe
from bpe_studio.engine.presets import NORMALIZATIONS
from bpe_studio.engine.text.normalization import REPLACED_CHARACTERS, normalize, normalize_aligned
from bpe_studio.explain.corpus_doctor.findings import MEANINGS
from bpe_studio.explain.corpus_doctor.price import FIXES, Price, pricing, without
from bpe_studio.files.text.reading import Reading

WORDS = ("cat", "sat", "mat", "and", "looked", "another", "which", "was", "old", "quick", "water", "bridges", "under")


def _text(dirt: str) -> str:
    random_ = random.Random(7)
    words = [random_.choice(WORDS) for _ in range(4000)]
    return " ".join(word[:2] + dirt + word[2:] if dirt and i % 4 == 0 else word for i, word in enumerate(words))


def _priced(path: Path, text: str, finding: str) -> tuple[bpe.Run, Price]:
    path.write_text(text, encoding="utf-8")
    config = bpe.TrainingConfig.preset("gpt2", vocab_size=None, merges=60)
    run = bpe.train(bpe.Corpus.from_files(path, config), config)
    job = pricing([path], run, [finding], Reading())
    while True:
        try:
            next(job)
        except StopIteration as end:
            return run, end.value[finding]


def test_tokens_of_the_dirt_are_blamed(tmp_path: Path) -> None:
    run, price = _priced(tmp_path / "a.txt", _text("\xad"), "soft_hyphen")
    assert price.normalize == "strip-soft-hyphens"
    with_dirt = {rank for rank, merge in enumerate(run.merges) if "\u0143" in merge.token}  # the stand-in of byte AD
    assert with_dirt and with_dirt <= {each.rank for each in price.merges}
    config = run.config.replace(normalize="strip-soft-hyphens")
    clean = bpe.train(bpe.Corpus.from_files(tmp_path / "a.txt", config), config)
    ranks = {merge.token: rank for rank, merge in enumerate(clean.merges)}
    for each in price.merges:
        assert ranks.get(each.token, len(ranks)) > each.rank or each.rank_without is None
    assert "with --normalize strip-soft-hyphens" in price.sentence


def test_a_clean_text_costs_nothing(tmp_path: Path) -> None:
    _, price = _priced(tmp_path / "a.txt", _text(""), "soft_hyphen")
    assert price.merges == []
    assert price.sentence.startswith("none of 48 merges")


def test_what_no_normalization_removes_has_no_price() -> None:
    config = bpe.TrainingConfig.preset("gpt2")
    assert without(config, "repeated_lines") is None
    assert without(config.replace(normalize="nfc"), "not_nfc") is None
    changed = without(config.replace(normalize="nfc"), "kashida")
    assert changed is not None and changed.normalize == ("strip-kashida", "nfc")
    assert set(FIXES) <= set(MEANINGS)
    assert set(FIXES.values()) <= set(NORMALIZATIONS)


def test_each_fix_removes_just_what_the_doctor_counts(tmp_path: Path) -> None:
    every = "".join(map(chr, [*range(1, 0x800), *range(0x2000, 0x2100), 0xFEFF, 0xFFFD]))
    path = tmp_path / "a.txt"
    path.write_bytes(every.encode())
    before = {each.name: each.count for each in bpe.inspect(path, encoding="utf-8").findings}
    for finding, fix in FIXES.items():
        if fix == "nfc":
            continue
        path.write_bytes(normalize(every, [fix]).encode())
        after = {each.name: each.count for each in bpe.inspect(path, encoding="utf-8").findings}
        assert finding not in after
        counted = {"zero_width", "byte_order_mark", "control_characters", "delete_characters", *CHARACTERS}
        changed = {name for name in before if before[name] != after.get(name) and name in counted}
        assert changed == {name for name, same in FIXES.items() if same == fix}


CHARACTERS = ("bidi_controls", "soft_hyphen", "no_break_space", "carriage_returns", "kashida", "replacement_character")


def test_each_character_keeps_its_place() -> None:
    text = "a\u200bb\xa0c\r\n"
    aligned = normalize_aligned(text, ("strip-zero-width", "plain-spaces", "strip-carriage-returns"))
    assert aligned.text == "ab c\n"
    assert aligned.starts.tolist() == [0, 2, 3, 4, 6, 7]
    assert set(REPLACED_CHARACTERS) < set(NORMALIZATIONS)
