"""Reads the training settings in a lesson file: a preset and options, with the names of the command
line.
"""

from __future__ import annotations

from typing import Any

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.options import OPTIONS
from bpe_studio.engine.presets import DEFAULT_PRESET, PRESETS
from bpe_studio.engine.text.pretokenization import compile_split
from bpe_studio.errors import ConfigError, LessonError, PatternError
from bpe_studio.files.lessons.yaml_parts import Items, Part, number_of, parts_of, text_of

_TRUTHS = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}


def read_settings(part: Part, base: TrainingConfig | None = None) -> TrainingConfig:
    """The settings in a part of a lesson.

    Args:
        part: the group of settings.
        base: the settings that the options change; a preset among the options replaces it.

    Raises:
        LessonError: an option is not known, or its value is not valid; the error names its line.
    """
    parts = parts_of(part, "“settings”")
    options = {name.replace("_", "-"): value for name, value in parts.items()}
    known = ("preset", *(name.replace("_", "-") for name in OPTIONS))
    for name, value in options.items():
        if name not in known:
            raise LessonError(
                f"there is no setting “{name}”: choose one of {', '.join(known)}", value.line
            )
    if "preset" in options:
        preset = text_of(options.pop("preset"), "“preset”")
        if preset not in PRESETS:
            known_presets = ", ".join(PRESETS)
            raise LessonError(
                f"there is no preset “{preset}”: choose one of {known_presets}",
                parts["preset"].line,
            )
        base = TrainingConfig.preset(PRESETS[preset].name)
    config = TrainingConfig.preset(DEFAULT_PRESET) if base is None else base
    values: dict[str, Any] = {}
    for name, value in options.items():
        option = name.replace("-", "_")
        values[option] = _value(option, name, value)
        try:
            changed = config.replace(**values)
            if option == "split" and changed.split != "none":
                compile_split(changed.split)
        except (ConfigError, PatternError) as error:
            # Options may only be valid together: `word-end-as` with `word-end`. Then the last one
            # is blamed.
            if name == list(options)[-1] or isinstance(error, PatternError):
                message = str(error)
                raise LessonError(message[0].lower() + message[1:], value.line) from None
    return config.replace(**values)


def pair_of(part: Part, what: str) -> tuple[str, str]:
    """Two tokens: a text with one space between them, or a list of two.

    Raises:
        LessonError: it is not a pair.
    """
    names = list(map(str, part)) if isinstance(part, Items) else text_of(part, what).split()
    if len(names) != 2 or not all(names):
        raise LessonError(
            f"{what} needs a pair: two tokens with one space between them, such as u g", part.line
        )
    return names[0], names[1]


def _value(option: str, name: str, part: Part) -> object:
    what = f"“{name}”"
    kind = OPTIONS[option].kind
    is_list = isinstance(OPTIONS[option].base, tuple)
    if part == "null":
        return () if is_list else None
    if is_list:
        items = part if isinstance(part, Items) else [part]
        return tuple(
            pair_of(each, what) if kind == "pairs" else text_of(each, what) for each in items
        )
    if kind == "number":
        return number_of(part, what)
    text = text_of(part, what)
    if kind == "share":
        try:
            return float(text)
        except ValueError:
            raise LessonError(
                f"{what} is “{text[:40]}”: write a number such as 0.9995", part.line
            ) from None
    if kind == "flag":
        if text.lower() not in _TRUTHS:
            raise LessonError(f"{what} is “{text[:40]}”: write yes or no", part.line)
        return _TRUTHS[text.lower()]
    return text
