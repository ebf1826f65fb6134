"""Numbers, plurals, times and sizes as text."""

from __future__ import annotations

import pytest

from bpe_studio.explain import wording
from bpe_studio.explain.wording import data_size, number, percent, plural, progress_text, times


@pytest.mark.parametrize(
    ("progress", "said"),
    [
        ((12_000_000, 40_000_000, "bytes", 3.2), "12 of 40 MB, 3 s left"),
        ((12_000, 40_000, "bytes"), "12 of 40 kB"),
        ((1204, 32768, "merges", 200), "1,204 of 32,768 merges, 3 min left"),
        ((40, 100, "%"), "40 %"),
        ((0, 0, "bytes"), ""),
    ],
)
def test_progress_in_words(progress, said):
    assert progress_text(*progress) == said


def test_sizes_change_their_unit_at_a_thousand():
    sizes = (1, 999, 1000, 999_999, 1_000_000, 2_500_000_000, 3 * 10**15)
    said = ["1 byte", "999 bytes", "1.0 kB", "1,000.0 kB", "1.0 MB", "2.5 GB", "3,000.0 TB"]
    assert [data_size(size) for size in sizes] == said


def test_another_way_to_write_numbers_holds_for_all_of_them(monkeypatch):
    monkeypatch.setattr(wording, "_format", wording._format)
    wording.write_numbers_with(
        lambda value, n_decimals: f"{value:.{n_decimals}f}".replace(".", ",")
    )
    assert (number(5310), plural(5310, "merge"), times(2000)) == (
        "5310",
        "5310 merges",
        "2000 times",
    )
    assert (percent(0.005), data_size(1500)) == ("0,5 %", "1,5 kB")
