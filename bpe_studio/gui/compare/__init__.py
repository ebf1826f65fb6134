"""Compare: sizes of the open run, other runs of its text and tokenizers, in one row of pages.

- panel: follows the workspace, keeps the sizes, fills the pages
- chips: the list of all that is compared, and the buttons that add runs and tokenizers
- compared: which runs and tokenizers are compared besides the sizes, and the measures of all from the pool
- size_field: which sizes; continue_training: those that the run does not have yet
- numbers_page, table, table_model: the page Numbers: choices, table, rows
- curve_page: the page Curve; the curve itself is in `plots`
- text_page: the page Text, a column for each subject
- words_page, words_model: the page Words
- difference_page: the page Difference: the list of runs, and how two of all that is compared differ; difference_facts,
  divergence_view, own_tokens: its parts
- advice_page, advice_models, held_out: the page Advice: sentences, tables, held-out part and largest vocabulary

What is measured and said is in `explain.comparison`, without Qt.
"""
