"""Text to tokens, at one step or at every step.

Imports `counting`, `splits`, `text` and `kernels`.

    cut                 tokens from gap ranks: the idea behind every view of a text
    gap_closing         which merge closes each gap of a pre-token: plain, and with kernels
    symbol_places       the places of the symbols of a pre-token in the text
    segmentation        gap ranks of any text, with merges that may still be added to
    text_gaps           the gap ranks of a whole text
    border              a border of a text, by the pre-token that it is in
    boundaries          whether tokens end where the parts of words do
    editable_text       a text that is being edited, and its tokens at any step
    bulk_encoding       large texts, and many at once, in one pass, with kernels
    corpus_tokens       counts the tokens of any tokenizer in a corpus
    tokenizer           a finished tokenizer: text to ids and back
    tokenizer_model     the data of a tokenizer; file formats read and write this
    token_marks         which of its tokens begin or end a word
    pre_token_encoder   encodes one pre-token for a tokenizer
    bulk_tokenizer      encodes large texts, and many at once, for a tokenizer
    text_stream         the text of ids that come one by one
    encoded_texts       the ids of many texts as two arrays
    batching            templates, truncation and padding of model input, as in Transformers
    input_rows          the rows of a batch, and their columns
    batch_encoding      the columns as a dict with attributes
"""
