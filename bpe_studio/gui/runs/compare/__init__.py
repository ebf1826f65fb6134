"""Two runs side by side; what is compared and said is `bpe_studio.explain.runs`.

Only `runs` imports it.

Modules:
    view: all of a comparison.
    choice: which two, and at which step.
    summary: how they differ, at a glance.
    divergence_view: where they diverge and why, with words that show it.
    settings_table: the settings that differ.
    text: one text under both.
    unique_tokens: the tokens that one of them alone has.
"""
