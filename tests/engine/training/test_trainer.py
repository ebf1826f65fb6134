"""A trainer that is stepped, sliced or run at once learns the same, and says why it stopped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.training import training_state
from bpe_studio.engine.training.candidates import rank_candidates
from bpe_studio.errors import TrainingError
from tests.engine import corpora, texts
from tests.engine.rules import RULES, log_of, log_of_twin


def _trainer(text: str, rule_name: str = "first-seen", **options: object) -> bpe.Trainer:
    config = RULES[rule_name].config(**({"merges": 20} | options))
    return bpe.Trainer(bpe.Corpus.from_text(text, config), config)


def _whole(text: str, rule_name: str = "first-seen", **options: object) -> list[tuple[object, ...]]:
    config = RULES[rule_name].config(**({"merges": 20} | options))
    return list(log_of(bpe.train(bpe.Corpus.from_text(text, config), config)))


@given(text=corpora.texts(), rule_name=st.sampled_from(list(RULES)))
def test_step_by_step(text: str, rule_name: str) -> None:
    trainer = _trainer(text, rule_name)
    merges = []
    while (merge := trainer.step()) is not None:
        merges.append(merge)
        assert trainer.run_record.merges[-1] == merge
        assert len(trainer.run_record.merges) == len(merges)
    assert log_of(trainer.run_record) == _whole(text, rule_name)
    assert [m.rank for m in merges] == list(range(len(merges)))
    assert trainer.finished and trainer.stop_reason
    assert trainer.step() is None and trainer.run() == [] and list(trainer) == []


@given(text=corpora.texts(), rule_name=st.sampled_from(list(RULES)), data=st.data())
def test_random_slices(text: str, rule_name: str, data: st.DataObject) -> None:
    trainer = _trainer(text, rule_name)
    while not trainer.finished:
        before = len(trainer.run_record.merges)
        how = data.draw(st.sampled_from(["step", "run", "advance", "iterate"]))
        n = data.draw(st.integers(1, 5))
        if how == "step":
            learned = int(trainer.step() is not None)
        elif how == "run":
            learned = len(trainer.run(n))
        elif how == "advance":
            learned = trainer.advance(n, 10.0)
        else:
            learned = sum(1 for _ in zip(range(n), trainer, strict=False))
        assert learned <= n
        grown = len(trainer.run_record.merges) - before
        assert grown == learned or (how == "iterate" and grown >= learned)
        if learned == 0:
            assert trainer.finished
    assert log_of(trainer.run_record) == _whole(text, rule_name)


def test_iterating_gives_each_merge_once() -> None:
    trainer = _trainer(texts.english(60), "huggingface")
    assert [m.rank for m in trainer] == list(range(20))


def test_run_takes_so_many_and_then_the_rest() -> None:
    trainer = _trainer(texts.persian(60))
    assert trainer.target == 20
    assert [m.rank for m in trainer.run(7)] == list(range(7))
    assert not trainer.finished and trainer.stop_reason == ""
    assert [m.rank for m in trainer.run()] == list(range(7, 20))
    assert trainer.finished and "target" in trainer.stop_reason


def test_run_record_is_live() -> None:
    trainer = _trainer("low low lower newest newest")
    record = trainer.run_record
    assert len(record.merges) == 0
    trainer.run(3)
    assert len(record.merges) == 3 and record is trainer.run_record
    tokenizer = record.tokenizer()
    trainer.run()
    assert len(record.merges) > 3 and tokenizer.n_merges == 3


@pytest.mark.parametrize("rule_name", RULES)
def test_vocabulary_size_counts_alphabet_merges_and_specials(rule_name: str) -> None:
    text = " ".join(texts.english(60).split())
    rule = RULES[rule_name]
    special = tuple(dict.fromkeys((*rule.config().special, "<one>", "<two>")))
    probe = rule.config(merges=0, special=special)
    run = bpe.train(bpe.Corpus.from_text(text, probe), probe)
    start = run.tokenizer().vocab_size
    assert start == run.n_alphabet + len(special)
    config = rule.config(vocab_size=start + 9, special=special)
    run = bpe.train(bpe.Corpus.from_text(text, config), config)
    assert len(run.merges) == 9
    assert run.tokenizer().vocab_size == start + 9
    assert [run.vocab_size_at(step) for step in (0, 4, 9)] == [start, start + 4, start + 9]
    twin = rule.twin(text).train(9)
    assert log_of(run) == log_of_twin(twin)


def test_vocabulary_size_below_the_alphabet() -> None:
    config = bpe.TrainingConfig.preset("textbook", vocab_size=3)
    with pytest.raises(bpe.ConfigError, match="3"):
        bpe.train(bpe.Corpus.from_text("abcdefg", config), config)
    with pytest.raises(bpe.ConfigError, match="200"):
        config = bpe.TrainingConfig.preset("gpt2", vocab_size=200)
        bpe.train(bpe.Corpus.from_text("abcdefg", config), config)


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        ("abcabcabc", {"merges": 1}, "target"),
        ("abc", {"min_frequency": 2}, "twice"),
        ("", {}, "pair"),
        ("a b c", {}, "pair"),
    ],
)
def test_stop_reasons(text: str, options: dict[str, object], says: str) -> None:
    trainer = _trainer(text, **options)
    trainer.run()
    assert trainer.finished
    assert says in trainer.stop_reason.lower()


def test_a_repeated_passage_whose_tokens_would_take_all_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(training_state, "_MAX_TEXT_BYTES", 100_000)
    passage = "".join(map(chr, range(0x4E00, 0x4E00 + 1000)))
    config = bpe.TrainingConfig.preset("textbook", split="none", min_frequency=2, merges=5000)
    with pytest.raises(
        TrainingError,
        match=r"After [0-9]+ merges the tokens together are longer than 100,000 bytes",
    ):
        bpe.train(bpe.Corpus.from_text(passage * 2, config), config)


def test_many_special_tokens_and_forbidden_pairs_change_nothing() -> None:
    special = tuple(f"<{number}>" for number in range(5_000))
    forbid = [("u", "g"), ("u", "n"), *((f"x{number}", "hug") for number in range(5_000))]
    counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    runs = []
    for options in ({"forbid": forbid[:2]}, {"forbid": forbid, "special": special}):
        config = bpe.TrainingConfig.preset("textbook", merges=6, **options)
        runs.append(bpe.train(bpe.Corpus.from_counts(counts, config), config))
    few, many = runs
    assert list(log_of(few)) == list(log_of(many)) and len(few.merges) > 3
    assert rank_candidates(many, 2) == rank_candidates(few, 2)
    tokenizer = many.tokenizer()
    assert "<7>" in tokenizer.encode("hugs<7>pun").tokens
