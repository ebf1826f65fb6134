"""A wheel holds all that the program needs: it runs from one, far from any checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hatchling.builders.wheel import WheelBuilder

import bpe_studio
from bpe_studio.files.lessons.reader import list_lessons

ROOT = Path(__file__).resolve().parent.parent
KERNELS = "bpe_studio/engine/kernels"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what a wheel installs; it has no compiled kernels."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        env={**os.environ, "HATCH_BUILD_NO_HOOKS": "1"},
    )
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def test_an_index_shows_the_readme_without_what_lies_beside_it(site: Path) -> None:
    (file,) = site.glob("*.dist-info/METADATA")
    _, _, description = file.read_text("utf-8").partition("\n\n")
    assert "## Start" in description and "](" not in description


def test_the_version_is_the_same_everywhere() -> None:
    pages = {"CITATION.cff": "version: {}", "pyproject.toml": 'version = "{}"'}
    for name, line in pages.items():
        line = f"\n{line.format(bpe_studio.__version__)}\n"
        assert line in (ROOT / name).read_text("utf-8"), name


def test_a_release_names_its_repository(tmp_path: Path) -> None:
    before = (ROOT / "pyproject.toml").read_text("utf-8")
    (tmp_path / "pyproject.toml").write_text(before, "utf-8")
    address = "https://example.org/owner/name"
    script = ROOT / ".ci" / "project_urls.py"
    subprocess.run([sys.executable, str(script), address], cwd=tmp_path, check=True)
    found = tomllib.loads((tmp_path / "pyproject.toml").read_text("utf-8"))
    urls = found["project"].pop("urls")
    assert urls["Homepage"] == address and urls["Issues"] == f"{address}/issues"
    for url in urls.values():
        _, _, path = url.removeprefix(address).partition("/main/")
        assert url.startswith(address) and (ROOT / path).exists()
    assert found == tomllib.loads(before)


@pytest.mark.parametrize("has_compiler", [True, False])
def test_a_wheel_with_kernels_is_for_its_system_and_for_all_versions_of_python(
    has_compiler: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path / name)
    for name in ("docs", "resources", KERNELS):
        (tmp_path / name).mkdir(parents=True)

    def build_kernels(command: list[str], **_: object) -> Any:
        if has_compiler:
            (tmp_path / KERNELS / "built_01234567.abi3.so").touch()
        return subprocess.CompletedProcess(command, int(not has_compiler))

    monkeypatch.setattr(subprocess, "run", build_kernels)
    (wheel,) = WheelBuilder(str(tmp_path)).build(
        directory=str(tmp_path / "dist"), versions=["standard"]
    )
    with zipfile.ZipFile(wheel) as archive:
        built = [name for name in archive.namelist() if name.startswith(f"{KERNELS}/built_")]
    assert [len(built), wheel.endswith("-py3-none-any.whl")] == [has_compiler, not has_compiler]
    if sys.abiflags == "":
        assert ("-cp311-abi3-" in wheel) == has_compiler


def _run(site: Path, *command: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(site)}
    ran = subprocess.run(
        [sys.executable, *command],
        cwd=site.parent,
        env=environment,
        check=True,
        capture_output=True,
        timeout=120,
    )
    return ran.stdout.decode("utf-8")


def test_resources_lie_inside_the_package(site: Path) -> None:
    expected = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "resources").rglob("*")
        if path.is_file()
    }
    package = site / "bpe_studio"
    assert expected <= {path.relative_to(package).as_posix() for path in package.rglob("*")}
    assert (package / "py.typed").is_file()


def test_nothing_else_is_installed(site: Path) -> None:
    assert {path.name.split("-")[0] for path in site.iterdir()} == {"bpe_studio"}


def test_the_samples_are_found(site: Path) -> None:
    code = (
        "import bpe_studio; from bpe_studio.files.samples import list_samples; "
        "print(bpe_studio.__file__, *[sample.path.is_file() for sample in list_samples()], "
        "sep='\\n')"
    )
    where, *found = _run(site, "-c", code).splitlines()
    assert where.startswith(str(site))
    assert found and set(found) == {"True"}


def test_the_lessons_are_found(site: Path) -> None:
    code = "from bpe_studio.files.lessons.reader import list_lessons, read_lesson; "
    code += "print(len([read_lesson(entry.path) for entry in list_lessons()]))"
    assert _run(site, "-c", code).split() == [str(len(list_lessons()))]


def test_the_manual_is_found(site: Path) -> None:
    code = (
        "from bpe_studio.files.manual import list_pages, list_terms; print(len(list_pages()),"
        " len(list_terms()) > 40)"
    )
    assert _run(site, "-c", code).split() == [str(len(list((ROOT / "docs").glob("*.md")))), "True"]
    assert not list((site / "bpe_studio" / "docs").glob("*.py"))


def test_the_command_line_runs(site: Path) -> None:
    sample = str(site / "bpe_studio" / "resources" / "samples" / "hug_pug.txt")
    counts = _run(site, "-m", "bpe_studio", "count", sample, "--preset", "textbook", "-o", "-")
    assert counts.partition("\n")[2].startswith("hug\t10\n")
