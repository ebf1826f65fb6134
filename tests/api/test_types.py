"""What an editor and a type checker know of presets, options and formats."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from bpe_studio.engine import option_types
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.options import OPTIONS, REGEX
from bpe_studio.engine.presets import PRESETS
from bpe_studio.files.formats.registry import FORMATS

MISTAKES = Path(__file__).parent / "mistakes.py"


def _literals(annotation: Any) -> set[object]:
    """The texts that an annotation allows."""
    if isinstance(annotation, str):
        return {annotation}
    return set().union(*map(_literals, get_args(annotation)))


def test_the_types_are_those_that_are_declared() -> None:
    hints = get_type_hints(option_types.Options)
    assert list(hints) == list(OPTIONS)
    fields = get_type_hints(TrainingConfig, localns={"types": option_types})
    for name, option in OPTIONS.items():
        choices = set(option.choices) - {REGEX}
        assert _literals(hints[name]) == _literals(fields[name]) == choices, name
    assert set(get_args(option_types.PresetName)) == set(PRESETS)
    assert set(get_args(option_types.FormatName)) == set(FORMATS)


@pytest.mark.slow(buys="mypy, which reads the whole package as a caller's type checker does")
def test_a_type_checker_finds_each_mistake_and_nothing_else() -> None:
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--config-file=",
        "--cache-dir=/dev/null",
        "--follow-imports=silent",
    ]
    ran = subprocess.run(
        [*command, str(MISTAKES)],
        capture_output=True,
        text=True,
        cwd=MISTAKES.parents[2],
        timeout=300,
    )
    found = {
        int(line.split(":")[1])
        for line in ran.stdout.splitlines()
        if line.startswith("tests/api/mistakes.py")
    }
    lines = MISTAKES.read_text("utf-8").splitlines()
    assert found == {number for number, line in enumerate(lines, 1) if "  # wrong" in line}, (
        ran.stdout
    )
