"""Why two tokenizers give different ids: what differs, a short text that shows it, and the part to
blame.

A text is found by trying many: those that are given, and texts made to reach every part of a
tokenizer. The first one that differs is shortened by deleting characters; then all shorter texts of
the likeliest characters are tried, so that none of them differs.

Modules:
    pair: two tokenizers side by side; whether their ids of a text are the same.
    own_parts: the tokens, merges, ids, added tokens and settings that only one has.
    made_texts: texts that reach every part of a tokenizer.
    search: a text that differs, as short as can be found.
    blame: the part to blame for a text that differs, and the merge.
    sentences: what differs, in words.
    difference: all of this, in steps.
    through: a tokenizer as a library by name opens it.
    golden: texts with their ids in a file, and whether a tokenizer still gives them.
"""
