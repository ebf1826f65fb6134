"""The price of a finding: the merges of a run that it caused, by training the same text without it.

A finding can be priced if an option removes it, and nothing else: a normalization, or a name of the
option `clean`. Then the text is not changed by anyone, but the run without the finding says so in
its settings. A token is blamed on a finding only if the run without it has this token later or not
at all, and not because other tokens have taken its
place: its pair must occur less often there.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import CorpusBuilder
from bpe_studio.engine.presets import CLEANINGS
from bpe_studio.engine.run import Run
from bpe_studio.engine.training.trainer import Trainer
from bpe_studio.explain.wording import number, plural
from bpe_studio.files.text.reading import Reading
from bpe_studio.files.text.sources import Sources

_MORE = 1.05
_NAMED = 3


@dataclass(frozen=True)
class Blamed:
    """A merge that a finding caused.

    Attributes:
        rank: its rank, from 0.
        token: the token that it makes, as in `--log`.
        count: the count of its pair.
        rank_without: the rank in the run without the finding; `None` if the token is not made
            there.
        count_without: its count there; `None` if it is not made.
    """

    rank: int
    token: str
    count: int
    rank_without: int | None
    count_without: int | None


@dataclass(frozen=True)
class Price:
    """What a finding costs.

    Attributes:
        fix: what the settings of the run without the finding have: a normalization, or what is
            cleaned.
        n_merges: how many merges both runs have.
        merges: the merges that it caused, in order.
    """

    fix: str
    n_merges: int
    merges: list[Blamed] = field(default_factory=list)

    @property
    def option(self) -> str:
        """The option that removes the finding: "normalize" or "clean"."""
        return option_of(self.fix)

    @property
    def sentence(self) -> str:
        """The price in words, with the tokens as in `--log`.

        >>> Price("nfc", 500, [Blamed(7, "x", 9, None, None)]).sentence
        '1 of 500 merges would not be made with --normalize nfc: x (merge 8)'
        """
        return self.in_words(str)

    def in_words(self, shown_token: Callable[[str], str] | None, setting: str = "") -> str:
        """The same, with the tokens written by a function; those that would not be made are named
        first.

        Args:
            shown_token: writes a token; None names no token.
            setting: what the other run was trained with, in words; "" for the option of the
                command.
        """
        setting = setting or f"--{self.option} {self.fix}"
        if not self.merges:
            return f"causes none of the {plural(self.n_merges, 'merge')} (compared with {setting})"
        missing = [each for each in self.merges if each.rank_without is None]
        named = missing or self.merges
        shown = ""
        if shown_token is not None:
            first = (
                f"{shown_token(each.token)} (merge {number(each.rank + 1)})"
                for each in named[:_NAMED]
            )
            more = f" and {number(len(named) - _NAMED)} more" if len(named) > _NAMED else ""
            shown = f": {', '.join(first)}{more}"
        what = "would not be made" if missing else "would be made later"
        n_later = len(self.merges) - len(missing) if missing else 0
        later = f"; {number(n_later)} would be made later" if n_later else ""
        return (
            f"{number(len(named))} of {plural(self.n_merges, 'merge')} {what} with"
            f" {setting}{shown}{later}"
        )

    def as_json(self) -> dict[str, Any]:
        """The price as the command prints it."""
        return {
            self.option: self.fix,
            "n_merges": self.n_merges,
            "merges": [vars(each) for each in self.merges],
        }


def option_of(fix: str) -> str:
    """The option that has a fix among its values: "normalize" or "clean"."""
    return "clean" if fix in CLEANINGS else "normalize"


def without(config: TrainingConfig, fix: str) -> TrainingConfig | None:
    """The settings of a run without a finding.

    None if nothing removes it (""), or the settings do already.
    """
    if not fix or is_removed(config, fix):
        return None
    option = option_of(fix)
    before = getattr(config, option)
    # What is dropped may be between a letter and its mark, so that it comes first.
    after = (*before, fix) if fix == "nfc" else (fix, *before)
    changed: dict[str, Any] = {option: after}
    return config.replace(**changed)


def is_removed(config: TrainingConfig, fix: str) -> bool:
    """Whether the settings of a run remove a finding already."""
    return fix in config.normalize or fix in config.clean


def price(run: Run, other: Run, fix: str) -> Price:
    """The merges of a run that a finding caused.

    Args:
        run: the run.
        other: the run without the finding, trained a little further.
        fix: what removes the finding.
    """
    there: dict[str, tuple[int, int]] = {}
    for rank, merge in enumerate(other.merges):
        there.setdefault(merge.token, (rank, merge.count))
    blamed = []
    n = len(run.merges)
    n_there = len(other.merges)
    # A run that has ended early has no pair left that waits for its turn.
    has_ended = n_there < n and other.vocab_size_at(n_there) < run.vocab_size_at(n)
    last = other.merges[-1].count if n_there and not has_ended else 0
    for rank, merge in enumerate(run.merges):
        rank_there, count_there = there.get(merge.token, (None, None))
        if rank_there is None or count_there is None:
            # One that is as rare as the last one there, or rarer, may only wait for its turn.
            is_caused = merge.count > last
        else:
            is_caused = rank_there > rank and count_there < merge.count
        if is_caused:
            blamed.append(Blamed(rank, merge.token, merge.count, rank_there, count_there))
    return Price(fix, len(run.merges), blamed)


def pricing(
    paths: Iterable[str | PathLike[str]], run: Run, fixes: Mapping[str, str], reading: Reading
) -> Generator[str, None, dict[str, Price]]:
    """Trains a run without each finding; a job that yields the finding again and again.

    Args:
        paths: what the run was trained on, which is read again.
        run: the run.
        fixes: what removes each finding, by its name; "" for nothing.
        reading: how the files are read.

    Returns:
        The price of each finding that has one.
    """
    places = list(paths)
    prices: dict[str, Price] = {}
    by_fix: dict[str, Price] = {}
    for finding, fix in fixes.items():
        config = without(run.config, fix)
        if config is None:
            continue
        if fix not in by_fix:
            other = yield from _trained(
                places, config, int(len(run.merges) * _MORE) + 1, reading, finding
            )
            by_fix[fix] = price(run, other, fix)
        prices[finding] = by_fix[fix]
    return prices


def _trained(
    paths: list[str | PathLike[str]],
    config: TrainingConfig,
    n_merges: int,
    reading: Reading,
    finding: str,
) -> Generator[str, None, Run]:
    config = config.replace(vocab_size=None, merges=n_merges)
    builder = CorpusBuilder(config)
    for source in Sources(paths, reading):
        builder.begin_source(source.path)
        for content, ends, *_ in source.pieces():
            for _ in builder.feed(content, ends):
                yield finding
    trainer = Trainer(builder.finish(), config)
    for _ in trainer.to_the_end():
        yield finding
    return trainer.run_record
