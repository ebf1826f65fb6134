"""The price of a finding: what a run without it does not have, and nothing else."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import bpe_studio as bpe
from bpe_studio.engine.generators import result_of
from bpe_studio.engine.presets import CLEANINGS, NORMALIZATIONS
from bpe_studio.engine.text.alphabet import to_stand_ins
from bpe_studio.engine.text.normalization import normalize
from bpe_studio.explain.inspection.findings import FIXES, MEANINGS
from bpe_studio.explain.inspection.price import Price, pricing, without
from bpe_studio.files.text.reading import Reading

WORDS = (
    "cat",
    "sat",
    "mat",
    "and",
    "looked",
    "another",
    "which",
    "was",
    "old",
    "quick",
    "water",
    "bridges",
    "under",
)


def _text(dirt: str) -> str:
    random_ = random.Random(7)
    words = [random_.choice(WORDS) for _ in range(4000)]
    return " ".join(
        word[:2] + dirt + word[2:] if dirt and i % 4 == 0 else word for i, word in enumerate(words)
    )


def _priced(path: Path, text: str, finding: str, merges: int = 60) -> tuple[bpe.Run, Price]:
    path.write_text(text, encoding="utf-8")
    config = bpe.TrainingConfig.preset("gpt2", vocab_size=None, merges=merges)
    run = bpe.train(bpe.Corpus.from_files(path, config), config)
    job = pricing([path], run, {finding: FIXES[finding]}, Reading())
    return run, result_of(job)[finding]


def test_tokens_of_the_dirt_are_blamed(tmp_path: Path) -> None:
    run, price = _priced(tmp_path / "a.txt", _text("\xad"), "soft_hyphen")
    assert (price.option, price.fix) == ("normalize", "strip-soft-hyphens")
    with_dirt = {
        rank for rank, merge in enumerate(run.merges) if "\u0143" in merge.token
    }  # the stand-in of byte AD
    assert with_dirt and with_dirt <= {each.rank for each in price.merges}
    config = run.config.replace(normalize="strip-soft-hyphens")
    clean = bpe.train(bpe.Corpus.from_files(tmp_path / "a.txt", config), config)
    ranks = {merge.token: rank for rank, merge in enumerate(clean.merges)}
    for each in price.merges:
        assert ranks.get(each.token, len(ranks)) > each.rank or each.rank_without is None
    assert "with --normalize strip-soft-hyphens" in price.sentence


def test_a_run_without_a_finding_differs_by_the_one_setting_that_removes_it() -> None:
    config = bpe.TrainingConfig.preset("gpt2")
    assert without(config, "") is None
    assert without(config.replace(normalize="nfc"), "nfc") is None
    assert without(config.replace(clean="urls"), "urls") is None
    changed = without(config.replace(normalize="nfc"), "strip-kashida")
    assert changed == config.replace(normalize=("strip-kashida", "nfc"))
    assert without(config.replace(clean="urls"), "repeated-lines") == config.replace(
        clean="repeated-lines,urls"
    )
    assert set(MEANINGS) - set(FIXES) == {"mixed_yeh", "mixed_kaf"}, "which depend on the text"
    assert set(FIXES.values()) <= {*NORMALIZATIONS, *CLEANINGS} and set(CLEANINGS) <= set(
        FIXES.values()
    )


DIRT = {
    "urls": (" see https://example.org/pages/old?n=7 there", "pages"),
    "base64": (" TWFueSBoYW5kcyBtYWtlIGxpZ2h0IHdvcmsuIEFuZCBtb3JlLg==", "FuZ"),
    "hashes": (" d41d8cd98f00b204e9800998ecf8427e", "ecf"),
    "special_tokens": (" <|im_start|>", "im"),
    "mixed_scripts": (" p\u0430yp\u0430l", "yp"),
    "character_runs": (" " + "=" * 40, "===="),
    "mojibake": (" donâ€™t", "â"),
    "presentation_forms": (" س\ufefcم", "\ufefc"),
    "private_use": ("\ue000", "\ue000"),
    "line_separators": ("\u2028", "\u2028"),
}


@pytest.mark.parametrize("finding", DIRT)
def test_every_token_that_only_the_dirt_makes_is_blamed(tmp_path: Path, finding: str) -> None:
    dirt, token = DIRT[finding]
    random_ = random.Random(3)
    lines = [
        "the old cat sat " + random_.choice(WORDS) + (dirt if i % 4 == 0 else "") + "\n"
        for i in range(400)
    ]
    run, price = _priced(tmp_path / "a.txt", "".join(lines), finding, merges=150)
    found = bpe.inspect(tmp_path / "a.txt")[finding]
    assert (found.count, found.fix) == (100, price.fix)
    clean = run.config.replace(**{price.option: price.fix, "merges": 200})
    without_it = bpe.train(bpe.Corpus.from_files(tmp_path / "a.txt", clean), clean)
    ranks = {merge.token: rank for rank, merge in enumerate(without_it.merges)}
    assert all(ranks.get(each.token, 200) > each.rank for each in price.merges)
    assert any(to_stand_ins(token.encode()) in each.token for each in price.merges)


@pytest.mark.parametrize(("more", "fix"), [("\u06cc", "persian-yeh"), ("\u064a", "arabic-yeh")])
def test_the_rarer_form_of_a_letter_becomes_the_more_frequent_one(
    tmp_path: Path, more: str, fix: str
) -> None:
    fewer = "\u064a" if more == "\u06cc" else "\u06cc"
    path = tmp_path / "a.txt"
    path.write_text(f"زند{more} باز{more} " * 30 + f"زند{fewer} " * 20, encoding="utf-8")
    finding = bpe.inspect(path)["mixed_yeh"]
    assert (finding.count, finding.fix) == (20, fix)
    config = bpe.TrainingConfig.preset("textbook", merges=30)
    run = bpe.train(bpe.Corpus.from_files(path, config), config)
    found = result_of(pricing([path], run, {"mixed_yeh": fix}, Reading()))["mixed_yeh"]
    assert {each.token for each in found.merges} == {f"زند{fewer}"}
    assert found.merges[0].rank_without is None


def test_each_fix_removes_just_what_the_doctor_counts(tmp_path: Path) -> None:
    every = "".join(map(chr, [*range(1, 0x800), *range(0x2000, 0x2100), 0xE000, 0xFEFF, 0xFFFD]))
    path = tmp_path / "a.txt"
    path.write_bytes(every.encode())
    before = {each.name: each.count for each in bpe.inspect(path, encoding="utf-8").findings}
    for finding, fix in FIXES.items():
        if fix == "nfc" or fix in CLEANINGS:
            continue
        path.write_bytes(normalize(every, [fix]).encode())
        after = {each.name: each.count for each in bpe.inspect(path, encoding="utf-8").findings}
        assert finding not in after
        counted = {
            "zero_width",
            "byte_order_mark",
            "control_characters",
            "delete_characters",
            *CHARACTERS,
        }
        changed = {name for name in before if before[name] != after.get(name) and name in counted}
        assert changed == {name for name, same in FIXES.items() if same == fix}


CHARACTERS = (
    "private_use",
    "line_separators",
    "bidi_controls",
    "soft_hyphen",
    "no_break_space",
    "carriage_returns",
    "kashida",
    "replacement_character",
)
