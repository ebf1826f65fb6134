"""How many times longer the parts of a `tokenizer.json` can make a text, before its library is
asked to do so.

A chain that doubles a character 40 times would need all memory as soon as a text has that
character. The trial process cannot know which character that is, so the chain is refused by what it
says. Likewise a template that repeats a text: where it is truncated, the library combines what is
cut off of each copy with what is cut off of all others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bpe_studio.errors import TokenizerFormatError

MAX_GROWTH = 10_000
"""Normalization by Unicode makes 18 characters of one at most.

Real chains of replacements stay below 10.
"""


def check_growth(root: dict[str, Any]) -> None:
    """Makes sure that no normalizer or decoder makes a text very much longer, and that no template
    repeats it.

    Raises:
        TokenizerFormatError: they do.
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
    """Whether a template has a text more than once; what is not valid is left to the library."""
    pieces = template if isinstance(template, list) else []
    named: list[object] = []
    for piece in pieces:
        text = piece.get("Sequence") if isinstance(piece, dict) else None
        if isinstance(text, dict):
            named.append(text.get("id"))
    return any(named.count(name) > 1 for name in ("A", "B"))


def _growth(replacements: list[tuple[str | None, str]]) -> float:
    """The characters that one character becomes at most.

    Args:
        replacements: the text that is replaced (`None` for an expression, which may match any
            character), and by what.
    """
    # From the last to the first: what a character becomes by those that follow.
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
    """A part and the parts of nested sequences, in order.

    What is not valid is left to the library.
    """
    waiting = [part]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield one
            if isinstance(one.get(inside), list):
                waiting += reversed(one[inside])


def _flattened(part: object, inside: str) -> list[tuple[str | None, str]]:
    """What a part replaces, or puts before a text, in order."""
    found: list[tuple[str | None, str]] = []
    for one in _each(part, inside):
        content = one.get("content")
        pattern = one.get("pattern")
        if one.get("type") == "Replace" and isinstance(content, str) and isinstance(pattern, dict):
            string = pattern.get("String")
            old = string if isinstance(string, str) and string else None
            found.append((old, content))
        elif one.get("type") == "Prepend" and isinstance(one.get("prepend"), str):
            found.append((None, one["prepend"]))  # a text may be one character
    return found
