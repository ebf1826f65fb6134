"""Refuses a `tokenizer.json` whose parts can make a text too many times longer, before its library
gets it.

A chain of replacements that doubles a character 40 times would need all memory as soon as a text
has that character. The trial process cannot know which character that is, so the chain itself is
examined. A template that repeats a text is refused, too: in truncation, the library combines the
rest of each copy with the rests of all others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bpe_studio.errors import TokenizerFormatError

MAX_GROWTH = 10_000
"""The most characters that one may become.

Normalization by Unicode makes 18 of one at most, and real chains of replacements stay below 10.
"""


def check_growth(root: dict[str, Any]) -> None:
    """Makes sure that no normalizer or decoder makes a text very much longer, and that no template
    repeats it.

    Raises:
        TokenizerFormatError: one does.
    """
    for what, inside in (("normalizer", "normalizers"), ("decoder", "decoders")):
        growth = _growth(_flattened(root.get(what), inside))
        if growth > MAX_GROWTH:
            raise TokenizerFormatError(
                f"its {what} can make a text more than {MAX_GROWTH:,} times as long"
            )
    for processor in _each(root.get("post_processor"), "processors"):
        for key in ("single", "pair"):
            if _repeats_text(processor.get(key)):
                raise TokenizerFormatError(
                    f"its template {key!r} has one text several times, which no model needs"
                )


def _repeats_text(template: object) -> bool:
    """Whether a template has a text more than once; the library refuses what is not valid."""
    pieces = template if isinstance(template, list) else []
    named: list[object] = []
    for piece in pieces:
        text = piece.get("Sequence") if isinstance(piece, dict) else None
        if isinstance(text, dict):
            named.append(text.get("id"))
    return any(named.count(name) > 1 for name in ("A", "B"))


def _growth(replacements: list[tuple[str | None, str]]) -> float:
    """The most characters that one character becomes.

    Args:
        replacements: the text that each replaces (`None` for an expression, which may match any
            character), and the new text, in order.
    """
    # From the last to the first: the length that a character gets by the replacements that follow.
    usual = 1.0
    becomes = dict[str, float]()
    for old, new in reversed(replacements):
        length = sum(becomes.get(char, usual) for char in new)
        if old is None:
            usual = max(usual, length)
            becomes = {char: max(each, length) for char, each in becomes.items()}
            continue
        n_at_least = len(old) if len(set(old)) == 1 else 1
        for char in set(old):
            becomes[char] = max(becomes.get(char, usual), length / n_at_least)
        if max(usual, *becomes.values(), 0) > MAX_GROWTH:
            break
    return max(usual, *becomes.values(), 0)


def _each(part: object, inside: str) -> Iterator[dict[str, Any]]:
    """A part and the parts of nested sequences, in order; the library refuses what is not valid."""
    waiting = [part]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield one
            if isinstance(one.get(inside), list):
                waiting += reversed(one[inside])


def _flattened(part: object, inside: str) -> list[tuple[str | None, str]]:
    """The texts that a part replaces or puts before a text, in order, as `_growth` takes them."""
    found: list[tuple[str | None, str]] = []
    for one in _each(part, inside):
        content = one.get("content")
        pattern = one.get("pattern")
        if one.get("type") == "Replace" and isinstance(content, str) and isinstance(pattern, dict):
            string = pattern.get("String")
            old = string if isinstance(string, str) and string else None
            found.append((old, content))
        elif one.get("type") == "Prepend" and isinstance(one.get("prepend"), str):
            # The text after it may be one character.
            found.append((None, one["prepend"]))
    return found
