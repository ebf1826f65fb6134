"""`python3 -m tests`: what pytest is called with, and that hypothesis tries as many examples as its
profile says.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.__main__ import MOST_WORKERS, n_cores, n_workers, pytest_arguments
from tests.examples import QUICK, THOROUGH, USUAL, examples

PARALLEL = ["-n", "2", "--dist", "worksteal"]


@pytest.mark.parametrize(
    ("given_", "called_with"),
    [
        ([], PARALLEL),
        (["tests/engine", "-x"], [*PARALLEL, "tests/engine", "-x"]),
        (["--quick"], ["-m", "not slow", "--hypothesis-profile=quick", *PARALLEL]),
        (["tests/engine", "-k", "ties"], ["tests/engine", "-k", "ties"]),
        (["tests/test_runner.py"], ["tests/test_runner.py"]),
        (["--quick", "--lf"], ["-m", "not slow", "--hypothesis-profile=quick", "--lf"]),
        (["-n4", "tests/gui"], ["-n4", "tests/gui"]),
        (["-p", "no:xdist"], ["-p", "no:xdist"]),
        (["--pdb"], ["--pdb"]),
    ],
)
def test_many_tests_run_on_all_cores_and_few_in_this_process(
    given_: list[str], called_with: list[str]
) -> None:
    assert pytest_arguments(given_, 2) == called_with


def test_there_is_one_process_more_than_cores_within_limits() -> None:
    assert [n_workers(n) for n in (1, 2, 4, 64)] == [1, 3, 5, MOST_WORKERS]


def test_one_core_runs_all_in_this_process() -> None:
    assert pytest_arguments(["tests/gui"], 1) == ["tests/gui"]
    assert n_cores() >= 1


@pytest.mark.parametrize(
    ("profile", "n"), [("usual", USUAL), ("quick", QUICK), ("thorough", THOROUGH)]
)
def test_each_profile_has_its_number_of_examples(profile: str, n: int) -> None:
    before = settings()
    tried = []
    settings.load_profile(profile)
    try:

        @settings(max_examples=examples(2 * USUAL), database=None)
        @given(st.integers())
        def look(number: int) -> None:
            tried.append(number)

        look()
    finally:
        settings.register_profile("before", before)
        settings.load_profile("before")
    assert len(tried) == 2 * n
