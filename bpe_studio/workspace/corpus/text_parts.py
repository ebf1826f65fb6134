"""The texts of a corpus in parts, each of which has the tokens by itself that it has in its text.

They end where a library shows that a text can be cut (`files/third_party/borders`), else only with the text.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

from bpe_studio.engine.counting.plain_counting import specials_pattern
from bpe_studio.files.third_party.borders import last_border, next_border

USUAL_CHARACTERS = 1 << 13
"""As much as a library may encode in one go: it may keep the interpreter's lock, and the window waits."""


class TextParts:
    """Texts are fed in pieces, and come out in parts.

    Attributes:
        n_whole: the number of larger texts that were not cut.
        n_doubtful: the number of cuts at places of which it is not known that they change nothing.

    Args:
        spaces: the white space before which a text can be cut where a letter precedes it.
        most: a part has no more characters than this.
        is_by_line: whether each line is a text.
        separators: what separates texts, besides.
    """

    def __init__(self, spaces: str, most: int, *, is_by_line: bool = False, separators: Sequence[str] = ()) -> None:
        self._spaces, self._most, self._is_by_line = spaces, most, is_by_line
        self._separator = specials_pattern(separators) if separators else None
        self._longest = max(map(len, separators), default=1)
        self._undecided = ""
        self._held: list[str] = []
        self._n_held = 0
        self._is_cut = False
        self.n_whole = self.n_doubtful = 0

    def feed(self, content: str) -> Iterator[str]:
        """The parts that end in the next piece."""
        if self._is_by_line:
            *lines, content = content.split("\n")
            for line in lines:
                yield from self._add(f"{line}\n")
                yield from self._end_text()
        if self._separator is not None:
            self._undecided = yield from self._separated(self._undecided + content, is_end=False)
        else:
            yield from self._add(content)

    def end_document(self) -> Iterator[str]:
        """The rest."""
        if self._separator is not None:
            yield from self._separated(self._undecided, is_end=True)
            self._undecided = ""
        yield from self._end_text()

    def _separated(self, content: str, *, is_end: bool) -> Generator[str, None, str]:
        """Texts that separators end; what is returned may begin with one."""
        assert self._separator is not None
        place, decided = 0, len(content) if is_end else max(0, len(content) - self._longest + 1)
        while (match := self._separator.search(content, place)) and match.start() < decided:
            yield from self._add(content[place : match.start()])
            yield from self._end_text()
            place = match.end()
        decided = max(place, decided)
        yield from self._add(content[place:decided])
        return content[decided:]

    def _add(self, content: str) -> Iterator[str]:
        begin = 0
        while self._spaces and self._n_held + len(content) - begin >= 2 * USUAL_CHARACTERS:
            end = self._border(content, begin, max(1, USUAL_CHARACTERS - self._n_held))
            if not end:
                break
            self._is_cut = True
            yield self._taken(content[begin:end])
            begin = end
        while self._n_held + len(content) - begin > self._most:
            end = begin + self._most - self._n_held
            self.n_doubtful += 1
            self._is_cut = True
            yield self._taken(content[begin:end])
            begin = end
        self._held.append(content[begin:])
        self._n_held += len(content) - begin

    def _border(self, content: str, begin: int, wanted: int) -> int:
        """The end of a part of about the wanted size; 0 if there is no border behind its beginning."""
        place = min(begin + wanted, len(content))
        found = last_border(content, self._spaces, place)
        if found <= begin:
            found = next_border(content, self._spaces, place)
        return found if found < len(content) else 0

    def _taken(self, content: str) -> str:
        part = "".join([*self._held, content])
        self._held, self._n_held = [], 0
        return part

    def _end_text(self) -> Iterator[str]:
        if self._n_held:
            self.n_whole += not self._is_cut and self._n_held >= 2 * USUAL_CHARACTERS
            yield self._taken("")
        self._is_cut = False
