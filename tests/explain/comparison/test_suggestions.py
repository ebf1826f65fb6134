"""Runs worth a comparison, settings in words, and causes of a divergence."""

from __future__ import annotations

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.explain.comparison.suggestions import suggestions
from bpe_studio.explain.settings import difference_words, settings_that_differ

GPT2 = TrainingConfig.preset("gpt2", vocab_size=300)


def test_suggestions_follow_the_settings_and_leave_out_what_is_there():
    keys = [each.key for each in suggestions(GPT2)]
    assert keys == [
        "split",
        "characters",
        "ties",
        "none",
        "lowercase",
        "sentencepiece",
        "subword-nmt",
    ]
    assert next(each for each in suggestions(GPT2) if each.key == "split").config == GPT2.replace(
        split="cl100k"
    )
    textbook = TrainingConfig.preset("textbook")
    bytes_instead = next(each for each in suggestions(textbook) if each.key == "bytes").config
    assert bytes_instead.units == "bytes" and bytes_instead.full_alphabet
    assert (
        next(each for each in suggestions(textbook) if each.key == "ties").config.ties
        == "huggingface"
    )
    known = [GPT2.replace(ties="first-seen", vocab_size=900)]
    assert "ties" not in [each.key for each in suggestions(GPT2, known)], (
        "its target does not make it another"
    )
    assert all(each.config.vocab_size == 300 for each in suggestions(GPT2))


def test_settings_in_words():
    other = GPT2.replace(
        normalize="nfc,lowercase", full_alphabet=False, vocab_size=None, merges=1200
    )
    found = settings_that_differ(GPT2, other)
    assert [each[1:] for each in found] == [
        ("Target", "vocabulary of 300", "1,200 merges"),
        ("Normalization", "none", "NFC, lowercase"),
        ("Alphabet", "all 256 bytes", "what occurs"),
    ]
    assert difference_words(GPT2, GPT2) == ""
    assert difference_words(GPT2, GPT2.replace(split=r"regex:\w+")) == r"split \w+ instead of GPT-2"
