"""Tokenizer formats, one module each: what is written, and the parsers that `files/third_party`
reads with.

    registry         the list of formats; says what each keeps, and saves
    gpt2             vocab.json and merges.txt
    huggingface/     tokenizer.json and the files of its folder
    minbpe           minbpe's .model
    sentencepiece    SentencePiece's .model; `protobuf_wire` reads and writes its bytes
    subword_nmt      a codes file
    tiktoken         base64 tokens and ranks
    ranked_pieces    converts between merges and ranked pieces
    read_back        checks what is written, as the program that it is for reads it
    broad_text       the texts of such checks
    tokenizer_file   what every format needs to read a file

To add a format, write a module with `content(tokenizer)`, what is written; with `read_back(written,
tokenizer)`, a `ReadBack`; and with `KEEPS` and `DROPS`, what of a tokenizer it holds and what not,
as phrases. Add one line to `registry.FORMATS`. The studio document is a format too; its module is
`files/document/studio.py`.
"""
