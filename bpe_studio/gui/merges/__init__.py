"""The panels Merges and Candidates: the learned merges, the next pairs, and overrides.

No other panel imports them.

Modules:
    panel: the merges, with a filter and the button "Follow the step" (Merges).
    candidates_panel: the pairs that could be merged next, and why the first one is (Candidates).
    what_if: the button that forces, skips or forbids a pair, or changes the tie rule.
"""
