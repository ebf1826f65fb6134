"""The panel Settings: a draft of every option, a preview of its split, and Apply.

`engine/options.py` declares the options with their labels. The dialog for a comparison run
(`gui/runs`) shows the same draft.

Modules:
    editors: the editors, such as a choice, a number, lines of text, an order, a split.
    form: every option with its label, its help and its error.
    draft: a preset, the form, and the preview of the split on a text.
    panel: the draft, a note about the effect of applying it, and Apply.
"""
