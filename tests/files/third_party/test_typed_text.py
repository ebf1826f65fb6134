"""A text that is typed under a third-party tokenizer has, after each edit, the tokens of the whole
text.
"""

from __future__ import annotations

import json
import random
from functools import cache, partial
from typing import Any

import pytest

from bpe_studio.engine.encoding.editable_text import EditableText
from bpe_studio.files.formats.sentencepiece import parsed
from bpe_studio.files.third_party.hugging_face import HuggingFaceLibrary, read_piece_merges
from bpe_studio.files.third_party.opened_run import OpenedRun
from bpe_studio.files.third_party.sentencepiece_model import SentencePieceLibrary
from bpe_studio.files.third_party.tokenizer import Steps, ThirdPartyTokenizer
from tests.examples import examples
from tests.files.third_party.made import (
    BPES,
    SENTENCEPIECE,
    VARIANTS,
    content_of,
    sentencepiece_model,
)

ADDED = [
    "\n",
    "\n\n",
    "a",
    "x\n",
    " ",
    "'",
    "ll",
    "12",
    "é",
    "سلام",
    "e\u0301",
    ".",
    "/",
    "<|endoftext|>",
    "<|end",
    "\r\n",
    "世",
]
TEXT = (
    "The hugs\nof the  pug\n\n  it's what\nthey said.\n/don't\n12345 a\nB\r\n<|endoftext|>\nwe\n"
    "'ll see\nnaïve\n" * 3
)


@cache
def opened(name: str) -> OpenedRun:
    library: Any
    if name.startswith("sentencepiece "):
        data = sentencepiece_model(name.removeprefix("sentencepiece "))
        library = SentencePieceLibrary(data, parsed(data))
        read = library.read_piece_merges
    else:
        root = json.loads(content_of(name))
        library = HuggingFaceLibrary(root, is_ours=True)
        read = partial(read_piece_merges, root)
    return OpenedRun(ThirdPartyTokenizer(library, partial(Steps.of, read)))


@pytest.mark.parametrize(
    "name", [*BPES, *VARIANTS, *(f"sentencepiece {name}" for name in SENTENCEPIECE)]
)
def test_edits_give_the_tokens_of_the_whole_text(name: str) -> None:
    run = opened(name)
    draw = random.Random(5)
    edited = EditableText(run.new_segmenter())
    step = len(run.columns)
    edited.set_text(TEXT)
    for _ in range(examples(24)):
        start = draw.randrange(len(edited.text) + 1)
        n_removed = draw.choice((0, 0, 0, 1, 2, 9, 60))
        edited.replace(start, min(n_removed, len(edited.text) - start), draw.choice(ADDED))
        fresh = EditableText(run.new_segmenter())
        fresh.set_text(edited.text)
        for at in (step, step // 2):
            ours = edited.tokens(at)
            all_again = fresh.tokens(at)
            for field in ("ids", "starts", "ends"):
                assert getattr(ours, field).tolist() == getattr(all_again, field).tolist(), (
                    start,
                    edited.text,
                )


def test_special_tokens_that_are_text_from_now_on_change_the_whole_text() -> None:
    segmenter = opened("llama3").new_segmenter()
    edited = EditableText(segmenter)
    edited.set_text(TEXT)
    segmenter.recognize_special(False)
    assert edited.replace(3, 0, "x") == (0, len(TEXT) + 1)
