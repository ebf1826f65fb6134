"""Reads text files into a corpus, with a progress bar, and reports what the reader had to guess."""

from __future__ import annotations

from collections.abc import Sequence

from bpe_studio.commands.output import ProgressBar, say
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus, CorpusBuilder
from bpe_studio.files.text.sources import Source, open_source, read_text


def read_corpus(paths: Sequence[str], config: TrainingConfig, encoding: str | None) -> tuple[Corpus, list[Source]]:
    """The corpus of several files, each of one document or more, and the files.

    Raises:
        SourceError: a file cannot be read as text; the message names it.
        PatternError: the split's regular expression is not valid or takes too long.
    """
    builder = CorpusBuilder(config)
    # Open all files before reading the first: a mistyped name at the end is an error at once.
    sources = [open_source(path, encoding) for path in paths]
    for source in sources:
        with ProgressBar(f"Reading {source.name}") as bar:
            for content in source.contents():
                for _ in builder.feed(content):
                    bar.update(source.position_bytes, source.size_bytes)
            for _ in builder.finish_document():
                bar.update(source.position_bytes, source.size_bytes)
        for notice in source.notices:
            say(notice)
    return builder.finish(), sources


def read_texts(paths: Sequence[str], encoding: str | None) -> list[str]:
    """The texts of several files.

    Raises:
        SourceError: a file cannot be read as text; the message names it.
    """
    texts = []
    for path in paths:
        source = read_text(path, encoding)
        for notice in source.notices:
            say(notice)
        texts.append(source.text)
    return texts
