"""The points of a rubric, in the form that Gradescope reads: `results.json`.

A rubric is YAML, or JSON: a list `tests` of tests with a `name`, `points`, and one condition.
`merges: 100`: the first 100 merges are right (or pieces, if a split is checked); `without: NAME`:
no mistake whose name begins so was made; `encoder: true`: the encoder and the decoder are right;
`mistakes: 1`: one known mistake at most explains everything; no condition: everything is right. A
test may have a `visibility` of Gradescope, and `partial: true`, which gives a share of the points
for the merges that are right.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from dataclasses import dataclass
from math import floor, inf
from typing import Any

from bpe_studio.engine.generators import result_of
from bpe_studio.errors import BpeError, SourceError
from bpe_studio.explain.check.check import Check
from bpe_studio.explain.check.split import SplitCheck
from bpe_studio.files.extras import needed

VISIBILITIES = ("visible", "hidden", "after_due_date", "after_published")
_KEYS = {"name", "points", "merges", "without", "encoder", "mistakes", "partial", "visibility"}


@dataclass(frozen=True)
class Test:
    """One line of a rubric.

    Attributes:
        name: its name.
        points: the points that it gives.
        merges: the number of merges that must be right; `None` for all, and everything else.
        encoder: whether it is about the encoder and the decoder.
        mistakes: the number of known mistakes that may explain everything; `None` for another
            condition.
        without: the beginning of the name of a mistake that must not be made; "" for another
            condition.
        partial: whether some right merges give some points.
        visibility: the people who see it in Gradescope, one of `VISIBILITIES`.
    """

    name: str
    points: float
    merges: int | None = None
    without: str = ""
    encoder: bool = False
    mistakes: int | None = None
    partial: bool = False
    visibility: str = "visible"

    def score(self, found: Check | SplitCheck) -> float:
        """The points for a check."""
        if self.encoder:
            return self._score_of_encoder(found)
        if self.mistakes is not None:
            named = [len(mistake.name.split("+")) for mistake in found.mistakes]
            is_so = found.first_wrong is None or min(named, default=inf) <= self.mistakes
            return self.points if is_so else 0.0
        if self.without:
            made: list[str] = []
            for mistake in found.mistakes:
                made += mistake.name.split("+")
            in_encoder = found.wrong_encoding
            if in_encoder:
                made += [name for name, _ in in_encoder.mistakes]
            # Merges that nothing explains may be due to any mistake.
            is_explained = bool(made) or (found.first_wrong is None and in_encoder is None)
            is_made = any(name.startswith(self.without) for name in made)
            return self.points if is_explained and not is_made else 0.0
        wanted = found.n_expected if self.merges is None else min(self.merges, found.n_expected)
        if found.n_right >= wanted and (self.merges is not None or found.correct):
            return self.points
        is_partly = self.partial and found.n_right < wanted
        return floor(100 * self.points * found.n_right / wanted) / 100 if is_partly else 0.0

    def _score_of_encoder(self, found: Check | SplitCheck) -> float:
        if found.first_wrong is not None or not found.n_encoded:
            return 0.0
        wrong = found.wrong_encoding
        if wrong is None:
            return 0.0 if found.wrong_decoding else self.points
        if not self.partial:
            return 0.0
        return floor(100 * self.points * wrong.n_right / wrong.n_texts) / 100


def read_rubric(path: str | os.PathLike[str]) -> list[Test]:
    """The tests of a rubric.

    Raises:
        SourceError: the file cannot be read, or is no rubric.
    """
    name = os.fspath(path)
    yaml = needed("yaml", "A rubric")
    try:
        with open(path, encoding="utf-8") as stream:
            content = yaml.safe_load(stream)
    except OSError as error:
        raise SourceError(f"{name} cannot be read ({error.strerror}): check the name") from None
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise SourceError(f"{name} is not valid YAML: {str(error).splitlines()[0]}") from None
    tests = content.get("tests") if isinstance(content, dict) else None
    if not isinstance(tests, list) or not tests:
        raise SourceError(f'{name} has no list "tests": give each test a name and points')
    return [_test(test, f"test {number} of {name}") for number, test in enumerate(tests, 1)]


def _test(test: Any, where: str) -> Test:
    if not isinstance(test, dict) or not isinstance(test.get("name"), str):
        raise SourceError(f"{where} has no name")
    if unknown := set(test) - _KEYS:
        raise SourceError(
            f"{where} has {sorted(map(str, unknown))[0]!r}; it can have {', '.join(sorted(_KEYS))}"
        )
    found = Test(**test) if "points" in test else Test(points=1, **test)
    counts = [found.points, found.merges or 0, found.mistakes or 0]
    if not all(map(_is_count, counts)):
        raise SourceError(f"{where} has points or merges that are not a number of 0 or more")
    if found.visibility not in VISIBILITIES or not isinstance(found.without, str):
        raise SourceError(
            f"{where} has the visibility {found.visibility!r}; choose one of"
            f" {', '.join(VISIBILITIES)}"
        )
    return found


def _is_count(number: object) -> bool:
    return isinstance(number, int | float) and not isinstance(number, bool) and not number < 0


def results(rubric: list[Test], job: Generator[float, None, Any]) -> dict[str, Any]:
    """The content of `results.json`.

    A trainer that cannot be checked gets no points, and the reason.
    """
    try:
        found = result_of(job)
    except BpeError as error:
        return results_of(rubric, None, str(error))
    return results_of(rubric, found, str(found))


def results_of(rubric: list[Test], found: Check | SplitCheck | None, output: str) -> dict[str, Any]:
    """The content of `results.json` for a check; `None` for a trainer that cannot be checked."""
    tests = []
    for test in rubric:
        score = 0.0 if found is None else float(test.score(found))
        status = "passed" if score >= test.points else "failed"
        row = {
            "name": test.name,
            "score": score,
            "max_score": float(test.points),
            "visibility": test.visibility,
            "status": status,
        }
        tests.append(row)
    return {"score": sum(test["score"] for test in tests), "output": output, "tests": tests}
