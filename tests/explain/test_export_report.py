"""What was written cuts the words of the corpus as before, and where it does not, the words are
counted.
"""

from __future__ import annotations

import pytest

import bpe_studio as bpe
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.training.trainer import train
from bpe_studio.explain import export_report
from bpe_studio.explain.export_report import ExportReport, WordComparison, compare_words, words_of
from tests.facts import says

TEXT = "The low lower lowest, newer newest: widest wide 1234 wider! باغ باغ 東京 東京 😀😀\n" * 3


def made(preset, **options):
    config = TrainingConfig.preset(preset, **options)
    corpus = Corpus.from_text(TEXT, config)
    return train(corpus, config).tokenizer(), words_of(corpus)


def compared(one, other, words):
    comparing = compare_words(one, other, words)
    done = []
    while True:
        try:
            done.append(next(comparing))
        except StopIteration as stop:
            assert done[-1:] == ([len(words)] if words else [])
            return stop.value


@pytest.mark.parametrize(
    ("preset", "options", "form"),
    [
        ("gpt2", {"merges": 30}, "huggingface"),
        ("gpt2", {"merges": 30}, "tiktoken"),
        ("textbook", {"merges": 30}, "huggingface"),
        ("sennrich", {"merges": 30}, "huggingface"),
        ("sentencepiece", {"merges": 30, "normalize": ()}, "sentencepiece"),
    ],
)
def test_an_exact_format_gives_the_same_tokens_and_ids(preset, options, form, tmp_path):
    tokenizer, words = made(preset, **options)
    tokenizer.save(tmp_path / "out", form)
    assert words and compared(tokenizer, bpe.load(tmp_path / "out"), words) == WordComparison(
        len(words)
    )


def test_a_format_without_ids_has_other_ids(tmp_path):
    tokenizer, words = made("subword-nmt", merges=60, min_frequency=1)
    tokenizer.save(tmp_path / "out", "subword-nmt")
    found = compared(tokenizer, bpe.load(tmp_path / "out"), words)
    assert found.n_words == len(words) and found.n_other_ids + found.n_other_tokens > 0


def test_words_with_other_tokens_are_counted_one_by_one(monkeypatch):
    monkeypatch.setattr(export_report, "N_TOGETHER", 3)
    tokenizer, words = made("gpt2", merges=30)
    fewer = tokenizer.at(20)
    different = [word for word in words if tokenizer.tokenize(word) != fewer.tokenize(word)]
    found = compared(tokenizer, fewer, words)
    assert (found.n_words, found.n_other_tokens, found.n_other_ids) == (
        len(words),
        len(different),
        0,
    )
    assert [each.word for each in found.examples] == different[: export_report.MOST_EXAMPLES]
    assert all(each.before == tuple(tokenizer.tokenize(each.word)) for each in found.examples)


def test_sentences():
    def sentence(comparison):
        return ExportReport("x", "a format", "ids", "", comparison).sentence

    assert says(sentence(WordComparison(0)), "no corpus")
    assert "same tokens and ids for all 1,234 distinct words" in sentence(WordComparison(1234))
    assert "same tokens for all 9 distinct words, with different ids" in sentence(
        WordComparison(9, 0, 4)
    )
    assert "different tokens for 2 of 9 distinct words" in sentence(WordComparison(9, 2, 4))
