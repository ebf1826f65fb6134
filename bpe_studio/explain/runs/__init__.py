"""How two runs differ.

Modules:
    comparison: two runs, each at a step: merges, tokens, costs, settings and the tokens of a text.
    divergence: where and why they diverge, in sentences.
    suggestions: runs to compare the open one with.
"""
