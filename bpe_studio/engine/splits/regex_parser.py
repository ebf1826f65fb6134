r"""Parses an expression into a tree, if it is plain enough for an automaton.

It supports characters, escapes, sets, groups, alternatives, quantifiers (greedy, lazy, and
possessive ones of a single character), and look-ahead at one character or the end of the text.
Whatever else `regex` supports (look-behind, word boundaries, back-references, longer look-ahead,
recursion, flags except `i`) raises `NotPlainError`. The tree holds the source of each character;
`regex_compiler.py` matches it with `regex` to find the characters that it means.
"""

from __future__ import annotations

from dataclasses import dataclass

import regex

_ESCAPES = r"""\\[pP](?:\{\^?[\w=: ]+\}|[A-Z]) | \\u[0-9a-fA-F]{4} | \\U[0-9a-fA-F]{8} | \\x[0-9a-fA-F]{2}
    | \\[dDwWsShtnrfv] | \\\W"""  # noqa: E501
CHARACTER = regex.compile(rf"{_ESCAPES} | [^\\\[\](){{}}?*+|^$]", regex.VERBOSE)
"""A construct that matches one character and is not a set."""
SET = regex.compile(rf"\[\^?(?:{_ESCAPES} | (?!--|\|\||&&|~~)[^\\\[\]])+\]", regex.VERBOSE)
"""A set that contains no other sets."""
QUANTIFIER = regex.compile(
    r"([*+?]|\{(?P<least>\d+)(?P<comma>,?)(?P<most>\d*)\}|\{,(?P<limit>\d+)\})(?P<kind>[?+]?)"
)
_OPENING = regex.compile(r"\((?:\?(?:(?P<flags>-?i)?:|P?<\w+>|(?P<look>[=!])))?(?!\?|\*)")
_DEEPEST = 40


class NotPlainError(Exception):
    """The expression has a part for which there is no automaton."""


@dataclass(frozen=True)
class Chars:
    """One of the characters that a source in the syntax of `regex` matches."""

    source: str


@dataclass(frozen=True)
class Sequence:
    """Parts, one after another."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Choice:
    """Alternatives; the first that leads to a match is preferred."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Repeat:
    """A part several times.

    Attributes:
        body: the part.
        least: the minimum number of repetitions.
        most: the maximum; `None` for no limit.
        kind: `""` for greedy, `"?"` for lazy, `"+"` for possessive.
    """

    body: Node
    least: int
    most: int | None
    kind: str


@dataclass(frozen=True)
class TextEnd:
    """The end of the text.

    Attributes:
        allows_break: whether a line feed at the end of the text may follow.
    """

    allows_break: bool


@dataclass(frozen=True)
class Look:
    """A condition on the next character, which is not consumed.

    Attributes:
        options: characters one of which must be next; the end of the text may be among them.
        is_negative: whether none of them must be next.
    """

    options: tuple[Chars | TextEnd, ...]
    is_negative: bool


Node = Chars | Sequence | Choice | Repeat | TextEnd | Look


def parse(pattern: str) -> Node:
    r"""The tree of an expression that `regex` compiles.

    Raises:
        NotPlainError: there is no automaton for it.

    >>> parse(r"a|\s+")
    Choice(parts=(Chars(source='a'), Repeat(body=Chars(source='\\s'), least=1, most=None, kind='')))
    """
    ignores_case = pattern.startswith("(?i)")
    place = 4 if ignores_case else 0
    parser = _Parser(pattern, place)
    tree = parser.choice(ignores_case, 0)
    if parser.place < len(pattern):
        raise NotPlainError(pattern)
    return tree


class _Parser:
    def __init__(self, pattern: str, place: int) -> None:
        self.pattern = pattern
        self.place = place

    def choice(self, ignores_case: bool, depth: int) -> Node:
        if depth > _DEEPEST:
            raise NotPlainError(self.pattern)
        parts = [self._sequence(ignores_case, depth)]
        while self._at("|"):
            self.place += 1
            parts.append(self._sequence(ignores_case, depth))
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def _sequence(self, ignores_case: bool, depth: int) -> Node:
        parts = []
        while self.place < len(self.pattern) and not self._at("|") and not self._at(")"):
            atom = self._atom(ignores_case, depth)
            found = QUANTIFIER.match(self.pattern, self.place)
            if found:
                self.place = found.end()
                atom = self._repeat(atom, found)
            parts.append(atom)
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _atom(self, ignores_case: bool, depth: int) -> Node:
        if self._at("("):
            return self._group(ignores_case, depth)
        for text, end in (("$", TextEnd(True)), (r"\Z", TextEnd(False))):
            if self._at(text):
                self.place += len(text)
                return end
        found = SET.match(self.pattern, self.place) or CHARACTER.match(self.pattern, self.place)
        if not found:
            raise NotPlainError(self.pattern)
        self.place = found.end()
        chars = found.group()
        if ignores_case:
            chars = f"(?i:{chars})"
        return Chars(chars)

    def _group(self, ignores_case: bool, depth: int) -> Node:
        opening = _OPENING.match(self.pattern, self.place)
        if not opening:
            raise NotPlainError(self.pattern)
        self.place = opening.end()
        flags = opening["flags"]
        look = opening["look"]
        if flags:
            ignores_case = flags == "i"
        body = self.choice(ignores_case, depth + 1)
        if not self._at(")"):
            raise NotPlainError(self.pattern)
        self.place += 1
        return self._look(body, look == "!") if look else body

    def _look(self, body: Node, is_negative: bool) -> Look:
        options = []
        parts = body.parts if isinstance(body, Choice) else (body,)
        for option in parts:
            if not isinstance(option, Chars | TextEnd):
                raise NotPlainError(self.pattern)
            options.append(option)
        return Look(tuple(options), is_negative)

    def _repeat(self, body: Node, found: regex.Match[str]) -> Repeat:
        kind = found["kind"]
        if isinstance(body, Look | TextEnd) or (kind == "+" and not isinstance(body, Chars)):
            raise NotPlainError(self.pattern)
        least, most = {"+": (1, None), "?": (0, 1)}.get(found[1], (0, None))
        if found["least"]:
            least = int(found["least"])
            if not found["comma"]:
                most = least
            elif found["most"]:
                most = int(found["most"])
        elif found["limit"]:
            most = int(found["limit"])
        return Repeat(body, least, most, kind)

    def _at(self, text: str) -> bool:
        return self.pattern.startswith(text, self.place)
