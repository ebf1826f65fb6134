r"""Checks somebody's split of a text: the first wrong piece, and the mistake behind it.

A mistake is a change of a cutting, most often of its expression, and may have several forms. It
explains the given pieces if the changed cutting makes all of them. If no mistake does, two together
are tried; if that fails, the mistake that explains most is a guess.

>>> from bpe_studio.engine.config import TrainingConfig
>>> from bpe_studio.engine.generators import result_of
>>> config = TrainingConfig.preset("cl100k")
>>> found = result_of(checking_split(["x", "1234"], "x1234", config))
>>> found.first_wrong, [mistake.name for mistake in found.mistakes][:1]
(1, ['digits-not-grouped'])
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain, islice, permutations, starmap
from time import thread_time
from typing import Any

import regex

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.presets import (
    NAMED_SPLITS,
    PATTERNS,
    THREES_FROM_THE_RIGHT,
    WORD_START,
)
from bpe_studio.engine.text.normalization import normalize
from bpe_studio.engine.text.pretokenization import MATCH_TIMEOUT_S, compile_split, takes_too_long
from bpe_studio.engine.text.special_text import specials_pattern
from bpe_studio.errors import PatternError
from bpe_studio.explain.check.function import SECONDS, Task, is_function, pieces_by
from bpe_studio.explain.names import display_text, elided, isolated
from bpe_studio.explain.wording import number, plural
from bpe_studio.files.merge_lists import read_pieces

SEARCH_SECONDS = 3
"""The processor time that is spent on looking for the mistake."""
LEAST_FOR_TWO = 3
"""Two mistakes together, or a guess, could explain fewer pieces by chance."""
_MOST_SHOWN = 60


Finds = Callable[[str, str], Iterable[str]]
"""Gives the pieces of a text by an expression."""
After = Callable[[Iterable[str]], Iterable[str]]


def _found(pattern: str, text: str) -> Iterator[str]:
    compiled = regex.compile(pattern)
    try:
        for match in compiled.finditer(text, timeout=MATCH_TIMEOUT_S):
            yield match.group()
    except TimeoutError:
        raise takes_too_long(pattern) from None


def _found_overlapped(pattern: str, text: str) -> Iterator[str]:
    matches = regex.finditer(pattern, text, overlapped=True, timeout=MATCH_TIMEOUT_S)
    return (match.group() for match in matches)


def _found_by_re(pattern: str, text: str) -> Iterator[str]:
    return (match.group() for match in re.finditer(pattern, text))


def _groups(pattern: str, text: str) -> Iterator[str]:
    """The result of `findall` if the first group of an expression catches its text."""
    caught = regex.compile(pattern.replace("(?:", "("))
    if not caught.groups:
        return iter(())
    return (match.group(1) or "" for match in caught.finditer(text, timeout=MATCH_TIMEOUT_S))


def _between(pattern: str, text: str) -> list[str]:
    return [piece or "" for piece in regex.split(pattern, text, timeout=MATCH_TIMEOUT_S)]


@dataclass(frozen=True)
class Cutting:
    """A way to cut a text into pieces; iterating over it gives the pieces.

    Attributes:
        pattern: the expression of the pieces.
        texts: the texts that are cut one by one.
        finds: finds the pieces in a text.
        after: changes the pieces.
    """

    pattern: str
    texts: tuple[str, ...]
    finds: Finds = _found
    after: After = iter

    def __iter__(self) -> Iterator[str]:
        found = (self.finds(self.pattern, text) for text in self.texts)
        return iter(self.after(chain.from_iterable(found)))


Change = Callable[[Cutting], Iterable[Cutting]]


@dataclass(frozen=True)
class SplitMistake:
    """A known mistake of a split.

    Attributes:
        name: a short name without spaces; the names of two mistakes are joined by a plus sign.
        sentence: a sentence about the mistake.
        change: makes the mistake, in each of its forms.
    """

    name: str
    sentence: str
    change: Change

    def __add__(self, other: SplitMistake) -> SplitMistake:
        def both(cutting: Cutting) -> Iterator[Cutting]:
            for first in self.change(cutting):
                yield from other.change(first)

        return SplitMistake(f"{self.name}+{other.name}", f"{self.sentence} {other.sentence}", both)


def _patterns(*changes: Callable[[str], str | None]) -> Change:
    """Changes of the expression."""

    def changed(cutting: Cutting) -> Iterator[Cutting]:
        for change in changes:
            pattern = change(cutting.pattern)
            if pattern and pattern != cutting.pattern:
                yield replace(cutting, pattern=pattern)

    return changed


def _exchanged(pairs: dict[str, str]) -> Callable[[str], str]:
    """A change of parts of an expression."""

    def change(pattern: str) -> str:
        for old, new in pairs.items():
            pattern = pattern.replace(old, new)
        return pattern

    return change


def _finds(finds: Finds) -> Change:
    return lambda cutting: [replace(cutting, finds=finds)]


def _texts(*changes: Callable[[str], Iterable[str]]) -> Change:
    """Changes of the text before it is cut."""

    def changed(cutting: Cutting) -> Iterator[Cutting]:
        for change in changes:
            texts: list[str] = []
            for text in cutting.texts:
                texts += change(text)
            yield replace(cutting, texts=tuple(texts))

    return changed


def _after(*changes: After) -> Change:
    """Changes of the pieces."""

    def changed(cutting: Cutting) -> Iterator[Cutting]:
        for change in changes:
            yield replace(cutting, after=_one_after_the_other(cutting.after, change))

    return changed


def _one_after_the_other(first: After, then: After) -> After:
    return lambda pieces: then(first(pieces))


_GROUP_OF_DIGITS = r"(?: \?)?\\p\{N\}(?:\{1,3\}|\+)?"
_NUMBERS = re.compile(
    rf"(?:^|(?<=\|))(?:{re.escape(THREES_FROM_THE_RIGHT)}|{_GROUP_OF_DIGITS})(?=\||$)"
)
_SINGLE = r"\p{N}"
_WHOLE = r"\p{N}+"


def _numbers(*alternatives: str) -> Change:
    """Other alternatives for digits."""

    def change_to(alternative: str) -> Callable[[str], str | None]:
        return lambda pattern: _NUMBERS.sub(lambda _: alternative, pattern)

    return _patterns(*map(change_to, alternatives))


def _class(name: str, inner: str) -> Callable[[str], str]:
    r"""A change of a class of characters, inside brackets and outside.

    >>> _class(r"\p{N}", "0-9")(r"\p{N}+|[^\s\p{N}]")
    '[0-9]+|[^\\s0-9]'
    """

    def change(pattern: str) -> str:
        parts = re.split(r"(\[(?:\\.|[^\]])*\])", pattern)
        for place, part in enumerate(parts):
            new = inner if place % 2 else f"[{inner}]"
            parts[place] = part.replace(name, new)
        return "".join(parts)

    return change


def _both(*changes: Callable[[str], str]) -> Callable[[str], str]:
    def change(pattern: str) -> str:
        for each in changes:
            pattern = each(pattern)
        return pattern

    return change


def _without(alternative: str) -> Callable[[str], str | None]:
    """A change that leaves out the alternatives in which an expression is found."""

    def change(pattern: str) -> str | None:
        kept = [part for part in _alternatives(pattern) if not re.search(alternative, part)]
        return "|".join(kept)

    return change


def _alternatives(pattern: str) -> list[str]:
    r"""The alternatives of an expression that are in no group.

    >>> _alternatives(r"'(?:s|t)|[^|]+|\|")
    ["'(?:s|t)", '[^|]+', '\\|']
    """
    parts = [""]
    depth = 0
    for token in re.findall(r"\\.|\[(?:\\.|[^\]])*\]|.", pattern, re.DOTALL):
        depth += {"(": 1, ")": -1}.get(token, 0)
        if token == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += token
    return parts


_CONTRACTION = r"^(?:'|\(\?i:')"
_LEADS = (r"[^\r\n\p{L}\p{N}]?", " ?")


def _each_contraction_less(cutting: Cutting) -> Iterator[Cutting]:
    """Expressions without one of the contractions."""
    for one in ("'s|", "'t|", "'re|", "'ve|", "'m|", "'ll|", "|'d", "|ve", "|re", "ll|"):
        if one in cutting.pattern:
            yield replace(cutting, pattern=cutting.pattern.replace(one, "|" * (one[0] == "?"), 1))
    for one in "sdmt":
        if "[sdmt]" in cutting.pattern:
            rest = "sdmt".replace(one, "")
            yield replace(cutting, pattern=cutting.pattern.replace("[sdmt]", f"[{rest}]"))


def _by_re(cutting: Cutting) -> Iterator[Cutting]:
    r"""The expression as people write it for `re`, which has no `\p`."""
    if cutting.finds is not _found or cutting.pattern not in PATTERNS.values():
        return
    for letters in (r"[^\W\d_]", r"\w"):
        for other in (r"[^\s\w]", r"(?:[^\s\w]|_)"):
            lead = other.replace(r"\s", r"\r\n")
            pattern = cutting.pattern.replace(r"[^\s\p{L}\p{N}]+", f"{other}+")
            pattern = pattern.replace(r"[^\r\n\p{L}\p{N}]?", f"{lead}?")
            pattern = pattern.replace(r"\p{L}", letters).replace(r"\p{N}", r"\d")
            if r"\p" not in pattern:
                yield replace(cutting, pattern=pattern, finds=_found_by_re)


def _split(pattern: str) -> Change:
    return lambda cutting: [replace(cutting, pattern=pattern)]


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _one_by_one(of: str) -> Callable[[Iterable[str]], Iterator[str]]:
    """Cuts each piece at the matches of an expression, which become pieces."""
    cut = regex.compile(f"({of})")

    def change(pieces: Iterable[str]) -> Iterator[str]:
        for piece in pieces:
            yield from filter(None, cut.split(piece))

    return change


def _stripped(pieces: Iterable[str]) -> Iterator[str]:
    return map(str.strip, pieces)


def _not_empty(pieces: Iterable[str]) -> Iterator[str]:
    return filter(str.strip, pieces)


def _letters_but_han(lead: str) -> Callable[[str], str | None]:
    def change(pattern: str) -> str | None:
        rest = _both(_exchanged({r"\p{L}+": r"(?:(?!\p{Han})\p{L})+"}))(pattern)
        return None if rest == pattern else f"{lead}|{rest}"

    return change


_UPPER_AND_LOWER = re.compile(
    r"\[\\p\{Lu\}\\p\{Lt\}\\p\{Lm\}\\p\{Lo\}\\p\{M\}\][*+]"
    r"\[\\p\{Ll\}\\p\{Lm\}\\p\{Lo\}\\p\{M\}\][*+]"
)
_GROUPS_OF_DIGITS = (
    ("digits-single", "It makes each digit a piece.", _numbers(_SINGLE, rf" ?{_SINGLE}")),
    (
        "digits-from-the-left",
        "It groups digits in threes from the left.",
        _numbers(r"\p{N}{1,3}", r" ?\p{N}{1,3}"),
    ),
    (
        "digits-from-the-right",
        "It groups digits in threes from the right, as in 1,234,567.",
        _numbers(THREES_FROM_THE_RIGHT, f" ?{THREES_FROM_THE_RIGHT}"),
    ),
    (
        "digits-not-grouped",
        "It does not group digits: a number is one piece, however long it is.",
        _numbers(_WHOLE, rf" ?{_WHOLE}"),
    ),
    (
        "digits-in-other-groups",
        "It groups digits, but not in threes.",
        _numbers(r"\p{N}{1,2}", r"\p{N}{1,4}", r" ?\p{N}{1,2}", r"\p{N}{3}|\p{N}"),
    ),
)

SPLIT_MISTAKES: tuple[SplitMistake, ...] = tuple(
    starmap(
        SplitMistake,
        (
            (
                "re-for-regex",
                r"It uses `re` instead of `regex`, and `\w` or `[^\W\d_]` for `\p{L}`, which are"
                " other characters.",
                _by_re,
            ),
            *_GROUPS_OF_DIGITS,
            (
                "contractions-not-split",
                "It has no rule for contractions such as “'s” and “'ll”.",
                _patterns(
                    _without(_CONTRACTION),
                    lambda pattern: re.sub(r"\(\?i:'s[^)]*\)\??", "", pattern),
                ),
            ),
            (
                "contractions-in-words",
                "It keeps an apostrophe inside a word, such as “don't”.",
                _patterns(
                    lambda pattern: _exchanged({r"\p{L}+": r"\p{L}+(?:'\p{L}+)*"})(
                        _without(_CONTRACTION)(pattern) or ""
                    ),
                    _class(r"\p{L}", r"\p{L}'"),
                    lambda pattern: _class(r"\p{L}", r"\p{L}'")(
                        _without(_CONTRACTION)(pattern) or ""
                    ),
                ),
            ),
            (
                "contractions-by-case",
                "It treats contractions in capitals, such as “'S”, otherwise than it should.",
                _patterns(
                    _exchanged({"(?i:'s": "(?:'s"}),
                    _exchanged({"'(?:[sdmt]|ll|ve|re)": "(?i:'(?:[sdmt]|ll|ve|re))"}),
                ),
            ),
            (
                "contractions-incomplete",
                "It forgets one of the contractions.",
                _each_contraction_less,
            ),
            (
                "contractions-of-any-letters",
                "It takes any letters after an apostrophe for a contraction.",
                _patterns(
                    lambda pattern: rf"'\p{{L}}+|{_without(_CONTRACTION)(pattern)}",
                    lambda pattern: rf"'\p{{L}}|{_without(_CONTRACTION)(pattern)}",
                ),
            ),
            (
                "contractions-typographic",
                "It also splits contractions with a typographic apostrophe (’).",
                _patterns(
                    _exchanged({"'(?:[sdmt]": "['’](?:[sdmt]"}),
                    lambda pattern: re.sub(
                        r"\(\?i:'s[^)]*\)", "(?i:['’](?:[sdmt]|re|ve|ll))", pattern
                    ),
                ),
            ),
            (
                "space-not-joined",
                "It makes the space before a word a piece of its own.",
                _patterns(
                    _exchanged(dict.fromkeys(_LEADS, "")),
                    _exchanged({_LEADS[0]: ""}),
                    _exchanged({" ?": ""}),
                    _exchanged({" ?": "", r"\s+(?!\S)|": ""}),
                ),
            ),
            (
                "space-after-word",
                "It joins a space to the word before it, instead of the word after it.",
                _patterns(
                    lambda pattern: re.sub(r" \?((?:\[[^\]]*\]|\\p\{\w\})\+)", r"\1 ?", pattern),
                    lambda pattern: re.sub(
                        r" \?((?:\[[^\]]*\]|\\p\{\w\})\+)",
                        r"\1 ?",
                        pattern.replace(r"\s+(?!\S)|", ""),
                    ),
                    lambda pattern: r"\S+\s*|\s+",
                    lambda pattern: r"\S+ ?|\s+",
                ),
            ),
            (
                "last-space-not-left",
                "It takes a run of white space whole, and leaves no space for the word after it.",
                _patterns(_exchanged({r"\s+(?!\S)|": ""})),
            ),
            (
                "any-white-space-joined",
                "It joins a line break or a tab to the word after it as if it were a space.",
                _patterns(_exchanged({" ?": r"\s?"}), _exchanged({" ?": r"\s*"})),
            ),
            (
                "white-space-one-by-one",
                "It makes each white-space character a piece.",
                _patterns(
                    _exchanged({r"|\s+(?!\S)|\s+": r"|\s"}), _exchanged({r"|\s+(?!": r"|\s(?!"})
                ),
            ),
            (
                "white-space-lost",
                "It loses white space that is no part of a word.",
                lambda cutting: (
                    *_after(_not_empty)(cutting),
                    *_patterns(_without(r"^\\s"))(cutting),
                    *_patterns(_exchanged({r"|\s+(?!\S)|\s+": r"|\s+(?!\S)"}))(cutting),
                ),
            ),
            (
                "white-space-kept",
                "It makes pieces of the white space, which should be left out.",
                _patterns(
                    lambda pattern: rf"{pattern}|\s+",
                    lambda pattern: rf"{pattern}|\s",
                    lambda pattern: f"{pattern}| ",
                ),
            ),
            (
                "pieces-stripped",
                "It strips the space from each piece.",
                lambda cutting: (
                    *_after(_stripped)(cutting),
                    *_after(lambda pieces: filter(None, _stripped(pieces)))(cutting),
                ),
            ),
            (
                "text-stripped",
                "It strips white space from both ends of the text.",
                _texts(
                    lambda text: [text.strip()],
                    lambda text: [text.rstrip()],
                    lambda text: [text.lstrip()],
                ),
            ),
            (
                "line-breaks-translated",
                "It reads the line break \\r\\n as \\n.",
                _texts(lambda text: [text.replace("\r\n", "\n").replace("\r", "\n")]),
            ),
            (
                "line-breaks-lost",
                "It drops line breaks, or reads them as spaces.",
                _texts(
                    str.splitlines,
                    lambda text: ["".join(text.splitlines())],
                    lambda text: [" ".join(text.splitlines())],
                    lambda text: [text.replace("\n", " ")],
                    lambda text: [text.replace("\n", "")],
                ),
            ),
            ("lines-apart", "It splits each line by itself.", _texts(_lines)),
            (
                "marks-joined",
                "It takes combining marks for letters.",
                _patterns(
                    _class(r"\p{L}", r"\p{L}\p{M}"), _exchanged({r"\p{L}+": r"[\p{L}\p{M}]+"})
                ),
            ),
            (
                "marks-not-joined",
                "It does not take combining marks for letters, and cuts words at them.",
                _patterns(_exchanged({r"\p{M}": ""})),
            ),
            (
                "letters-ascii",
                "It takes only a to z for letters, and cuts words at all others, such as “é”.",
                _patterns(
                    _class(r"\p{L}", "a-zA-Z"),
                    _exchanged({r"\p{L}+": "[a-zA-Z]+"}),
                    _class(r"\p{L}", "a-zA-ZÀ-ÿ"),
                    _both(_class(r"\p{L}", "a-zA-Z"), _class(r"\p{N}", "0-9")),
                    _both(_class(r"\p{L}", "a-zA-Z"), _class(r"\p{N}", r"\d")),
                    lambda pattern: "[a-zA-Z]+",
                ),
            ),
            (
                "digits-ascii",
                r"It takes only decimal digits for numbers, not “½” or “Ⅷ”.",
                _patterns(
                    _class(r"\p{N}", "0-9"), _class(r"\p{N}", r"\d"), _class(r"\p{N}", r"\p{Nd}")
                ),
            ),
            (
                "letters-and-digits-together",
                "It does not cut between letters and digits.",
                _patterns(
                    _exchanged({r"\p{L}+": r"[\p{L}\p{N}]+"}),
                    _exchanged({r"\p{L}+": r"\w+"}),
                    lambda pattern: _exchanged({r"\p{L}+": r"\w+", r"\p{L}\p{N}": r"\w"})(
                        _NUMBERS.sub(lambda _: r"\p{N}", pattern)
                    ),
                ),
            ),
            (
                "underscore-as-letter",
                "It takes the underscore for a letter.",
                _patterns(_class(r"\p{L}", r"\p{L}_")),
            ),
            (
                "punctuation-one-by-one",
                "It makes each punctuation mark a piece.",
                _patterns(
                    _exchanged({r"[^\s\p{L}\p{N}]+": r"[^\s\p{L}\p{N}]", r"[^\w\s]+": r"[^\w\s]"})
                ),
            ),
            (
                "han-one-by-one",
                "It makes each Chinese character a piece.",
                lambda cutting: (
                    *_after(_one_by_one(r"\p{Han}"))(cutting),
                    *_patterns(_letters_but_han(r"\p{Han}"), _letters_but_han(r" ?\p{Han}"))(
                        cutting
                    ),
                ),
            ),
            (
                "han-runs-apart",
                "It cuts between Chinese characters and other letters.",
                lambda cutting: (
                    *_after(_one_by_one(r"\p{Han}+"))(cutting),
                    *_patterns(_letters_but_han(r"\p{Han}+"), _letters_but_han(r" ?\p{Han}+"))(
                        cutting
                    ),
                ),
            ),
            (
                "case-changed",
                "It changes the case of letters.",
                lambda cutting: (
                    *_texts(
                        lambda text: [text.lower()],
                        lambda text: [text.casefold()],
                        lambda text: [text.upper()],
                    )(cutting),
                    *_after(lambda pieces: map(str.lower, pieces))(cutting),
                ),
            ),
            (
                "case-not-cut",
                "It does not cut before a capital inside a word, as in “camelCase”.",
                _patterns(lambda pattern: _UPPER_AND_LOWER.sub(r"[\\p{L}\\p{M}]+", pattern)),
            ),
            (
                "case-cut",
                "It cuts before a capital inside a word, as in “camelCase”.",
                _patterns(
                    _exchanged({r"\p{L}+": r"(?:\p{Lu}*[^\P{L}\p{Lu}]+|\p{Lu}+)"}),
                    _exchanged({r"\p{L}+": r"\p{L}[^\P{L}\p{Lu}]*"}),
                ),
            ),
            (
                "normalized",
                "It normalizes the text (Unicode NFC, NFD, NFKC or NFKD).",
                _texts(
                    *(
                        lambda text, form=form: [normalize(text, (form,))]
                        for form in ("nfc", "nfd", "nfkc", "nfkd")
                    )
                ),
            ),
            (
                "digits-lost",
                "It has no rule for digits, so that they are lost.",
                _numbers(r"(?!)"),
            ),
            (
                "punctuation-lost",
                "It has no rule for punctuation, so that punctuation is lost.",
                lambda cutting: (
                    *_patterns(_without(r"^(?: \?)?\[\^"))(cutting),
                    *_patterns(_without(r"^(?: \?)?\[\^\\s\\p\{L\}"))(cutting),
                    *_patterns(lambda pattern: r"\w+", lambda pattern: r"\p{L}+")(cutting),
                    replace(cutting, pattern=r"\w+", finds=_found_by_re),
                ),
            ),
            (
                "last-piece-lost",
                "It loses the last piece.",
                lambda cutting: [
                    *_after(lambda pieces: list(pieces)[:-1])(cutting),
                    *_texts(lambda text: [text[:-1]])(cutting),
                ],
            ),
            (
                "first-piece-lost",
                "It loses the first piece.",
                _after(lambda pieces: list(pieces)[1:]),
            ),
            (
                "repeats-lost",
                "It gives each distinct piece once.",
                _after(dict.fromkeys, lambda pieces: sorted(set(pieces))),
            ),
            (
                "overlaps",
                "Its pieces overlap.",
                _finds(_found_overlapped),
            ),
            (
                "groups-returned",
                "Its expression has a group that catches text, so that `findall` returns the group"
                " instead of the piece; begin the group with `(?:`.",
                _finds(_groups),
            ),
            (
                "split-for-findall",
                "It calls `split`, which returns what is between the pieces, instead of `findall`.",
                _finds(_between),
            ),
            *(
                (f"split-{name}", f"It splits the text as {name} does.", _split(PATTERNS[name]))
                for name in NAMED_SPLITS
                if name in PATTERNS and not name.startswith(("digits-", "sentencepiece", "llama3"))
            ),
            (
                "split-at-spaces",
                "It splits the text at spaces only.",
                lambda cutting: (
                    *_split("[^ ]+")(cutting),
                    *_split(" ?[^ ]+|(?s:.)")(cutting),
                    replace(cutting, finds=lambda pattern, text: text.split(" ")),
                    replace(cutting, finds=lambda pattern, text: re.split(r"(\s+)", text)),
                ),
            ),
            (
                "borders-missing",
                "It does not split the text, or splits it only into lines.",
                lambda cutting: (
                    *_split("(?s:.+)")(cutting),
                    replace(cutting, finds=lambda pattern, text: _lines(text)),
                    replace(cutting, finds=lambda pattern, text: text.splitlines()),
                ),
            ),
            ("symbols", "It makes each character a piece.", _split("(?s:.)")),
        ),
    )
)


CASE = next(mistake for mistake in SPLIT_MISTAKES if mistake.name == "case-changed")
OVERLAPS = next(mistake for mistake in SPLIT_MISTAKES if mistake.name == "overlaps")
TEXT_LOST = SplitMistake("text-lost", "Its pieces do not have the whole text.", lambda cutting: ())
TEXT_CHANGED = SplitMistake(
    "text-changed", "Its pieces have characters that the text does not have.", lambda cutting: ()
)


@dataclass(frozen=True)
class SplitCheck:
    """The answer about somebody's pieces.

    Attributes:
        n_given: the number of given pieces.
        n_expected: the number of pieces that the settings make.
        first_wrong: the 0-based number of the first wrong piece; `None` if all are right.
        start: the place where it should begin, in code points of the text.
        given: the piece that was given; `None` if there is none.
        expected: the right piece; `None` if the text has ended there.
        mistakes: every known mistake that explains all pieces.
        guess: the mistake that explains most of them, if none explains all; `None` for none.
        sentences: all of this, in words.
    """

    n_given: int
    n_expected: int
    first_wrong: int | None
    start: int | None = None
    given: str | None = None
    expected: str | None = None
    mistakes: tuple[SplitMistake, ...] = ()
    guess: SplitMistake | None = None
    sentences: tuple[str, ...] = field(default=(), repr=False)
    n_encoded = 0
    wrong_encoding = None
    wrong_decoding = None
    """A split has no encoder."""

    @property
    def correct(self) -> bool:
        """Whether all pieces are right."""
        return self.first_wrong is None

    @property
    def n_right(self) -> int:
        """The number of right pieces before the first wrong one."""
        return self.n_given if self.first_wrong is None else self.first_wrong

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    def as_json(self) -> dict[str, Any]:
        """The answer as JSON values."""
        known = next(filter(None, [*self.mistakes, self.guess]), None)
        return {
            "right": self.correct,
            "piece": self.first_wrong,
            "start": self.start,
            "given": self.given,
            "expected": self.expected,
            "mistake": known and known.name,
            "mistakes": [mistake.name for mistake in self.mistakes],
            "sentences": list(self.sentences),
        }


def checking_split(
    given: Sequence[str] | str | os.PathLike[str],
    text: str,
    config: TrainingConfig,
    *,
    seconds: float = SECONDS,
) -> Generator[float, None, SplitCheck]:
    """Finds the first wrong piece of a text, and the mistake behind it, as a job; yields the share
    that is done.

    Args:
        given: the pieces; a file of them; or "FILE.py:NAME", a function that cuts a text.
        text: the text.
        config: the settings that the pieces should follow.
        seconds: the time limit of a function.

    Raises:
        TokenizerFormatError: a file has no pieces.
        TrainingError: the function fails, takes too long or returns something else.
    """
    if is_function(given):
        task = Task(config.vocab_size or 0, 0, list(config.all_special), config.min_frequency)
        pieces = yield from pieces_by(str(given), text, task, seconds=seconds)
    elif isinstance(given, str | os.PathLike):
        pieces = read_pieces(given)
    else:
        pieces = list(given)
    pieces = [piece.removeprefix(WORD_START) for piece in pieces if piece not in config.all_special]
    right = max(_right_ones(text, config), key=lambda cutting: _n_same(cutting, pieces))
    expected = list(right)
    n_same = _n_same(expected, pieces)
    if n_same == len(pieces) == len(expected):
        all_right = f"All {plural(len(pieces), 'piece')} are right."
        return SplitCheck(len(pieces), len(expected), None, sentences=(all_right,))
    found = SplitCheck(
        len(pieces),
        len(expected),
        n_same,
        _start(text, expected, n_same),
        next(iter(pieces[n_same:]), None),
        next(iter(expected[n_same:]), None),
    )
    search = _Search(right, pieces, n_same, min(seconds, SEARCH_SECONDS))
    yield from search.run()
    found = replace(found, mistakes=tuple(search.found), guess=search.guess)
    return replace(found, sentences=tuple(_sentences(found, text, search)))


def _right_ones(text: str, config: TrainingConfig) -> list[Cutting]:
    """The ways in which the settings may cut a text.

    If a trainer reads a text line by line, or between special tokens, somebody may also cut it as a
    whole.
    """
    split = config.cutting
    pattern = "(?s:.+)" if split == "none" else compile_split(split).pattern
    right = [Cutting(pattern, (text,))]
    if config.documents == "separator" and config.all_special:
        parts = specials_pattern(config.all_special).split(text)
        right.append(Cutting(pattern, tuple(parts)))
    if config.documents == "line":
        right.append(Cutting(pattern, tuple(re.findall(r"[^\n]*\n|[^\n]+", text))))
    if config.normalize:
        for cutting in tuple(right):
            normalized = [normalize(each, config.normalize) for each in cutting.texts]
            right.append(replace(cutting, texts=tuple(normalized)))
    return right


def _n_same(cutting: Iterable[str], pieces: Sequence[str]) -> int:
    """The number of pieces before the first one that differs."""
    n_same = 0
    for piece in cutting:
        if n_same == len(pieces) or piece != pieces[n_same]:
            break
        n_same += 1
    return n_same


def _start(text: str, expected: Sequence[str], n_same: int) -> int:
    """The place where a piece begins in a text; after the last piece, the place where that ends."""
    end = 0
    for piece in expected[:n_same]:
        place = text.find(piece, end)
        end = end if place < 0 else place + len(piece)
    if n_same == len(expected):
        return end
    place = text.find(expected[n_same], end)
    return end if place < 0 else place


class _Search:
    """Looks for the mistakes that explain pieces, for a limited time.

    Attributes:
        found: the mistakes that explain all pieces.
        guess: the mistake that explains most of them; `None` for none.
        n_explained: the number of pieces, from the first on, that it explains.
    """

    def __init__(self, right: Cutting, pieces: Sequence[str], n_same: int, seconds: float) -> None:
        self._right = right
        self._pieces = pieces
        self._n_same = n_same
        self._n: dict[str, int] = {}
        self._end_s = thread_time() + seconds
        self.found: list[SplitMistake] = []
        self.guess: SplitMistake | None = None
        self.n_explained = n_same

    def run(self) -> Generator[float, None, None]:
        """Look for one mistake, then for two together; yields the share that is done."""
        yield from self._try(SPLIT_MISTAKES, 0.0)
        if not self.found and len(self._pieces) >= LEAST_FOR_TWO:
            further = {name for name, n_same in self._n.items() if n_same > self._n_same}
            two = [
                one + other for one, other in permutations(SPLIT_MISTAKES, 2) if one.name in further
            ]
            yield from self._try(two, 0.5)
        if self.found:
            self.guess = None
        elif self.n_explained - self._n_same < LEAST_FOR_TWO:
            self.guess = self._about_text() or self.guess

    def _try(self, mistakes: Sequence[SplitMistake], done: float) -> Generator[float, None, None]:
        for place, mistake in enumerate(mistakes):
            yield done + 0.5 * place / len(mistakes)
            if thread_time() > self._end_s or (done and self.found):
                return
            if self._explains(mistake):
                self.found.append(mistake)

    def _explains(self, mistake: SplitMistake) -> bool:
        """Whether a mistake, in one of its forms, makes all pieces."""
        for cutting in mistake.change(self._right):
            n_same = 0
            with suppress(regex.error, re.error, PatternError, TimeoutError):
                n_same = _n_same(cutting, self._pieces)
                beyond = islice(cutting, n_same, n_same + 1)
                if n_same == len(self._pieces) and not list(beyond):
                    return True
            self._n[mistake.name] = max(n_same, self._n.get(mistake.name, 0))
            if n_same > self.n_explained:
                self.guess = mistake
                self.n_explained = n_same
        return False

    def _about_text(self) -> SplitMistake | None:
        """A mistake in the text that all pieces make together; `None` for none."""
        text = "".join(self._right.texts)
        end = 0
        for piece in self._pieces:
            place = text.find(piece, end)
            if place < 0:
                if piece in text:
                    return OVERLAPS
                return CASE if piece.casefold() in text.casefold() else TEXT_CHANGED
            end = place + len(piece)
        is_lost = sum(map(len, self._pieces)) < sum(map(len, self._right))
        return TEXT_LOST if is_lost else None


def _sentences(found: SplitCheck, text: str, search: _Search) -> Iterator[str]:
    start = found.start or 0
    line = text.count("\n", 0, start)
    column = start - (text.rfind("\n", 0, start) + 1)
    where = f"line {number(line + 1)}, column {number(column + 1)}"
    headline = f"Piece {number((found.first_wrong or 0) + 1)} ({where})"
    if found.given is None:
        yield f"{headline} is missing: it is {_shown(found.expected)}."
    elif found.expected is None:
        yield f"{headline} is one too many: {_shown(found.given)}."
    else:
        yield f"{headline} is wrong: {_shown(found.given)} instead of {_shown(found.expected)}."
    if len(found.mistakes) == 1:
        (mistake,) = found.mistakes
        yield f"The mistake ({mistake.name}): {mistake.sentence} This explains all pieces."
    elif found.mistakes:
        yield "Each of these mistakes explains all pieces:"
        yield from (f"- {mistake.name}: {mistake.sentence}" for mistake in found.mistakes)
    else:
        yield "No known mistake explains all pieces."
        if found.guess is not None:
            yield f"It is most like this one ({found.guess.name}): {found.guess.sentence}"


def _shown(piece: str | None) -> str:
    return f"“{isolated(elided(display_text(piece or ''), _MOST_SHOWN))}”"
