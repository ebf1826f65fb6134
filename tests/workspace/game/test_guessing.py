"""The game's rounds and score, without a window.

Counts are held to a plain recount of the words.
"""

from __future__ import annotations

from collections import Counter

import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.training.trainer import train
from bpe_studio.workspace.game.guessing import HINT_POINTS, POINTS, Guessing
from bpe_studio.workspace.game.rounds import N_CHOICES, Verdict, make_round

COUNTS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


def a_run(merges=5, counts=COUNTS, **options):
    return train(
        Corpus.from_counts(counts, TrainingConfig.preset("textbook", merges=merges, **options))
    )


def recount(run, step):
    """How often every pair stands, by the words as they are cut."""
    table = run.words_at(step)
    found = Counter()
    for word in range(len(table)):
        ids = table.cut(word)
        for pair in zip(ids, ids[1:], strict=False):
            found[pair] += int(run.corpus.counts[word])
    return found


@pytest.mark.parametrize("step", range(6))
def test_a_round_offers_the_merge_among_real_pairs_with_their_true_counts(step):
    run = a_run()
    asked = make_round(run, step, 7)
    counts = recount(run, step)
    merge = run.columns
    if step < len(run.merges):
        assert asked.right == (int(merge.left[step]), int(merge.right[step]))
    assert asked.right in [choice.pair for choice in asked.choices]
    assert (
        len({choice.pair for choice in asked.choices})
        == len(asked.choices)
        == min(N_CHOICES, len(counts))
    )
    assert {choice.pair: choice.count for choice in asked.choices}.items() <= counts.items()
    assert all(asked.count_of(pair) == count for pair, count in counts.items())
    assert asked.count_of((0, 999)) == 0


def test_the_same_seed_offers_the_same_and_the_right_pair_has_no_place_of_its_own():
    run = a_run(0)
    assert make_round(run, 0, 3).choices == make_round(run, 0, 3).choices
    rounds = [make_round(run, 0, seed) for seed in range(40)]
    assert {next(k for k, c in enumerate(r.choices) if c.pair == r.right) for r in rounds} == {
        0,
        1,
        2,
        3,
    }


def test_a_pair_as_frequent_as_the_winner_is_half_right():
    run = a_run(0, {"ab": 3, "cd": 3, "ef": 1})
    asked = make_round(run, 0, 0)
    by_name = {run.token_name(c.pair[0]) + run.token_name(c.pair[1]): c.pair for c in asked.choices}
    assert asked.decision.by == "tie"
    assert [asked.judge(by_name[name]) for name in ("ab", "cd", "ef")] == [
        Verdict.right,
        Verdict.tied,
        Verdict.wrong,
    ]


def test_at_the_end_of_a_run_nothing_is_asked_and_the_game_is_over():
    run = a_run(9, {"ab": 3})
    asked = make_round(run, 1, 0)
    assert asked.right is None and asked.choices == ()
    game = Guessing()
    game.start(5, 1)
    game.put(asked)
    assert game.is_over and game.make_guess((0, 1)) is None


def play(game, run, step, which):
    """Guess the right pair, one that is tied, or a wrong one."""
    asked = make_round(run, step, game.seed)
    game.put(asked)
    wanted = {"right": Verdict.right, "wrong": Verdict.wrong, "tied": Verdict.tied}[which]
    pair = next(c.pair for c in asked.choices if asked.judge(c.pair) is wanted)
    return game.make_guess(pair)


def test_points_streak_and_what_was_missed():
    run = a_run()
    game = Guessing()
    game.start(4, 5)
    for step, which in enumerate(("right", "right", "wrong", "right")):
        assert game.place == step + 1 and not game.is_over
        assert play(game, run, step, which).verdict.value == which
        assert game.place == step + 1
        game.go_on()
    assert game.is_over and game.score == 3 * POINTS
    assert (game.streak, game.best_streak) == (1, 2)
    assert [guess.round.step for guess in game.missed] == [2]


def test_hints_tell_the_count_cost_points_once_each_and_never_more_than_there_are():
    run = a_run(0)
    game = Guessing()
    game.start(3, 5)
    asked = make_round(run, 0, 5)
    game.put(asked)
    for choice in (*asked.choices, asked.choices[0]):
        game.take_hint(choice.pair)
    assert game.hints == {choice.pair: choice.count for choice in asked.choices}
    guess = game.make_guess(asked.right)
    assert guess.points == POINTS - HINT_POINTS * len(asked.choices)
    game.take_hint((0, 1))
    assert (0, 1) not in game.hints
    counts = sorted(recount(run, 0), key=str)
    game.start(1, 5)
    game.put(asked)
    for pair in counts:
        game.take_hint(pair)
    assert len(counts) * HINT_POINTS > POINTS and game.make_guess(asked.right).points == 0


def test_a_guess_counts_once_and_a_round_that_is_dropped_not_at_all():
    run = a_run()
    game = Guessing()
    game.start(2, 5)
    asked = make_round(run, 0, 5)
    game.put(asked)
    game.drop_round()
    assert game.round is None and game.guesses == ()
    game.put(asked)
    assert game.make_guess(asked.right) is not None and game.make_guess(asked.right) is None
    game.put(make_round(run, 0, 5))
    assert game.guess is not None, "the same question again does not take the answer away"
    assert len(game.guesses) == 1
