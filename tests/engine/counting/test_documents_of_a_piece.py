"""Pieces in which documents end: counted many documents at a time, with the same words and measures
as one by one.
"""

from __future__ import annotations

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting import fast_counting
from bpe_studio.engine.counting.fast_counting import FastCounting
from bpe_studio.engine.counting.plain_counting import PlainCounting

CONFIGS = [
    TrainingConfig.preset("gpt2", documents="file"),
    TrainingConfig.preset("gpt2"),
    TrainingConfig.preset("textbook"),
    TrainingConfig.preset("sentencepiece", normalize=()),
    TrainingConfig.preset("cl100k", documents="separator"),
    TrainingConfig.preset("gpt2", normalize="nfc"),
    TrainingConfig.preset("gpt2", split=r"regex:\w+|\s"),
]
DOCUMENTS = st.lists(
    st.sampled_from(
        [
            "a",
            "the ",
            " ",
            "\n",
            "é",
            "。",
            "\u3000",
            "😀",
            "x" * 40,
            "\r\n",
            "\x85",
            "سلام ",
            "\udcff",
            "\x1c",
        ]
    ),
    max_size=6,
).map("".join)
PIECES = st.lists(st.tuples(st.lists(DOCUMENTS, max_size=20), DOCUMENTS), max_size=5)


@given(
    st.sampled_from(CONFIGS),
    PIECES,
    st.sampled_from([3, 20, 1 << 18]),
    st.sampled_from([16, 100, 1 << 19]),
)
def test_documents_are_counted_together_as_one_by_one(
    config: TrainingConfig, pieces: list[tuple[list[str], str]], piece_bytes: int, block_bytes: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast_counting, "_PIECE", piece_bytes)
        fast = FastCounting(config, block_bytes)
        plain = PlainCounting(config)
        for documents, rest in pieces:
            contents = [document.encode("utf-8", "surrogatepass") for document in documents]
            ends = list(accumulate(map(len, contents)))
            for _ in fast.feed_documents(
                b"".join(contents) + rest.encode("utf-8", "surrogatepass"), ends
            ):
                pass
            for document in documents:
                for _ in (*plain.feed(document), *plain.finish_document()):
                    pass
            for _ in plain.feed(rest):
                pass
        for counting in (fast, plain):
            for _ in (*counting.finish_document(), *counting.finish()):
                pass
    assert fast.measures == plain.measures
    assert [part.tobytes() for part in fast.words()] == [part.tobytes() for part in plain.words()]
