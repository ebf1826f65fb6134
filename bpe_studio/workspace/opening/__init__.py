"""From a request to what is open, and back to a file.

Opening is one way: `Opener.open` starts a job by the `Loader`; the job (`documents.open_request`) finds out what the
request names and returns an `Opened`; the opener puts its project in place of what was open, as one undo step.

Modules, from the top down:
    settings: applies settings to the open text, and holds out a share of it.
    saver: saves the tokenizer, and all that is open as a document.
    opener: opens files, texts, samples and what was open before.
    documents: the jobs that open any request and that save a document.
    tokenizers: the job that opens a tokenizer as a run over no words.
"""
