"""Guess the next pair: the game takes the place of the panels while it is played.

The game itself is `bpe_studio.workspace.game`. Only shell and the main window import this package.

Modules:
    controller: shows the game and gives the panels their place back.
    page: the whole page, and its keys.
    header: mode, rounds and score.
    board: a round: words, question, verdict, and the words that the merge changes.
    words: the words of a round, in which a pair can be chosen.
    choices: the pairs of a round, each a button, with hints.
    result: the end of a game.
"""
