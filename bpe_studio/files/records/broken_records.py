"""Counts the records that could not be read, and names the first of them: none is left out in
silence.
"""

from __future__ import annotations

MOST_NAMED = 5
_SHOWN = 40
"""Characters of a broken record that are shown."""
MAX_RECORD_BYTES = 64 << 20
"""The longest record that is read; a longer one is reported as broken, so that memory stays
bounded.
"""


class RecordCount:
    """Counts the records that were read, and names broken ones.

    Attributes:
        n_records: the number of records so far, broken ones included.
        n_broken: the number of broken ones.
        n_replaced: the number of half characters, which have no bytes, that became U+FFFD.
        n_invalid: the number of texts with bytes that are not valid UTF-8, which were kept.
        column: the column that was read as the text; "" before it is known.
    """

    def __init__(self) -> None:
        self.n_records = 0
        self.n_broken = 0
        self.n_replaced = 0
        self.n_invalid = 0
        self.column = ""
        self._named: list[tuple[int, str]] = []

    def add(self, n: int = 1) -> None:
        """Count records."""
        self.n_records += n

    def add_broken(self, why: str, content: bytes | str = b"") -> None:
        """Count a broken record.

        Args:
            why: a phrase that continues "record 7 ...", as in "is not JSON".
            content: the record, whose beginning is shown; empty for none.
        """
        self.n_records += 1
        self.name_broken(self.n_records, why, content)

    def name_broken(self, number: int, why: str, content: bytes | str = b"") -> None:
        """Note that a counted record is broken; as `add_broken`, with its number from 1."""
        self.n_broken += 1
        if len(self._named) < MOST_NAMED:
            if content:
                why = f"{why} ({_beginning(content)})"
            self._named.append((number, why))

    def absorb(self, other: RecordCount) -> None:
        """Add the count of the next part of a file."""
        room = MOST_NAMED - len(self._named)
        self._named += [(self.n_records + number, why) for number, why in other._named[:room]]
        self.n_records += other.n_records
        self.n_broken += other.n_broken
        self.n_replaced += other.n_replaced
        self.n_invalid += other.n_invalid

    def notices(self, name: str) -> list[str]:
        """Sentences for the user about what was left out or replaced."""
        found = []
        if self.n_broken:
            named = [f"record {number:,} {why}" for number, why in self._named]
            if more := self.n_broken - len(self._named):
                named.append(f"and {more:,} more")
            found.append(
                f"{self.n_broken:,} of the {self.n_records:,} records of {name} could not be read"
                f" and were skipped: {'; '.join(named)}."
            )
        if self.n_replaced:
            found.append(
                f"{self.n_replaced:,} broken characters in {name} were replaced by U+FFFD."
            )
        if self.n_invalid:
            found.append(
                f"{self.n_invalid:,} records of {name} contain bytes that are not valid UTF-8; kept"
                " as raw bytes."
            )
        return found


def _beginning(content: bytes | str) -> str:
    """The beginning of a record on one line."""
    if isinstance(content, bytes):
        content = content[: 4 * _SHOWN].decode("utf-8", "replace")
    shown = ""
    for char in content[:_SHOWN]:
        shown += char if char.isprintable() else "\ufffd"
    return shown + "…" if len(content) > _SHOWN else shown
