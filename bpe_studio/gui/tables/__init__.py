"""The tables of the program, which sort, filter and export their rows. They know no panel.

Modules:
    model: columns and the base class of table models.
    sorted_model: models of up to 250,000 rows, filtered and sorted in slices.
    name_index: the names of their rows, which are made, searched and ranked in slices.
    view: the table view, its header, and the delegate that paints cells.
    filtered_table: a table with a filter field and a count.
    selection: the selected row, chosen by the user or marked by the program.
    export: the actions that save a table as CSV and copy its rows.
"""
