"""The engine: text and numbers in, merges and tokens out, without Qt, files or a screen.

Begin with `textbook`: byte-pair encoding as in its definition, in one file. The rest does the same, fast.

    textbook       the definition: count pairs, merge a pair, train, encode, gap ranks; the tests compare the rest
                   with it
    options        the options of a training run, each declared once; `presets` has named sets of them
    config         the options of one run, checked
    run            a run: its merges and gap ranks; everything at any step is read from it
    warm_up        compiles the kernels before they are needed
    file_access    the interface to `bpe_studio.files`, connected by `bpe_studio/__init__.py`
    token_statistics  how evenly tokens are used: entropies and the Gini coefficient
    processors     how many processors there are
    arrays         the types of arrays
    generators     work done in steps: its news passed on, and its result

    kernels/       the inner loops, plain or compiled
    text/          normalization, pre-tokenization, the alphabet
    splits/        compiles a split's regular expression to an automaton
    counting/      a text to a table of counted pre-tokens: the corpus
    encoding/      text to tokens, with a run or a finished tokenizer; gap ranks
    training/      the corpus to a run of merges; tie rules, overrides, branches, the corpus at any step
    analysis/      what a run means: decisions, trees, differences, sizes, places

A package imports only those above it in this list. The exact order, in which `run` comes between the modules that it
uses and the trainer that makes it, is a contract in pyproject.toml.
"""
