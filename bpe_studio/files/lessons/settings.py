"""Reads the training settings in a lesson file: a preset and options, with the names of the command line.

`TrainingConfig` finds errors in them; this module adds the line of the option.
"""

from __future__ import annotations

from typing import Any

from yaml.nodes import Node

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.presets import BASE_VALUES, DEFAULT_PRESET, PRESETS
from bpe_studio.engine.text.pretokenization import compile_split
from bpe_studio.errors import ConfigError, LessonError, PatternError
from bpe_studio.files.lessons.yaml_nodes import is_null, line_of, mapping, required_text, scalar, sequence, whole_number

_NUMBERS = ("vocab_size", "merges", "min_frequency")
_LISTS = ("normalize", "clean", "special")
_PAIRS = ("force", "forbid")
_TRUTHS = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}


def read_settings(
    part: tuple[int, Node] | None, line: int, base: TrainingConfig | None = None
) -> tuple[int, TrainingConfig]:
    """The settings in a part of a lesson, and the line where they begin.

    Args:
        part: the line and node of “settings”, or None if there are none.
        line: the line to name if there are none.
        base: the settings that the options change; None, or a preset among the options, for those of the preset.

    Raises:
        LessonError: an option is not known, or its value is not valid; the error names its line.
    """
    if part is None:
        return line, TrainingConfig.preset(DEFAULT_PRESET) if base is None else base
    line, node = part
    parts = mapping(node, "“settings”")
    values: dict[str, Any] = {}
    lines: dict[str, int] = {}
    for name, (at, value) in parts.items():
        option = name.replace("-", "_")
        if option in lines:
            raise LessonError(f"“{name}” occurs twice in the settings, first on line {lines[option]:,}: keep one", at)
        lines[option] = at
        if option == "preset":
            preset = required_text(value, "“preset”")
            if preset not in PRESETS:
                raise LessonError(f"there is no preset “{preset}”: choose one of {', '.join(PRESETS)}", at)
            base = TrainingConfig.preset(preset)
        elif option in BASE_VALUES:
            values[option] = _value(option, name, value)
        else:
            known = ", ".join(["preset", *(known.replace("_", "-") for known in BASE_VALUES)])
            raise LessonError(f"there is no setting “{name}”: choose one of {known}", at)
    base = TrainingConfig.preset(DEFAULT_PRESET) if base is None else base
    try:
        config = base.replace(**values)
        if config.split != "none":
            compile_split(config.split)
        return line, config
    except PatternError as error:
        raise LessonError(_begun(str(error)), lines.get("split", line)) from None
    except ConfigError as error:
        raise LessonError(*_blamed(error, base, values, lines, line)) from None


def pair_of(node: Node, what: str) -> tuple[str, str]:
    """Two tokens: a text with one space between them, or a list of two.

    Raises:
        LessonError: it is not a pair.
    """
    if isinstance(node.value, str):
        names = required_text(node, what).split()
    else:
        names = [scalar(each, f"a token of {what}") for each in sequence(node, what)]
    if len(names) != 2 or not all(names):
        raise LessonError(f"{what} needs a pair: two tokens with one space between them, such as u g", line_of(node))
    return names[0], names[1]


def _value(option: str, name: str, node: Node) -> object:
    what = f"“{name}”"
    if option in _LISTS + _PAIRS:
        if is_null(node):
            return ()
        nodes = [node] if isinstance(node.value, str) else sequence(node, what)
        if option in _PAIRS:
            return tuple(pair_of(each, f"a pair of {what}") for each in nodes)
        texts = tuple(required_text(each, what) for each in nodes)
        return texts[0] if option == "normalize" and len(texts) == 1 else texts
    if is_null(node):
        if option in ("vocab_size", "merges", "word_end", "word_end_as", "continuing", "unknown"):
            return None
        raise LessonError(f"{what} is empty: write it, or leave the line out", line_of(node))
    if option in _NUMBERS:
        return whole_number(node, what)
    text = required_text(node, what)
    if option == "full_alphabet":
        if text.lower() not in _TRUTHS:
            raise LessonError(f"{what} is “{text[:40]}”: write yes or no", line_of(node))
        return _TRUTHS[text.lower()]
    return text


def _blamed(
    error: ConfigError, base: TrainingConfig, values: dict[str, Any], lines: dict[str, int], line: int
) -> tuple[str, int]:
    """What is wrong, and the line of the option that makes it so."""
    message, at = str(error), line
    for option in values:
        so_far = {name: values[name] for name in list(values)[: list(values).index(option) + 1]}
        try:
            base.replace(**so_far)
        except ConfigError as found:
            if str(found) == message:
                at = lines[option]
                break
    return _begun(message), at


def _begun(message: str) -> str:
    """A sentence in the form in which it follows “line 12:”."""
    return message[0].lower() + message[1:]
