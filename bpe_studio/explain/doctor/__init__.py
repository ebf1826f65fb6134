"""Problems of a tokenizer: the class of each token, with its reason, and gates for the tokenizer as
a whole.

The package works with any `Tokenizer`, also with that of another program.

Modules:
    examination: the whole answer, as `bpe.doctor` and the command give it.
    token_classes: the class of each token: reachable, unreachable, part of a character, special.
    reasons: why a token is unreachable.
    unreachable: the unreachable tokens of a run at any step, kept as long as the run.
    sentences: the answer in the words of the window.
    gates: checks of the whole tokenizer: characters come back, ids are unique, and so on.
"""
