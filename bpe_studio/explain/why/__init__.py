"""Why a pair is merged, how a token was made, which merges a word takes.

Modules:
    answers: the answers, each from a pass over the corpus or two.
    facts: the answers as rows of facts.
    border: why a text is cut at a place, in sentences.
"""
