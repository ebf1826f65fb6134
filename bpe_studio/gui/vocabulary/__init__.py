"""Vocabulary: every token of the step in one table.

Modules:
    panel: the filters by state, script and length, the table and the numbers above it.
    model: the rows.
"""
