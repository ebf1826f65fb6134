"""The Settings panel: a draft of every option, how its split cuts a text, and Apply.

Which options there are and how they are called is `explain/settings.py`'s, what they mean the engine's. The dialog
that trains a comparison run (`gui/runs`) shows the same draft.

Modules:
    editors: the simple editors, such as a choice, a number or lines of text.
    compound_editors: an order of changes, a target, a split.
    form: every option with its label, its help and what is wrong with it.
    split_preview: how a draft cuts a text into pre-tokens.
    draft: a preset, the form and the preview together.
    panel: the draft, what applying it would discard, and Apply.
"""
