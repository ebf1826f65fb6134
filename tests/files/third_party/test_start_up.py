"""The libraries of other tokenizers are imported when such a tokenizer is opened, not before."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.files.third_party.made import content_of, sentencepiece_model

_CODE = """
import sys
import bpe_studio
from bpe_studio.files.loading import load
from bpe_studio.files.recognition import recognize
recognize(sys.argv[1])
before = [name for name in ("tokenizers", "sentencepiece", "tiktoken", "PySide6") if name in sys.modules]
load(sys.argv[1])
after = [name for name in ("tokenizers", "sentencepiece", "tiktoken", "PySide6") if name in sys.modules]
print(before, after)
"""


@pytest.mark.parametrize("library", ["tokenizers", "sentencepiece"])
def test_a_library_is_imported_only_by_its_own_files(library: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    is_json = library == "tokenizers"
    file.write_bytes(content_of("gpt2").encode() if is_json else sentencepiece_model("usual"))
    ran = subprocess.run(
        [sys.executable, "-c", _CODE, str(file)], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == f"[] ['{library}']"
