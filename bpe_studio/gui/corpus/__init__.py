"""The panels Corpus and Lines: what is trained on, its words, and the lines that contain a token.

No other panel imports it.

Modules:
    panel: opening a corpus, its facts and its words.
    files: the files of the corpus, and their weights.
    address_dialog: asks for an address, a folder or a pattern.
    column_dialog: asks which column of a file holds the text.
    split_dialog: asks how a tokenizer splits text whose file does not say it.
    tokenizer_dialog: asks for a tokenizer, to look at it or to compare it.
    words: the table of words, each cut at the step.
    words_model: its model.
    inspection_panel: what is wrong with the text, where, and which merges it causes (Inspection).
    enough_panel: how much of the text is enough to train on (How much text), and its table.
    concordance_panel: the lines of the corpus that contain the selected token (Lines).
    concordance_table: their table, with the token in the middle column.
"""
