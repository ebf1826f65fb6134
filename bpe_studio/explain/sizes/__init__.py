"""What a vocabulary size costs and saves.

Modules:
    size_list: sizes as a person writes them: "4k, 8000".
    measures: what is measured of a text and of the corpus at a size.
    comparison: a text cut at several sizes.
    curves: the curves over all sizes.
    advice: what the curves say about a choice of sizes, in sentences.
    long_words: the longest words, and how each size cuts them.
"""
