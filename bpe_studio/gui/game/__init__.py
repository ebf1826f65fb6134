"""The game "Guess the next pair", which covers the panels while it is played.

The rules of the game are in `bpe_studio.workspace.game`. Only shell and the main window import this package.

Modules:
    controller: shows and hides the game.
    page: the page of the game: question, verdict and result, and its keys.
    words: the words of a round.
    choices: the pairs to choose from, with hints.
    changes: the words that the merge changes.
"""
