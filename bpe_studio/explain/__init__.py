"""Answers about a run, in a person's words: why a pair is merged, where two runs differ, what a size saves.

Between the engine, which computes, and the window, which shows: nothing here knows Qt or the workspace, so that the
command line and tests ask the same questions without a window. The window may change how `wording` writes numbers.

Modules:
    names: how tokens, pairs and overrides are written.
    wording: numbers, plurals, times and sizes as text.
"""
