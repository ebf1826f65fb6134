"""Extend… and Prune…: one form, which changes a tokenizer and the number of its tokens.

It only asks; the workspace does the work (`workspace/opening/changes.py`).

Modules:
    dialog: asks for the tokenizer, the corpus and the size, and shows the cost and the tokens that
        are removed.
"""
