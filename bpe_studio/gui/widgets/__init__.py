"""Widgets that know no tokenizer, and how they are named and laid out. Imports `look` only.

Modules:
    controls: `named`, `enable`, a field for whole numbers, what an action does.
    containers: `row`, `column` and their spacing; areas that scroll; a place that keeps its size.
    labels: headings, notes, elided lines, texts to read, labels that screen readers read out.
    wrapping_row: controls side by side that wrap where there is no room.
    fact_list: rows of a label and a sentence.
    file_dialogs: which file to open, and where to save.
    window_settings: what a person has chosen, kept in QSettings.
"""
