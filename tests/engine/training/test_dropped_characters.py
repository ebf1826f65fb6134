"""Characters that a limit of the alphabet drops: neighbours meet in training, and tokens are
counted in the text.
"""

from __future__ import annotations

from typing import Any

import pytest

import bpe_studio as bpe
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.errors import ConfigError
from tests.engine.rules import log_of

TEXT = "ab azzb z bba zbabz aab zz ab z abb z baaz z"


def _config(**options: Any) -> bpe.TrainingConfig:
    usual = {"split": "whitespace", "limit_alphabet": 2, "merges": 6, "unknown": None}
    return bpe.TrainingConfig.preset("textbook", **{**usual, **options})


@pytest.mark.parametrize("use_compiled", [False, True], ids=["plain", "compiled"])
def test_words_of_which_nothing_is_kept_stay_apart(use_compiled: bool) -> None:
    config = _config()
    corpus = bpe.Corpus.from_text(TEXT, config)
    trainer = bpe.Trainer(corpus, config, use_compiled=use_compiled)
    trainer.run()
    again = bpe.Trainer(corpus, config, use_compiled=use_compiled)
    while not again.finished:
        again.release()
        again.run(1)
    assert len(trainer.run_record.merges) > 3
    assert log_of(again.run_record) == log_of(trainer.run_record)
    for step in range(len(trainer.run_record.merges)):
        branch = bpe.branch(trainer, Override(step, OverrideKind.ties, ties=config.ties))
        branch.run()
        assert log_of(branch.run_record) == log_of(trainer.run_record)


STAND_INS: dict[str, dict[str, Any]] = {
    "a token": {"unknown": "[UNK]"},
    "a character": {"unknown": "?"},
    "bytes": {"byte_fallback": True},
    "a token for several": {"unknown": "[UNK]", "split": "sentencepiece", "limit_alphabet": 3},
}


@pytest.mark.parametrize("options", STAND_INS.values(), ids=STAND_INS)
def test_the_corpus_has_the_tokens_of_each_tokenizer(options: dict[str, Any]) -> None:
    config = _config(**options)
    run = bpe.train(bpe.Corpus.from_text(TEXT, config), config)
    branch = bpe.branch(run, Override(2, OverrideKind.ties, ties="huggingface"))
    branch.run()
    for each in (run, branch.run_record):
        for step in range(len(each.merges) + 1):
            ids = each.tokenizer(step).encode(TEXT).ids
            assert each.measure("n_tokens")[step] == len(ids)
            counts = each.token_counts_at(step).tolist()
            assert counts == [
                ids.count(each.external_id(token, step)) for token in range(len(counts))
            ]


def test_without_a_token_for_them_they_count_as_nothing() -> None:
    config = _config(merges=0)
    assert bpe.train(bpe.Corpus.from_text("azb aab z", config), config).measure(
        "n_tokens"
    ).tolist() == [5]


def test_special_tokens_may_be_in_what_is_dropped() -> None:
    config = _config(special=("az",))
    assert len(bpe.train(bpe.Corpus.from_text("az azb aab ab", config), config).merges) > 0


def test_special_tokens_may_not_be_in_what_is_left() -> None:
    config = _config(special=("ab",))
    with pytest.raises(ConfigError, match="ab"):
        bpe.train(bpe.Corpus.from_text("azb azb bb", config), config)
