"""The meanings of tokens, written so that runs with different alphabets can be compared.

A token has a *spelling*: its own bytes, one character for each (Latin-1), with `BEGINS` before it
where a continuing prefix would be if it did not begin a word, and `ENDS` after it if it contains
the word-end mark. Spellings can be concatenated: a merge's spelling is that of its left token
followed by that of its right one.

Its *meaning* does not depend on how a run writes words: whether it begins a word, its bytes, and
whether it ends a word. A word begins at a token without the continuing prefix (`##`), with `▁` in
the sentencepiece split, or with a space if the split keeps white space in words; it ends at a mark
such as `</w>`. If one of two runs does not show where words begin or end, that is ignored in both,
so that " the", "▁the" and "the" of a split that drops white space mean the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from bpe_studio.engine.presets import WORD_START
from bpe_studio.engine.text.alphabet import CONTINUING, END_SYMBOL, ENDING

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

BEGINS = "\u0100"
ENDS = "\u0101"
"""Characters beyond all bytes."""
_START = WORD_START.encode().decode("latin-1")


@dataclass(frozen=True)
class Writing:
    """The way in which a run's tokens show where words begin and end.

    Attributes:
        space: the spelling of what precedes a word as a part of it; "" for nothing.
        tells_begins: whether a token shows that it begins a word.
        tells_ends: whether a token shows that it ends one.
    """

    space: str
    tells_begins: bool
    tells_ends: bool

    @classmethod
    def of(cls, run: Run) -> Writing:
        """The writing of a run's tokens."""
        config = run.config
        if config.word_start:
            space = _START
        elif bool((run.corpus.blob == 32).any()):
            space = " "
        else:
            space = ""
        return cls(space, bool(space) or config.continuing is not None, config.word_end is not None)


def are_written_alike(a: Run, b: Run) -> bool:
    """Whether equal names mean the same in both runs."""
    one = a.config
    other = b.config
    names = ("units", "continuing", "word_end", "word_end_as")
    if any(getattr(one, name) != getattr(other, name) for name in names):
        return False
    return a.corpus is b.corpus or Writing.of(a) == Writing.of(b)


def spellings(run: Run, step: int) -> list[str]:
    """The spelling of each token at a step, by id."""
    has_prefix = run.config.continuing is not None
    found = []
    for code, content in zip(run.alphabet.codes.tolist(), run.alphabet.contents, strict=True):
        is_end = code == END_SYMBOL
        before = BEGINS if has_prefix and not code & CONTINUING and not is_end else ""
        after = ENDS if is_end or code & ENDING else ""
        found.append(before + content.decode("latin-1") + after)
    for left, right in zip(
        run.columns.left[:step].tolist(), run.columns.right[:step].tolist(), strict=True
    ):
        found.append(found[left] + found[right])
    return found


def meaning(spelling: str, writing: Writing, tells_begins: bool, tells_ends: bool) -> str:
    """The meaning of a token.

    Args:
        spelling: its spelling.
        writing: the way in which its run writes words.
        tells_begins: whether both runs show where words begin.
        tells_ends: whether both show where they end.
    """
    begins = spelling[:1] == BEGINS
    ends = spelling[-1:] == ENDS
    content = spelling.removeprefix(BEGINS).removesuffix(ENDS)
    if writing.space and content.startswith(writing.space):
        begins = True
        content = content[len(writing.space) :]
    before = BEGINS if begins and tells_begins else ""
    after = ENDS if ends and tells_ends else ""
    return before + content + after


def token_meanings(a: Run, b: Run, step_a: int, step_b: int) -> tuple[list[str], list[str]]:
    """The meaning of each token of two runs, each up to a step, by id."""
    writings = Writing.of(a), Writing.of(b)
    begins = all(each.tells_begins for each in writings)
    ends = all(each.tells_ends for each in writings)
    meaning_a = partial(meaning, writing=writings[0], tells_begins=begins, tells_ends=ends)
    meaning_b = partial(meaning, writing=writings[1], tells_begins=begins, tells_ends=ends)
    return list(map(meaning_a, spellings(a, step_a))), list(map(meaning_b, spellings(b, step_b)))
