"""Extend… and Prune…: forms that make a run of the open corpus on top of a tokenizer, or of what is left of it.

They only ask; the workspace does the work (`workspace/opening/extensions.py`).

Modules:
    extend_dialog: further merges, up to a vocabulary size.
    prune_dialog: what removing tokens costs, for any size, and the tokens that go.
    removed_model: these tokens as rows.
    tokenizer_choice: the tokenizer and the corpus, which both forms ask for first.
"""
