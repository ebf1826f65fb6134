"""A save is whole: over another tokenizer it equals a save into a new folder, and what others put
there stays.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import bpe_studio as bpe
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.errors import BpeError, SaveError
from tests.examples import examples
from tests.files.formats.cases import trained
from tests.files.formats.round_trips import changed, random_config, random_text, texts_for
from tests.files.third_party.made import llama3

FOLDERS = ("huggingface", "gpt2")
OF_OTHERS = {
    "README.md": b"# notes",
    "model.safetensors": bytes(range(256)),
    "config.json": b'{"model_type": "gpt2", "vocab_size": 7}',
    "notes/vocab.json": b"{}",
}
TEXT = "hug pugs <|endoftext|> <s> <pad> it's \u6c49 a\n  b"


@pytest.fixture
def beside(tmp_path: Path) -> dict[str, Any]:
    """A tokenizer of another program, with all that it puts beside it."""
    root = llama3()
    template = "{{ messages }}"
    files = {
        "tokenizer.json": root,
        "tokenizer_config.json": {
            "pad_token": "<pad>",
            "added_tokens_decoder": {"3": {"content": "<pad>"}},
        },
        "special_tokens_map.json": {"pad_token": "<pad>"},
        "added_tokens.json": {one["content"]: one["id"] for one in root["added_tokens"]},
        "vocab.json": root["model"]["vocab"],
    }
    texts = {name: json.dumps(content) for name, content in files.items()}
    pairs = "\n".join(
        pair if isinstance(pair, str) else " ".join(pair) for pair in root["model"]["merges"]
    )
    return {
        **texts,
        "merges.txt": pairs,
        "chat_template.jinja": template,
        "additional_chat_templates/a.jinja": template,
    }


def put(folder: Path, files: dict[str, Any]) -> None:
    for name, content in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def ids(tokenizer: Tokenizer, text: str | bytes) -> list[int] | str:
    try:
        return tokenizer.encode(text, recognize_special=True).ids
    except BpeError:
        return "none"


def random_tokenizer(rng: random.Random) -> Tokenizer | None:
    try:
        config = (
            bpe.TrainingConfig.preset("gpt2", merges=9)
            if rng.random() < 0.4
            else random_config(rng)
        )
        corpus = bpe.Corpus.from_text(random_text(rng, 200), config)
        tokenizer = bpe.train(corpus, config).tokenizer()
    except BpeError:
        return None
    return Tokenizer(changed(tokenizer.model, rng)) if rng.random() < 0.3 else tokenizer


def test_a_save_over_any_tokenizer_equals_a_save_into_a_new_folder(
    tmp_path: Path, beside: dict[str, Any]
) -> None:
    n_compared = 0
    for seed in range(examples(16)):
        rng = random.Random(seed)
        old = tmp_path / f"old{seed}"
        new = tmp_path / f"new{seed}"
        put(old, dict(rng.sample(list(beside.items()), rng.randint(0, len(beside)))))
        for _ in range(3):
            tokenizer = random_tokenizer(rng)
            form = rng.choice(FOLDERS)
            if tokenizer is None:
                continue
            try:
                tokenizer.save(new, form)
            except SaveError:
                continue
            tokenizer.save(old, form)
            assert contents(old) == contents(new), f"seed {seed}"
            opened = [bpe.load(folder) for folder in (old, new)]
            for text in (TEXT, *texts_for(rng, tokenizer)):
                assert ids(opened[0], text) == ids(opened[1], text), f"seed {seed}"
            n_compared += 1
    assert n_compared > examples(16) / 2


@pytest.mark.parametrize("form", FOLDERS)
def test_what_is_not_part_of_a_tokenizer_stays(
    form: str, tmp_path: Path, beside: dict[str, Any]
) -> None:
    tokenizer = trained("gpt2", merges=20)
    put(tmp_path / "out", {**beside, **OF_OTHERS})
    tokenizer.save(tmp_path / "out", form)
    tokenizer.save(tmp_path / "new", form)
    assert contents(tmp_path / "out") == contents(tmp_path / "new") | OF_OTHERS
    assert ids(bpe.load(tmp_path / "out"), TEXT) == ids(tokenizer, TEXT)


def test_the_files_of_a_library_are_replaced_by_its_own(
    tmp_path: Path, beside: dict[str, Any]
) -> None:
    put(
        tmp_path / "one", {name: beside[name] for name in ("tokenizer.json", "chat_template.jinja")}
    )
    put(tmp_path / "out", beside)
    tokenizer = bpe.load(tmp_path / "one")
    for folder in ("out", "new"):
        tokenizer.save(tmp_path / folder)
    assert contents(tmp_path / "out") == contents(tmp_path / "new")
    assert ids(bpe.load(tmp_path / "out"), TEXT) == ids(tokenizer, TEXT)


@pytest.mark.parametrize(
    ("form", "name", "content"),
    [
        ("huggingface", "tokenizer.model", b"anything"),
        ("gpt2", "vocab.txt", b"[UNK]"),
        ("gpt2", "tekken.json", b"{}"),
        ("gpt2", "backup.json", json.dumps(llama3()).encode()),
        ("gpt2", "config.json", b'{"model_type": "whisper"}'),
    ],
)
def test_what_would_be_opened_instead_is_refused_and_stays(
    form: str, name: str, content: bytes, tmp_path: Path
) -> None:
    put(tmp_path / "out", {name: content})
    options = {} if name != "config.json" else {"special": ()}
    with pytest.raises(SaveError, match=name) as refused:
        trained("gpt2", merges=20, **options).save(tmp_path / "out", form)
    assert "\n" not in str(refused.value) and ".new" not in str(refused.value)
    assert contents(tmp_path / "out") == {name: content} and len(list(tmp_path.iterdir())) == 1


def test_codes_that_would_be_opened_with_a_vocabulary_beside_them_are_refused(
    tmp_path: Path,
) -> None:
    tokenizer = trained("subword-nmt", merges=20)
    vocab = {token: number for number, token in enumerate(tokenizer.tokens.values())}
    (tmp_path / "vocab.json").write_text(json.dumps(vocab))
    with pytest.raises(SaveError, match=r"vocab\.json"):
        tokenizer.save(tmp_path / "codes", "subword-nmt")
    assert not (tmp_path / "codes").exists()
