"""Special tokens whose text the words hold: as Hugging Face's trainer, or refused before
training.
"""

from __future__ import annotations

import json

import pytest
import tokenizers
from hypothesis import example, given
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.text.alphabet import to_stand_ins

SPECIALS = ["ab", "[U]", "aba", "é", "a b", "Ã©", "ba_", "#ab", "#a_"]


def _theirs(
    lines: list[str], special: str, units: str, min_frequency: int
) -> list[tuple[str, ...]]:
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    if units == "bytes":
        tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(
            add_prefix_space=False, use_regex=False
        )
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=10_000,
        min_frequency=min_frequency,
        special_tokens=[special],
        show_progress=False,
    )
    tokenizer.train_from_iterator(lines, trainer)
    return [tuple(pair) for pair in json.loads(tokenizer.to_str())["model"]["merges"]]


def _ours(lines: list[str], special: str, units: str, min_frequency: int) -> list[tuple[str, ...]]:
    config = bpe.TrainingConfig.preset(
        "gpt2",
        units=units,
        full_alphabet=False,
        split="none",
        documents="file",
        special=(special,),
        vocab_size=10_000,
        min_frequency=min_frequency,
    )
    names = [to_stand_ins(line.encode()) if units == "bytes" else line for line in lines]
    counts = {name: names.count(name) for name in names}
    run = bpe.train(bpe.Corpus.from_counts(counts, config), config)
    return [(merge.left, merge.right) for merge in run.merges]


@given(
    lines=st.lists(st.text("ab[U]é ", min_size=1, max_size=9), min_size=1, max_size=6),
    special=st.sampled_from(SPECIALS),
    units=st.sampled_from(["bytes", "characters"]),
    min_frequency=st.integers(1, 4),
)
@example(["ab ab"] * 3, "ab", "bytes", 2)
@example(["x[U]", "[U]"] * 3, "[U]", "characters", 2)
@example(["éé"] * 3, "é", "bytes", 2)
@example(["a b"] * 3, "a b", "bytes", 2)
def test_the_same_merges_or_a_sentence_before_training(
    lines: list[str], special: str, units: str, min_frequency: int
) -> None:
    try:
        ours = _ours(lines, special, units, min_frequency)
    except bpe.ConfigError as refusal:
        assert f"The special token {special!r}" in str(refusal)
        return
    theirs = _theirs(lines, special, units, min_frequency)
    assert theirs == ours
    assert special not in ["".join(pair) for pair in theirs]


MARKS = {
    "prefix": {"continuing": "#"},
    "mark": {"word_end": "_"},
    "own mark": {"word_end": "_", "word_end_as": "own-symbol"},
}


@pytest.mark.parametrize("marks", MARKS)
@given(
    lines=st.lists(st.text("ab", min_size=1, max_size=6), min_size=1, max_size=4),
    special=st.sampled_from(SPECIALS),
)
def test_whatever_merges_can_make_with_marks_is_refused(
    marks: str, lines: list[str], special: str
) -> None:
    """Without the special token, the run that learns all that there is would have made it only
    where it is refused.
    """
    options: dict[str, object] = {
        "split": "whitespace",
        "min_frequency": 1,
        "unknown": None,
        "merges": 99,
        **MARKS[marks],
    }
    config = bpe.TrainingConfig.preset("textbook", **options)
    corpus = bpe.Corpus.from_text(" ".join(lines), config)
    made = [merge.token for merge in bpe.train(corpus, config).merges]
    try:
        bpe.Trainer(corpus, config.replace(special=(special,)))
    except bpe.ConfigError:
        return
    assert special not in made


def test_the_sentence_names_the_token_and_what_to_do() -> None:
    config = bpe.TrainingConfig.preset("textbook", split="none", merges=9)
    with pytest.raises(
        bpe.ConfigError,
        match=r"'\[UNK\]' occurs inside the words .* another text for it, or documents",
    ):
        bpe.train(bpe.Corpus.from_text("a [UNK] b [UNK]", config), config)
    for same in (
        config.replace(merges=0),
        config.replace(documents="separator"),
        config.replace(min_frequency=3),
    ):
        bpe.train(bpe.Corpus.from_text("a [UNK] b [UNK]", same), same)
    # SentencePiece's pieces are of one script, so that no merges make this one.
    pieces = bpe.TrainingConfig.preset("sentencepiece", merges=9)
    bpe.train(bpe.Corpus.from_text("a <unk> <s>b</s> <unk>", pieces), pieces)
