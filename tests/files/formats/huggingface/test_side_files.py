"""What other programs read beside a `tokenizer.json` is there again in a folder that is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import bpe_studio as bpe
from bpe_studio.files.formats import registry
from bpe_studio.files.formats.huggingface.side_files import MOST_BYTES
from tests.files.third_party.made import TEXTS, llama3

pytestmark = pytest.mark.usefixtures("sound_files")

TEMPLATE = "{% for m in messages %}<|begin_of_text|>{{ m['role'] }}: {{ m['content'] }}{% endfor %}"
ROLES = {
    "bos_token": "<|begin_of_text|>",
    "eos_token": {
        "content": "<|endoftext|>",
        **dict.fromkeys(("lstrip", "normalized", "rstrip"), False),
    },
    "pad_token": "<|endoftext|>",
}


@pytest.fixture
def opened(tmp_path: Path) -> Path:
    folder = tmp_path / "opened"
    folder.mkdir()
    root = llama3()
    _write(folder / "tokenizer.json", root)
    _write(folder / "special_tokens_map.json", ROLES)
    _write(
        folder / "added_tokens.json", {one["content"]: one["id"] for one in root["added_tokens"]}
    )
    (folder / "chat_template.jinja").write_text(TEMPLATE, "utf-8")
    _write(folder / "config.json", {"model_type": "llama", "vocab_size": 500})
    return folder


def _write(path: Path, root: Any) -> None:
    path.write_text(json.dumps(root, ensure_ascii=False), "utf-8")


def _changed(path: Path, how: str) -> bpe.Tokenizer:
    before = bpe.load(path)
    if how == "extended":
        return bpe.extend(before, TEXTS * 3, before.vocab_size + 5).tokenizer
    return bpe.prune(before, TEXTS, before.vocab_size - 20).tokenizer


@pytest.mark.parametrize("how", ["extended", "pruned"])
def test_transformers_has_the_same_special_tokens_and_chat_template(
    how: str, opened: Path, tmp_path: Path
) -> None:
    import transformers

    _changed(opened, how).save(tmp_path / how)
    (
        opened / "config.json"
    ).unlink()  # names a class of Transformers, which takes the place of what the file says
    before, after = (
        transformers.AutoTokenizer.from_pretrained(tmp_path / name) for name in ("opened", how)
    )
    assert after.special_tokens_map == before.special_tokens_map
    assert (
        after.special_tokens_map["bos_token"] == "<|begin_of_text|>"
        and after.pad_token == "<|endoftext|>"
    )
    assert after.chat_template == before.chat_template == TEMPLATE
    messages = [{"role": "user", "content": "a zebra"}]
    ids = after.apply_chat_template(messages, tokenize=True, return_dict=False)
    assert ids[0] == after.bos_token_id and after.decode(ids) == "<|begin_of_text|>user: a zebra"
    assert json.loads((tmp_path / how / "added_tokens.json").read_text("utf-8")) == {
        name: after.convert_tokens_to_ids(name) for name in ("<|begin_of_text|>", "<|endoftext|>")
    }


def test_the_report_names_what_is_written_and_what_is_not(opened: Path) -> None:
    (opened / "special_tokens_map.json").write_text("[1, 2")
    (opened / "chat_template.jinja").write_bytes(b" " * (MOST_BYTES + 1))
    _write(opened / "tokenizer_config.json", {"chat_template": TEMPLATE})
    tokenizer = bpe.load(opened)
    keeps, drops = registry.kept(tokenizer, "huggingface")
    assert keeps.endswith("; tokenizer_config.json; added_tokens.json")
    assert drops.split("; ")[0].startswith("special_tokens_map.json, which is not valid")
    assert "chat_template.jinja, which" in drops and drops.endswith("; config.json")
    tokenizer.save(opened.parent / "copy")
    names = {path.name for path in (opened.parent / "copy").iterdir()}
    assert names == {"tokenizer.json", "tokenizer_config.json", "added_tokens.json"}
