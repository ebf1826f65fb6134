"""The panel Why: explains the selection, or the next merge.

Modules:
    panel: requests and shows the answers, with the selection as chips and in words above them.
    questions: the questions that the selection poses, and their answers.
    pair_section: the reasons for and against merging a pair, and the choice of each tie rule.
    token_section: the origin of a token, its life, and the tokens that absorbed it.
    word_section: the tokens of a word, and its merges.
    border_section: the reasons for a border.
    words_section: the words that contain a pair or a token, in a table.
    derivation_view: a token and the tokens that it was made from, as a tree.
"""
