"""The studio document: a corpus, its runs and branches, and the state of the window, in one file
`NAME.bpestudio`.

The file is a zip. Its parts, in this order:

    mimetype                  "application/x-bpe-studio", uncompressed, so that the first bytes
                              identify the format
    document.json             everything but the long arrays; UTF-8 JSON, 32 MB at most
    corpus/words              the distinct words (pre-tokens) in first-seen order, their bytes end
                              to end
    corpus/lengths            the length of each word in bytes: little-endian uint32
    corpus/counts             how often each occurs in the text: little-endian int64
    held_out/...              the same for the held-out text, if there is any
    branches/N/words ...      the same for a side run that splits the text differently, and
                              branches/N/held_out/...
    branches/N/tokenizer/...  the tokenizer that run N extends or prunes; see `seed_tokenizer.py`
    branches/N/merges         the merges of branch N, column after column, each with n_merges
                              entries: left and right (int32, internal token ids), count, n_tokens,
                              tied (int64), forced (uint8, 0 or 1)

    corpus/text/...           the text of the corpus, if the user asked to store it; see
                              `embedded_text.py`

With superwords, a table of words has another one, such as `corpus/first/...`: the same text as the
first stage cuts it. Its measures are the member `first` of those of the table.

`document.json` has these members:

    format, version           "bpe-studio", 1, or 2 where there are side runs, or 3 where a run
                              extends or prunes a tokenizer; another version is refused
    written_by                the version of the program
    holds_text                whether the text of the corpus is in the file, and not only its
                              counted words
    corpus                    name, config (the options that split it), n_words, size_bytes,
                              n_characters, n_whitespace_words (or null), n_documents, is_counted,
                              encoding and column (as requested, or null), is_plain (whether records
                              were read as the plain text that they are), notices, sources: name,
                              encoding, size_bytes, form (such as "JSON lines in gzip") and column
                              (as they were read)
    held_out                  share, and the same measures of the held-out text; missing if there is
                              none
    branches                  number, name, parent, override, config (the options in which it
                              differs from the corpus'), n_merges, step, target, is_ended (no merge
                              is left to train), was_run; the first is number 0, without parent and
                              override; each comes after the run that it branched off from. A side
                              run, trained with other settings, has neither parent nor override; if
                              these split the text differently, it has a corpus: config, n_words,
                              and so on up to is_counted. If it extends or prunes a tokenizer, it
                              has a tokenizer: all that its parts do not hold
    shown                     the number of the branch that is shown
    bookmarks                 step, name
    breakpoints               question (token, contains, length, tie, count_below, word), text,
                              number, is_on
    typed_text, compared_steps
    view                      the state of the window; any JSON, up to 1 MB

No file is named in it. Nothing in it is executed or trusted: there are no pickles, sizes are
limited before anything is decompressed, and the program that opens it trains the merges again from
the words, so that gap ranks, on which everything else depends, never come from a file. The stored
merges are compared with the result.

As a tokenizer, a document is the branch that is shown, at its step, with its stored merges. A
tokenizer alone cannot be saved as a document, because it has no corpus.
"""

from __future__ import annotations

import os

import numpy as np

from bpe_studio.engine.config import MAX_VOCAB_SIZE
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.run import Run
from bpe_studio.engine.training.seeded_run import SeededRun
from bpe_studio.engine.training.staged_run import new_run
from bpe_studio.errors import BpeError, SaveError, TokenizerFormatError, VocabularyError
from bpe_studio.files.document.reading import read_now
from bpe_studio.files.document.records import StudioDocument

KEEPS = "everything that is open: counted words, settings, runs, marks and typed text"
DROPS = "the text of the corpus"


def load(path: str | os.PathLike[str]) -> Tokenizer:
    """The tokenizer of the branch that the document shows, at its step.

    Raises:
        TokenizerFormatError: the document is damaged, or its merges do not fit its words.
    """
    document = read_now(path)
    try:
        return tokenizer_of(document)
    except TokenizerFormatError as error:
        raise TokenizerFormatError(
            f"{os.fspath(path)} cannot be read as a tokenizer: {error}"
        ) from None


def tokenizer_of(document: StudioDocument) -> Tokenizer:
    """The tokenizer of the branch that is shown, at its step, from the stored merges.

    Raises:
        TokenizerFormatError: the merges do not fit the words or the settings, or the tokens are too
            long.
    """
    branch = document.shown_branch
    try:
        run = _run_of(document)
        if branch.step <= run.n_seed:
            return run.tokenizer(branch.step)
    except BpeError as error:
        raise TokenizerFormatError(str(error)) from None
    columns = {name: values[run.n_seed : branch.step] for name, values in branch.columns.items()}
    born = np.arange(run.token_of(run.n_seed), run.token_of(branch.step))
    if (columns["left"] >= born).any() or (columns["right"] >= born).any():
        raise TokenizerFormatError(
            f"a merge of {branch.name[:80]!r} joins a token that is not made yet"
        )
    run.extend(**columns)
    try:
        return run.tokenizer(branch.step)
    except VocabularyError as error:
        raise TokenizerFormatError(str(error)) from None


def _run_of(document: StudioDocument) -> Run:
    """The run that is shown, with no merges but those of the tokenizer that it begins with."""
    branch = document.shown_branch
    step = MAX_VOCAB_SIZE
    root = branch
    while root.parent is not None and root.override is not None:
        step = min(step, root.override.step)
        root = next(each for each in document.branches if each.number == root.parent)
    model = root.tokenizer
    if model is None:
        corpus = document.corpus if branch.corpus is None else branch.corpus
        return new_run(corpus, branch.config)
    # The words say nothing about the tokens.
    run = SeededRun.of_merges(model)
    return run if step >= run.n_seed else SeededRun.of_merges(run.tokenizer(step).model)


def content(tokenizer: Tokenizer) -> bytes:
    """Raises an error: a tokenizer has no corpus.

    Raises:
        SaveError: always.
    """
    raise SaveError(
        "A studio document contains the words of a corpus, which a tokenizer does not have: train"
        " with --format studio, save a document in the window, or choose another format"
    )
