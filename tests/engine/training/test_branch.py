"""Branches from any step of a run, held to the twin that lives through everything from the
start.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio import Override, OverrideKind
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.tie_rules import TIES
from bpe_studio.engine.training.candidates import rank_candidates
from tests.engine import corpora, texts
from tests.engine.rules import RULES, Rule, every_rule, log_of, log_of_twin
from tests.engine.textbook_twin import Twin
from tests.examples import IN_A_CAMPAIGN, examples

N = 14


def _trainer(rule: Rule, text: str, **options: object) -> bpe.Trainer:
    config = rule.config(**({"merges": N} | options))
    return bpe.Trainer(bpe.Corpus.from_text(text, config), config)


def _override(data: st.DataObject, rule: Rule, twin: Twin, step: int) -> Override | None:
    """Something that a person may decide there; `None` where there is nothing to decide on."""
    kind = data.draw(st.sampled_from(list(OverrideKind)), "kind")
    if kind is OverrideKind.ties:
        return Override(step, kind, ties=data.draw(st.sampled_from(TIES), "ties"))
    tokens = [*twin.alphabet, *(merge.token for merge in twin.merges)]
    free = [pair for pair, _ in twin.ranking()]
    starting = [
        token for token in tokens if not twin.continuing or not token.startswith(twin.continuing)
    ]
    if kind is OverrideKind.force and tokens and starting:
        # Any two tokens, also where they never stand side by side.
        free += [(left, right) for left in tokens[:4] for right in tokens[-3:]]
        ended = tuple(mark for mark in (rule.marks.get("word_end"),) if mark)
        free = [
            pair
            for pair in free
            if twin.token_of(pair) not in tokens
            and twin.allowed(twin.token_of(pair))
            and not (ended and pair[0].endswith(ended))
            and not (twin.continuing and not pair[1].startswith(twin.continuing))
        ]
    if not free:
        return None
    return Override(step, kind, *data.draw(st.sampled_from(free), "pair"))


def _learn(trainer: bpe.Trainer, data: st.DataObject) -> None:
    """To the end, with the buffers given away at any time."""
    while not trainer.finished:
        if data.draw(st.booleans(), "release"):
            trainer.release()
        trainer.advance(data.draw(st.sampled_from([1, 2, 99]), "n"), 10.0)


def _log(log: list[tuple[str, str, str, int, int, bool, int]]) -> list[tuple[object, ...]]:
    return [entry if entry[3] else (*entry[:4], 1, *entry[5:]) for entry in log]


@every_rule
@settings(max_examples=examples(IN_A_CAMPAIGN))
@given(
    text=corpora.texts(),
    data=st.data(),
    n_overrides=st.integers(1, 4),
    is_compiled=st.booleans(),
    n_forced=st.integers(0, 2),
)
def test_a_branch_learns_as_if_it_had_lived_through_it(
    rule: Rule, text: str, data: st.DataObject, n_overrides: int, is_compiled: bool, n_forced: int
) -> None:
    force = [pair for pair, _ in rule.twin(text).ranking()][:n_forced]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loader, "PLAIN_WORK", -1 if is_compiled else 10**9)
        trainer = _trainer(
            rule, text, min_frequency=data.draw(st.integers(0, 2)), force=tuple(force)
        )
        minimum = trainer.run_record.config.min_frequency
        try:
            trainer.run(data.draw(st.sampled_from([3, N]), "first"))
        except bpe.TrainingError:
            return
        twin = rule.twin(text, min_frequency=minimum, force=force).train(
            len(trainer.run_record.merges)
        )
        assert _log(log_of(trainer.run_record)) == _log(log_of_twin(twin))
        for _ in range(n_overrides):
            parent = trainer.run_record
            step = data.draw(st.integers(0, len(parent.merges)), "step")
            override = _override(data, rule, twin.at(step), step)
            if override is None:
                return
            before = parent.gaps.copy(), log_of(parent)
            trainer = bpe.branch(trainer, override)
            run = trainer.run_record
            assert run is not parent and run.overrides[-1] == override
            assert log_of(run) == before[1][:step]
            twin = rule.twin(text, min_frequency=minimum, force=force, overrides=run.overrides)
            try:
                _learn(trainer, data)
            except bpe.TrainingError:
                # The settings force a pair whose tokens the branch no longer makes.
                assert force
                return
            assert _log(log_of(run)) == _log(log_of_twin(twin.train(N)))
            assert np.array_equal(parent.gaps, before[0]) and log_of(parent) == before[1]
        _looks_back(run, twin, data)


def test_a_forced_pair_may_be_forbidden_where_another_was_forced() -> None:
    settings = {
        "continuing": "##",
        "split": "whitespace",
        "min_frequency": 2,
        "unknown": None,
        "merges": 9,
    }
    config = bpe.TrainingConfig.preset("textbook", **settings, force=[("a", "##a"), ("##a", "##b")])
    trainer = bpe.Trainer(bpe.Corpus.from_text("aab", config), config)
    for kind, pair in ((OverrideKind.force, ("##a", "##a")), (OverrideKind.forbid, ("a", "##a"))):
        trainer.run(9)
        trainer = bpe.branch(trainer, Override(0, kind, *pair))
    assert [(merge.left, merge.right) for merge in trainer.run(9)] == [
        ("##a", "##a"),
        ("##a", "##b"),
    ]


def _looks_back(run: bpe.Run, twin: Twin, data: st.DataObject) -> None:
    step = data.draw(st.integers(0, len(run.merges)), "look back")
    then = twin.at(step)
    table = run.words_at(step)
    assert [[run.token_name(i) for i in table.cut(word)] for word in range(len(run.corpus))] == [
        symbols for symbols, _ in then.words
    ]
    ranking = then.ranking()
    candidates = rank_candidates(run, step, n=5)
    found = [((run.token_name(c.left), run.token_name(c.right)), c.count) for c in candidates]
    if step < len(run.merges):
        merge = run.merges[step]
        (winner,) = [
            pair for pair, candidate in zip(found, candidates, strict=True) if candidate.is_winner
        ]
        assert winner == ((merge.left, merge.right), merge.count)
        if winner not in ranking[:5]:
            assert found.pop() == winner
            found = found[:4]
            ranking = ranking[:4]
    assert found == ranking[:5]


def test_the_run_may_go_on_while_it_is_branched_off() -> None:
    rule = RULES["first-seen"]
    text = texts.english(200, seed=2)
    trainer = _trainer(rule, text, merges=60)
    trainer.run(30)
    branch = bpe.branch(trainer, Override(20, OverrideKind.forbid, *_names(trainer.run_record, 20)))
    for _ in range(15):
        trainer.run(2)
        branch.run(2)
    twin = rule.twin(text, overrides=branch.run_record.overrides)
    assert log_of(trainer.run_record) == log_of_twin(rule.twin(text).train(60))
    assert log_of(branch.run_record) == log_of_twin(twin.train(50))
    assert branch.target == 60


def _names(run: bpe.Run, step: int) -> tuple[str, str]:
    return run.merges[step].left, run.merges[step].right


def test_a_pair_that_is_skipped_competes_again() -> None:
    config = bpe.TrainingConfig.preset("textbook", merges=4)
    trainer = bpe.Trainer(
        bpe.Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4}, config), config
    )
    trainer.run()
    first = _names(trainer.run_record, 0)
    skipped = bpe.branch(trainer, Override(0, OverrideKind.skip, *first))
    merges = skipped.run()
    assert (merges[0].left, merges[0].right) != first and not merges[0].forced
    forbidden = bpe.branch(trainer, Override(0, OverrideKind.forbid, *first))
    assert first not in [(merge.left, merge.right) for merge in forbidden.run()]


def test_special_tokens_are_passed_over_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    # Such a run is refused before training; a document from before may hold one.
    monkeypatch.setattr("bpe_studio.engine.training.trainer.check_special_tokens", lambda *_: None)
    config = bpe.TrainingConfig.preset(
        "textbook", merges=30, min_frequency=1, special=("ab", "abc", "cab"), units="characters"
    )
    text = "abcab abcab cabab bab abc cab " * 3 + texts.english(40)
    corpus = bpe.Corpus.from_text(text, config)
    whole = bpe.train(corpus, config)
    assert len(whole.passed) > 1
    for step in range(len(whole.merges) + 1):
        again = bpe.branch(whole, Override(step, OverrideKind.ties, ties="first-seen"))
        again.run()
        assert log_of(again.run_record) == log_of(whole) and again.run_record.passed == whole.passed
    trainer = bpe.Trainer(corpus, config)
    while not trainer.finished:
        trainer.release()
        trainer.advance(1, 10.0)
    assert log_of(trainer.run_record) == log_of(whole) and trainer.run_record.passed == whole.passed


@pytest.mark.parametrize(
    ("override", "says"),
    [
        (Override(0, OverrideKind.force, "ug", "x"), "'ug', which does not exist yet"),
        (Override(2, OverrideKind.force, "zz", "u"), "'zz', which does not exist yet"),
        (Override(2, OverrideKind.force, "u", "g"), "a token that already exists"),
        (Override(99, OverrideKind.ties, ties="raw-ids"), "Step 99 is after"),
    ],
)
def test_what_cannot_be_is_refused(override: Override, says: str) -> None:
    config = bpe.TrainingConfig.preset("textbook", merges=5)
    trainer = bpe.Trainer(
        bpe.Corpus.from_counts({"hug": 10, "pug": 5, "pun": 4, "x": 1}, config), config
    )
    trainer.run()
    assert trainer.run_record.find_token("ug") is not None
    with pytest.raises(bpe.TrainingError, match=says):
        bpe.branch(trainer, override)
