"""Runs the command line inside the test's own process, with its standard streams as bytes."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bpe_studio import cli

SAMPLES = Path(__file__).resolve().parents[2] / "resources" / "samples"
HUGS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


@dataclass(frozen=True)
class Outcome:
    """What one run of the command line left behind."""

    status: int
    out_bytes: bytes
    err: str

    @property
    def out(self) -> str:
        return self.out_bytes.decode("utf-8")

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    def table(self) -> list[dict[str, str]]:
        """The rows of a table, by its headings."""
        return list(csv.DictReader(self.lines, delimiter="\t", quoting=csv.QUOTE_NONE))

    def sentence(self) -> str:
        """The one sentence on standard error, after a failure that was not the caller's wrong
        usage.
        """
        assert self.status == 1, self
        assert "Traceback" not in self.err
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        assert lines[0][-1] in ".!?" and "should not" not in lines[0], lines[0]
        return lines[0]


Studio = Callable[..., Outcome]


@pytest.fixture
def studio(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> Studio:
    """Calls `bpe-studio` with arguments, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str | Path, given: str | bytes = b"") -> Outcome:
        data = given.encode("utf-8", "surrogateescape") if isinstance(given, str) else given
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        capsysbinary.readouterr()
        status = cli.main([str(argument) for argument in arguments])
        out, err = capsysbinary.readouterr()
        return Outcome(status, out, err.decode("utf-8"))

    return call


@pytest.fixture
def hugs(tmp_path: Path) -> Path:
    """The lecture's five words as a text."""
    path = tmp_path / "hugs.txt"
    path.write_text(
        " ".join(" ".join([word] * count) for word, count in HUGS.items()), encoding="utf-8"
    )
    return path


def read_log(path: Path) -> list[dict[str, Any]]:
    """The merges of a --log file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
