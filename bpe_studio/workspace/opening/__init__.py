"""Opening anything, and saving it.

There is one way to open: `Opener.open` starts a job with the `Loader`. The job
(`documents.open_request`) recognizes the files of the request and returns an `Opened`, whose
project the opener then shows, as one undo step.

Modules, from the top down:
    settings: applies settings to the open text, and holds out a share of it.
    saver: saves the tokenizer, or everything as a document.
    trainer_checker: checks somebody's own trainer on the open text or on files.
    changes: extends and prunes a tokenizer on the open text or on files.
    opener: opens files, texts, samples and the previous session.
    kept_session: the jobs that keep unsaved work for the next start, and open it again.
    documents: the jobs that open any request and save a document.
    tokenizers: the job that opens a tokenizer as a run without words.
"""
