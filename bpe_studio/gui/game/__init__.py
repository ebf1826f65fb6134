"""The game "Guess the next pair", a page of its own.

The rules of the game are in `bpe_studio.workspace.game`. Only the lessons and the main window
import this package.

Modules:
    controller: starts and leaves the game, and hides the panels that would reveal the answer.
    page: the question, its choices, the verdict and the result.
"""
