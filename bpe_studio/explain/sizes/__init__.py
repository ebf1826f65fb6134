"""What a vocabulary size costs and saves.

Modules:
    size_list: parses a list of sizes such as "4k, 8000".
    measures: the measures of a text and of the corpus at a size.
    comparison: a text at several sizes.
    curves: the curves over all sizes.
    advice: sentences about a choice of sizes, from the curves.
    long_words: the longest words, and their tokens at each size.
"""
