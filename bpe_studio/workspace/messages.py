"""The sentences and names of the workspace: failures, settings that differ, free names."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import fields
from typing import TYPE_CHECKING

from bpe_studio.engine.options import label_of
from bpe_studio.engine.presets import PRESETS
from bpe_studio.error_report import report
from bpe_studio.errors import BpeError
from bpe_studio.workspace.state import Failure

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig

TARGET_FIELDS = ("preset_name", "vocab_size", "merges")
FOLLOWING = {"word_end_as": "word_end", "full_alphabet": "units"}
"""Settings that follow from another one; if that one differs, they are not mentioned."""
_NAMED = 3

_log = logging.getLogger(__name__)


def failure_of(what: str, error: Exception) -> Failure:
    """The failure that describes an error.

    An unexpected error is logged, and reported in a file.
    """
    if isinstance(error, BpeError):
        return Failure(what, sentence(str(error)))
    _log.error("%s failed.", what, exc_info=error)
    if isinstance(error, MemoryError):
        return Failure(
            what,
            "There is not enough memory for this.",
            "Close other programs, or use less text. What was open is still open.",
        )
    if isinstance(error, OSError) and error.strerror:
        place = f" ({error.filename})" if error.filename else ""
        return Failure(
            what, f"{error.strerror}{place}.", "Check the file and its folder, then try again."
        )
    return unexpected_failure(what, error)


def unexpected_failure(what: str, error: BaseException) -> Failure:
    """The failure that describes an error of the program itself, with a report."""
    # The first word alone: the others may be the name of a file.
    path = report(error, what.partition(" ")[0])
    hint = "What was open is still open."
    if path is not None:
        hint += f" To report the error, send {path}, which contains none of your text."
    return Failure(what, f"An unexpected error occurred ({type(error).__name__}).", hint, path)


def sentence(text: str) -> str:
    """The text with a full stop, if it has none."""
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else f"{text}."


def free_name(name: str, taken: Collection[str]) -> str:
    """A name that no other has: "gpt2 (2)" for the second "gpt2"."""
    number = 1
    wanted = name
    while wanted in taken:
        number += 1
        wanted = f"{name} ({number})"
    return wanted


def changed_fields(old: TrainingConfig, new: TrainingConfig) -> tuple[str, ...]:
    """The names of the settings that differ, except for the target and the preset's name.

    Example:
        `changed_fields(gpt2, gpt2.replace(ties="raw-ids", vocab_size=500))` is `("ties",)`.
    """
    names = [field.name for field in fields(old) if field.name not in TARGET_FIELDS]
    return tuple(name for name in names if getattr(old, name) != getattr(new, name))


def difference_words(old: TrainingConfig, new: TrainingConfig) -> str:
    """The differences between the settings of two runs, short enough for a name.

    If the new settings are those of a preset, its title; otherwise the first three differences.

    Example:
        `difference_words(gpt2, gpt2.replace(split="cl100k", ties="raw-ids"))` is "split GPT-4
        (cl100k), ties smallest ids by byte (rustbpe)".
    """
    changed = changed_fields(old, new)
    if not changed:
        return "the same settings"
    preset = PRESETS[new.preset_name]
    if len(changed) > 1 and not changed_fields(type(new).preset(preset.name), new):
        return preset.title
    words = []
    for name in changed:
        value = getattr(new, name)
        if name == "units":
            words.append(label_of(name, value))
        elif not (name in FOLLOWING and FOLLOWING[name] in changed):
            words.append(_described(name, value))
    more = f" and {len(words) - _NAMED:,} more" if len(words) > _NAMED else ""
    return ", ".join(words[:_NAMED]) + more


def _described(name: str, value: object) -> str:
    words = name.replace("_", " ")
    if value is None or value == () or value is False:
        return f"no {words}"
    if value is True:
        return f"the {words}"
    if isinstance(value, tuple):
        parts = []
        for part in value:
            in_words = " ".join(part) if isinstance(part, tuple) else label_of(name, part)
            parts.append(in_words)
        return f"{words} {', '.join(parts)}"
    return f"{words} {label_of(name, str(value))}"
