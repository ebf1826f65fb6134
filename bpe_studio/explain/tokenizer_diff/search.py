"""The shortest text for which something holds, such as that two tokenizers differ."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product

_NEWS_EVERY = 64
_MOST_OF_A_LENGTH = 25_000
_LONGEST = 8
_LONGEST_OF_LONG = 3
"""Of each length, at most `_MOST_OF_A_LENGTH` shorter texts are tried.

If the text is longer than `_LONGEST`, only those shorter than `_LONGEST_OF_LONG`.
"""
_PLAIN = "aA1 .é漢\n"
"""Characters that are easy to read; they replace the characters of a text of one or two if they
can.
"""
_SHORT = 64


@dataclass
class Search:
    """Looks for the shortest text, as long as there is time.

    Attributes:
        holds: tells whether a text will do.
        seconds: the time for trying texts.
        n_tried: the number of texts that were tried.
        tried: their kinds.
        is_late: whether the time was too short.
    """

    holds: Callable[[str], bool]
    seconds: float
    n_tried: int = 0
    tried: list[str] = field(default_factory=list)
    is_late: bool = False
    _begin: float = field(default_factory=time.monotonic)

    def finding(
        self, sources: Iterable[tuple[str, Iterable[str]]], best: str | None = None
    ) -> Generator[int, None, str | None]:
        """Try texts, and shorten the shortest one that is found until no character can be left out.

        Args:
            sources: each kind of texts, and the texts.
            best: a text that was found before.

        Yields:
            The number of texts that were tried.

        Returns:
            The text; `None` if none was found.
        """
        for what, texts in sources:
            for n, text in enumerate(texts):
                if (best is None or len(text) < len(best)) and self._tries(text):
                    best = self._shortened(text)
                if n % _NEWS_EVERY == 0:
                    yield self.n_tried
                    self._look_at_clock()
                if self.is_late or best == "":
                    return best
            self.tried.append(what)
        return best

    def proving(
        self, text: str, characters: Sequence[str]
    ) -> Generator[int, None, tuple[str, int]]:
        """Try all texts that are shorter than a text.

        Args:
            text: a text that was found.
            characters: the characters of these texts, the likeliest first; the longer the texts,
                the fewer characters are tried.

        Yields:
            The number of texts that were tried.

        Returns:
            The text, or a shorter one; and a number of characters: all shorter texts of these were
            tried. It is 0 if there was no time for that.
        """
        n = len(characters)
        is_long = len(text) > _LONGEST
        n_lengths = _LONGEST_OF_LONG if is_long else len(text)
        for length in range(n_lengths):
            n = min(n, int(_MOST_OF_A_LENGTH ** (1 / max(1, length)) + 1e-9))
            for chars in product(characters[:n], repeat=length):
                if self._tries("".join(chars)):
                    return "".join(chars), n
                if self.n_tried % _NEWS_EVERY == 0:
                    yield self.n_tried
                if self.is_late:
                    return text, 0
        n_plain = len(text) if len(text) <= 2 else 0
        plain = map("".join, product(_PLAIN, repeat=n_plain))
        n_proved = 0 if is_long else n
        return next(filter(self._tries, plain), text), n_proved

    def _tries(self, text: str) -> bool:
        self.n_tried += 1
        self._look_at_clock()
        return not self.is_late and self.holds(text)

    def _look_at_clock(self) -> None:
        self.is_late = self.is_late or time.monotonic() - self._begin > self.seconds

    def _shortened(self, text: str) -> str:
        """A part of a text that differs only as a whole: each of its characters is needed."""
        while len(text) > _SHORT:
            half = len(text) // 2
            quarter = len(text) // 4
            parts = (text[:half], text[half:], text[quarter : half + quarter])
            part = next(filter(self._tries, parts), None)
            if part is None:
                break
            text = part
        size = max(1, len(text) // 2)
        while True:
            at = 0
            is_shorter = False
            while at < len(text):
                shorter = text[:at] + text[at + size :]
                if self._tries(shorter):
                    text = shorter
                    is_shorter = True
                else:
                    at += size
            if size == 1 and not is_shorter:
                return text
            size = max(1, size // 2)
