"""The subcommands of the command line, one module each; none of them needs Qt.

| module | what it does |
|---|---|
| `train`, `count`, `worksheet`, `check` | one command each: `add_arguments` and `run` |
| `extend`, `prune` | the same; `extend` has what both share |
| `encode`, `decode`, `vocab`, `compare`, `diff`, `measure`, `convert`, `doctor`, `inspect`, `enough` | the same |
| `warm_up` | the same, as `warm-up` |
| `options` | the options that several commands share, from the engine's table of options |
| `reading` | reads text files into a corpus, with a progress bar |
| `loading` | loads tokenizers, and says what was guessed about them |
| `saving` | writes a tokenizer or a document to the given path |
| `output` | results on standard output, messages and progress on standard error |

`bpe_studio.cli` imports the module of the given command, and turns errors into sentences and exit
statuses.
"""  # noqa: E501
