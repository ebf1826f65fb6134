"""Tokenizer formats, one module each: their writers, and the parsers that `files/third_party` reads
with.

    registry         the list of formats: what each keeps, and its files of a tokenizer
    gpt2             vocab.json and merges.txt
    huggingface/     tokenizer.json and the files of its folder
    minbpe           minbpe's .model
    sentencepiece    SentencePiece's .model
    protobuf_wire    the bytes of such a file, as fields
    subword_nmt      a codes file
    tiktoken         base64 tokens and ranks
    ranked_pieces    converts between merges and ranked pieces
    read_back        checks a written tokenizer with the program that the format belongs to
    broad_text       the texts of such checks
    tokenizer_file   reads the bytes, lines or JSON of a file, for every format

To add a format, write a module with three things: `content(tokenizer)`, which returns the file or
files; `read_back(written, tokenizer)`, which returns a `ReadBack`; and the phrases `KEEPS` and
`DROPS`, which say what the format holds of a tokenizer and what it does not. Add one line to
`registry.FORMATS`. The studio document is a format too; its module is `files/document/studio.py`.
"""
