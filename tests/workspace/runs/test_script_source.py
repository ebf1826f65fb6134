"""The run that is shown, as a script: whatever the text, the settings and where it came from, it
says the same.
"""

from __future__ import annotations

import runpy

import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.files.exports.run_script import script_files
from bpe_studio.workspace.runs.script_source import script_source, why_no_script
from bpe_studio.workspace.session import ROOT
from tests.files.third_party.made import sentencepiece_model

PERSIAN = "کتاب‌های خوب را می‌خوانم و می‌نویسم. سلام سلام دنیا، کتاب خوب است.\r\n"
TEXT = (PERSIAN + "Ａé É naïve 😀😀 👩‍👩‍👧 the newest hugs, lowest pugs = 'x' \\n\n") * 8
SETTINGS = {
    "bytes": TrainingConfig.preset("gpt2", merges=30),
    "characters": TrainingConfig.preset("textbook", merges=30),
    "raw bytes": TrainingConfig.preset("raw", merges=30),
    "normalized": TrainingConfig.preset(
        "gpt2", merges=30, normalize=("nfkc", "lowercase", "strip-accents")
    ),
    "decomposed characters": TrainingConfig.preset("sennrich", merges=30, normalize=("nfd",)),
    "forced and forbidden": TrainingConfig.preset(
        "textbook", merges=30, force=(("س", "ل"),), forbid=(("ک", "ت"),)
    ),
    "forced bytes": TrainingConfig.preset(
        "gpt2", merges=30, force=(("Ø", "³"), ("ð", "Ł")), forbid=(("Ġ", "t"),)
    ),
    "marks": TrainingConfig.preset("sentencepiece", merges=30),
    "continuing": TrainingConfig.preset("textbook", merges=30, continuing="##"),
    "its own split": TrainingConfig.preset(
        "textbook", merges=30, split=r"regex:\p{L}+|\s+|'.'", special=("<|a|>",)
    ),
    "documents": TrainingConfig.preset(
        "cl100k", merges=30, documents="separator", special=("Ａé",)
    ),
}


def repeated(workspace, folder, capsys) -> str:
    making = script_files(script_source(workspace, workspace.runs), "run.py")
    while True:
        try:
            next(making)
        except StopIteration as stop:
            for name, content in stop.value.items():
                (folder / name).write_bytes(content)
            break
    runpy.run_path(str(folder / "run.py"), run_name="__main__")
    return capsys.readouterr().out


@pytest.fixture
def learned(make_workspace, wait_for):
    def learn(config, open_it):
        workspace = make_workspace(config=config)
        open_it(workspace)
        wait_for(workspace, "ready")
        workspace.transport.run_training()
        wait_for(workspace, "done")
        assert workspace.n_merges > 5
        return workspace

    return learn


@pytest.mark.parametrize("name", SETTINGS)
def test_any_settings(name, learned, tmp_path, capsys):
    workspace = learned(SETTINGS[name], lambda each: each.opener.open_text(TEXT, "words"))
    assert f"The same {workspace.n_merges} merges" in repeated(workspace, tmp_path, capsys)


@pytest.mark.parametrize("from_file", [True, False])
@pytest.mark.parametrize("name", ["bytes", "characters", "marks"])
def test_a_part_was_set_aside(name, from_file, learned, wait_for, tmp_path, capsys):
    file = tmp_path / "a.txt"
    file.write_bytes(TEXT.encode())
    workspace = learned(
        SETTINGS[name],
        lambda each: (
            each.opener.open_files([file]) if from_file else each.opener.open_text(TEXT, "words")
        ),
    )
    workspace.settings.hold_out(0.3)
    wait_for(workspace, "ready")
    workspace.transport.run_training()
    wait_for(workspace, "done")
    assert workspace.corpus.held_out is not None and workspace.n_merges > 5
    assert f"The same {workspace.n_merges} merges" in repeated(workspace, tmp_path, capsys)


@pytest.mark.parametrize("name", ["bytes", "characters"])
def test_a_tokenizer_alone_and_a_run_beside(
    name, learned, make_workspace, wait_for, qtbot, tmp_path, capsys
):
    workspace = learned(SETTINGS[name], lambda each: each.opener.open_text(TEXT, "words"))
    workspace.side_runs.train(SETTINGS["normalized"], "other")
    qtbot.waitUntil(
        lambda: len(workspace.runs.entries) == 2 and workspace.state.name == "done", timeout=20_000
    )
    workspace.runs.show(next(each.number for each in workspace.runs.entries if each.number != ROOT))
    assert f"The same {workspace.n_merges} merges" in repeated(workspace, tmp_path, capsys)
    workspace.runs.show(ROOT)
    workspace.run.tokenizer().save(tmp_path / "tok", format="huggingface")
    other = make_workspace()
    other.opener.open_files([tmp_path / "tok"])
    wait_for(other, "done")
    assert [each.token for each in other.run.merges] == [
        each.token for each in workspace.run.merges
    ]
    assert "save its tokenizer" in why_no_script(other.runs)


def test_a_third_party_tokenizer_has_none(make_workspace, wait_for, tmp_path):
    workspace = make_workspace()
    assert "open a text" in why_no_script(workspace.runs)
    (tmp_path / "a.model").write_bytes(sentencepiece_model("llama"))
    workspace.opener.open_files([tmp_path / "a.model"])
    wait_for(workspace, "done")
    assert "third-party tokenizer" in why_no_script(workspace.runs)
