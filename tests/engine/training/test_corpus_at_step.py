"""The corpus at any step by the compiled kernels, against the plain way.

And what wins when a merge is forced.
"""

from __future__ import annotations

import random
import threading
from functools import partial

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine import run as run_module
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.run import Run
from bpe_studio.engine.training import corpus_at_step
from bpe_studio.engine.training.candidates import rank_candidates
from tests.engine import corpora, texts
from tests.engine.rules import RULES, Rule, every_rule, trained
from tests.examples import IN_EACH_OF_MANY, examples

_train = partial(trained, merges=30)


def _same_states(run: bpe.Run, step: int, n: int, use) -> None:
    found = []
    for compiled in (False, True):
        use(compiled)
        tokens = corpus_at_step.tokens_at(run.layout, run.gaps, step)
        counts = np.zeros(run.token_of(step), np.int64)
        np.add.at(counts, tokens.ids, run.layout.weights[tokens.words])
        assert counts.tolist() == run.token_counts_at(step).tolist()
        counter = corpus_at_step.PairCounter(run.layout, run.gaps, step)
        for least in (2, 5, 50):
            _holds_the_frequent(counter.counts(), counter.counts(least), least)
        pairs = counter.counts()
        order = np.argsort(pairs.pairs)
        columns = [
            pairs.pairs[order].tolist(),
            pairs.counts[order].tolist(),
            pairs.firsts[order].tolist(),
        ]
        found.append(
            [tokens.ids.tolist(), tokens.starts.tolist(), tokens.words.tolist(), columns]
            + [
                corpus_at_step.symbols_at(run.layout, run.gaps, step).tolist(),
                run.layout.symbol_counts().tolist(),
            ]
            + [rank_candidates(run, step, n)]
        )
    assert found[0] == found[1]


def _holds_the_frequent(
    everything: corpus_at_step.PairCounts, found: corpus_at_step.PairCounts, least: int
) -> None:
    columns = [
        sorted(zip(some.pairs.tolist(), some.counts.tolist(), some.firsts.tolist(), strict=True))
        for some in (everything, found)
    ]
    assert [row for row in columns[0] if row[1] >= least] == columns[1]


@every_rule
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(text=corpora.texts(), step=st.integers(0, 30), n=st.integers(1, 60))
@example(text="", step=0, n=5)
@example(text="a", step=0, n=5)
@example(text="aaaa aaaaa", step=1, n=5)
def test_compiled_is_plain(rule: Rule, text: str, step: int, n: int) -> None:
    run = _train(rule, text)
    with pytest.MonkeyPatch.context() as patch:

        def use(compiled: bool) -> None:
            patch.setattr(loader, "PLAIN_WORK", -1 if compiled else 10**9)
            patch.setattr(loader, "_ready", set())

        _same_states(run, min(step, len(run.merges)), n, use)


def _winner(run: bpe.Run, step: int) -> list[tuple[str, str]]:
    return [
        (run.token_name(c.left), run.token_name(c.right))
        for c in rank_candidates(run, step, 3)
        if c.is_winner
    ]


def test_a_forced_merge_that_is_still_to_come_is_the_winner() -> None:
    config = bpe.TrainingConfig.preset(
        "textbook", merges=5, force=[("u", "g"), ("p", "ug"), ("z", "p")]
    )
    trainer = bpe.Trainer(
        bpe.Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 40, "z": 1}, config), config
    )
    run = trainer.run_record
    assert _winner(run, 0) == [("u", "g")]
    trainer.step()
    assert _winner(run, 1) == [("p", "ug")]
    trainer.step()
    # A forced pair that does not occur is shown all the same.
    assert _winner(run, 2) == [("z", "p")]
    assert rank_candidates(run, 2, 3)[-1].count == 0
    trainer.step()
    assert _winner(run, 3) == [("u", "n")]
    trainer.run()
    assert [_winner(run, step) for step in range(3)] == [[("u", "g")], [("p", "ug")], [("z", "p")]]


@pytest.mark.parametrize(
    "size",
    [
        7,
        *(
            pytest.param(size, marks=pytest.mark.slow(buys="other sizes of the index"))
            for size in (1, 4096)
        ),
    ],
)
def test_a_token_is_found_by_its_name_whatever_is_asked_first(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_module, "_INDEXED", size)
    run = _train(RULES["raw-ids"], texts.english(800, seed=8), merges=250)
    expected: dict[str, int] = {}
    for token in run.ids_at(len(run.merges)):
        expected.setdefault(run.token_name(token), token)
    names = [*expected, "no such token"]
    found: list[dict[str, int | None]] = []
    for seed in range(3):
        again = bpe.train(run.corpus, run.config)
        shuffled = random.Random(seed).sample(names, len(names))

        def ask(order: list[str], again: Run = again) -> None:
            found.append({name: again.find_token(name) for name in order})

        orders = (shuffled, shuffled[::-1])
        threads = [threading.Thread(target=ask, args=(order,)) for order in orders]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(found) == 6 and all(
        answers == {**expected, "no such token": None} for answers in found
    )
