"""Why two tokenizers give different ids: the parts that differ, a short text that shows it, and the
part to blame.

The text is found by trying many: the given ones, and texts made to reach every part of a tokenizer.
The first one with different ids is shortened by deleting characters. Then all shorter texts of the
likeliest characters are tried, to find out whether one of them has different ids, too.

Modules:
    pair: two tokenizers side by side, and whether their ids of a text are the same.
    own_parts: the tokens, merges, ids, added tokens and settings that only one has.
    made_texts: texts that reach every part of a tokenizer.
    search: the shortest text for which something holds.
    blame: the part, or the merge, to blame for different ids.
    sentences: the difference in words.
    difference: all of this, as a job.
    through: a tokenizer as a library by name opens it.
    golden: texts with their ids in a file, and whether a tokenizer still gives these ids.
"""
