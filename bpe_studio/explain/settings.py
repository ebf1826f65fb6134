"""Settings in words: the labels of options and values, and the options in which two configurations
differ.

Example:
    `difference_words(gpt2, gpt2.replace(split="cl100k"))` is "split GPT-4 (cl100k) instead of
    GPT-2".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bpe_studio.engine.options import OPTIONS, REGEX, label_of
from bpe_studio.explain.names import elided
from bpe_studio.explain.wording import number, plural

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig

NONE = "none"
MOST_NAMED = 4
TARGET = "Target"
_TARGET = ("vocab_size", "merges")
_MOST_CHARACTERS = 60


class SettingDifference(NamedTuple):
    """An option in which two configurations differ: its label, and both its values in words."""

    option: str
    name: str
    a: str
    b: str


def settings_that_differ(a: TrainingConfig, b: TrainingConfig) -> tuple[SettingDifference, ...]:
    """The options in which two configurations differ, in the order of the form.

    `vocab_size` and `merges` count as one option, the target.
    """
    found = []
    if target_words(a) != target_words(b):
        found.append(SettingDifference("vocab_size", TARGET, target_words(a), target_words(b)))
    for name, option in OPTIONS.items():
        if name not in _TARGET and getattr(a, name) != getattr(b, name):
            found.append(
                SettingDifference(name, option.label, value_words(a, name), value_words(b, name))
            )
    return tuple(found)


def setting_name(option: str) -> str:
    """The label of an option in the window."""
    return TARGET if option in _TARGET else OPTIONS[option].label


def value_words(config: TrainingConfig, option: str) -> str:
    """The value of an option in words."""
    value = getattr(config, option)
    if value in (None, (), ""):
        return NONE
    if isinstance(value, bool):
        answer = "yes" if value else "no"
        return label_of(option, answer)
    if isinstance(value, tuple):
        each_in_words = []
        for each in value:
            words = " + ".join(each) if isinstance(each, tuple) else label_of(option, each)
            each_in_words.append(words)
        return elided(", ".join(each_in_words), _MOST_CHARACTERS)
    if isinstance(value, int):
        return number(value)
    if isinstance(value, float):
        return f"{value:g}"
    return elided(label_of(option, str(value)).removeprefix(REGEX), _MOST_CHARACTERS)


def target_words(config: TrainingConfig) -> str:
    """The target of a run in words: "32,000 merges"."""
    if config.merges is not None:
        return plural(config.merges, "merge")
    if config.vocab_size is not None:
        return f"vocabulary of {number(config.vocab_size)}"
    return "no limit"


def difference_words(now: TrainingConfig, other: TrainingConfig) -> str:
    """The differences of the second configuration, in one line; "" if both are the same."""
    found = settings_that_differ(now, other)
    said = [f"{each.name.lower()} {each.b} instead of {each.a}" for each in found[:MOST_NAMED]]
    if len(found) > MOST_NAMED:
        said.append(f"{len(found) - MOST_NAMED} more")
    return "; ".join(said)
