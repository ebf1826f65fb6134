"""Answers to questions about a run, or about two, one in each module.

Imports all of the engine.

One merge or token:
    decision            why this merge: the winner, its margin, ties, what other tie rules would
                        choose
    derivation          how a token was made, as a tree
    token_life          how often a token occurs at each step, and which tokens absorbed it
    token_meaning       what a token represents, comparable between alphabets
    words_containing    the words that contain a token or a pair, the most frequent first
    token_traits        how long each token is, in which script, and whether it is whole characters
    border              why a text is cut at a place, at every step

Two runs:
    run_difference      where they diverge, and the tokens that only one of them has
    divergence          the first merge at which they differ, and the cause
    divergence_words    words that show the cause

Vocabulary sizes:
    size_curves         the number of tokens at every step
    size_measures       measures of a corpus or a text at several sizes
    rare_tokens         the count below which a token is rare
    size_advice         figures that help to choose a size

Text:
    concordance         the occurrences of a token or a string in a text, each in its line
"""
