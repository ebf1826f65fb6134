"""The game "Guess the next pair", which is played next to the panels of Explore.

The rules of the game are in `bpe_studio.workspace.game`. Only shell and the main window import this package.

Modules:
    controller: starts and leaves the game, and covers the panels that would reveal the answer.
    page: the column of the game: question, choices, verdict and result, and its keys.
"""
