"""The tokens of a corpus by its distinct pieces are those of the library on the whole text."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from bpe_studio import Corpus
from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.foreign.hugging_face import HuggingFaceLibrary, check_json, read_piece_merges
from bpe_studio.files.foreign.piece_counting import config_for_counting, tokens_in_pieces
from bpe_studio.files.foreign.tokenizer import ForeignTokenizer
from tests.files.foreign.made import TEXTS, TRAINING, content_of, strange_texts

TEXT = "\n".join([*TEXTS, *TRAINING, *strange_texts(40, 3), "a ▁ b▁c ▁▁ d▁\n▁e \n\n f  \n"])


def opened(root: dict) -> ForeignTokenizer:
    root = check_json(root)
    try:
        merges = read_piece_merges(root)
    except TokenizerFormatError:
        merges = None
    return ForeignTokenizer(HuggingFaceLibrary(root, is_ours=True), merges)


def made(name: str, **changes: object) -> dict:
    root = json.loads(content_of(name))
    root["added_tokens"] = [one for one in root["added_tokens"] if one["special"]]
    root["model"].update(changes.pop("model", {}))
    return {**root, **changes}


def counted(tokenizer: ForeignTokenizer, corpus: Corpus) -> np.ndarray:
    work = tokens_in_pieces(tokenizer, corpus)
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


def marked() -> dict:
    """A model without a pre-tokenizer, no token of which has a mark or a line end after another character."""
    root = made("llama2", normalizer=MARKS)
    model = root["model"]
    crossing = {name for name in model["vocab"] if re.search(r"[^▁]▁|[^\n]\n|\n[^\n]", name)}
    pairs = [pair if isinstance(pair, list) else pair.split(" ") for pair in model["merges"]]
    model["merges"] = [pair for pair in pairs if not crossing & {*pair, "".join(pair)}]
    model["vocab"] = {name: number for name, number in model["vocab"].items() if name not in crossing}
    return root


MARKS = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}


@pytest.mark.parametrize(
    "root",
    [made("gpt2"), made("llama3"), made("out_of_order"), marked()],
    ids=["gpt2", "llama3", "out of order", "marks"],
)
def test_the_counts_are_those_of_the_whole_text(root: dict) -> None:
    tokenizer = opened(root)
    config = config_for_counting(tokenizer, TEXT)
    assert config is not None
    ids = tokenizer.native.ids(TEXT, recognize_special=False)
    expected = np.bincount(ids, minlength=max(tokenizer.tokens) + 1)
    assert counted(tokenizer, Corpus.from_text(TEXT, config)).tolist() == expected.tolist()


def test_a_token_across_a_mark_forbids_the_cut() -> None:
    root = marked()
    assert "regex:" in (HuggingFaceLibrary(root, is_ours=True).split_for_counting() or "")
    root["model"]["vocab"]["e▁t"] = 9_999
    assert HuggingFaceLibrary(root, is_ours=True).split_for_counting() is None


def test_pieces_that_are_taken_whole_must_be_known() -> None:
    root = marked()
    root["model"]["ignore_merges"] = True
    assert HuggingFaceLibrary(root, is_ours=True).split_for_counting() is None


def test_tokens_that_hold_a_line_end_and_more_keep_lines_together() -> None:
    root = marked()
    usual = HuggingFaceLibrary(root, is_ours=True).split_for_counting() or ""
    root["model"]["vocab"][".\n"] = 9_999
    lines = HuggingFaceLibrary(root, is_ours=True).split_for_counting() or ""
    assert usual.endswith("\\n+") and lines and "\\n" not in lines


@pytest.mark.parametrize(
    "root",
    [
        made("llama2"),
        made("llama2", normalizer=MARKS),
        made("gpt2", normalizer={"type": "Lowercase"}),
        made("gpt2", pre_tokenizer={"type": "UnicodeScripts"}),
    ],
    ids=["prefix", "tokens across marks", "normalizer", "pre-tokenizer"],
)
def test_what_is_not_known_to_be_separate_is_not_cut(root: dict) -> None:
    assert config_for_counting(opened(root), TEXT) is None


def test_counts_that_differ_on_the_sample_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = opened(made("gpt2"))
    monkeypatch.setattr(tokenizer.native, "split_for_counting", lambda: "cl100k")
    assert config_for_counting(tokenizer, "don't 12345 stop") is None


def test_a_stray_byte_counts_as_a_replacement_character() -> None:
    tokenizer = opened(marked())
    config = config_for_counting(tokenizer, TEXT)
    assert config is not None
    with_stray = counted(tokenizer, Corpus.from_text("low\udcff er", config))
    assert with_stray.tolist() == counted(tokenizer, Corpus.from_text("low\ufffd er", config)).tolist()
