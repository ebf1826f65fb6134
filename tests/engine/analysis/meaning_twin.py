"""The obvious twin of `engine/meanings.py`: what each token means, told from its symbols alone."""

from __future__ import annotations

import bpe_studio as bpe

Meaning = tuple[bool, bytes, bool]


def meanings_of(run: bpe.Run, other: bpe.Run, step: int) -> list[Meaning]:
    """For each token, as far as both runs tell: whether it begins a word, its bytes, whether it
    ends one.
    """
    mark = _mark(run)
    tells = [one and two for one, two in zip(_tells(run), _tells(other), strict=True)]
    found = []
    for token in run.ids_at(step):
        symbols = _symbols(run, token)
        content = run.token_content(token)
        begins = (
            run.config.continuing is not None
            and bool(run.alphabet.starts_word[symbols[0]])
            and bool(content)
        )
        if mark and content.startswith(mark):
            begins = True
            content = content.removeprefix(mark)
        ends = run.config.word_end is not None and bool(run.alphabet.ends_word[symbols[-1]])
        found.append((begins and tells[0], content, ends and tells[1]))
    return found


def _symbols(run: bpe.Run, token: int) -> list[int]:
    if token < run.n_alphabet:
        return [token]
    rank = run.rank_of(token)
    return _symbols(run, int(run.columns.left[rank])) + _symbols(run, int(run.columns.right[rank]))


def _mark(run: bpe.Run) -> bytes:
    if run.config.split == "sentencepiece":
        return "▁".encode()
    return b" " if any(" " in word for word in run.corpus.pre_tokens()) else b""


def _tells(run: bpe.Run) -> tuple[bool, bool]:
    return bool(_mark(run)) or run.config.continuing is not None, run.config.word_end is not None
