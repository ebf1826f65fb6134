r"""A person's own expression as a tree, where it is plain enough that an automaton can stand for it.

Read are characters, escapes, sets, groups, alternatives, quantifiers (greedy, lazy, and possessive ones of a single
character), and look-ahead at one character or the text's end. Whatever else `regex` understands (look-behind, word
boundaries, back-references, longer look-ahead, recursion, flags but `i`) is refused. What a character is, only `regex`
knows: the tree holds its source, which `regex_compiler.py` asks about.
"""

from __future__ import annotations

from dataclasses import dataclass

import regex

_ESCAPES = r"""\\[pP](?:\{\^?[\w=: ]+\}|[A-Z]) | \\u[0-9a-fA-F]{4} | \\U[0-9a-fA-F]{8} | \\x[0-9a-fA-F]{2}
    | \\[dDwWsShtnrfv] | \\[^\w\s]"""
CHARACTER = regex.compile(rf"{_ESCAPES} | [^\\\[\](){{}}?*+|^$]", regex.VERBOSE)
"""What takes one character and is no set."""
SET = regex.compile(rf"\[\^?(?:{_ESCAPES} | (?!--|\|\||&&|~~)[^\\\[\]])+\]", regex.VERBOSE)
"""A set of the plain kind, without sets in it."""
QUANTIFIER = regex.compile(r"([*+?]|\{(?P<least>\d+)(?P<comma>,?)(?P<most>\d*)\}|\{,(?P<limit>\d+)\})(?P<kind>[?+]?)")
_OPENING = regex.compile(r"\((?:\?(?:(?P<flags>-?i)?:|P?<\w+>|(?P<look>[=!])))?(?!\?|\*)")
_DEEPEST = 40


class NotPlainError(Exception):
    """The expression has a part that no automaton stands for."""


@dataclass(frozen=True)
class Chars:
    """One character of those that a source in `regex` spelling matches."""

    source: str


@dataclass(frozen=True)
class Sequence:
    """Parts, one after another."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Choice:
    """Parts, of which the first is preferred that leads to a match."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Repeat:
    """A part several times.

    Attributes:
        body: the part.
        least: how often at least.
        most: how often at most; `None` for no bound.
        kind: `""` for as often as can be, `"?"` for as seldom, `"+"` for as often as can be and never fewer.
    """

    body: Node
    least: int
    most: int | None
    kind: str


@dataclass(frozen=True)
class TextEnd:
    """The end of the text.

    Attributes:
        allows_break: whether it may also be before a line feed that ends the text.
    """

    allows_break: bool


@dataclass(frozen=True)
class Look:
    """What the next character has to be; nothing is taken.

    Attributes:
        options: characters of which it has to be one, and perhaps the text's end.
        is_negative: whether it must be none of them instead.
    """

    options: tuple[Chars | TextEnd, ...]
    is_negative: bool


Node = Chars | Sequence | Choice | Repeat | TextEnd | Look


def parse(pattern: str) -> Node:
    r"""The tree of an expression that `regex` compiles.

    Raises:
        NotPlainError: no automaton stands for it.

    >>> parse(r"a|\s+")
    Choice(parts=(Chars(source='a'), Repeat(body=Chars(source='\\s'), least=1, most=None, kind='')))
    """
    ignores_case = pattern.startswith("(?i)")
    parser = _Parser(pattern, 4 if ignores_case else 0)
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
        return Chars(f"(?i:{found.group()})" if ignores_case else found.group())

    def _group(self, ignores_case: bool, depth: int) -> Node:
        opening = _OPENING.match(self.pattern, self.place)
        if not opening:
            raise NotPlainError(self.pattern)
        self.place = opening.end()
        flags, look = opening["flags"], opening["look"]
        body = self.choice(flags == "i" if flags else ignores_case, depth + 1)
        if not self._at(")"):
            raise NotPlainError(self.pattern)
        self.place += 1
        return self._look(body, look == "!") if look else body

    def _look(self, body: Node, is_negative: bool) -> Look:
        options = []
        for option in body.parts if isinstance(body, Choice) else (body,):
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
            most = (int(found["most"]) if found["most"] else None) if found["comma"] else least
        elif found["limit"]:
            most = int(found["limit"])
        return Repeat(body, least, most, kind)

    def _at(self, text: str) -> bool:
        return self.pattern.startswith(text, self.place)
