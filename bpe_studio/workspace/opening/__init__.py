"""Opening anything, and saving it.

There is one way to open: `Opener.open` starts a job with the `Loader`; the job
(`documents.open_request`) finds out what the request names and returns an `Opened`; the opener
replaces what was open with its project, as one undo step.

Modules, from the top down:
    settings: applies settings to the open text, and holds out a share of it.
    saver: saves the tokenizer, or everything as a document.
    trainer_checker: checks somebody's own trainer on the open text or on files.
    changes: extends and prunes a tokenizer on the open text or on files.
    opener: opens files, texts, samples and the previous session.
    kept_session: the jobs that keep what is open for the case of a kill, and open it again.
    documents: the jobs that open any request and save a document.
    tokenizers: the job that opens a tokenizer as a run without words.
"""
