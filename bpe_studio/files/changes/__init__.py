"""Extends and prunes tokenizers: ours by our engine, third-party ones in their own files.

`extend` and `prune` are the same for both kinds. `changeable(tokenizer)` chooses the kind, by which
a corpus is counted and the result is written.

    kinds           the two kinds of tokenizers, and ours
    changeable      the interface by which a change uses them
    in_file         third-party tokenizers, changed in their own files so that their libraries run
                    the result
    words_of_ids    the ids that a library gives for texts, as the words of a run
    id_map          the ids before and after a change
    extend          further merges, also in the ids of unused tokens
    prune           fewer tokens
"""
