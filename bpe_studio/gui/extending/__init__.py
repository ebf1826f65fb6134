"""Extend… and Prune…: one form, which makes a run of the open corpus from a tokenizer, or changes
its own file.

It only asks; the workspace does the work (`workspace/opening/changes.py`).

Modules:
    dialog: the tokenizer and the corpus; further merges, or what removing tokens costs and the
        tokens that go; for any size.
"""
