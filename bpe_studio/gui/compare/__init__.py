"""Compare: sizes of the open run, other runs of its text and tokenizers, in one row of pages.

- panel: follows the workspace, keeps the sizes, fills the pages
- chips: the list of all that is compared; add_menu: what adds to it; pair: which two of it are A
  and B
- compared: which runs and tokenizers are compared besides the sizes, and the measures of all from
  the pool
- size_field: sizes that are written
- numbers_page, table, table_model: the page Numbers: choices, table, rows
- curve_page: the page Curve: a measure over all sizes, with the sizes as marks; the chart itself is
  in `plots`
- text_page, text_editor: the page Text: the text, and a column for each subject with its marks
- difference_page: the page Difference: how A and B differ; shortest_text, own_tokens: its parts
- alignment_page: the page Alignment: the text in A above the text in B, joined
- gold_page: the page Gold words: whether tokens end where the parts of words do
- advice_page, held_out: the page Advice: sentences, tables and held-out part

What is measured and said is in `explain.comparison`, without Qt.
"""
