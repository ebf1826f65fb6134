"""Tokens and words are found by their text: whole ones first, then those that begin with it or
contain it.
"""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.training.trainer import Trainer
from bpe_studio.explain.text_search import MOST_FOUND, FoundText, TextSearch, best_places


def obvious(rows: list[bytes], needle: bytes) -> list[int]:
    def stripped(row: bytes) -> bytes:
        return row.removeprefix(b" ")

    folds = needle == needle.lower()
    found = []
    for k, row in enumerate(rows):
        text, whole = (row.lower(), stripped(row).lower()) if folds else (row, stripped(row))
        kind = (
            0 if whole == needle else 1 if whole.startswith(needle) else 2 if needle in text else 3
        )
        if kind < 2 or (kind == 2 and len(needle) > 1):
            found.append((kind, k))
    return [k for _, k in sorted(found)][:MOST_FOUND]


@given(
    st.lists(st.text("ab A", max_size=5).map(str.encode), min_size=1, max_size=12),
    st.text("abA", min_size=1, max_size=3).map(str.encode),
)
def test_rows_are_those_that_the_obvious_way_finds(rows: list[bytes], needle: bytes) -> None:
    content = np.frombuffer(b"".join(rows), np.uint8)
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    assert best_places(content, offsets, needle, np.arange(len(rows))) == obvious(rows, needle)


def found(search: TextSearch, text: str, trainer: Trainer) -> FoundText:
    looking = search.find(text, trainer.run_record, trainer.run_record.corpus)
    while True:
        try:
            next(looking)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]


def test_tokens_and_words_of_a_run_that_grows() -> None:
    config = TrainingConfig.preset("gpt2", merges=20)
    trainer = Trainer(Corpus.from_text("low low lower سلام سلام\n" * 3, config), config)
    search = TextSearch()
    before = found(search, "low", trainer)
    assert before.tokens == ()
    trainer.run(20)
    run = trainer.run_record
    after = found(search, " low ", trainer)
    assert [run.token_content(token) for token in after.tokens][:1] == [b"low"]
    assert [run.corpus.pre_token(word) for word in after.words] == ["low", " low", " lower"]
    (word, *_) = found(search, "سلام", trainer).words
    assert run.corpus.pre_token(word) == " سلام"
    assert found(search, "  ", trainer) == FoundText("  ")
