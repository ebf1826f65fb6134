"""Exports of a run: pages, tables and scripts. They are never read back.

html_text    a text and its tokens as HTML
html_steps   a range of steps as a self-contained step-through page
step_range   the data of a range of steps: merges, and the tokens of a text and of words at each step
run_script   a Python script that repeats a run
csv_tables   a table as CSV
"""
