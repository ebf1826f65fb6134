"""Suggestions of runs to compare the open one with: another split, other units, another tie rule.

Each changes one option, so that the differences have one cause; the presets of two other trainers
change several options at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from bpe_studio.engine.options import label_of
from bpe_studio.errors import BpeError
from bpe_studio.explain.settings import difference_words

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig

_PRESETS = (
    ("sentencepiece", "As SentencePiece does it"),
    ("subword-nmt", "As subword-nmt does it"),
)

_NAMES = {"characters": "characters", "bytes": "bytes", "none": "no split"}


@dataclass(frozen=True)
class Suggestion:
    """A run that can be trained with one click.

    Attributes:
        key: a part of the name of its button.
        title: the text of the button.
        tip: the settings that differ, in words.
        config: its settings.
        name: the name of the run; "" for a name made from the changed settings.
    """

    key: str
    title: str
    tip: str
    config: TrainingConfig
    name: str = ""


def suggestions(
    config: TrainingConfig, known: Iterable[TrainingConfig] = ()
) -> tuple[Suggestion, ...]:
    """Suggestions for a run with these settings, the most instructive first.

    Args:
        config: the settings of the open run.
        known: settings of existing runs, which are not suggested again.
    """
    wanted = [
        *_changes(config),
        *(
            (name, title, {"preset": name})
            for name, title in _PRESETS
            if name != config.preset_name
        ),
    ]
    found = []
    have = [_bare(config), *map(_bare, known)]
    for key, title, values in wanted:
        other = _replaced(config, values)
        if other is not None and _bare(other) not in have:
            have.append(_bare(other))
            found.append(
                Suggestion(key, title, difference_words(config, other), other, _NAMES.get(key, ""))
            )
    return tuple(found)


def _changes(config: TrainingConfig) -> Sequence[tuple[str, str, dict[str, Any]]]:
    is_bytes = config.units == "bytes"
    split = "cl100k" if config.split != "cl100k" else "gpt2"
    ties = "first-seen" if config.ties != "first-seen" else "huggingface"
    units = (
        (
            "characters",
            "Characters instead of bytes",
            {"units": "characters", "full_alphabet": False},
        )
        if is_bytes
        else (
            "bytes",
            f"Bytes instead of {config.units}",
            {"units": "bytes", "full_alphabet": True},
        )
    )
    return (
        ("split", f"The split of {label_of('split', split)}", {"split": split}),
        units,
        ("ties", f"Ties: {label_of('ties', ties)}", {"ties": ties}),
        ("none", "No split at all", {"split": "none"}),
        ("lowercase", "Lowercased text", {"normalize": (*config.normalize, "lowercase")}),
    )


def _replaced(config: TrainingConfig, values: dict[str, Any]) -> TrainingConfig | None:
    """The settings with some replaced, or another preset with this target.

    None if the settings contradict each other.
    """
    try:
        if "preset" in values:
            preset = type(config).preset(values["preset"])
            return preset.replace(vocab_size=config.vocab_size, merges=config.merges)
        if "lowercase" in config.normalize and values.get("normalize") is not None:
            return None
        return config.replace(**values)
    except BpeError:
        return None


def _bare(config: TrainingConfig) -> dict[str, Any]:
    """The settings without the target and the name of the preset."""
    names = {field.name for field in fields(config)} - {"preset_name", "vocab_size", "merges"}
    return {name: getattr(config, name) for name in names}
