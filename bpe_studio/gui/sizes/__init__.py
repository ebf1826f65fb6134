"""Compare: vocabulary sizes of one run side by side, in one row of pages; two of them are those of the package `runs`.

- panel: follows the workspace, keeps the rows, fills the pages; tabs: what is in them, made when first needed
- size_field: which sizes; continue_training: those that the run does not have yet
- numbers, numbers_table, numbers_model: the tab Numbers: choices, table, rows
- curve_tab: the tab Curve; the curve itself is in `plots`
- text_columns, text_column: the tab Text
- words_tab, words_model: the tab Words
- advice_tab, advice_models, held_out: the tab Advice: sentences, tables, held-out part and largest vocabulary
- counts: what is counted in the pool

What is measured and said is in `explain.sizes`, without Qt.
"""
