"""The texts that are measured with: made from a seed, or taken from a given file; the same seed
gives the same text.

Made prose draws words from a large vocabulary with falling frequency, as real text does, so that
the table of distinct pre-tokens is as large as that of a real text of its size. A given file says
more than made text does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tests.benchmarks.measuring import Bench
from tests.engine.texts import ENGLISH

TEXT_MB = 40.0
QUICK_MB = 2.0
WARM_MB = 2.0
_BATCH = 50_000
_FALL = 1.05


class Speech:
    """Endless lines of one made language."""

    def __init__(
        self,
        rng: np.random.Generator,
        syllables: list[str],
        n_words: int,
        longest: int,
        gap: str = " ",
    ):
        self._rng = rng
        self._gap = gap
        lengths = rng.integers(1, longest + 1, n_words)
        lengths.sort()  # common words are short
        selected = iter(rng.integers(0, len(syllables), int(lengths.sum())).tolist())
        words = [
            "".join(syllables[next(selected)] for _ in range(length)) for length in lengths.tolist()
        ]
        words[50::40] = [word.capitalize() for word in words[50::40]]
        words[90::200] = [
            str(number) for number in rng.integers(0, 10_000, len(words[90::200])).tolist()
        ]
        words[12] += "'s"
        self._words = np.array(words, object)
        chances = 1.0 / (np.arange(n_words) + 2.7) ** _FALL
        self._reach = np.cumsum(chances) / chances.sum()

    def lines(self) -> Iterator[str]:
        """Sentences of some words, a mark at the end of each, a blank line now and then."""
        while True:
            drawn = self._words[
                np.searchsorted(self._reach, self._rng.random(_BATCH)).clip(0, len(self._words) - 1)
            ]
            lengths = self._rng.integers(4, 22, _BATCH // 8).tolist()
            ends = self._rng.choice(
                np.array([".", ".", ", and so", "?", ";", ".\n"], object), len(lengths)
            ).tolist()
            place = 0
            for length, end in zip(lengths, ends, strict=True):
                if place + length > _BATCH:
                    break
                yield self._gap.join(drawn[place : place + length]) + end + "\n"
                place += length


def english(seed: int = 0) -> Iterator[str]:
    """Lines like English ones."""
    return Speech(_rng(f"english {seed}"), ENGLISH, 250_000, 5).lines()


def text(bench: Bench) -> Path:
    """The text of this run: the given file without bytes that are no UTF-8, or made English."""
    path = bench.folder / "text.txt"
    if path.exists():
        return path
    if bench.given_text is None:
        return write_lines(path, english(), QUICK_MB if bench.is_quick else TEXT_MB)
    content = bench.given_text.read_bytes().decode("utf-8", "ignore").encode()
    if bench.is_quick:
        content = content[: content.rfind(b"\n", 0, int(QUICK_MB * 1e6)) + 1]
    path.write_bytes(content)
    return path


def describe(bench: Bench) -> str:
    """What that text is, for a caption."""
    size = text(bench).stat().st_size / 1e6
    name = (
        "English made from a seed"
        if bench.given_text is None
        else f"the file `{bench.given_text.name}`"
    )
    return f"{name}, {size:.1f} MB"


def warm_text(bench: Bench) -> Path:
    """Another text, small, with which every process gets warm."""
    path = bench.folder / "warm.txt"
    return path if path.exists() else write_lines(path, english(seed=1), WARM_MB)


def grown(bench: Bench, megabytes: float) -> Path:
    """A text of some size: the lines of the run's text shuffled, as often as it takes, each time in
    another order.
    """
    path = bench.folder / f"grown-{megabytes:g}.txt"
    if path.exists():
        return path
    lines = text(bench).read_bytes().splitlines(keepends=True)
    rng = _rng("growth")
    left = int(megabytes * 1e6)
    with path.open("wb") as stream:
        while left > 0:
            order = rng.permutation(len(lines)).tolist()
            for begin in range(0, len(order), 10_000):
                block = b"".join(lines[number] for number in order[begin : begin + 10_000])[:left]
                if len(block) == left:
                    block = block[: block.rfind(b"\n") + 1] or block
                    left = len(block)
                stream.write(block)
                left -= len(block)
                if left <= 0:
                    break
    return path


def write_lines(path: Path, lines: Iterator[str], megabytes: float) -> Path:
    """Write lines until there are so many megabytes."""
    left = int(megabytes * 1e6)
    with path.open("w", encoding="utf-8", newline="") as stream:
        while left > 0:
            block = "".join(next(lines) for _ in range(500))
            stream.write(block)
            left -= len(block.encode())
    return path


def _rng(name: str) -> np.random.Generator:
    return np.random.default_rng(list(name.encode()))
