"""How another run of the open text is trained, to be compared with the one that is shown.

Modules:
    new_run_dialog: its settings.
    suggested_runs: runs with one other setting, in a menu.
"""
