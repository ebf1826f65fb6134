"""Items: symbols that white space separates, held to characters that stand for them."""

from __future__ import annotations

import pickle
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.tie_rules import TIE_RULES
from tests.examples import IN_EACH_OF_MANY, examples

ITEMS = st.text("abAB1#é", min_size=1, max_size=3)
LINES = st.lists(st.lists(ITEMS, min_size=1, max_size=9), min_size=1, max_size=9)
WHITE = (" ", "  ", "\t", " \u3000")
TEXT = "C4 E4 G4 C4 E4\nC4  E4\tG4\r\n\n  \nA3 C4 E4 G4\n"


def config_of(**options: object) -> bpe.TrainingConfig:
    values: dict[str, object] = {"min_frequency": 1, "special": (), "merges": 9, "units": "items"}
    return bpe.TrainingConfig.preset("gpt2", **{**values, **options})  # type: ignore[arg-type]


def run_of(text: str, config: bpe.TrainingConfig) -> bpe.Run:
    return bpe.train(bpe.Corpus.from_text(text, config), config)


def log_of(run: bpe.Run) -> list[tuple[object, ...]]:
    return [tuple(merge.to_log().values()) for merge in run.merges]


@pytest.mark.parametrize("ties", TIE_RULES)
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(LINES, st.randoms(use_true_random=False))
def test_merges_are_those_of_characters_in_their_place(
    ties: str, lines: list[list[str]], rng: random.Random
) -> None:
    kinds = sorted({item for line in lines for item in line})
    chars = {item: chr(0x4E00 + number) for number, item in enumerate(kinds)}
    items = {char: item for item, char in chars.items()}
    config = config_of(ties=ties)
    twin = config.replace(units="characters", split="whitespace")
    text = "\n".join(rng.choice(WHITE).join(line) for line in lines)
    written = "\n".join("".join(map(chars.__getitem__, line)) for line in lines)
    run = run_of(text, config)
    other = run_of(written, twin)
    expected = []
    for merge in other.merges:
        record = merge.to_log()
        for name in ("left", "right", "token"):
            record[name] = " ".join(items[char] for char in str(record[name]))
        expected.append(tuple(record.values()))
    assert log_of(run) == expected
    ids = run.tokenizer().encode(text).ids
    assert ids == other.tokenizer().encode(written).ids
    assert [ranks.tolist() for ranks in run.gap_ranks(text)] == [
        ranks.tolist() for ranks in other.gap_ranks(written)
    ]
    assert run.tokenizer().decode(ids) == " ".join(" ".join(line) for line in lines)


def test_tokens_say_where_their_items_are() -> None:
    tokenizer = run_of(TEXT, config_of(merges=2)).tokenizer()
    text = "C4  E4 G4 A3\n C4"
    encoded = tokenizer.encode(text)
    assert encoded.tokens == ["C4 E4 G4", "A3", "C4"]
    assert [text[start:end] for start, end in encoded.offsets] == ["C4  E4 G4", "A3", "C4"]
    assert tokenizer.decode(encoded.ids) == "C4 E4 G4 A3 C4"
    assert tokenizer.convert_tokens_to_ids(["C4 E4"]) == [tokenizer.id_of("C4 E4")]


def test_an_unknown_item_is_one_token() -> None:
    tokenizer = run_of(TEXT, config_of(unknown="[UNK]")).tokenizer()
    assert tokenizer.tokenize("C4 X9y A3") == ["C4", "[UNK]", "A3"]
    with pytest.raises(bpe.BpeError, match="'X9y'"):
        run_of(TEXT, config_of()).tokenizer().encode("X9y")


def test_special_tokens_stand_between_items() -> None:
    tokenizer = run_of(TEXT, config_of(special=("<end>",))).tokenizer()
    text = "C4 <end> A3"
    assert tokenizer.decode(tokenizer.encode(text).ids) == text
    with pytest.raises(bpe.BpeError, match="C4"):
        run_of(TEXT, config_of(special=("C4",)))


def test_parts_counted_apart_give_the_same_run(tmp_path: Path) -> None:
    config = config_of()
    lines = TEXT.splitlines(keepends=True)
    total = bpe.Counter(config)
    for number, line in enumerate(lines):
        part = bpe.Counter(config)
        part.update([line])
        path = tmp_path / f"{number}.tsv"
        part.save(path)
        total.merge(bpe.Counter.load(path))
    run = bpe.train(total.corpus(), config)
    assert log_of(run) == log_of(run_of(TEXT, config))
    with pytest.raises(bpe.BpeError, match="units"):
        total.corpus(config.replace(units="characters"))


def test_a_run_can_be_pickled_and_continued() -> None:
    run = run_of(TEXT, config_of(merges=1))
    copy = pickle.loads(pickle.dumps(run))
    assert copy.tokenizer().encode(TEXT).ids == run.tokenizer().encode(TEXT).ids


@pytest.mark.parametrize(
    "options",
    [
        {"split": "words"},
        {"word_end": "</w>"},
        {"continuing": "##"},
        {"superwords_from": 300},
        {"initial_alphabet": "ab"},
        {"byte_fallback": True},
        {"split_digits": True},
    ],
)
def test_options_that_items_do_not_have_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(bpe.BpeError, match=r"items|characters"):
        config_of(**options)


@pytest.mark.parametrize("preset", ["textbook", "sennrich", "sentencepiece", "superbpe", "raw"])
def test_every_preset_takes_items(preset: str) -> None:
    config = bpe.TrainingConfig.preset(preset, units="items", merges=1)  # type: ignore[arg-type]
    assert len(run_of(TEXT * 9, config).merges) == 1
    assert bpe.TrainingConfig(units="items").full_alphabet is False


def test_a_hundred_thousand_kinds_of_items() -> None:
    line = " ".join(f"i{number}" for number in range(100_000))
    run = run_of(f"{line}\n{line}\n", config_of(merges=2, min_frequency=2))
    assert run.n_alphabet == 100_000
    assert run.merges[0].token == "i0 i1"


def test_the_doctor_asks_for_no_letters() -> None:
    found = bpe.doctor(run_of(TEXT, config_of()).tokenizer())
    assert found.passed
    assert {gate.name for gate in found.gates} >= {"no_duplicates", "no_holes"}


def test_counts_without_an_item_are_refused() -> None:
    config = config_of()
    corpus = bpe.Corpus.from_counts({"C4 E4": 3, "C4": 1}, config)
    assert bpe.train(corpus, config).merges[0].token == "C4 E4"
    with pytest.raises(bpe.BpeError, match="items"):
        bpe.train(bpe.Corpus.from_counts({" ": 3}, config), config)
