"""The price of a finding: the merges of a run that it caused, by training the same text without it.

A finding has a price if an option removes it and nothing else: a normalization, or a name for the
option `clean`. The text stays as it is; the run without the finding has the option in its settings.
A finding caused a token if the run without the finding has the token later or not at all, and its
pair occurs less often there. Otherwise, other tokens have only taken its place.
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
        count_without: the count there; `None` if the token is not made there.
    """

    rank: int
    token: str
    count: int
    rank_without: int | None
    count_without: int | None


@dataclass(frozen=True)
class Price:
    """The price of a finding.

    Attributes:
        fix: the setting of the run without the finding: a normalization, or a name for `clean`.
        n_merges: the number of merges of the run.
        merges: the merges that the finding caused, in order.
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
        """The price in words.

        Tokens that would not be made without the finding are named; if there are none, those that
        would be made later.

        Args:
            shown_token: writes a token; None to name no token.
            setting: the setting of the other run, in words; "" for the option of the command.
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

    None if nothing removes the finding ("") or these settings already do.
    """
    if not fix or is_removed(config, fix):
        return None
    option = option_of(fix)
    before = getattr(config, option)
    # Cleaning comes first, as a dropped character may be between a letter and its mark.
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
        fix: the normalization that removes the finding, or a name for `clean`.
    """
    there: dict[str, tuple[int, int]] = {}
    for rank, merge in enumerate(other.merges):
        there.setdefault(merge.token, (rank, merge.count))
    blamed = []
    n = len(run.merges)
    n_there = len(other.merges)
    # In a run that has ended early, no pair is left that would be merged later.
    has_ended = n_there < n and other.vocab_size_at(n_there) < run.vocab_size_at(n)
    last = other.merges[-1].count if n_there and not has_ended else 0
    for rank, merge in enumerate(run.merges):
        rank_there, count_there = there.get(merge.token, (None, None))
        if rank_there is None or count_there is None:
            # A pair that is not more frequent than the last merge there may still be merged later.
            is_caused = merge.count > last
        else:
            is_caused = rank_there > rank and count_there < merge.count
        if is_caused:
            blamed.append(Blamed(rank, merge.token, merge.count, rank_there, count_there))
    return Price(fix, len(run.merges), blamed)


def pricing(
    paths: Iterable[str | PathLike[str]], run: Run, fixes: Mapping[str, str], reading: Reading
) -> Generator[str, None, dict[str, Price]]:
    """Trains a run without each finding, as a job that yields the name of the finding.

    Args:
        paths: the files of the run, which are read again.
        run: the run.
        fixes: the fix of each finding, by its name; "" for none.
        reading: the options for reading the files.

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
