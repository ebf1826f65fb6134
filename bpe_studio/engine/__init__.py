"""The engine: text and numbers in, merges and tokens out. It knows no Qt, no files and no screen.

Begin with `textbook`: byte-pair encoding as its definition reads, in one file. The rest is the same, fast.

    textbook       the definition: count pairs, merge a pair, train, encode, gap ranks; the tests hold the rest to it
    config         the options of a training, checked; `presets` has the named sets of them and their help
    run            what was learned: the merges and the gap ranks; everything at any step is asked of it
    warm_up        has the kernels compiled before anybody waits for them
    file_access    what the engine asks of `bpe_studio.files`; connected by `bpe_studio/__init__.py`
    arrays         the types of arrays

    kernels/       the inner loops, plain or compiled
    text/          normalization, pre-tokenization, the alphabet
    splits/        a split's regular expression as an automaton
    counting/      text to a table of counted pre-tokens: the corpus
    encoding/      text to tokens by a run or a finished tokenizer; gap ranks
    training/      the table to a run of merges; tie rules, overrides, branches, the corpus at any step
    analysis/      what a run means: decisions, trees, differences, sizes, places

A package imports only those above it in this list. The exact order, in which `run` lies between what a run is made of
and what makes one, is a contract in pyproject.toml.
"""
