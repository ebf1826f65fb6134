"""Answers about a run, in a person's words: why a pair is merged, where two runs differ, what a size saves.

Between the engine, which computes, and the window, which shows: nothing here knows Qt or the workspace, so that the
command line and tests ask the same questions without a window. The window, the workspace and the commands may import
it; it imports files, engine and errors.

Modules:
    names: how tokens, pairs and overrides are written.
    wording: numbers, plurals, times and sizes as text.
    facts: a fact in one row, as panels list them.
    settings: what options and their values are called, and in which of them two configurations differ.
    candidates: the pairs that could be merged next, and why the first of them wins.
    merges: a step and its merge in a sentence.
    token_facts: what is known of one token.
    merge_tree: the merge tree of a word, from its gap ranks.
    text_pieces: a typed text in pieces, each with its symbols and gap ranks.
    text_counts: what is counted of a typed text.
    text_export: a typed text as it is cut, in the form that the HTML export writes.
    cut_text: a text cut at a step, compared with other cuts of it.

Packages:
    why: why a pair is merged, a token is there, a word is cut as it is.
    runs: how two runs differ, and runs worth a comparison.
    sizes: what a vocabulary size costs and saves.
"""
