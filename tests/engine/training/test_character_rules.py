"""Whole characters and one script in a token, held to a recount that asks each token itself."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import pytest

from bpe_studio import Corpus, Override, OverrideKind, Run, TrainingConfig, branch, train
from bpe_studio.engine.training.candidates import rank_candidates, refusal
from bpe_studio.engine.training.trainer import Trainer
from bpe_studio.errors import ConfigError
from tests.engine.rules import (
    is_of_one_script,
    is_whole_of_one_script,
    is_whole_or_part,
    log_of,
    log_of_twin,
)
from tests.engine.textbook_twin import Twin, content_of, count_words
from tests.engine.training.test_superwords import twin_of

WORDS = ("caf\u00e9", "cafe\u0301", "\u0441\u0430", "\u03b1\u03b2", "ab", "12", "\u2014")
WORDS += ("\u0633\u0644\u0627\u0645", "\u0645\u06cc\u200c\u0631\u0648\u0645", "\u067e\u0686")
WORDS += ("\u6f22\u5b57", "\u4e16\u754c", "\u98df\u3079\u308b", "\u30ab\u30bf\u30fc", "\u3005")
WORDS += (
    "\U0001f600",
    "\U0001f468\u200d\U0001f469",
    "\u2764\ufe0f",
    "\U0001e900\U0001e901",
    "\U00017000",
)


def allows(config: TrainingConfig, token: str) -> bool:
    test = is_whole_of_one_script if config.one_script else is_whole_or_part
    return test(content_of(token))


def random_text(seed: int) -> str:
    chance = random.Random(seed)
    words = chance.sample(WORDS, chance.randint(1, 6))
    words += ["".join(chance.choices("".join(words), k=chance.randint(1, 5))) for _ in range(4)]
    gaps = ["", "", " ", " ", "\n", ": "]
    text = "".join(chance.choice(words) + chance.choice(gaps) for _ in range(40))
    if seed % 4 == 0:
        place = chance.randrange(len(text))
        text = (
            text[:place] + chance.choice(["\udce0\udc80", "\udcf0", "\udc80\udcbf"]) + text[place:]
        )
    return text


def random_config(seed: int, **options: Any) -> TrainingConfig:
    chance = random.Random(seed)
    given = {
        "split": "none",
        "documents": "file",
        "special": (),
        "merges": 40,
        "ties": chance.choice(["huggingface", "first-seen", "greatest-bytes", "subword-nmt"]),
        "min_frequency": chance.randint(1, 2),
        "full_alphabet": chance.random() < 0.5,
    }
    return TrainingConfig.preset("gpt2", **{**given, **options})


def trained(text: str, config: TrainingConfig, *, is_compiled: bool) -> Run:
    trainer = Trainer(Corpus.from_text(text, config), config, use_compiled=is_compiled)
    trainer.run()
    return trainer.run_record


@pytest.mark.parametrize("option", ["whole_characters", "one_script"])
@pytest.mark.parametrize("seed", range(40))
def test_tokens_of_bytes_are_those_of_a_recount(seed: int, option: str) -> None:
    text = random_text(seed)
    config = random_config(seed, **{option: True})
    run = trained(text, config, is_compiled=seed % 2 == 0)
    twin = Twin(
        count_words([text], units="bytes"),
        ties=config.ties,
        min_frequency=config.min_frequency,
        allowed=partial(allows, config),
    )
    if config.full_alphabet:
        twin.alphabet = sorted(map(chr, {*range(33, 127), *range(161, 173), *range(174, 324)}))
    assert log_of(run) == log_of_twin(twin.train(40))
    step = seed % (len(run.merges) + 1)
    for each in rank_candidates(run, step, 1_000):
        assert allows(config, run.token_name(each.left) + run.token_name(each.right))
    ids = run.words_at(step).cut(0)
    names = list(map(run.token_name, ids))
    for place in range(1, len(ids)):
        pair = ids[place - 1], ids[place]
        assert bool(refusal(run, pair)) != allows(config, "".join(names[place - 1 : place + 1]))


@pytest.mark.parametrize("seed", range(20))
def test_tokens_of_characters_are_those_of_a_recount(seed: int) -> None:
    text = random_text(4 * seed + 1)
    config = random_config(seed, units="characters", full_alphabet=False, one_script=True)
    run = trained(text, config, is_compiled=seed % 2 == 0)
    twin = Twin(
        count_words([text]),
        ties=config.ties,
        min_frequency=config.min_frequency,
        allowed=is_of_one_script,
        is_characters=True,
    )
    assert log_of(run) == log_of_twin(twin.train(40))


@pytest.mark.parametrize("seed", range(30))
def test_superwords_keep_both_rules(seed: int) -> None:
    text = random_text(4 * seed + 1)
    chance = random.Random(seed)
    config = TrainingConfig.preset(
        "superbpe",
        vocab_size=257 + 40,
        superwords_from=257 + chance.randrange(40),
        superwords_words=chance.randint(1, 4),
        min_frequency=1,
        ties=chance.choice(["huggingface", "first-seen", "raw-ids"]),
        whole_characters=True,
        one_script=chance.random() < 0.7,
    )
    run = trained(text, config, is_compiled=seed % 2 == 0)
    assert log_of(run) == log_of_twin(twin_of(text, config, allows=partial(allows, config)))


@pytest.mark.parametrize(
    ("option", "text", "says"),
    [
        ("whole_characters", "a\u00e9", ["end inside a character", ""]),
        ("one_script", "a\u0441", ["end inside a character", ""]),
        ("one_script", "\u0441a", ["", "end inside a character"]),
    ],
)
def test_the_rule_that_refuses_is_named(option: str, text: str, says: list[str]) -> None:
    config = random_config(0, full_alphabet=True, min_frequency=2, **{option: True})
    run = train(Corpus.from_text(text, config), config)
    ids = run.words_at(0).cut(0)
    found = [refusal(run, pair) for pair in zip(ids, ids[1:], strict=False)]
    assert len(run.merges) == 0
    for reason, expected in zip(found, says, strict=True):
        assert expected in reason
        assert bool(expected) == bool(reason)


def test_two_scripts_are_named() -> None:
    config = random_config(0, min_frequency=2, one_script=True)
    run = train(Corpus.from_text("a\u0441 \u0441", config), config)
    letter = run.words_at(1).cut(0)
    assert [run.token_name(token) for token in letter] == [
        "a",
        "\u00d1\u0123",
        "\u0120",
        "\u00d1\u0123",
    ]
    assert refusal(run.at(1), (letter[0], letter[1])).endswith("join two scripts")
    assert refusal(run.at(1), (letter[1], letter[2])) == ""


def test_bytes_of_sentencepiece_have_no_script() -> None:
    with pytest.raises(ConfigError, match="one-script"):
        TrainingConfig.preset("sentencepiece", units="bytes", one_script=True)


@pytest.mark.parametrize("seed", range(8))
def test_freed_trainers_and_branches_go_on_alike(seed: int) -> None:
    text = random_text(seed)
    config = random_config(seed, full_alphabet=True, one_script=True)
    corpus = Corpus.from_text(text, config)
    trainer = Trainer(corpus, config)
    trainer.run()
    merges = trainer.run_record.merges[:]
    freed = Trainer(corpus, config)
    while not freed.finished:
        freed.run(3)
        freed.release()
    assert freed.run_record.merges[:] == merges
    step = seed % len(merges)
    again = branch(trainer, Override(step, OverrideKind.forbid, "\u0100", "\u0101"))
    again.run()
    assert again.run_record.merges[:] == merges
    assert TrainingConfig.from_dict(config.to_dict()) == config


def test_a_character_that_is_made_by_force_has_its_script() -> None:
    text = "\u0441a\u0441a\u0441\u0441"
    config = random_config(0, min_frequency=1, one_script=True, force=("\u00d1 \u0123",))
    run = train(Corpus.from_text(text, config), config)
    assert [merge.token for merge in run.merges] == ["\u00d1\u0123", "\u00d1\u0123\u00d1\u0123"]
