"""The panels about the corpus: its facts, its words and lines, its problems, and its dialogs.

No other panel imports them.

Modules:
    panel: opening a corpus, its facts, and its files with their weights (Corpus).
    words: the table of words, each cut at the step (Words).
    concordance_panel: the lines of the corpus that contain the selected token (Concordance).
    concordance_table: their table, with the token in the middle column.
    inspection_panel: problems of the text, their places, and the merges they cause (Inspection).
    enough_panel: the part of the text that is enough to train on (Enough text?).
    address_dialog: asks for an address, a folder or a pattern.
    column_dialog: asks for the column of a file that contains the text.
    split_dialog: asks for the split of a tokenizer whose file does not name it.
    tokenizer_dialog: asks for a tokenizer, to look at it or to compare it.
"""
