"""The panels Merges and Candidates: what was merged, what could be merged next, and overrides of that.

Other panels do not import it.

Modules:
    panel: the merges, a filter, and the button that follows the step (Merges).
    model: its rows.
    candidates_panel: the pairs that could be merged next, and why the first one is (Candidates).
    candidates_model: its rows.
    override_bar: the buttons that force, skip or forbid a pair, or change the tie rule.
    override_dialog: two tokens typed as a pair, to force or forbid it.
"""
