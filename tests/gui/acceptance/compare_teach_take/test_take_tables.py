"""The tables of each panel as CSV, cell by cell: what a person saves is what a plain recount of the text says.

An acceptance test: see `tests/gui/acceptance/conftest.py`.
"""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtWidgets import QAbstractItemView, QWidget

from tests.gui.acceptance.compare_teach_take.comparer import ALPHABET, Comparer, recounted
from tests.gui.acceptance.compare_teach_take.plain_bpe import shown, words_of
from tests.gui.acceptance.compare_teach_take.recount_sizes import Measured
from tests.gui.acceptance.compare_teach_take.test_take_away import (  # noqa: F401 - fixtures
    ODD,
    Taker,
    exact,
    logged,
    read,
    run,
    table_entry,
    taker,
)

MOST_CANDIDATES = 50
CONTROLS = {code: 0x2400 + code for code in range(0x20)} | {0x7F: "␡"}


def taken(taker, name, tmp_path):  # noqa: F811
    """The rows of a table as saved, each cell without the apostrophe of formulas."""

    def is_there():
        table = taker.window.findChild(QAbstractItemView, name)
        return table is not None and table.isVisible() and table.model().rowCount() > 0

    taker.wait(is_there)
    path = tmp_path / f"{name}.csv"
    taker.take(table_entry(taker, name), path)
    rows = read(path)
    for row in rows:
        for cell in row.values():
            assert not cell.startswith(("=", "@", "+")) and (cell[:1] != "-" or float(cell) < 0)
    return [{head: exact(cell) for head, cell in row.items()} for row in rows]


def told(tokens):
    """Tokens in one cell, as logs write them."""
    return " ".join(logged(token).replace("\\", "\\\\") for token in tokens)


def test_every_cell_of_the_candidates(taker, run, tmp_path):  # noqa: F811
    taker.go_to(4)
    taker.show_panel("Candidates")
    taker.wait(lambda: taker.panels["candidates"].is_up_to_date)
    rows = taken(taker, "candidates.table", tmp_path)
    counts = run.pairs(4)
    n_with = Counter(counts.values())
    best = max(counts.values())
    wanted = {}
    for (left, right), n in counts.items():
        mark = "next" if (left, right) == run.merges[4][0] else "tied" if n == best and n_with[n] > 1 else ""
        said = f"{shown(left)} + {shown(right)} → {shown(left + right)}"
        wanted[logged(left), logged(right)] = [str(n), str(n_with[n]), mark, "", said]
    found = {(row["left"], row["right"]): [*row.values()][2:] for row in rows}
    assert len(found) == len(rows) == min(MOST_CANDIDATES, len(counts))
    assert found == {pair: wanted[pair] for pair in found}
    assert sorted(-int(cells[0]) for cells in found.values()) == sorted(-n for n in counts.values())[: len(found)]
    assert [int(row["count"]) for row in rows] == sorted((int(row["count"]) for row in rows), reverse=True)


def test_every_cell_of_the_merges_of_a_word(taker, run, tmp_path):  # noqa: F811
    taker.show_panel("Why")
    words = taker.panels["words"]
    taker.wait(lambda: words.is_up_to_date)
    n = len(run.merges)
    names = [row[0] for row in taker.rows("corpus.words")]
    longest = max(run.cuts(0), key=len)
    taker.click_row("corpus.words", names.index(shown(b"".join(longest))))
    rows = taken(taker, "why.word_merges", tmp_path)
    wanted = []
    for rank in range(n):
        if run.cuts(rank)[longest] != run.cuts(rank + 1)[longest]:
            left, right = run.merges[rank][0]
            said = f"{shown(left)} + {shown(right)} → {shown(left + right)}"
            wanted.append([str(rank), logged(left), logged(right), logged(left + right), said])
    assert len(wanted) > 1 and [[*row.values()] for row in rows] == wanted


@pytest.mark.parametrize("rank", [0, 6])
def test_every_cell_of_the_lines(taker, run, tmp_path, rank):  # noqa: F811
    token = run.merges[rank][0][0] + run.merges[rank][0][1]
    taker.click_row("merges.table", rank)
    taker.show_panel("Lines")
    taker.wait(lambda: taker.panels["lines"].table.model().rowCount() > 0)
    lines = taker.panels["lines"]
    taker.wait(lambda: lines.is_up_to_date and not lines.is_searching)
    step, wanted = taker.workspace.step, []
    for number, line in enumerate(ODD.splitlines(keepends=True), 1):
        found, at = [], 0
        for each in run.tokens(words_of(line, "gpt2"), step):
            found.append((at, each))
            at += len(each)
        for at, each in found:
            if each == token:
                content = line.encode()
                before, after = content[:at].decode(), content[at + len(token) :].decode()
                wanted.append(["odd.txt", str(number), before, token.decode(), after])
    rows = [[*row.values()] for row in taken(taker, "lines.table", tmp_path)]
    flat = str.maketrans("\n\t␣⏎⇥", "     ")
    assert [[cell.translate(flat).strip() for cell in row] for row in rows] == [
        [exact(cell).translate(flat).strip() for cell in row] for row in wanted
    ]
    assert len(wanted) > 2


@pytest.fixture
def comparer(window, lasting_window, qtbot):
    return Comparer(window, qtbot, lasting_window).opened("english")


@pytest.fixture
def saver(window, qtbot, monkeypatch):
    """The same person, who takes tables away."""
    return Taker(window, qtbot, monkeypatch)


def test_every_cell_of_the_advice(comparer, saver, tmp_path):
    a = recounted("english")
    comparer.show_sizes("Advice")
    comparer.write_sizes("270, 400, 512")
    comparer.show_sizes("Advice")
    rows = taken(saver, "compare.savings", tmp_path)
    per = int(rows[0]["step"])
    assert len(rows) == len(a.merges) // per > 1
    for k, row in enumerate(rows):
        before, after = a.curve[k * per], a.curve[(k + 1) * per]
        assert [*row.values()] == [
            str((k + 1) * per), str(ALPHABET + (k + 1) * per), str(before - after), repr((before - after) / before), ""
        ]  # fmt: skip
    rows = taken(saver, "compare.costs", tmp_path)
    fewest, width = (comparer.window.findChild(QWidget, f"compare.{name}").value() for name in ("rare", "width"))
    n_bytes = comparer.find("compare.number_bytes").currentData()
    is_tied = comparer.find("compare.tied").isChecked()
    assert [int(row["vocabulary"]) for row in rows] == [270, 400, 512, ALPHABET + len(a.merges)]
    for row in rows:
        size = int(row["vocabulary"])
        uses = Counter(token for word, n in a.counts.items() for token in a.cut(word, size - ALPHABET) * n)
        n_rare = Measured.of(uses, a.text, a.vocabulary(size - ALPHABET)).n_rare(fewest)
        n = size * width * (1 if is_tied else 2)
        assert [*row.values()] == [
            str(size - ALPHABET), str(size), str(n_rare), repr(n_rare / size), str(n), str(n * n_bytes)
        ]  # fmt: skip


def test_every_cell_of_two_runs(comparer, saver, tmp_path):
    a, b = recounted("english"), recounted("english", units="characters")
    comparer.show_panel("Runs")
    comparer.click("branches.try_characters")
    comparer.learned_beside(2)
    rows = taken(saver, "branches.tree", tmp_path)
    assert [[*row.values()] for row in rows] == [
        ["Main run", "", "", "", str(len(a.merges)), str(a.curve[-1]), "1"],
        ["characters", "", "characters", "", str(len(b.merges)), str(b.curve[-1]), "0"],
    ]
    comparer.show_runs("Settings")
    rows = taken(saver, "branches.settings", tmp_path)
    assert [*rows[0].values()] == ["Units", "bytes", "characters"]
    comparer.show_runs("Tokens")
    comparer.choose("branches.measure", "each at its end")
    comparer.compared()
    for side, own, other, name in (("left", a, b, logged), ("right", b, a, bytes.decode)):
        step, its = len(own.merges), len(other.merges)
        rows = taken(saver, f"branches.own_{side}", tmp_path)
        tokens = own.vocabulary(step)
        uses = Counter(token for word, n in own.counts.items() for token in own.cut(word, step) * n)
        wanted = set()
        for token in set(tokens) - set(other.vocabulary(its)):
            rank = tokens.index(token) - len(own.alphabet)
            birth = ["", ""] if rank < 0 else [str(rank), str(own.merges[rank].count)]
            wanted.add((name(token), token.hex(" "), str(uses[token]), *birth, shown(token).translate(CONTROLS)))
        assert {tuple(row.values()) for row in rows} == wanted and len(rows) == len(wanted) > 3


@pytest.mark.parametrize("rank", [0, 9])
def test_every_cell_of_the_words_under_why(comparer, saver, tmp_path, rank):
    a = recounted("english")
    comparer.show_panel("Why")
    saver.click_row("merges.table", rank)
    comparer.rest()
    pair = a.merges[rank].pair
    rows = taken(saver, "why.pair_words", tmp_path)
    wanted = set()
    for word, n in a.counts.items():
        before, after = (a.cut(word, step) for step in (rank, rank + 1))
        times = sum(each == pair for each in zip(before, before[1:], strict=False))
        if times:
            seen = [" | ".join(map(shown, cut)) for cut in (before, after)]
            wanted.add((told(before), told(after), str(n), str(times), *seen))
    assert [*rows[0]] == ["word before", "after", "count", "times", "word before as shown", "after as shown"]
    assert {tuple(row.values()) for row in rows} == wanted and len(rows) == len(wanted) > 3
    assert sum(int(row["count"]) * int(row["times"]) for row in rows) == a.merges[rank].count
    # Below, the words that hold the token where the window stands.
    step, token = saver.workspace.step, pair[0] + pair[1]
    wanted = set()
    for word, n in a.counts.items():
        cut = a.cut(word, step)
        if token in cut:
            wanted.add((told(cut), str(n), str(cut.count(token)), " | ".join(map(shown, cut))))
    rows = taken(saver, "why.token_words", tmp_path) if wanted else []
    assert {tuple(row.values()) for row in rows} == wanted and len(rows) == len(wanted)
    assert wanted or rank
