"""The panels Merges and Candidates: what was merged, what could be merged next, and overrides.

No other panel imports it.

Modules:
    panel: the merges, with a filter and the button "Follow the step" (Merges).
    candidates_panel: the pairs that could be merged next, and why the first one is (Candidates).
    what_if: the button that forces, skips or forbids a pair, selected or typed, or changes the tie
        rule.
"""
