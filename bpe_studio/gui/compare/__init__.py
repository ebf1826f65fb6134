"""Compare: sizes of the open run, other runs of its text and tokenizers, in one row of pages.

- panel: follows the workspace, keeps the sizes, fills the pages
- chips: the list of all that is compared; add_menu: its menu; pair: the two that are A and B
- compared: the other runs and tokenizers, and the measures of all from the pool
- size_field: the field in which sizes are typed
- numbers_page, table, table_model: the page Numbers: choices, table, rows
- curve_page: the page Curve: a measure over all sizes, with the sizes as marks; the chart itself is
  in `plots`
- text_page, text_editor: the page Text: the text, and a column for each subject with its marks
- every_tokenizer: the page Tokenizers: the text in every known tokenizer
- difference_page: the page Difference: the differences of A and B; shortest_text, own_tokens: its
  parts
- alignment_page: the page Alignment: the text in A above the text in B, joined
- gold_page: the page Gold words: the agreement of tokens with the parts of words
- advice_page, held_out: the page Advice: sentences, tables and held-out part

The measures and the sentences are in `explain.comparison`, without Qt.
"""
