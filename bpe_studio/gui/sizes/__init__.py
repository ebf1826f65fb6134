"""Compare: vocabulary sizes of one run side by side, in one row of pages; two of them are those of the package `runs`.

- panel: follows the workspace, keeps the rows, fills the pages; tabs: what is in them, made when first needed
- compared_list: all that is compared, and the buttons that add runs and tokenizers; others: their results from the pool
- size_field: which sizes; continue_training: those that the run does not have yet
- numbers, numbers_table, numbers_model: the page Numbers: choices, table, rows
- curve_tab: the page Curve; the curve itself is in `plots`
- text_columns, text_column: the page Text
- words_tab, words_model: the page Words
- advice_tab, advice_models, held_out: the page Advice: sentences, tables, held-out part and largest vocabulary
- counts: what is counted in the pool

What is measured and said is in `explain.sizes`, without Qt.
"""
