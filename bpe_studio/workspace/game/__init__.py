"""The game "Guess the next pair". It knows no widgets, no threads and no other part of the
workspace.

Modules, from the top down:
    verdicts: sentences about a guess.
    guessing: the current round, hints, score, and missed guesses.
    rounds: one round: the choices at a step, and the verdict on a guess.
"""
