"""The findings of an inspection: their names, the unit in which each is counted, its meaning in a
sentence, and its extent in a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from bpe_studio.engine.text.cleaning import (
    DATA,
    LONG_LINE_BYTES,
    REPEATED_CHARACTERS,
    RUN,
    RUN_CHARACTERS,
    URL,
    special_tokens,
    words_of_scripts,
)
from bpe_studio.explain.names import display_text
from bpe_studio.explain.wording import number, plural

BOILERPLATE_LINES = 10
FORMS = {"mixed_yeh": "\u064a\u06cc", "mixed_kaf": "\u0643\u06a9"}
"""The Arabic and the Persian form of a letter."""
MOST_PLACES = 1000
"""The number of places of each finding that are kept; its count is of all places."""


class Meaning(NamedTuple):
    """The meaning of a finding.

    Attributes:
        title: its title in a list.
        one: the noun for one of its places, such as "address".
        sentence: why it matters, as a clause after the count.
    """

    title: str
    one: str
    sentence: str


MEANINGS = {
    "replacement_character": Meaning(
        "Replacement characters",
        "replacement character (U+FFFD)",
        "an earlier program lost the original letters",
    ),
    "invalid_bytes": Meaning(
        "Invalid bytes", "byte that is not valid UTF-8", "damaged, or in another encoding"
    ),
    "byte_order_mark": Meaning(
        "Byte-order marks", "byte-order mark inside the text", "left over from joining files"
    ),
    "control_characters": Meaning(
        "Control characters", "control character", "text rarely needs any"
    ),
    "delete_characters": Meaning(
        "Delete characters", "delete character (U+007F)", "text rarely needs any"
    ),
    "mojibake": Meaning(
        "Mojibake", "line with mojibake", "UTF-8 was once read in the wrong encoding"
    ),
    "not_nfc": Meaning(
        "Lines that are not NFC", "line that is not NFC", "equal-looking words have different bytes"
    ),
    "zero_width": Meaning(
        "Zero-width characters", "zero-width character", "words are split invisibly"
    ),
    "bidi_controls": Meaning(
        "Direction controls", "writing-direction control", "invisible inside words"
    ),
    "soft_hyphen": Meaning("Soft hyphens", "soft hyphen", "words are split invisibly"),
    "no_break_space": Meaning(
        "No-break spaces", "no-break space", "not every split treats this as a space"
    ),
    "carriage_returns": Meaning(
        "Carriage returns", "carriage return", "line ends other than a line feed"
    ),
    "line_separators": Meaning(
        "Line separators",
        "line or paragraph separator (U+2028, U+2029)",
        "line ends other than a line feed",
    ),
    "private_use": Meaning(
        "Private-use characters", "private-use character", "visible only in the author’s fonts"
    ),
    "unassigned": Meaning(
        "Unassigned code points", "unassigned code point", "not defined by Unicode"
    ),
    "presentation_forms": Meaning(
        "Presentation forms",
        "presentation form of a letter",
        "different characters for the same letters",
    ),
    "kashida": Meaning(
        "Kashida", "kashida (U+0640)", "a stretched word counts as a different word"
    ),
    "mixed_yeh": Meaning(
        "Arabic and Persian yeh",
        "yeh in the rarer form of its document",
        "the same word is spelled in two ways",
    ),
    "mixed_kaf": Meaning(
        "Arabic and Persian kaf",
        "kaf in the rarer form of its document",
        "the same word is spelled in two ways",
    ),
    "mixed_scripts": Meaning(
        "Words in mixed scripts",
        "word with letters of two scripts",
        "a letter may be a look-alike from another script",
    ),
    "special_tokens": Meaning(
        "Special tokens",
        "special token in the text",
        "a tokenizer may treat this as the real token",
    ),
    "base64": Meaning("Base64", "piece of Base64", "data, not language"),
    "hashes": Meaning("Hashes", "hexadecimal hash", "data, not language"),
    "urls": Meaning("Addresses", "address (URL)", "their parts become tokens"),
    "character_runs": Meaning(
        "Runs of one character",
        f"run of {RUN_CHARACTERS} or more identical characters",
        "runs become long tokens",
    ),
    "long_lines": Meaning(
        "Long lines",
        f"line of more than {LONG_LINE_BYTES:,} bytes",
        "data, or text that lost its line breaks",
    ),
    "repeated_lines": Meaning(
        "Repeated lines",
        f"repeated line of {REPEATED_CHARACTERS} or more characters",
        "each repeat is counted again",
    ),
    "boilerplate_lines": Meaning(
        "Boilerplate",
        f"line that occurs {BOILERPLATE_LINES} times or more",
        "words of boilerplate become tokens",
    ),
    "repeated_documents": Meaning(
        "Repeated documents", "repeated document", "each repeat is counted again"
    ),
}
"""Every finding, in the order in which they are listed."""

FIXES = {
    "replacement_character": "strip-replacements",
    "invalid_bytes": "invalid-bytes",
    "byte_order_mark": "strip-zero-width",
    "control_characters": "strip-controls",
    "delete_characters": "strip-controls",
    "mojibake": "mojibake",
    "not_nfc": "nfc",
    "zero_width": "strip-zero-width",
    "bidi_controls": "strip-bidi",
    "soft_hyphen": "strip-soft-hyphens",
    "no_break_space": "plain-spaces",
    "carriage_returns": "strip-carriage-returns",
    "line_separators": "plain-separators",
    "private_use": "strip-private-use",
    "unassigned": "unassigned",
    "presentation_forms": "presentation-forms",
    "kashida": "strip-kashida",
    "mixed_scripts": "mixed-scripts",
    "special_tokens": "special-tokens",
    "base64": "base64",
    "hashes": "hashes",
    "urls": "urls",
    "character_runs": "character-runs",
    "long_lines": "long-lines",
    "repeated_lines": "repeated-lines",
    "boilerplate_lines": "repeated-lines",
    "repeated_documents": "repeated-documents",
}
"""The normalization that removes a finding, or the name under which the option `clean` does. For
`mixed_yeh` and `mixed_kaf` it depends on the more frequent form."""
OF_LINES = (
    "mojibake",
    "not_nfc",
    "long_lines",
    "repeated_lines",
    "boilerplate_lines",
    "repeated_documents",
)
"""The findings that are whole lines."""
NOT_PRICED = {
    "invalid_bytes": "the file was read in another encoding, in which these bytes are letters",
    "special_tokens": (
        "some are special tokens of the settings, which separate documents and are not counted"
    ),
}
"""Why a finding has no price if nothing removes it."""

_PLACED = {
    "mixed_yeh": "the first in each document",
    "mixed_kaf": "the first in each document",
    "boilerplate_lines": "one of each such line",
}
"""The places that are noted of a finding with fewer places than its count."""
_PLURALS = {
    "replacement_character": "replacement characters (U+FFFD)",
    "invalid_bytes": "bytes that are not valid UTF-8",
    "byte_order_mark": "byte-order marks inside the text",
    "delete_characters": "delete characters (U+007F)",
    "mojibake": "lines with mojibake",
    "not_nfc": "lines that are not NFC",
    "line_separators": "line or paragraph separators (U+2028, U+2029)",
    "presentation_forms": "presentation forms of letters",
    "kashida": "kashidas (U+0640)",
    "mixed_yeh": "yehs in the rarer form of their document",
    "mixed_kaf": "kafs in the rarer form of their document",
    "mixed_scripts": "words with letters of two scripts",
    "special_tokens": "special tokens in the text",
    "base64": "pieces of Base64",
    "hashes": "hexadecimal hashes",
    "urls": "addresses (URLs)",
    "character_runs": f"runs of {RUN_CHARACTERS} or more identical characters",
    "long_lines": f"lines of more than {LONG_LINE_BYTES:,} bytes",
    "repeated_lines": f"repeated lines of {REPEATED_CHARACTERS} or more characters",
    "boilerplate_lines": f"lines that occur {BOILERPLATE_LINES} times or more",
}


class Place(NamedTuple):
    """The place of something that was found.

    Attributes:
        file: the path, as it was given.
        line: from 1, in the record if there is one, else in the file.
        column: from 1, in code points.
        record: the number of the record in its file, from 1, counting broken ones; 0 in plain text.
    """

    file: str
    line: int
    column: int
    record: int = 0

    def after(self, file: str) -> str:
        """The place as editors and compilers write it, after the name of its file.

        >>> Place("a.txt", 3, 1).after("a.txt"), Place("a.jsonl", 3, 1, 17).after("a.jsonl")
        ('a.txt:3:1', 'a.jsonl record 17:3:1')
        """
        record = f" record {self.record}" if self.record else ""
        return f"{file}{record}:{self.line}:{self.column}"

    def as_json(self) -> dict[str, Any]:
        """The place as the command prints it, without a record for plain text."""
        return {name: value for name, value in self._asdict().items() if value}


@dataclass
class Finding:
    """One kind of dirt.

    Attributes:
        name: a key of `MEANINGS`.
        count: the number of times it was found.
        places: the first places, at most `MOST_PLACES`.
        detail: a phrase with more about it, such as the characters; "" for none.
        excerpts: the text around each of the places; "" where it is not known.
        fix: the normalization that removes it, or the name for the option `clean`; "" for none.
    """

    name: str
    count: int
    places: list[Place] = field(default_factory=list)
    detail: str = ""
    excerpts: list[str] = field(default_factory=list)
    fix: str = ""

    @property
    def sentence(self) -> str:
        """The finding in words.

        >>> Finding("soft_hyphen", 1200).sentence
        '1,200 soft hyphens: words are split invisibly'
        """
        meaning = MEANINGS[self.name]
        counted = plural(self.count, meaning.one, _PLURALS.get(self.name, ""))
        detail = f" ({self.detail})" if self.detail else ""
        return f"{counted}{detail}: {meaning.sentence}"

    @property
    def places_sentence(self) -> str:
        """The number of places that are listed; "" if all are.

        >>> Finding("kashida", 5000, [Place("a.txt", 1, 1)] * 1000).places_sentence
        '1,000 places listed: the first ones'
        >>> Finding("mixed_yeh", 30, [Place("a.txt", 1, 1)]).places_sentence
        '1 place listed: the first in each document'
        """
        n = len(self.places)
        which = _PLACED.get(self.name, "the first ones") if n < MOST_PLACES else "the first ones"
        return f"{plural(n, 'place')} listed: {which}" if n < self.count else ""

    def as_json(self) -> dict[str, Any]:
        """The finding as the command prints it."""
        found: dict[str, Any] = {"name": self.name, "count": self.count, "sentence": self.sentence}
        found["places"] = [place.as_json() for place in self.places]
        return found


def visible_excerpt(text: str) -> str:
    r"""The text around a place, with plain spaces, names for invisible characters, and no
    indentation.

    >>> visible_excerpt("     --Mil\xadton.")
    '--Mil⟨SHY⟩ton.'
    """
    return display_text(text).replace("␣", " ").strip()


def first_ones(counts: dict[str, int], most: int = 5) -> str:
    """The most frequent of several things, with their counts.

    >>> first_ones({"a": 2, "b": 3})
    'b 3, a 2'
    """
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    more = f", and {number(len(ordered) - most)} more" if len(ordered) > most else ""
    return ", ".join(f"{name} {number(count)}" for name, count in ordered[:most]) + more


_BRACKETED = re.compile(r"<[^<>\s]*>|\[[^\[\]\s]*\]")
_PATTERNS: dict[str, tuple[Callable[[], Any], ...]] = {
    "urls": (lambda: URL,),
    "base64": (lambda: DATA,),
    "hashes": (lambda: DATA,),
    "special_tokens": (special_tokens, lambda: _BRACKETED),
    "mixed_scripts": (words_of_scripts,),
    "character_runs": (lambda: RUN,),
}


def span_at(finding: str, text: str, place: int) -> tuple[int, int]:
    r"""The start and the end of a finding in a line.

    Args:
        finding: its name.
        text: the line, or the part of it that is shown.
        place: its place there.

    >>> span_at("urls", "see http://example.org.", 8)
    (4, 22)
    >>> span_at("soft_hyphen", "wa\xadter", 2)
    (2, 3)
    """
    for pattern in _PATTERNS.get(finding, ()):
        for found in pattern().finditer(text):
            if found.start() <= place < found.end():
                return found.start(), found.end()
    return place, min(place + 1, len(text))
