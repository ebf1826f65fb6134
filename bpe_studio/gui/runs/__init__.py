"""Runs: the tree of runs and branches; two of them compared are in `compare`.

It may import settings (the form of a new run), plots, tables, tokens, widgets, look and background.

Modules:
    panel: the tree at the left, the comparison at the right.
    tree: the runs as a tree.
    tree_model: its rows, on the screen and for other programs.
    new_run_button: asks for a comparison run, and suggests some.
    new_run_dialog: its settings.

Packages:
    compare: two runs side by side.
"""
