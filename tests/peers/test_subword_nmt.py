"""subword-nmt: the same codes from the same lines, and the same segmentation with them."""

from __future__ import annotations

import contextlib
import io

import pytest
from subword_nmt import apply_bpe, learn_bpe

import bpe_studio as bpe
from tests.engine import texts


@pytest.fixture(autouse=True)
def _no_progress_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learn_bpe, "tqdm", lambda steps: steps)  # its bar starts a thread that stays


def _lines(kind: str, seed: int) -> str:
    """The text with spaces and line feeds only: that tool keeps all other white space inside words."""
    return "\n".join(" ".join(line.split()) for line in texts.KINDS[kind](seed=seed).split("\n"))


def _codes(text: str, n_merges: int, min_frequency: int = 2) -> str:
    written = io.StringIO()
    with contextlib.redirect_stderr(io.StringIO()):
        learn_bpe.learn_bpe(io.StringIO(text), written, n_merges, min_frequency=min_frequency)
    return written.getvalue()


def _train(text: str, n_merges: int, **options: object) -> bpe.Run:
    config = bpe.TrainingConfig.preset("subword-nmt", merges=n_merges, **options)
    return bpe.train(bpe.Corpus.from_text(text, config), config)


@pytest.mark.parametrize("kind", texts.KINDS)
@pytest.mark.parametrize("n_merges", [30, 150, 5000])
def test_same_codes(kind: str, n_merges: int) -> None:
    text = _lines(kind, 71)
    run = _train(text, n_merges)
    assert [f"{m.left} {m.right}" for m in run.merges] == _codes(text, n_merges).splitlines()[1:]
    assert len(run.merges) >= 30


@pytest.mark.parametrize("kind", ["english", "persian", "cjk and emoji", "mixed"])
def test_same_segmentation(kind: str) -> None:
    text = _lines(kind, 73)
    run = _train(text, 120)
    theirs = apply_bpe.BPE(io.StringIO(_codes(text, 120)))
    alphabet = {run.token_name(i) for i in range(run.n_alphabet)}
    tokenizer = run.tokenizer()
    words = [word for word in _lines(kind, 74).split() if {*word[:-1], word[-1] + "</w>"} <= alphabet]
    assert len(words) > 20
    for sample in (" ".join(words), " ".join(text.split()[:200])):
        tokens = tokenizer.encode(sample).tokens
        ours = [token.removesuffix("</w>") if token.endswith("</w>") else token + "@@" for token in tokens]
        assert ours == theirs.segment(sample).split()
