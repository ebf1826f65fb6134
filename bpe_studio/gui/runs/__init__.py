"""The pages Runs and Tokens of Compare: the tree of runs and branches; the comparison of two is in `compare`.

It may import settings (the form of a new run), plots, tables, tokens, widgets, look and background.

Modules:
    panel: the tree at the left, the comparison at the right; one page has the tree, the other the tokens.
    tree: the tree view.
    tree_model: its model.
    new_run_button: the button for a comparison run, and suggestions.
    new_run_dialog: its settings.

Packages:
    compare: two runs side by side.
"""
