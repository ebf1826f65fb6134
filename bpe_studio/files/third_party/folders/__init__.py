"""A folder with all of its files: its `tokenizer.json`, and what the small files beside it add.

`tokenizer.json` is the truth: nothing replaces its normalizer, split, model, decoder and template.
The files beside it add tokens, roles, sides, lengths, clean-up and chat templates, as the generic
class of Transformers takes them. Where there is no `tokenizer.json` and a class of Transformers
decides, Transformers makes one.

    files         the files of a folder
    reading       makes one tokenizer of them
    added_tokens  added tokens, numbered as the library `tokenizers` numbers them
    transformers  asks Transformers, in a process of its own
"""
