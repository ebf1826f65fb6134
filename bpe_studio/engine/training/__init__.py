"""Trains a run of merges from a corpus. The definition is `engine/textbook.py`.

Parts of a run, below `engine/run.py`:
    corpus_array      the corpus as one array of symbol ids
    whole_words       the words from which training drops characters, as tokenizers cut them
    merge_log         the merges: one record each, stored as columns
    overrides         forced, forbidden and skipped pairs and changes of the tie rule, by step
    piece_rules       the tokens that merges may make: the table of piece classes
    token_facts       lengths and piece class of each token
    corpus_at_step    the corpus at any step: tokens and pairs
    source_shares     how often each file has the pair of each merge

Trainers, and what reads a run, above it:
    tie_order         the order of a tie rule among the pairs of any run
    candidates        the pairs that could be merged next at a step, best first
    training_state    the buffers of the merge loop
    special_tokens    refuses special tokens that merges could make
    trainer           trains merges, one at a time or at full speed
    branch            a trainer that continues from any step with one override
    staged_run        a run whose merges join words from some step on
    seeded_run        a run of a corpus that begins with the merges of a tokenizer

The tie rules themselves are in `engine/tie_rules.py`.
"""
