"""The sample texts of the program, and the folder of its resources.

It reads `resources/samples/samples.json`; the texts themselves are opened like any other file.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bpe_studio.errors import SourceError

if TYPE_CHECKING:
    from bpe_studio.engine.option_types import PresetName


@dataclass(frozen=True)
class Sample:
    """A sample text.

    Attributes:
        id: its name for scripts, for example "hamlet".
        title: its name in the window.
        about: one sentence about it.
        path: the file.
        preset: the settings that belong to it, or "" for none.
    """

    id: str
    title: str
    about: str
    path: Path
    preset: PresetName | Literal[""] = ""


def resources_folder() -> Path:
    """The folder of icons and samples: in the package in a wheel, next to the package in a
    checkout.
    """
    package = Path(__file__).resolve().parent.parent
    inside = package / "resources"
    return inside if inside.is_dir() else package.parent / "resources"


def list_samples() -> tuple[Sample, ...]:
    """The samples in the order of the menu; empty if none are installed."""
    folder = resources_folder() / "samples"
    try:
        entries = json.loads((folder / "samples.json").read_text(encoding="utf-8"))
        return tuple(
            Sample(
                str(entry["id"]),
                str(entry["title"]),
                str(entry.get("about", "")),
                folder / str(entry["file"]),
                entry.get("preset", ""),
            )
            for entry in entries
        )
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise SourceError(
            f"The list of samples in {folder} cannot be read ({error}): install the program again."
        ) from error


def find_sample(name: str) -> Sample:
    """The sample with an id, title or file name.

    Raises:
        SourceError: there is no such sample.
    """
    samples = list_samples()
    for sample in samples:
        if name in (sample.id, sample.title, sample.path.name):
            return sample
    known = ", ".join(sample.id for sample in samples) or "none is installed"
    raise SourceError(f"There is no sample named {name!r}: choose one of these ({known}).")
