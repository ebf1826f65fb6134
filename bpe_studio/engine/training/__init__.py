"""A table of counted pre-tokens to a run of merges. The definition is `engine/textbook.py`.

What a run is made of, below `engine/run.py`:
    corpus_array      the corpus laid end to end as symbol ids
    merge_log         the merges: one record each, kept as columns
    overrides         what a person decides at some steps, and what holds at each step
    token_facts       length and scripts of each token
    corpus_at_step    the corpus at any step: tokens, their counts, pairs
    tie_rules         how each tie rule orders equally frequent pairs
    candidates        the pairs that could be merged next at a step, best first
    training_state    the buffers of the merge loop

What makes one, above it:
    trainer           learns merges, one at a time or as fast as it goes
    branch            a trainer that continues from any step with one override

To add a tie rule: its name in `presets.TIES` and its sentence in `presets.TIE_RULES`; its order in `tie_rules.py`, and
in `kernels/heap.py` where none of the four orders there is it; its row in `tests/engine/rules.py`.
"""
