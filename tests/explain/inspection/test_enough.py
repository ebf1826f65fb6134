"""How much text is enough: each sample gives exactly what a run on it gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import bpe_studio as bpe
from bpe_studio.explain.inspection.enough import HELD_OUT, Enough, SampleRun, _numbers
from tests.facts import says

SAMPLES = Path(__file__).resolve().parents[3] / "resources" / "samples"


def test_each_sample_is_a_run_on_its_lines(tmp_path: Path) -> None:
    lines = (SAMPLES / "bridge_story.txt").read_text(encoding="utf-8").splitlines(keepends=True) * 5
    path = tmp_path / "a.txt"
    path.write_text("".join(lines), encoding="utf-8")
    config = bpe.TrainingConfig.preset("gpt2", vocab_size=None, merges=80)
    found = bpe.enough(path, config, shares=(0.2, 0.5))
    numbers = _numbers_of(len(lines))
    held_out = "".join(
        line for line, number in zip(lines, numbers, strict=True) if number < HELD_OUT
    )
    runs = []
    for sample in found.samples:
        high = HELD_OUT + (1 - HELD_OUT) * sample.share
        text = "".join(
            line for line, number in zip(lines, numbers, strict=True) if HELD_OUT <= number < high
        )
        runs.append(bpe.train(bpe.Corpus.from_text(text, config), config))
        assert sample.n_bytes == len(text.encode())
        n_tokens = sum(
            len(runs[-1].tokenizer().encode(line).ids)
            for line in held_out.splitlines(keepends=True)
        )
        assert sample.tokens_per_byte == n_tokens / len(held_out.encode())
    whole = {merge.token for merge in runs[-1].merges}
    for sample, run in zip(found.samples, runs, strict=True):
        assert sample.overlap == len(whole & {merge.token for merge in run.merges}) / len(whole)
    assert [sample.share for sample in found.samples] == [0.2, 0.5, 1.0]
    assert found.n_held_out_bytes == len(held_out.encode())


def _numbers_of(n_lines: int) -> list[float]:
    return _numbers(np.arange(n_lines)).tolist()


def test_the_sentence_of_a_curve() -> None:
    def curve(*values: float) -> Enough:
        shares = (0.1, 0.5, 1.0)
        return Enough(
            [SampleRun(s, 1, 1, s, value) for s, value in zip(shares, values, strict=True)], 1
        )

    assert curve(0.3011, 0.3008, 0.3).enough.share == 0.1
    # A small sample that is good by chance is not enough if a larger one is worse.
    assert curve(0.3, 0.32, 0.3).sentence.startswith("All of this text is needed")
    assert says(
        curve(0.32, 0.301, 0.3).sentence,
        "50 % of this text",
        "0.3 % more",
        "50 % of the vocabulary",
    )
    assert "takes no more tokens than" in curve(0.32, 0.30001, 0.3).sentence, "and not 0.0 % more"
