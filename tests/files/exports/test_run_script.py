"""A script repeats a run: it is run by another Python, and says the same merges or that something
is not as it was.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import bpe_studio as bpe
from bpe_studio.engine.presets import PRESETS
from bpe_studio.files.exports import run_script
from bpe_studio.files.exports.run_script import ScriptSource, script_files

ROOT = Path(__file__).parents[3]
TEXT = (
    'the newest "hugs" \\ and low lowest pugs\r\nسلام سلام 🙂🙂 {x} %s \u202e\u2028 \'\'\' """ hugs '
    "hugs\n" * 6
)


def written(what: ScriptSource, folder: Path, name: str = "run it.py") -> Path:
    making = script_files(what, name)
    while True:
        try:
            next(making)
        except StopIteration as stop:
            break_ = stop.value
            break
    for each, content in break_.items():
        (folder / each).write_bytes(content)
    return folder / name


def run(path: Path) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, str(path)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        cwd=path.parent,
        env={"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
    )


def here(path: Path, capsys) -> str:
    """What the script says, run in this process: quicker, and as strict."""
    import runpy

    runpy.run_path(str(path), run_name="__main__")
    return capsys.readouterr().out


def of(trainer: bpe.Trainer, config, **more) -> ScriptSource:
    found = trainer.run_record
    return ScriptSource(found.corpus, config, found, len(found.merges), 3, **more)


def learned(text: str, config) -> bpe.Trainer:
    trainer = bpe.Trainer(bpe.Corpus.from_text(text, config), config)
    trainer.run(25)
    return trainer


def test_another_python_repeats_it(tmp_path):
    config = bpe.TrainingConfig.preset("gpt2", vocab_size=300, special=("<|a'b|>", "\\end{"))
    path = written(of(learned(TEXT, config), config, text=TEXT), tmp_path)
    done = run(path)
    assert done.returncode == 0, done.stderr
    assert "The same 25 merges as before" in done.stdout
    assert done.stdout.startswith("0 ")


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset(name, tmp_path, capsys):
    config = bpe.TrainingConfig.preset(name, merges=25)
    trainer = learned(TEXT, config)
    n = len(trainer.run_record.merges)
    assert f"The same {n} merges" in here(written(of(trainer, config, text=TEXT), tmp_path), capsys)


def test_branches_with_all_that_can_be_decided(tmp_path, capsys):
    config = bpe.TrainingConfig.preset(
        "textbook", merges=30, force=(("h", "u"),), forbid=(("l", "o"),)
    )
    trainer = learned(TEXT, config)
    first = trainer.run_record.merges[8]
    overrides = (
        bpe.Override(8, "skip", first.left, first.right),
        bpe.Override(10, "ties", ties="subword-nmt"),
        bpe.Override(12, "force", "x", "}"),
        bpe.Override(14, "forbid", "s", "t"),
    )
    for override in overrides:
        trainer = bpe.branch(trainer, override)
        trainer.run(20 - len(trainer.run_record.merges))
    what = of(trainer, config, text=TEXT, overrides=overrides)
    assert "The same 20 merges" in here(written(what, tmp_path), capsys)
    # And it would tell: without one of the decisions the merges are others.
    other = ScriptSource(**{**vars(what), "overrides": overrides[1:]})
    assert files(other) != files(what)
    with pytest.raises(SystemExit, match="have changed"):
        here(written_with(what, other, tmp_path), capsys)


def files(what: ScriptSource) -> bytes:
    making = script_files(what, "a.py")
    while True:
        try:
            next(making)
        except StopIteration as stop:
            return stop.value["a.py"]


def written_with(what: ScriptSource, other: ScriptSource, folder: Path) -> Path:
    path = folder / "other.py"
    path.write_bytes(files(other))
    assert files(what).split(b"digest()")[-1] == files(other).split(b"digest()")[-1]
    return path


def test_files_with_awkward_names_and_an_encoding(tmp_path, capsys):
    folder = tmp_path / 'it\'s a "folder" {x} سلام'
    folder.mkdir()
    names = [folder / "a'b.txt", folder / "n\\u0041 %s.txt"]
    for name in names:
        name.write_bytes(TEXT.encode("utf-16-le"))
    config = bpe.TrainingConfig.preset("o200k", merges=25)
    trainer = bpe.Trainer(bpe.Corpus.from_files(names, config, "utf-16-le"), config)
    trainer.run(25)
    what = of(trainer, config, paths=tuple(names), encoding="utf-16-le")
    path = written(what, tmp_path)
    assert "The same 25 merges" in here(path, capsys)
    names[0].write_bytes(("other words " * 30).encode("utf-16-le"))
    with pytest.raises(SystemExit, match="the corpus or the program is different"):
        here(path, capsys)


@pytest.mark.parametrize("most", [run_script.MOST_INLINE_BYTES, 10])
@pytest.mark.parametrize("has_text", [True, False])
def test_a_text_or_counts_in_the_script_or_beside_it(most, has_text, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(run_script, "MOST_INLINE_BYTES", most)
    config = bpe.TrainingConfig.preset("gpt2", merges=25)
    stray = TEXT + "\udcff\udc80 the"
    what = of(learned(stray, config), config, text=stray if has_text else None)
    path = written(what, tmp_path)
    assert len(list(tmp_path.iterdir())) == (1 if most > 10 else 2)
    assert "The same 25 merges" in here(path, capsys)


@pytest.mark.parametrize("has_files", [True, False])
def test_weights_of_files_from_the_files_and_from_their_counts(has_files, tmp_path, capsys):
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for path in paths:
        path.write_text(f"low lower {path.name} " * 9)
    config = bpe.TrainingConfig.preset("gpt2", merges=5, weight="b.txt=0.3")
    trainer = bpe.Trainer(bpe.Corpus.from_files(paths, config))
    trainer.run()
    more = {"paths": tuple(paths)} if has_files else {}
    said = here(written(of(trainer, config, **more), tmp_path), capsys)
    assert "The same 5 merges as before" in said
