"""Why a pair is merged, a token is there, a word is cut as it is.

Modules:
    answers: the answers, gathered from a run in a pass over the corpus or two.
    facts: what is said of them, as rows of facts.
    border: why a text is cut at a place, and what is said of that.
"""
