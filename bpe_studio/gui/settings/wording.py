"""Settings in words: what an option and its value are called, and in which options two configurations differ.

Example:
    `difference_words(gpt2, gpt2.replace(split="cl100k"))` is "split cl100k instead of gpt2".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bpe_studio.explain.names import elided
from bpe_studio.gui.look.numbers_text import grouping_locale
from bpe_studio.gui.settings.fields import FIELDS, REGEX

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig

NONE = "none"
MOST_NAMED = 4
_LABELS = {field.option: field.label for field in FIELDS}
_TARGET = ("vocab_size", "merges")
_MOST_CHARACTERS = 60


class SettingDifference(NamedTuple):
    """An option in which two configurations differ: what it is called, and both its values in words."""

    option: str
    name: str
    a: str
    b: str


def settings_that_differ(a: TrainingConfig, b: TrainingConfig) -> tuple[SettingDifference, ...]:
    """The options in which two configurations differ, in the order of the form; the target is one of them."""
    found = []
    if target_words(a) != target_words(b):
        found.append(SettingDifference("vocab_size", _LABELS["vocab_size"], target_words(a), target_words(b)))
    names = [field.option for field in FIELDS if field.option not in _TARGET]
    for name in names:
        if getattr(a, name) != getattr(b, name):
            found.append(SettingDifference(name, _LABELS[name], value_words(a, name), value_words(b, name)))
    return tuple(found)


def setting_name(option: str) -> str:
    """What an option is called in the window."""
    return _LABELS[option]


def value_words(config: TrainingConfig, option: str) -> str:
    """An option's value in words."""
    value = getattr(config, option)
    if value is None or value == ():
        return NONE
    if isinstance(value, bool):
        return "all 256 bytes" if value else "what occurs"
    if isinstance(value, tuple):
        return elided(", ".join(" + ".join(each) if isinstance(each, tuple) else str(each) for each in value), 60)
    if isinstance(value, int):
        return grouping_locale().toString(value)
    return elided(str(value).removeprefix(REGEX), _MOST_CHARACTERS)


def target_words(config: TrainingConfig) -> str:
    """When a run by these settings ends."""
    number = grouping_locale().toString
    if config.merges is not None:
        return f"{number(config.merges)} merges"
    return f"vocabulary of {number(config.vocab_size)}" if config.vocab_size is not None else "no limit"


def difference_words(now: TrainingConfig, other: TrainingConfig) -> str:
    """What is other in the second of two configurations, in one line; "" where they are the same."""
    found = settings_that_differ(now, other)
    said = [f"{each.name.lower()} {each.b} instead of {each.a}" for each in found[:MOST_NAMED]]
    if len(found) > MOST_NAMED:
        said.append(f"{len(found) - MOST_NAMED} more")
    return "; ".join(said)
