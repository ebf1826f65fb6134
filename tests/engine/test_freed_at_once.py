"""What nothing uses any more is freed at once: no cycle of references keeps a corpus until garbage
is collected.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator

import pytest

import bpe_studio as bpe
from bpe_studio.engine.training.candidates import rank_candidates

CONFIG = bpe.TrainingConfig.preset("gpt2", merges=20)
TEXT = "the hug pug bun hugs low lower " * 50


@pytest.fixture(autouse=True)
def no_collections() -> Iterator[None]:
    was_enabled = gc.isenabled()
    gc.disable()
    yield
    if was_enabled:
        gc.enable()


def _trainer(n: int | None = None) -> bpe.Trainer:
    trainer = bpe.Trainer(bpe.Corpus.from_text(TEXT, CONFIG), CONFIG)
    trainer.run(n)
    return trainer


def _used_run() -> bpe.Run:
    run = _trainer().run_record
    assert list(run.merges) and run.words_at(3) and rank_candidates(run, 3, 5)
    run.live(TEXT).n_tokens(3)
    run.gap_ranks(TEXT)
    return run


def _used_tokenizer() -> bpe.Tokenizer:
    tokenizer = _trainer().run_record.tokenizer()
    tokenizer.decode(tokenizer.encode(TEXT).ids)
    return tokenizer


def _released() -> bpe.Trainer:
    trainer = _trainer(5)
    trainer.release()
    return trainer


@pytest.mark.parametrize(
    "make",
    [
        lambda: bpe.Corpus.from_text(TEXT, CONFIG),
        lambda: bpe.Trainer(bpe.Corpus.from_text(TEXT, CONFIG), CONFIG),
        lambda: _trainer(5),
        _released,
        _used_run,
        _used_tokenizer,
        lambda: _used_run().live(TEXT),
        lambda: bpe.branch(_trainer(), bpe.Override(3, bpe.OverrideKind.ties, ties="first-seen")),
    ],
    ids=[
        "corpus",
        "new trainer",
        "trainer",
        "released trainer",
        "run",
        "tokenizer",
        "text",
        "branch",
    ],
)
def test_it_is_freed_at_once(make: Callable[[], object]) -> None:
    seen = weakref.ref(make())
    assert seen() is None
