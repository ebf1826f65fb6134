"""The engine: text and numbers in, merges and tokens out, without Qt, files or a screen.

Begin with `textbook`: byte-pair encoding as in its definition, in one file. The rest does the same,
fast.

    textbook       the definition: count pairs, merge a pair, train, encode, gap ranks; the tests
                   compare the rest with it
    options        the options of a training run, each declared once; `presets` has named sets of
                   them, and `option_types` the types by which editors know both
    tie_rules      which of several equally frequent pairs comes first, each rule declared once
    config         the options of one run, checked
    run            a run: its merges and gap ranks; everything at any step is read from it
    warm_up        compiles the kernels before they are needed
    build_kernels  compiles the kernels ahead of time, for a wheel or a bundle
    file_access    the interface to `bpe_studio.files`, connected by `bpe_studio/__init__.py`
    token_statistics  how evenly tokens are used: entropies and the Gini coefficient
    processors     how many processors there are
    arguments      checks of what callers of the Python API give
    arrays         the types of arrays
    generators     work done in steps: its news passed on, and its result
    progress_bar   a bar on a terminal or in a notebook

    kernels/       the inner loops, plain or compiled
    text/          normalization, pre-tokenization, the alphabet
    splits/        compiles a split's regular expression to an automaton
    counting/      a text to a table of counted pre-tokens: the corpus
    encoding/      text to tokens, with a run or a finished tokenizer; gap ranks
    training/      the corpus to a run of merges; tie rules, overrides, branches, the corpus at any
                   step
    analysis/      what a run means: decisions, trees, differences, sizes, places

A package imports only those above it in this list. The exact order, in which `run` comes between
the modules that it uses and the trainer that makes it, is a contract in pyproject.toml.

Five decisions make a byte-pair encoding. Each is made in one place, in the plain way:

    what a piece is               `text.pretokenization.spans` splits a text;
                                  `text.alphabet.symbol_codes` gives the symbols of a piece, with
                                  the marks at its borders
    what is counted               `training.corpus_array.lay_out`: each distinct piece once,
                                  weighted by its count
    which pair comes next         `training.trainer.Trainer._merge_next`: forced, or the best by
                                  count and tie rule (`kernels.heap.better`), of those whose token
                                  the table of `training.piece_rules` allows
    what happens after a merge    `training.trainer.Trainer._after_merges`: nothing but its record
    how a text is encoded         `encoding.gap_closing.close_word`: the merge of lowest rank first

The kernels do the same as the functions that are named here.
"""
