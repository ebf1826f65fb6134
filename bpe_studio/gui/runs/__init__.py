"""Training of another run of the open text, to compare it with the run that is shown.

Modules:
    new_run_dialog: the dialog for its settings, and a menu of runs with one other setting.
"""
