"""How two runs differ.

Modules:
    comparison: two runs at a step each: merges, tokens, costs, settings and a text that both cut.
    divergence: where and why they diverge, in sentences.
    suggestions: runs worth a comparison with the open one.
"""
