"""A folder as `AutoTokenizer` of Transformers opens it: all of its files, as one `tokenizer.json`.

    files         the files of a folder
    folder        what the files say together: settings, roles, added tokens, template
    names         which class of Transformers opens a folder
    classes       the classes, and what each sets
    added_tokens  added tokens, numbered as the library `tokenizers` numbers them
    marian        Marian's folders, which Transformers runs without the library `tokenizers`
    notice        what to say of a folder that cannot be followed
    pieces        a SentencePiece model as Transformers reads it

Transformers itself is not needed. Tests compare random folders with it.
"""
