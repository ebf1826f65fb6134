"""What was found out about a file is not found out again, unless the file has changed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bpe_studio.files import remembered
from bpe_studio.files.loading import load
from bpe_studio.files.third_party import hugging_face, opening, self_check
from bpe_studio.files.third_party.tokenizer import ThirdPartyTokenizer
from tests.files.third_party.made import content_of


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache" / "bpe-studio" / "checks"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(remembered, "_folder", lambda: folder)
    return folder


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is done, in order."""
    found: list[str] = []

    def noted(module: object, name: str) -> None:
        ask: Callable[..., object] = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given: (found.append(name), ask(*given))[1])

    noted(hugging_face, "check_in_process")
    noted(opening, "read_piece_merges")
    noted(self_check, "_why_not")
    return found


def opened(path: Path, content: str) -> ThirdPartyTokenizer:
    path.write_text(content, encoding="utf-8")
    tokenizer = load(path)
    assert isinstance(tokenizer, ThirdPartyTokenizer)
    return tokenizer


def test_ids_need_no_merges_and_each_check_is_made_once(
    cache: Path, asked: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "tokenizer.json"
    content = content_of("llama3")
    tokenizer = opened(file, content)
    ids = tokenizer.encode_ids("Hugs! The pugs").tolist()
    assert tokenizer.decode(ids) == "Hugs! The pugs" and asked == ["check_in_process"]
    assert tokenizer.n_merges and asked == ["check_in_process", "read_piece_merges", "_why_not"]
    asked.clear()
    assert opened(file, content).encode_ids("Hugs! The pugs").tolist() == ids and not asked
    assert opened(file, content).n_merges and asked == ["read_piece_merges"]
    asked.clear()
    root = json.loads(content)
    root["model"]["merges"].append(root["model"]["merges"].pop(0))
    assert opened(file, json.dumps(root)).n_merges
    assert asked == ["check_in_process", "read_piece_merges", "_why_not"]


@pytest.mark.parametrize("damage", [b"", b"{}", b'"', b"\xff", b'"' + b"a" * 100_000 + b'"'])
def test_a_damaged_answer_counts_as_none(
    damage: bytes, cache: Path, asked: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "tokenizer.json"
    content = content_of("llama3")
    assert opened(file, content).why_no_merges == ""
    for path in cache.iterdir():
        path.write_bytes(damage)
    asked.clear()
    assert opened(file, content).why_no_merges == ""
    assert asked == ["check_in_process", "read_piece_merges", "_why_not"]


def test_a_file_that_could_not_be_tried_does_not_count_as_tried(
    cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(hugging_face, "check_in_process", lambda *_: None)
    opened(tmp_path / "tokenizer.json", content_of("gpt2"))
    assert not cache.exists()


def test_a_cache_that_cannot_be_written_to_does_no_harm(cache: Path, tmp_path: Path) -> None:
    cache.parent.mkdir(parents=True)
    cache.write_bytes(b"a file")
    assert opened(tmp_path / "tokenizer.json", content_of("gpt2")).why_no_merges == ""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no variable says where caches are")
def test_processes_that_fill_the_same_cache(cache: Path, asked: list[str], tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    content = content_of("gpt2")
    file.write_text(content, encoding="utf-8")
    program = "import sys, bpe_studio; print(bpe_studio.load(sys.argv[1]).n_merges)"
    started = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(file)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    assert len({process.communicate()[0] for process in started}) == 1
    assert [process.returncode for process in started] == [0, 0]
    assert len(list(cache.iterdir())) == 2
    assert opened(file, content).n_merges and asked == ["read_piece_merges"]
