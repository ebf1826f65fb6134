"""The panels Corpus and Lines: what is trained on, its words, and the lines that contain a token.

Other panels do not import it.

Modules:
    panel: opening a corpus, its facts and its words.
    facts: the name of the corpus, its sources and its numbers.
    words: the word table, each word cut at the step.
    words_model: its rows.
    concordance_panel: the lines of the corpus that contain the selected token (Lines).
    concordance_table: its rows, with the token in the middle column.
"""
