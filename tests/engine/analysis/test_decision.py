"""Why a merge is what it is, held to what the run and its branches really take, and to the twin."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio import Override, OverrideKind
from bpe_studio.engine.analysis import decision
from bpe_studio.engine.analysis.decision import Decision, decide
from bpe_studio.engine.tie_rules import TIES
from tests.engine import corpora
from tests.engine.rules import Rule, every_rule
from tests.examples import IN_EACH_OF_MANY, examples

WORDS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


def _run(words: dict[str, int], **options: object) -> bpe.Run:
    config = bpe.TrainingConfig.preset("textbook", **options)
    return bpe.train(bpe.Corpus.from_counts(words, config), config)


def _pair(
    run: bpe.Run, candidate: bpe.engine.candidates.Candidate | None
) -> tuple[str, str] | None:  # type: ignore[name-defined]
    return (
        None
        if candidate is None
        else (run.token_name(candidate.left), run.token_name(candidate.right))
    )


def _holds_together(run: bpe.Run, why: Decision) -> None:
    if why.winner is not None:
        assert why.winner.is_winner
        ids = why.winner.left, why.winner.right
        assert [c.is_winner for c in why.tied] == [(c.left, c.right) == ids for c in why.tied]
    if why.runner_up is not None and why.winner is not None:
        assert why.margin == why.winner.count - why.runner_up.count
        assert why.by == "forced" or why.margin > 0
    else:
        assert why.margin is None
    assert len(why.tied) == min(why.n_tied, decision.N_TIED)


@every_rule
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(text=corpora.texts(), data=st.data())
def test_each_rule_takes_what_it_is_said_to_take(
    rule: Rule, text: str, data: st.DataObject
) -> None:
    config = rule.config(merges=14, min_frequency=data.draw(st.integers(0, 2)))
    trainer = bpe.Trainer(bpe.Corpus.from_text(text, config), config)
    trainer.run(data.draw(st.sampled_from([4, 14])))
    run = trainer.run_record
    step = data.draw(st.integers(0, len(run.merges)))
    why = decide(run, step)
    _holds_together(run, why)
    for ties in TIES:
        branch = bpe.branch(trainer, Override(step, OverrideKind.ties, ties=ties))
        branch.extend_target(15)
        taken = branch.step()
        expected = why.choices.get(ties)
        if taken is None:
            assert expected is None
        else:
            assert expected is not None
            assert _pair(run, expected) == (taken.left, taken.right)
            assert (expected.count, expected.tied) == (taken.count, taken.tied)
    if step < len(run.merges):
        merge = run.merges[step]
        assert _pair(run, why.winner) == (merge.left, merge.right)
        assert why.by == ("count" if merge.tied == 1 else "tie") and why.n_tied == merge.tied
    twin = rule.twin(text).train(step)
    ranking = [row for row in twin.ranking() if row[1] >= max(1, config.min_frequency)]
    assert (why.by == "nothing") == (not ranking)
    if ranking:
        best = [pair for pair, count in ranking if count == ranking[0][1]]
        assert [_pair(run, c) for c in why.tied] == best[: decision.N_TIED]
        below = next((row for row in twin.ranking() if row[1] < ranking[0][1]), None)
        assert _pair(run, why.runner_up) == (below and below[0])
        assert why.runner_up is None or why.runner_up.count == below[1]


@every_rule
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(text=corpora.texts(), data=st.data())
def test_what_was_left_out_is_told(rule: Rule, text: str, data: st.DataObject) -> None:
    config = rule.config(merges=8)
    trainer = bpe.Trainer(bpe.Corpus.from_text(text, config), config)
    trainer.run()
    run = trainer.run_record
    if not run.merges:
        return
    step = data.draw(st.integers(0, len(run.merges) - 1))
    kind = data.draw(st.sampled_from([OverrideKind.skip, OverrideKind.forbid]))
    merge = run.merges[step]
    branch = bpe.branch(trainer, Override(step, kind, merge.left, merge.right))
    branch.run()
    why = decide(branch.run_record, step)
    _holds_together(branch.run_record, why)
    (out,) = why.left_out
    assert (_pair(branch.run_record, out), out.how, out.count) == (
        (merge.left, merge.right),
        kind,
        merge.count,
    )
    assert why.winner is None or why.winner.count <= merge.count
    if len(branch.run_record.merges) > step + 1 and kind is OverrideKind.skip:
        assert decide(branch.run_record, step + 1).left_out == ()


def test_a_winner_by_count() -> None:
    run = _run(WORDS, merges=5)
    why = decide(run, 0)
    assert (why.by, why.rule, why.n_tied, why.margin, why.left_out) == (
        "count",
        "first-seen",
        1,
        3,
        (),
    )
    assert _pair(run, why.winner) == ("u", "g") and _pair(run, why.runner_up) == ("p", "u")
    assert {_pair(run, choice) for choice in why.choices.values()} == {("u", "g")} and len(
        why.choices
    ) == len(TIES)


def test_a_tie_that_rules_decide_otherwise() -> None:
    run = _run({"cd": 3, "ab": 3, "x": 1}, merges=1)
    why = decide(run, 0)
    assert (why.by, why.n_tied, why.runner_up, why.margin) == ("tie", 2, None, None)
    assert _pair(run, why.winner) == ("c", "d")
    expected = {
        "first-seen": ("c", "d"),
        "huggingface": ("a", "b"),
        "raw-ids": ("a", "b"),
        "greatest-bytes": ("c", "d"),
        "subword-nmt": ("c", "d"),
        "sentencepiece": ("a", "b"),
    }
    assert {rule: _pair(run, why.choices[rule]) for rule in expected} == expected


def test_a_forced_winner() -> None:
    run = _run(WORDS, merges=2, force=[("b", "u"), ("s", "h")])
    why = decide(run, 0)
    assert (why.by, why.winner.count, why.margin) == ("forced", 4, -16)  # type: ignore[union-attr]
    assert _pair(run, why.runner_up) == ("u", "g") == _pair(run, why.choices["first-seen"])
    assert (decide(run, 1).by, decide(run, 1).winner.count) == ("forced", 0)  # type: ignore[union-attr]
