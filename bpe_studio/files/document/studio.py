"""The studio document: a corpus, its runs and branches, and the state of the window, in one file `NAME.bpestudio`.

The file is a zip. Its parts, in this order:

    mimetype                  "application/x-bpe-studio", not packed, so that the file is known by its first bytes
    document.json             all that is not a long row of numbers; UTF-8 JSON, 32 MB at most
    corpus/words              the distinct words (pre-tokens) in first-seen order, their bytes end to end
    corpus/lengths            how many bytes each has: little-endian uint32
    corpus/counts             how often each occurs in the text: little-endian int64
    held_out/...              the same of the held-out text, if there is one
    branches/N/words ...      the same of a side run that cuts the text differently, and branches/N/held_out/...
    branches/N/merges         the merges of branch N, column after column, each with n_merges entries: left and right
                              (int32, internal token ids), count, n_tokens, tied (int64), forced (uint8, 0 or 1)

    corpus/text/...           the text of the corpus, where a person wanted it inside; see `embedded_text.py`

`document.json` has these members:

    format, version           "bpe-studio", 1, or 2 where there are side runs; another version is refused
    written_by                the version of the program
    holds_text                whether the text of the corpus is in the file, and not only its counted words
    corpus                    name, config (the options that it was cut with), n_words, size_bytes, n_characters,
                              n_whitespace_words (or null), n_documents, is_counted, encoding (asked for, or null),
                              notices, sources: name, encoding, size_bytes and, of a file, path, and beside: the path
                              from the document's folder where the file is in it; checksum, the CRC-32 of the text as
                              it was read, or null
    held_out                  share and the same measures of the held-out text; missing where there is none
    branches                  number, name, parent, override, config (the options in which it differs from the corpus'),
                              n_merges, step, target, is_ended (nothing more could be learned), was_run; the first is
                              number 0, without parent and override; each comes after the one that it branched off from.
                              A side run, trained with other settings, has neither parent nor override; where these
                              cut the text differently it has a corpus: config, n_words, and the others up to is_counted
    shown                     the number of the branch that is shown
    bookmarks                 step, name
    breakpoints               question (contains, length, tie, count_below, word), text, number, is_on
    typed_text, compared_steps
    view                      what the window keeps; free, up to 1 MB and 20 levels

Nothing in it is run or trusted: no pickles, sizes are limited before anything is unpacked, and who opens it learns the
merges again from the words, so that gap ranks, from which all else follows, are never taken from a file. Those that are
stored are compared with what was learned.

As a tokenizer, a document is the branch that is shown, after the merges that apply at its step, as they are stored.
A tokenizer alone makes no document, as it has no corpus.
"""

from __future__ import annotations

import os

import numpy as np

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.run import Run
from bpe_studio.engine.training.corpus_array import lay_out
from bpe_studio.errors import BpeError, SaveError, TokenizerFormatError
from bpe_studio.files.document.reading import read_now
from bpe_studio.files.document.records import MIMETYPE, MIMETYPE_PART, StudioDocument

_NAME_AT = 30
"""Where the first part's name is in a zip file; its content follows."""


def recognizes(path: str | os.PathLike[str]) -> bool:
    """Whether the file is a studio document, damaged or not, by its first bytes."""
    expected = MIMETYPE_PART.encode("ascii") + MIMETYPE
    try:
        with open(path, "rb") as stream:
            head = stream.read(_NAME_AT + len(expected))
    except (OSError, ValueError):
        return False
    return head.startswith(b"PK\x03\x04") and head[_NAME_AT:] == expected


def load(path: str | os.PathLike[str]) -> Tokenizer:
    """The tokenizer of the branch that the document shows, at its step.

    Raises:
        TokenizerFormatError: the document is damaged, or its merges do not fit its words.
    """
    document = read_now(path)
    try:
        return tokenizer_of(document)
    except TokenizerFormatError as error:
        raise TokenizerFormatError(f"{os.fspath(path)} cannot be read as a tokenizer: {error}") from None


def tokenizer_of(document: StudioDocument) -> Tokenizer:
    """The tokenizer of the branch that is shown, at its step, by the merges as they are stored.

    Raises:
        TokenizerFormatError: the merges do not fit the words, or the settings do not.
    """
    branch = document.shown_branch
    try:
        corpus = document.corpus if branch.corpus is None else branch.corpus
        run = Run(corpus, branch.config, lay_out(corpus, branch.config))
    except BpeError as error:
        raise TokenizerFormatError(str(error)) from None
    columns = {name: values[: branch.step] for name, values in branch.columns.items()}
    born = run.n_alphabet + np.arange(branch.step)
    if (columns["left"] >= born).any() or (columns["right"] >= born).any():
        raise TokenizerFormatError(f"a merge of {branch.name[:80]!r} joins a token that is not made yet")
    run.extend(**columns)
    return run.tokenizer(branch.step)


def save(tokenizer: Tokenizer, path: str | os.PathLike[str]) -> None:
    """Refuses: a tokenizer has no corpus.

    Raises:
        SaveError: always.
    """
    raise SaveError(
        f"{os.fspath(path)} was not saved: a studio document holds the words of a corpus, which a tokenizer alone does "
        "not have; train with --format studio, save a document in the window, or choose another format"
    )
