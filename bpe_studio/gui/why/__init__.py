"""Why: the answers for the selection, or for the next merge.

It may import plots, tables, tokens, widgets, look and background; only shell and the main window import it.

Modules:
    panel: asks, shows, and keeps the way back.
    header: the selection as chips, and in words.
    questions: which questions the selection asks, and their answers.
    pair_section: why a pair is merged, and what each tie rule would take.
    token_section: how a token was made, its life, and what absorbed it.
    word_section: how a word is cut, and its merges.
    words_section: the words that contain a pair or a token.
    words_table: these words as a table.
    derivation_view: a token and what it was made from, as a tree.
    derivation_layout: where the tokens of that tree are drawn.
"""
