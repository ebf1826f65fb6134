"""The runs of the open text and their branches: the list, and how a new one is trained.

It may import settings (the form of a new run), tables, widgets, look and background. The page Difference of Compare
shows the list, with how two of them differ.

Modules:
    table: the list, with what can be done with a run.
    new_run_button: the button for a comparison run, and suggestions.
    new_run_dialog: its settings.
"""
