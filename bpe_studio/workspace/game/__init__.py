"""The game "Guess the next pair". It knows no widgets, no threads and no other part of the workspace.

Modules, from the top down:
    shown_round: what the game shows of a round: words as they are cut, names of pairs.
    guessing: the current round, hints, score, and missed guesses.
    rounds: one round: the choices at a step, and the verdict on a guess.
"""
