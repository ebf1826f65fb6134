"""The game "Guess the next pair", which covers the panels while it is played.

The rules of the game are in `bpe_studio.workspace.game`. Only shell and the main window import this package.

Modules:
    controller: shows and hides the game.
    page: the page of the game, and its keys.
    header: mode, number of rounds, and score.
    board: a round: words, question, verdict, and the words that the merge changes.
    words: the words of a round, in which a pair can be selected.
    choices: the pairs of a round as buttons, with hints.
    result: the result of a game.
"""
