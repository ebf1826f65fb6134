"""Two runs side by side; the comparison is computed by `bpe_studio.explain.runs`.

Only `runs` imports it.

Modules:
    view: the whole comparison.
    choice: which two runs are compared, and at which step.
    summary: how they differ, at a glance.
    divergence_view: where they diverge and why, with examples.
    settings_table: the settings that differ.
    text: a text as both cut it.
    unique_tokens: the tokens that only one of them has.
"""
