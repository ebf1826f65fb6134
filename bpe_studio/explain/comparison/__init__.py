"""Compares sizes of a run, other runs and tokenizers: each of them is a subject, a way to cut a
text into tokens.

Modules:
    subjects: a run at a step, or a tokenizer: its vocabulary, its counts in the corpus, and its
        cut of a text.
    measures: the measures of a text and of the corpus under each subject.
    verdict: the better one of two, in a sentence or two.
    texts: a text as each subject cuts it, with the cuts that differ.
    gold: the agreement with words that somebody has divided into their parts.
    difference: two subjects in detail.
    divergence: where and why two runs diverge, in sentences.
    suggestions: runs to compare the open one with.
    token_counts: the tokens of texts under several tokenizers, as the command `compare` counts
        them.
    size_list: parses a list of sizes such as "4k, 8000".
    curves: the curves over all sizes of a run.
    measure_curves: other measures over sizes, of the whole text and of scripts, files or columns.
    advice: sentences about a choice of sizes, from the curves.
"""
