"""Tokenizers, runs and corpora through pickle and cloudpickle, and in other processes."""

from __future__ import annotations

import importlib
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import bpe_studio as bpe
from bpe_studio.files.third_party.tokenizer import ThirdPartyTokenizer
from tests.files.third_party import made
from tests.trained import run_of_text

TEXTS = [
    "Hugs! The pugs aren't hugging <|endoftext|>",
    "سلام بر دنیا",
    "玻璃 and ガラス",
    "",
    "😀👍🏽",
]


@pytest.fixture(params=["pickle", "cloudpickle"])
def pickler(request: pytest.FixtureRequest) -> Any:
    return importlib.import_module(request.param)


@pytest.fixture(scope="module")
def tokenizers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bpe.Tokenizer]:
    """One of each kind: ours, and those that each library runs, some of them in another state."""
    folder = tmp_path_factory.mktemp("tokenizers")
    for name in ("llama3", "out_of_order", "word_piece"):
        Path(folder, name).write_text(made.content_of(name), encoding="utf-8")
    Path(folder, "model").write_bytes(made.sentencepiece_model("llama"))
    found = {path.name: bpe.load(path) for path in folder.iterdir()}
    third = found["out_of_order"]
    assert isinstance(third, ThirdPartyTokenizer)
    return {
        "own": run_of_text().tokenizer(),
        **found,
        "in order": third.in_order(),
        "step 9": found["llama3"].at(9),
    }


def test_a_tokenizer_is_the_same_after_pickling(
    pickler: Any, tokenizers: dict[str, bpe.Tokenizer]
) -> None:
    for name, tokenizer in tokenizers.items():
        again = pickler.loads(pickler.dumps(tokenizer))
        for text in TEXTS:
            assert again.encode(text) == tokenizer.encode(text), name
            if tokenizer.n_merges:
                assert again.tokenize(text, step=5) == tokenizer.tokenize(text, step=5), name
        assert again(TEXTS) == tokenizer(TEXTS), name
        for what in (
            "tokens",
            "merges",
            "special_ids",
            "kind",
            "notices",
            "own_format",
            "why_no_merges",
        ):
            assert getattr(again, what) == getattr(tokenizer, what), (name, what)
        if tokenizer.own_format is not None:
            assert again.own_files.content() == tokenizer.own_files.content(), name


def test_a_pickled_tokenizer_is_saved_with_all_its_files_and_changed(
    tokenizers: dict[str, bpe.Tokenizer], tmp_path: Path
) -> None:
    again = pickle.loads(pickle.dumps(tokenizers["llama3"]))
    again.save(tmp_path / "again")
    tokenizers["llama3"].save(tmp_path / "first")
    for path in (tmp_path / "first").iterdir():
        assert (tmp_path / "again" / path.name).read_bytes() == path.read_bytes()
    assert (
        bpe.extend(again, TEXTS * 9, again.vocab_size + 2).tokenizer.vocab_size
        == again.vocab_size + 2
    )


def test_dropout_goes_on_with_the_same_random_numbers(pickler: Any) -> None:
    tokenizer = run_of_text().tokenizer().with_dropout(0.5, seed=1)
    again = pickler.loads(pickler.dumps(tokenizer))
    assert [again.tokenize("lower newest") for _ in range(9)] == [
        tokenizer.tokenize("lower newest") for _ in range(9)
    ]


def test_runs_corpora_and_trainers_are_the_same_after_pickling(pickler: Any) -> None:
    trainer = bpe.Trainer(run_of_text().corpus)
    trainer.run(20)
    again = pickler.loads(pickler.dumps(trainer))
    assert list(again.run_record.merges) == list(trainer.run_record.merges)
    assert again.run(9) == trainer.run(9)
    run = trainer.run_record
    other = pickler.loads(pickler.dumps(trainer.run_record))
    assert list(other.merges) == list(run.merges)
    assert other.measure("renyi").tolist() == run.measure("renyi").tolist()
    assert dict(other.corpus.items()) == dict(run.corpus.items())
    assert other.config == run.config == pickler.loads(pickler.dumps(run.config))
    assert other.tokenizer().encode(TEXTS[0]) == run.tokenizer().encode(TEXTS[0])
    branch = bpe.branch(
        other, bpe.Override(3, bpe.OverrideKind.forbid, run.merges[3].left, run.merges[3].right)
    )
    assert len(branch.run(5)) == 5


@pytest.mark.parametrize(
    "method", sorted({"fork", "spawn"} & set(multiprocessing.get_all_start_methods()))
)
def test_other_processes_encode(method: str, tokenizers: dict[str, bpe.Tokenizer]) -> None:
    with ProcessPoolExecutor(2, multiprocessing.get_context(method)) as processes:
        found = {
            name: processes.submit(tokenizer.encode_many, TEXTS)
            for name, tokenizer in tokenizers.items()
        }
        for name, tokenizer in tokenizers.items():
            assert found[name].result() == tokenizer.encode_many(TEXTS), name
