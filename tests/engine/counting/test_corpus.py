"""The table of counted pre-tokens: what is cut from what, and that tables add up."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.counting.corpus import CorpusBuilder
from bpe_studio.engine.presets import DIGIT_SPLITS, NAMED_SPLITS
from tests.engine import corpora
from tests.engine.rules import GPT2
from tests.examples import IN_A_CAMPAIGN, examples

# The patterns as their makers publish them, possessive spellings and all. Later versions of cl100k
# also take white space at the very end of a text as one piece, which the older and most widely
# copied form does not.
_CL100K = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s*[\r\n]|\s+(?!\S)|\s+"
_O200K = "|".join(
    [
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)
_LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_QWEN2 = _LLAMA3.replace("{1,3}", "")
_SUPERWORDS = r"(?:\p{N}{1,3}| ?[^\s\p{L}\p{N}]{2,}[\r\n/]*| +(?!\S))"
"""What lies between two matches is a piece, too."""
PUBLISHED = {
    "none": r"(?s).+",
    "whitespace": r"\S+",
    "spaces": r"[^ \r\n]+",
    "words": r"\w+|[^\w\s]+",
    "gpt2": GPT2,
    "cl100k": _CL100K,
    "o200k": _O200K,
    "o200k-words": _O200K.replace("(?i:'s|'t|'re|'ve|'m|'ll|'d)?", ""),
    "superwords": rf"{_SUPERWORDS}|(?:(?!{_SUPERWORDS})[\s\S])+",
    "llama3": _LLAMA3,
    "qwen2": _QWEN2,
    r"regex:[aeiou]|[^aeiou\s]+": r"[aeiou]|[^aeiou\s]+",
    r"regex:(\p{L})(\p{L})?": r"\p{L}\p{L}?",
}
every_split = pytest.mark.parametrize("split", list(PUBLISHED))


def _config(split: str = "whitespace", **options: object) -> bpe.TrainingConfig:
    return bpe.TrainingConfig.preset("raw", **({"split": split, "documents": "file"} | options))


def _table(corpus: bpe.Corpus) -> list[tuple[str, int]]:
    return [(corpus.pre_token(i), int(count)) for i, count in enumerate(corpus.counts)]


def _expected(split: str, *documents: str) -> list[tuple[str, int]]:
    return list(
        Counter(
            word for text in documents for word in regex.findall(PUBLISHED[split], text)
        ).items()
    )


@every_split
@settings(max_examples=examples(IN_A_CAMPAIGN))
@given(text=corpora.plain_text())
@example(text="I'll  DON'T we've\r\n\r\n  12345 ... x\t\n ")
@example(text=" \n \n")
def test_cutting_and_counting(split: str, text: str) -> None:
    assert _table(bpe.Corpus.from_text(text, _config(split))) == _expected(split, text)


@pytest.mark.parametrize("documents", ["file", "line"])
@settings(max_examples=examples(60))
@given(split=st.sampled_from(list(PUBLISHED)), data=st.data())
def test_pieces_of_a_text_make_the_same_table(
    documents: str, split: str, data: st.DataObject
) -> None:
    text = data.draw(
        st.one_of(corpora.plain_text(), st.text(st.sampled_from("ab '1s\n\r.é😀"), max_size=60))
    )
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    config = _config(split, documents=documents)
    builder = CorpusBuilder(config)
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        builder.add_text(text[start:end])
    builder.end_document()
    assert _table(builder.finish()) == _table(bpe.Corpus.from_text(text, config))


@pytest.mark.parametrize(
    "split", [name for name in NAMED_SPLITS if name not in (*DIGIT_SPLITS, "sentencepiece")]
)
def test_every_split_can_cut_between_digits(split: str) -> None:
    """SentencePiece's cuts words only; a rule about pieces keeps its digits apart."""
    corpus = bpe.Corpus.from_text("a12b. 3,45\n ६७x 8 9", _config(split, split_digits=True))
    with_digits = [word for word in corpus.pre_tokens() if regex.search(r"\p{N}", word)]
    assert with_digits == list("12345६७89")


def test_files_are_documents_in_the_order_given(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("b.txt", "a.txt")]
    paths[0].write_bytes(b"x y ")
    paths[1].write_bytes(b" y z\r\n")
    corpus = bpe.Corpus.from_files(paths, _config("gpt2"))
    assert _table(corpus) == _expected("gpt2", "x y ", " y z\r\n")
    assert corpus.n_documents == 2
    assert corpus.size_bytes == 10 and corpus.n_characters == 10


def test_lines_end_at_line_feeds_alone() -> None:
    text = "a  \n  b\r\nc\rd\x0be\x0cf\x85g\u2028h\n\n"
    lines = ["a  \n", "  b\r\n", "c\rd\x0be\x0cf\x85g\u2028h\n", "\n"]
    corpus = bpe.Corpus.from_text(text, _config("none", documents="line"))
    assert _table(corpus) == [(line, 1) for line in lines]
    by_gpt2 = bpe.Corpus.from_text(text, _config("gpt2", documents="line"))
    assert _table(by_gpt2) == _expected("gpt2", *lines)


def test_specials_separate_documents_and_are_not_counted() -> None:
    config = _config("none", documents="separator", special=("<|endoftext|>", "<s>"))
    corpus = bpe.Corpus.from_text("ab<|endoftext|>cd<s><|endoftext|>ab", config)
    assert _table(corpus) == [("ab", 2), ("cd", 1)]
    as_text = bpe.Corpus.from_text("ab<s>", config.replace(documents="file"))
    assert _table(as_text) == [("ab<s>", 1)]


@given(
    counts=st.dictionaries(st.text("abc", min_size=1, max_size=4), st.integers(1, 50), max_size=6)
)
def test_counts_are_taken_as_they_are(counts: dict[str, int]) -> None:
    config = bpe.TrainingConfig.preset("textbook", merges=5)
    corpus = bpe.Corpus.from_counts(counts, config)
    assert _table(corpus) == list(counts.items())
    assert list(corpus.pre_tokens()) == list(counts)
    assert corpus.n_words == sum(counts.values())
    assert _table(bpe.Corpus.from_counts(list(counts.items()) * 2, config)) == [
        (w, 2 * n) for w, n in counts.items()
    ]
    spelled = " ".join(" ".join([word] * count) for word, count in counts.items())
    assert _table(bpe.Corpus.from_text(spelled, config)) == list(counts.items())


def test_counts_of_bytes_are_written_with_stand_ins() -> None:
    corpus = bpe.Corpus.from_counts({"Ġis": 2, "ÃŁ": 1, "Ċ": 3}, bpe.TrainingConfig.preset("gpt2"))
    assert [corpus.pre_token_bytes(i) for i in range(3)] == [b" is", "ß".encode(), b"\n"]
    assert [corpus.pre_token(i) for i in range(3)] == [" is", "ß", "\n"]


@pytest.mark.parametrize("counts", [{"ab": -1}, {"": 3}, {"ab": 1.5}, {"ab": "many"}, {1: 1}])
def test_counts_that_cannot_be(counts: dict[object, object]) -> None:
    with pytest.raises(bpe.BpeError):
        bpe.Corpus.from_counts(counts, bpe.TrainingConfig.preset("textbook"))  # type: ignore[arg-type]


@given(text=corpora.plain_text())
def test_measures_of_the_text(text: str) -> None:
    corpus = bpe.Corpus.from_text(text, _config("gpt2"))
    assert corpus.size_bytes == len(text.encode())
    assert corpus.n_characters == len(text)
    assert corpus.n_whitespace_words == len(text.split())
    assert len(corpus) == len(corpus.counts)
    assert sum(len(word.encode()) * count for word, count in _table(corpus)) == corpus.size_bytes
