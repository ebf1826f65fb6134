"""What a run means: each module answers one question about a run, or about two. Imports all of the engine.

One merge or token:
    decision            why this merge: the winner, its margin, ties, what other rules would take
    derivation          how a token was made, as a tree
    token_life          how often a token occurred at every step, and which tokens absorbed it
    token_meaning       what a token stands for, comparable between alphabets
    words_containing    the words that contain a token or a pair, the most frequent first
    border              why a text is cut at a place, at every step

Two runs:
    run_difference      where they diverge, and the tokens that only one of them has
    divergence          the first merge in which they differ, and why
    divergence_words    words that show it

Vocabulary sizes:
    size_curves         the number of tokens at every step
    size_measures       how a corpus or a text is cut at several sizes
    size_advice         what helps to choose a size

Text:
    concordance         the places of a token in a text, each in its line
    concordance_text    the text cut into pre-tokens, with the way back to places
"""
