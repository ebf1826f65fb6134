"""The panels Merges and Candidates: what was merged, what could be merged next, and overrides.

No other panel imports it.

Modules:
    panel: the merges, with a filter and the button "Follow the step" (Merges).
    model: the model of its table.
    candidates_panel: the pairs that could be merged next, and why the first one is (Candidates).
    candidates_model: the model of its table.
    what_if: the button that forces, skips or forbids a pair, or changes the tie rule.
    override_dialog: a dialog to force or forbid a pair that is typed.
"""
