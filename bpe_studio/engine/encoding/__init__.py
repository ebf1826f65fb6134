"""Text to tokens, at one step or at every step. Imports `counting`, `splits`, `text` and `kernels`.

cut                 tokens from gap ranks: the one idea behind every view of a text
segmentation        gap ranks of any text by a run that may still grow; `close_gaps` is the plain algorithm
gap_closing         the same for many pre-tokens, by kernels
text_gaps           a whole text, cut at every step
editable_text       a text that is being edited, cut at any step
bulk_encoding       large texts in one pass, by kernels
tokenizer           a finished tokenizer: text to ids and back
tokenizer_model     what it is made of; file formats read and write this
pre_token_encoder   its cut of one pre-token
bulk_tokenizer      its way with large texts
batching            padding, truncation and array types, as in Transformers
"""
