"""The subcommands of the command line, one module each; none of them needs Qt.

| module | what it does |
|---|---|
| `train`, `encode`, `decode`, `compare`, `convert`, `count` | one command each: `add_arguments` and `run` |
| `options` | the options that several commands share, from the engine's table of options |
| `reading` | text files into a corpus, with a progress bar |
| `counts` | files of counted pre-tokens, read and written |
| `saving` | a tokenizer or a document to the place that was given |
| `output` | results to standard output, messages and progress to standard error |

`bpe_studio.cli` imports the module of the command that was given, and turns errors into sentences and exit statuses.
"""
