"""Vocabulary: every token of the step in one table.

It may import tables, tokens, widgets, look and background; other panels do not import it.

Modules:
    panel: the filters by state, script and length, the table and the numbers above it.
    model: the rows.
"""
