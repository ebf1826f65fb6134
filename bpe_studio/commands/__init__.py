"""The subcommands of the command line, one module each; none of them needs Qt.

A module has the name of its command (`warm_up` is `warm-up`), and two functions: `add_arguments`
and `run`. `bpe_studio.cli` lists the commands, imports the module of the given one, and turns
errors into sentences and exit statuses. `prune` shares its arguments and output with `extend`.

Modules that commands share:
    options: the options of several commands, made from the engine's table of options.
    reading: reads text files into a corpus, with a progress bar.
    saving: writes tokenizers, documents and other results to the given path.
    output: results on standard output, messages and progress on standard error.
"""
