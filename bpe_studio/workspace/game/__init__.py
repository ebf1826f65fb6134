"""The game "Guess the next pair". It knows no widget, no thread and no other part of the workspace.

Modules, from the top down:
    shown_round: what the game shows of a round: words as they are cut, what the pairs are called.
    guessing: the round that is on, hints, score, and what was missed.
    rounds: one round: the choices at a step, and what a guess is worth.
"""
