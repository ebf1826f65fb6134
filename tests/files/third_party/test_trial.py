"""A file that crashes or hangs its library does so in a process of its own."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.loading import load
from bpe_studio.files.third_party import trial
from bpe_studio.files.third_party.trial import check_in_process
from tests.files.third_party.made import Json, content_of, sentencepiece_model


def with_parts(**parts: object) -> bytes:
    return json.dumps({**json.loads(content_of("gpt2")), **parts}).encode()


def splits(pattern: str) -> Json:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def test_a_sound_file_passes() -> None:
    check_in_process("tokenizers", content_of("gpt2").encode(), ["text"])
    check_in_process("sentencepiece", sentencepiece_model("usual"), ["text"])


@pytest.mark.parametrize(
    ("library", "content"),
    [
        ("tokenizers", b"{}"),
        ("tokenizers", b"\xff"),
        ("sentencepiece", b"\n\x03abc"),
        ("sentencepiece", b""),
    ],
)
def test_the_reason_of_the_library_is_in_the_sentence(library: str, content: bytes) -> None:
    with pytest.raises(TokenizerFormatError, match=f"the library {library} rejects it"):
        check_in_process(library, content, [])


@pytest.mark.slow(
    buys="a library that fills its memory; one that refuses a file or takes too long is in each run"
)
def test_a_file_that_needs_all_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform != "linux":
        pytest.skip("the memory of a process is limited on Linux only")
    monkeypatch.setattr(trial, "MEMORY_BYTES", 3 << 27)
    check_in_process("tokenizers", content_of("gpt2").encode(), ["a text"])
    doubling = {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}
    content = with_parts(normalizer={"type": "Sequence", "normalizers": [doubling] * 60})
    with pytest.raises(
        TokenizerFormatError, match="the library tokenizers crashed, or needed more than"
    ):
        check_in_process("tokenizers", content, ["a text"])


def test_a_file_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "TIMEOUT_S", 0.01)
    with pytest.raises(TokenizerFormatError, match=r"takes more than 0\.01 seconds"):
        check_in_process("tokenizers", content_of("gpt2").encode(), ["text"])


def test_a_split_that_needs_too_many_tries_is_refused_without_what_native_code_prints(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_bytes(
        with_parts(pre_tokenizer={"type": "Sequence", "pretokenizers": [splits("(a+)+b")]})
    )
    with pytest.raises(TokenizerFormatError, match="panics at a page of text"):
        load(file)
    assert capfd.readouterr().err == ""


def test_a_prefix_that_would_be_cut_off_inside_a_character_is_refused(tmp_path: Path) -> None:
    vocab = {name: number for number, name in enumerate(["a", "b", "é", "ab", "aé", "x"])}
    model = {"type": "BPE", "continuing_subword_prefix": "#", "vocab": vocab, "merges": ["a é"]}
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({"model": model}), encoding="utf-8")
    with pytest.raises(TokenizerFormatError, match="crashed"):
        load(path)
