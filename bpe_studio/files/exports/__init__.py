"""What File > Export makes of a run: pages, tables and scripts. Nothing here is read back.

html_text    a text cut into tokens as HTML
html_steps   a range of steps as a page to step through; no network, no other file
step_range   what a range of steps holds: merges, and a text and words at each step
run_script   a Python script that repeats a run
csv_tables   a table as CSV
"""
