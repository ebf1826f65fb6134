"""Exports of a run: pages, tables and scripts. They are never read back.

colours       the colours of tokens, which the window shows, too
html_text     a text and its tokens as HTML
counts_page   the tokens of some lines under several tokenizers, as a page
living_page   a run as a page in which readers type, move through the steps and train
living_page_settings  the data that the engine of that page takes from Python
run_script    a Python script that repeats a run
csv_tables    a table as CSV
"""
