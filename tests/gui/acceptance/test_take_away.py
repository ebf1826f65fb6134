"""What is exported is read again by other programs: CSV, HTML, a script."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu

from tests.gui.acceptance.conftest import Person
from tests.gui.acceptance.recount import Recount

ROOT = Path(__file__).parents[3]
ODD = 'a,b "q","q" say "hi"\n\n\n=SUM(A1) =SUM(A2) +1 +1 -1 -1 @x @x\t\'quoted\' سلام سلام 😄😄\n' * 3
TYPED = 'say "hi", a,b\nسلام 😄 <b>'


class Taker(Person):
    """Takes things away by the menus."""

    def __init__(self, window, qtbot, monkeypatch) -> None:
        super().__init__(window, qtbot)
        self._monkeypatch = monkeypatch

    def save_as(self, path) -> None:
        """Answer the dialog of the system."""
        answer = (str(path) if path else "", "")
        self._monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: answer)

    def entries(self) -> list[QAction]:
        """Every entry below File > Export, as it is when the menu is opened."""
        menu = self.window.findChild(QMenu, "menu.export")
        menu.aboutToShow.emit()
        return list(_leaves(menu))

    def take(self, action: QAction, path) -> None:
        """Choose an entry, and wait for the file."""
        assert action.isEnabled(), action.text()
        self.save_as(path)
        action.trigger()
        self.saved()

    def saved(self) -> None:
        self.wait(lambda: not self.window.export_menu.saving.is_busy)


def _leaves(menu: QMenu):
    for action in menu.actions():
        if action.menu() is not None:
            yield from _leaves(action.menu())
        elif not action.isSeparator():
            yield action


@pytest.fixture
def taker(person, qtbot, monkeypatch, tmp_path):
    """A person who has opened a text of oddities, learned it and typed."""
    taker = Taker(person.window, qtbot, monkeypatch)
    path = tmp_path / "odd.txt"
    path.write_text(ODD, encoding="utf-8")
    taker.open_file(monkeypatch, path)
    taker.learn()
    taker.type_text(TYPED)
    return taker


@pytest.fixture(scope="module")
def run():
    return Recount(ODD)


def logged(token) -> str:
    """A token as logs write it, in GPT-2's printable signs."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return "".join(chr(byte) if byte in printable else chr(256 + others.index(byte)) for byte in token)


def exact(cell: str) -> str:
    """A cell without the apostrophe that keeps it from being a formula."""
    return cell.removeprefix("'")


def read(path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def table_entry(taker, table_name):
    return next(action for action in taker.entries() if action.objectName() == f"export.table.{table_name}")


def test_the_merges_and_the_words_as_csv_are_the_recount(taker, run, tmp_path):
    taker.take(table_entry(taker, "merges.table"), tmp_path / "merges.csv")
    rows = read(tmp_path / "merges.csv")
    assert [[exact(row[name]) for name in ("left", "right", "token", "count", "tied")] for row in rows] == [
        [*map(logged, merge.pair), logged(merge.token), str(merge.count), str(merge.n_tied)] for merge in run.merges
    ]
    assert [int(row["tokens afterwards"]) for row in rows] == run.curve[1:]
    taker.go_to(5)
    taker.wait(lambda: taker.panels["words"].is_up_to_date)
    taker.take(table_entry(taker, "corpus.words"), tmp_path / "words.csv")
    rows = read(tmp_path / "words.csv")
    words = {word.encode(): (n, cut) for word, (cut, n) in run.words(5).items()}
    assert {bytes.fromhex(row["bytes of the word"]): (int(row["count"]), int(row["tokens"])) for row in rows} == {
        word: (n, len(cut)) for word, (n, cut) in words.items()
    }
    for row in rows:
        _, cut = words[bytes.fromhex(row["bytes of the word"])]
        assert exact(row["cut now"]).split(" ") == [logged(token).replace("\\", "\\\\") for token in cut]
        assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row.values()), "no spreadsheet runs it"
    assert any(b"," in each for each in words) and any(b'"' in each for each in words)


class Spans(HTMLParser):
    """The coloured stretches of a page, in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._is_in = False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "span":
            self._is_in = True
            self.found.append("")

    def handle_endtag(self, tag):
        self._is_in = self._is_in and tag != "span"

    def handle_data(self, data):
        if self._is_in:
            self.found[-1] += data


def test_the_coloured_text_as_a_page_and_on_the_clipboard(taker, run, tmp_path):
    n = len(run.merges)
    text = "say hi, a,b <b>"
    taker.type_text(text)
    taker.go_to_end()
    tokens = [token.decode() for token in run.tokens_of(text, n)]
    by_name = {action.objectName(): action for action in taker.entries()}
    taker.take(by_name["export.text_html"], tmp_path / "text.html")
    page = (tmp_path / "text.html").read_text(encoding="utf-8")
    assert Spans(page).found == tokens
    assert "<script" not in page and "http" not in re.sub(r'charset="[^"]*"', "", page)
    by_name["export.text_copy"].trigger()
    data = QApplication.clipboard().mimeData()
    assert data.text() == text
    assert Spans(data.html()).found == tokens and "background-color" in data.html()


def test_the_run_as_a_script_repeats_it_and_fails_on_another_text(taker, run, tmp_path):
    action = next(action for action in taker.entries() if action.objectName() == "export.script")
    taker.take(action, tmp_path / "run.py")
    told = run_script(tmp_path / "run.py")
    assert told.returncode == 0, told.stderr
    assert f"The same {len(run.merges):,} merges as before" in told.stdout
    path = tmp_path / "odd.txt"
    path.write_text(ODD.replace("say", "bay"), encoding="utf-8")
    told = run_script(tmp_path / "run.py")
    assert told.returncode != 0 and "Traceback" not in told.stderr and "different" in told.stderr


def run_script(path):
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, env=environment, timeout=60, check=False
    )
