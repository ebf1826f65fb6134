"""The panel Settings: a draft of every option, a preview of its split, and Apply.

`engine/options.py` declares the options with their labels. The dialog for a comparison run
(`gui/runs`) shows the same draft.

Modules:
    editors: the simple editors, such as a choice, a number or lines of text.
    compound_editors: an order of changes, a target, a split.
    form: every option with its label, its help and its error.
    draft: a preset, the form, and a text, cut into pre-tokens by the draft.
    panel: the draft, what applying it would discard, and Apply.
"""
