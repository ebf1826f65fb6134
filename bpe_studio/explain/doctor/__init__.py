"""What is wrong with a tokenizer: each token in one class with its reason, and checks of the
tokenizer as a whole.

It works with any `Tokenizer`, one of another program included.

Modules:
    examination: the whole answer, as `bpe.doctor` and the command give it.
    token_classes: the class of each token: reachable, unreachable, part of a character, special.
    merged_alone: which tokens merges never make, whatever is around them.
    reasons: why no text becomes a token.
    unreachable: the unreachable tokens of a run at any step, kept while the run is.
    sentences: why a token is not reachable, as a phrase that the window shows.
    gates: what must hold of a tokenizer: characters come back, ids are unique, and so on.
"""
