"""What a notebook shows of the public objects."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest

import bpe_studio as bpe
from tests.files.third_party import made
from tests.trained import run_of_text

HOSTILE = "<script>alert(1)</script> &amp; low lower سلام دنیا 👍🏽"


def text_of(fragment: str) -> str:
    return html.unescape(re.sub("<[^>]*>", "", fragment))


@pytest.fixture(scope="module")
def tokenizers(tmp_path_factory: pytest.TempPathFactory) -> list[bpe.Tokenizer]:
    path = tmp_path_factory.mktemp("third") / "tokenizer.json"
    path.write_text(json.dumps(made.roberta()), encoding="utf-8")
    return [run_of_text().tokenizer(), bpe.load(Path(path))]


def test_an_encoding_is_its_text_in_colours(tokenizers: list[bpe.Tokenizer]) -> None:
    for tokenizer in tokenizers:
        encoding = tokenizer.encode(HOSTILE, add_special_tokens=True)
        shown = encoding._repr_html_()
        assert "<script" not in shown and HOSTILE in text_of(shown)
        assert f"{len(encoding)} tokens" in text_of(shown) and "background-color" in shown
        placed = {
            number for number, (a, b) in zip(encoding.ids, encoding.offsets, strict=True) if a < b
        }
        assert set(map(int, re.findall(r"id (\d+)", shown))) == placed


def test_an_encoding_without_a_text_has_its_tokens(tokenizers: list[bpe.Tokenizer]) -> None:
    assert "Ġb" in text_of(bpe.Encoding([1, 2], ["a", "Ġb"], [(0, 1), (1, 3)])._repr_html_())
    assert "0 tokens" in text_of(tokenizers[0].encode("")._repr_html_())


def test_large_things_are_small_and_one_line_in_short(tokenizers: list[bpe.Tokenizer]) -> None:
    run = run_of_text()
    corpus = bpe.Corpus.from_counts({f"<w{number}>": 1 for number in range(5000)}, run.config)
    things = [
        run,
        run.merges,
        run.config,
        run.tokenizer().encode_many(["low <b> "] * 5000, as_arrays=True),
        run.corpus,
        corpus,
        *tokenizers,
        *(one.encode("low <b> " * 5000) for one in tokenizers),
    ]
    for thing in things:
        assert len(thing._repr_html_()) < 100_000
        assert "\n" not in repr(thing) and len(repr(thing)) < 200
        assert "<w0>" not in thing._repr_html_() and "<b>" not in thing._repr_html_()


def test_the_merges_the_options_and_the_ids_of_many_texts_are_tables(
    tokenizers: list[bpe.Tokenizer],
) -> None:
    run = run_of_text()
    shown = text_of(run.merges._repr_html_())
    assert run.merges[9].token in shown and f"The first 10 of {len(run.merges)}" in shown
    found = tokenizers[1].encode_many(["low", "", "lower"], as_arrays=True)
    shown = text_of(found._repr_html_())
    assert " ".join(map(str, found[2].tolist())) in shown and "Texts3" in shown
    assert "min_frequency" in text_of(run.config._repr_html_())


def test_answers_are_summaries_of_one_line_or_a_page(
    tmp_path: Path, tokenizers: list[bpe.Tokenizer]
) -> None:
    tokenizer = tokenizers[0]
    text = f"{HOSTILE}\n" * 300 + "<b>\u200b hug pug bugs\n" * 300
    path = tmp_path / "text.txt"
    path.write_text(text, encoding="utf-8")
    answers = {
        "low-text": bpe.compare({"low-text": tokenizer, "<b>": tokenizers[1]}, text),
        "Gate": bpe.doctor(tokenizer, text),
        "zero-width": bpe.inspect(path),
        "Same vocabulary": bpe.enough(path, tokenizer.model.config),
        "New merges": bpe.extend(tokenizer, [text], tokenizer.vocab_size + 12),
        "Removed tokens": bpe.prune(tokenizer, [text], tokenizer.vocab_size - 2),
    }
    for part, answer in answers.items():
        shown = answer._repr_html_()
        assert part in text_of(shown) and len(shown) < 10_000
        assert "<script" not in shown and "<b>" not in shown
        assert "\n" not in repr(answer) and len(repr(answer)) < 200
        assert repr(answer).startswith(f"<{type(answer).__name__}")


def test_a_comparison_has_the_rows_of_the_command(tokenizers: list[bpe.Tokenizer]) -> None:
    assert bpe.compare({"any": tokenizers[0]}, "\ud800").rows[0]["bytes_per_token"], (
        "half of a character counts, too"
    )
    at_start, at_end = bpe.compare(
        {"0": tokenizers[0].at(0), "all": tokenizers[0]}, [HOSTILE, "low"]
    ).rows
    assert (at_start["tokenizer"], at_start["step"]) == ("0", 0)
    n_tokens = sum(len(tokenizers[0].encode(text)) for text in (HOSTILE, "low"))
    assert at_end["n_tokens"] == n_tokens < at_start["n_tokens"]
    with pytest.raises(bpe.ArgumentError, match="by name"):
        bpe.compare(tokenizers, "low")  # type: ignore[arg-type]


def test_what_is_in_them_is_named(tokenizers: list[bpe.Tokenizer]) -> None:
    run = run_of_text()
    merge = run.merges[0]
    for part in (merge.left, merge.right, merge.token, f"{merge.count:,}", f"{len(run.merges)}"):
        assert part in text_of(run._repr_html_())
    assert "<svg" in run._repr_html_()
    word, count = max(run.corpus.items(), key=lambda item: item[1])
    assert word in text_of(run.corpus._repr_html_()) and f"{count:,}" in text_of(
        run.corpus._repr_html_()
    )
    for tokenizer in tokenizers:
        assert f"{len(tokenizer):,}" in text_of(tokenizer._repr_html_())
        assert next(iter(tokenizer.special_ids)) in text_of(tokenizer._repr_html_())
