"""The one table of the program: how it looks, sorts, filters and is exported. Knows no panel and draws no token.

Modules:
    model: rows of cells, and the same rows for other programs.
    sorted_model: 250,000 rows sorted and filtered by one array, in slices.
    name_index: their names, made, searched and ranked in slices.
    view: the table, its heading, and how a cell is painted.
    filtered_table: a table with a filter and a count.
    selection: a row as what is selected in the window.
    export: what each table offers to save and to copy.
"""
