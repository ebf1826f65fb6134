"""The panel Why: explains the selection, or the next merge.

It may import plots, tables, tokens, widgets, look and background; only shell and the main window
import it.

Modules:
    panel: requests and shows the answers; buttons to go back and forward.
    header: the selection as chips, and in words.
    questions: which questions the selection poses, and their answers.
    pair_section: why a pair is merged, and what each tie rule would choose.
    token_section: how a token was made, its life, and what absorbed it.
    word_section: how a word is cut, and its merges.
    border_section: why a text is cut at a place.
    words_section: the words that contain a pair or a token, in a table.
    derivation_view: a token and what it was made from, as a tree.
"""
