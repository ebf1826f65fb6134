"""Counts the pre-tokens of a text.

Imports `splits`, `text` and `kernels`.

    corpus            `Corpus`, the finished table, and `CorpusBuilder`, which chooses between
                      `plain_counting` and `fast_counting`
    source_weights    how many times the text of each file counts
    cleaner           leaves out what the option `clean` names: repeated lines, addresses
    counter           `Counter`, a table that grows, adds up and travels between processes
    plain_counting    counts a small text, or one whose split has no automaton, with `regex`;
                      nothing needs to be compiled
    fast_counting     counts a large text with kernels: blocks, special tokens, normalization
    counting_thread   the thread that counts blocks while the caller reads
    word_table        the hash table of words, and the blocks
    word_sum          adds up tables, in a dictionary or in such a hash table
"""
