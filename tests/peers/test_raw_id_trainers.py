"""rustbpe and tiktoken: trainers and encoders that number bytes 0 to 255."""

from __future__ import annotations

import pytest
import rustbpe
import tiktoken

import bpe_studio as bpe
from bpe_studio.engine.kernels import loader
from tests.engine import texts
from tests.engine.counting.test_corpus import PUBLISHED
from tests.engine.rules import GPT2
from tests.engine.textbook_twin import content_of

_SPLITS = {"gpt2": GPT2, "cl100k": PUBLISHED["cl100k"]}


def _train(text: str, ties: str, split: str, n_merges: int) -> bpe.Tokenizer:
    config = bpe.TrainingConfig.preset(
        "raw",
        ties=ties,
        split=split,
        vocab_size=256 + n_merges,
        min_frequency=1,
        special=(),
        documents="file",
    )
    return bpe.train(bpe.Corpus.from_text(text, config), config).tokenizer()


def _ranks(tokenizer: bpe.Tokenizer) -> dict[bytes, int]:
    return {content_of(token): i for i, token in enumerate(tokenizer.model.tokens)}


@pytest.mark.parametrize("split", _SPLITS)
@pytest.mark.parametrize("kind", texts.KINDS)
def test_rustbpe_learns_the_same(kind: str, split: str) -> None:
    text = texts.KINDS[kind](seed=61)
    theirs = rustbpe.Tokenizer()
    theirs.train_from_iterator(iter([text]), 256 + 300, pattern=_SPLITS[split])
    ours = _train(text, "raw-ids", split, 300)
    assert list(_ranks(ours).items()) == [
        (bytes(token), rank) for token, rank in theirs.get_mergeable_ranks()
    ]
    assert ours.n_merges > 100
    for other in texts.KINDS:
        sample = texts.KINDS[other](seed=62)[:500]
        assert list(ours.encode(sample).ids) == theirs.encode(sample)


@pytest.mark.parametrize("ties", ["raw-ids", "first-seen", "greatest-bytes"])
@pytest.mark.parametrize("split", ["gpt2", "cl100k", "o200k"])
def test_tiktoken_encodes_the_same(ties: str, split: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(make(150, seed=63) for make in texts.KINDS.values())
    ours = _train(text, ties, split, 400)
    pattern = PUBLISHED[split]
    theirs = tiktoken.Encoding(
        "ours", pat_str=pattern, mergeable_ranks=_ranks(ours), special_tokens={}
    )
    for kind in texts.KINDS:
        sample = texts.KINDS[kind](150, seed=64).rstrip()
        ids = theirs.encode_ordinary(sample)
        assert list(ours.encode(sample).ids) == ids
        monkeypatch.setattr(loader, "PLAIN_WORK", -1)
        assert ours.encode_ids(sample).tolist() == ids
        assert ours.decode(ids) == theirs.decode(ids) == sample
        assert ours.decode_bytes(ids[:-1]) == theirs.decode_bytes(ids[:-1])


@pytest.mark.parametrize("split", ["none", "gpt2"])
@pytest.mark.parametrize("kind", ["english", "persian", "cjk and emoji"])
def test_the_educational_trainer_takes_the_first_seen(kind: str, split: str) -> None:
    from tiktoken._educational import bpe_train

    text = texts.KINDS[kind](40, seed=65)[:300]
    theirs = bpe_train(text, 256 + 40, r"[\s\S]+" if split == "none" else GPT2, visualise=None)
    assert list(_ranks(_train(text, "first-seen", split, 40))) == list(theirs)
