"""subword-nmt: the same codes from the same lines, and the same segmentation with them."""

from __future__ import annotations

import contextlib
import io
import random
from pathlib import Path

import pytest
from subword_nmt import apply_bpe, learn_bpe

import bpe_studio as bpe
from tests.engine import texts


@pytest.fixture(autouse=True)
def _no_progress_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        learn_bpe, "tqdm", lambda steps: steps
    )  # its bar starts a thread that stays


def _lines(kind: str, seed: int) -> str:
    """The text with line feeds for all line ends, as Python reads a file."""
    return texts.KINDS[kind](seed=seed).replace("\r\n", "\n").replace("\r", "\n")


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
    assert [f"{m.left} {m.right}" for m in run.merges] == _codes(text, n_merges).split("\n")[1:-1]
    assert len(run.merges) >= 30


def test_spaces_and_line_ends_alone_cut_words(tmp_path: Path) -> None:
    rng = random.Random(75)
    odd = "\t\u00a0\u3000\u2028\u2029\x0b\x0c\x1c\x85\u2009"
    text = "".join(rng.choices("abcdefgh" + odd + "    \n\r", k=3000))
    file = tmp_path / "text.txt"
    file.write_bytes(text.encode())
    with file.open(encoding="utf-8") as lines, contextlib.redirect_stderr(io.StringIO()):
        learn_bpe.learn_bpe(lines, codes := io.StringIO(), 40)
    config = bpe.TrainingConfig.preset("subword-nmt", merges=40)
    run = bpe.train(bpe.Corpus.from_files([file], config), config)
    assert [f"{m.left} {m.right}" for m in run.merges] == codes.getvalue().split("\n")[1:-1]
    (tmp_path / "codes").write_text(codes.getvalue(), encoding="utf-8", newline="\n")
    theirs = apply_bpe.BPE(codes)
    for tokenizer in (run.tokenizer(), bpe.load(tmp_path / "codes")):
        for line in text.replace("\r", "\n").split("\n")[:60]:
            assert len(tokenizer.tokenize(line)) == len(theirs.segment(line).split(" ")) * bool(
                line.strip(" ")
            )


@pytest.mark.parametrize("header", ["#version: 0.1\n", ""])
@pytest.mark.parametrize("kind", ["english", "persian", "mixed"])
def test_old_codes_in_which_the_mark_was_a_symbol(kind: str, header: str, tmp_path: Path) -> None:
    text = " ".join(_lines(kind, 76).split())
    config = bpe.TrainingConfig.preset("sennrich", merges=150, split="spaces", unknown="<unk>")
    run = bpe.train(bpe.Corpus.from_text(text, config), config)
    pairs = "".join(f"{merge.left} {merge.right}\n" for merge in run.merges)
    (tmp_path / "codes").write_text(header + pairs, encoding="utf-8", newline="\n")
    theirs = apply_bpe.BPE(io.StringIO(header + pairs))
    tokenizer = bpe.load(tmp_path / "codes")
    known = tokenizer.get_vocab().keys()
    words = [word for word in (text + _lines(kind, 77)).split() if known >= set(word)]
    assert len(words) > 20
    for word in words:
        found = tokenizer.encode(word)
        units = [
            token.removesuffix("</w>") if token.endswith("</w>") else token + "@@"
            for token in found.tokens
        ]
        assert units == theirs.segment(word).split(" ")
        assert [word[start:end] for start, end in found.offsets] == [
            unit.removesuffix("@@") for unit in units
        ]
    line = " ".join(words)
    assert tokenizer.decode(tokenizer.encode(line).ids) == line
    half = bpe.Tokenizer(tokenizer.model.until(75))
    assert half.tokenize(line) == tokenizer.tokenize(line, step=75)


@pytest.mark.parametrize("kind", ["english", "persian", "cjk and emoji", "mixed"])
def test_same_segmentation(kind: str) -> None:
    text = _lines(kind, 73)
    run = _train(text, 120)
    theirs = apply_bpe.BPE(io.StringIO(_codes(text, 120)))
    alphabet = {run.token_name(i) for i in range(run.n_alphabet)}
    tokenizer = run.tokenizer()
    words = [word for line in _lines(kind, 74).split("\n") for word in line.split(" ") if word]
    words = [word for word in words if {*word[:-1], word[-1] + "</w>"} <= alphabet]
    assert len(words) > 20
    for sample in (" ".join(words), *text.split("\n")[:20]):
        tokens = tokenizer.encode(sample).tokens
        ours = [
            token.removesuffix("</w>") if token.endswith("</w>") else token + "@@"
            for token in tokens
        ]
        assert ours == [unit for unit in theirs.segment(sample).split(" ") if unit]
