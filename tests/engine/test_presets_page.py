"""The page of presets has the values of `engine/presets.py`."""

from __future__ import annotations

import re
from pathlib import Path

from bpe_studio.engine.presets import BASE_VALUES, PRESETS, Preset
from bpe_studio.engine.tie_rules import TIE_RULES

_TEXT = (Path(__file__).resolve().parents[2] / "docs" / "presets.md").read_text(encoding="utf-8")
SECTIONS = {part.partition("\n")[0]: part for part in _TEXT.removeprefix("# ").split("\n## ")}
COLUMNS = ("units", "split", "documents", "ties", "min_frequency")


def _spelled(name: str, value: object) -> str:
    """An option that is not at its base value, as the command line has it."""
    option = "--" + name.replace("_", "-")
    if value is True:
        return option
    return " ".join(f"{option} {one}" for one in (value if isinstance(value, tuple) else (value,)))


def _row(preset: Preset) -> list[str]:
    size, *others = (
        _spelled(name, value)
        for name, value in preset.values.items()
        if value != BASE_VALUES[name] and name not in COLUMNS
    )
    return [preset.name, *(str(preset.values[name]) for name in COLUMNS), size, *others]


def test_each_preset_has_a_row_with_its_options() -> None:
    rows = [
        [cell.replace("\\|", "|") for cell in re.findall("`([^`]+)`", line)]
        for line in re.findall(r"^\| `.*--.*$", SECTIONS["Defaults"], re.MULTILINE)
    ]
    assert rows == [_row(preset) for preset in PRESETS.values()]


def test_each_preset_says_when_to_choose_it() -> None:
    purposes = re.findall(r"^\| `([^`]+)` \| ([^|]+) \|$", SECTIONS["Presets"], re.MULTILINE)
    assert purposes == [(preset.name, preset.purpose) for preset in PRESETS.values()]


def test_each_tie_rule_has_a_row() -> None:
    row = re.compile(r"^\| `([^`]+)` \| ([^|`]+) \| ([^|`]+) \|$", re.MULTILINE)
    rows = row.findall(SECTIONS["Tie rules"])
    assert rows == [(rule.name, rule.label, rule.words) for rule in TIE_RULES.values()]
