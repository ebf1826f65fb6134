"""The tokens of a corpus by its distinct pieces are those of the library on the whole text."""

from __future__ import annotations

import json
import re
from functools import partial

import numpy as np
import pytest

from bpe_studio import Corpus
from bpe_studio.engine.generators import result_of
from bpe_studio.engine.text.pretokenization import spans
from bpe_studio.files.third_party.borders import Cutting, cut_otherwise
from bpe_studio.files.third_party.hugging_face import (
    HuggingFaceLibrary,
    check_json,
    read_piece_merges,
)
from bpe_studio.files.third_party.piece_counting import (
    beginning,
    config_for_counting,
    cutting_for_counting,
    is_exact,
    tokens_in_pieces,
    tokens_in_texts,
)
from bpe_studio.files.third_party.tokenizer import Steps, ThirdPartyTokenizer
from tests.engine.texts import packed, standing_out
from tests.files.third_party.made import TEXTS, TRAINING, content_of, strange_texts

TEXT = "\n".join([*TEXTS, *TRAINING, *strange_texts(40, 3), "a ▁ b▁c ▁▁ d▁\n▁e \n\n f  \n"])


def opened(root: dict) -> ThirdPartyTokenizer:
    root = check_json(root)
    return ThirdPartyTokenizer(
        HuggingFaceLibrary(root, is_ours=True), partial(Steps.of, partial(read_piece_merges, root))
    )


def made(name: str, **changes: object) -> dict:
    root = json.loads(content_of(name))
    root["added_tokens"] = [one for one in root["added_tokens"] if one["special"]]
    root["model"].update(changes.pop("model", {}))
    return {**root, **changes}


def counted(tokenizer: ThirdPartyTokenizer, text: str = TEXT) -> np.ndarray:
    cutting = cutting_for_counting(tokenizer)
    assert cutting is not None
    beginnings = {beginning(text): 1} if cutting.prefix else {}
    corpus = Corpus.from_text(text, config_for_counting(cutting))
    return result_of(tokens_in_pieces(tokenizer, cutting, corpus, beginnings))


MARKS = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
PREFIXED = {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"}, MARKS]}


def marked(normalizer: dict = MARKS) -> dict:
    """A model without a pre-tokenizer, no token of which has a mark or a line end after another
    character.
    """
    root = made("llama2", normalizer=normalizer)
    model = root["model"]
    crossing = {name for name in model["vocab"] if re.search(r"[^▁]▁|[^\n]\n|\n[^\n]", name)}
    pairs = [pair if isinstance(pair, list) else pair.split(" ") for pair in model["merges"]]
    model["merges"] = [pair for pair in pairs if not crossing & {*pair, "".join(pair)}]
    model["vocab"] = {
        name: number for name, number in model["vocab"].items() if name not in crossing
    }
    return root


@pytest.mark.parametrize(
    "root",
    [
        made("gpt2"),
        made("llama3"),
        made("out_of_order"),
        made("gpt2", normalizer={"type": "NFC"}),
        made("gpt2", normalizer={"type": "NFKC"}),
        marked(),
        marked(PREFIXED),
    ],
    ids=["gpt2", "llama3", "out of order", "NFC", "NFKC", "marks", "prefix"],
)
def test_the_counts_are_those_of_the_whole_text(root: dict) -> None:
    tokenizer = opened(root)
    cutting = cutting_for_counting(tokenizer)
    assert cutting is not None
    every = "".join(sorted(set(TEXT)))
    strange = cutting.cut_otherwise(every) | cutting.normalized_otherwise(every)
    text = "".join(char for char in TEXT if char not in strange)
    ids = tokenizer.native.ids(text, recognize_special=False)
    expected = np.bincount(ids, minlength=max(tokenizer.tokens) + 1)
    assert counted(tokenizer, text).tolist() == expected.tolist()
    assert is_exact(
        tokenizer, cutting, Corpus.from_text(text, config_for_counting(cutting)), text[:200]
    )
    for name in (*tokenizer.added_ids, *re.findall("[\ud800-\udfff]", text)):
        text = text.replace(name, "")
    texts = [text, "", text[100:], *text.split("\n")]
    ids = [number for some in texts for number in tokenizer.encode_ids(some).tolist()]
    found = tokens_in_texts(tokenizer, texts)
    assert (
        found is not None and found.tolist() == np.bincount(ids, minlength=len(expected)).tolist()
    )


def test_texts_whose_pieces_are_not_known_to_be_those_of_the_library_are_not_counted_so() -> None:
    tokenizer = opened(made("llama3"))
    assert tokens_in_texts(tokenizer, ["a text"]) is not None
    special = next(iter(tokenizer.special_ids))
    for text in (f"a{special}b", "half \ud800", "\U00010ec6"):
        assert tokens_in_texts(tokenizer, ["a text", text]) is None
    assert tokens_in_texts(tokenizer.at(5), ["a text"]) is None
    assert tokens_in_texts(opened(made("gpt2", normalizer={"type": "NFC"})), ["a \u0378"]) is None


@pytest.mark.slow(buys="all characters; those of which a difference is known are in each run")
@pytest.mark.parametrize("name", ["gpt2", "llama3"])  # the classes of qwen are those of llama3
def test_all_other_characters_are_cut_as_the_library_cuts_them(name: str) -> None:
    root = made(name, normalizer=None)
    characters = "".join(
        chr(point) for point in range(128, 0x20000) if not 0xD800 <= point < 0xE000
    )
    strange = cut_otherwise(root["pre_tokenizer"], characters)
    near = sorted({*standing_out(0x20000)}.intersection(characters) - strange)
    text = "".join(f"a{char}b {char} {char}{char}1{char}\n{char}'{char}." for char in near)
    text += "".join(
        char for char in packed(0, 0xD800) + packed(0xE000, 0x20000) if char not in strange
    )
    library = opened(root).native
    cutting = library.cutting()
    assert cutting is not None
    theirs = [span for _, span in library._whole.pre_tokenizer.pre_tokenize_str(text)]
    assert list(spans(text, cutting.split)) == theirs


def test_counts_that_differ_on_the_sample_are_not_used() -> None:
    tokenizer = opened(made("gpt2"))
    sample = "don't 12345 stop"
    for split, same in (("gpt2", True), ("cl100k", False)):
        cutting = Cutting(split)
        corpus = Corpus.from_text(sample, config_for_counting(cutting))
        assert is_exact(tokenizer, cutting, corpus, sample) is same
