"""The typed text in every known tokenizer: a row each, a column a line."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QModelIndex, Qt

from bpe_studio.files.exports.counts_page import LineCounts
from bpe_studio.files.third_party import hub, known
from bpe_studio.gui.compare.every_tokenizer import TokenizersPage, fewest_sentence
from bpe_studio.gui.export.picture import forms_of, picture_in_pieces
from bpe_studio.workspace.workspace import Workspace
from tests.files.third_party.made import content_of

LINES = ("hugs of the pug", "سلام دنیا", "我能吞下玻璃 👍🏽")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache with a tokenizer that can be opened, and one that cannot."""
    for name, content in (("good", content_of("gpt2")), ("torn", "{")):
        folder = tmp_path / "hub" / f"models--someone--{name}" / "snapshots" / "a1"
        folder.mkdir(parents=True)
        (folder / "tokenizer.json").write_text(content, encoding="utf-8")
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def page(cache, shown, workspace):
    workspace.set_typed_text("\n".join(LINES))
    made = shown(TokenizersPage(workspace), 1000, 600)
    workspace.shown_text_changed.connect(made.show_state)
    made.show_state()
    return made


def row_of(page, name):
    return next(each for each in page.model.rows if each.name == name)


def place_of(page, name):
    return [each.name for each in page.model.rows].index(name)


def wait_for_counts(page, qtbot):
    qtbot.waitUntil(
        lambda: row_of_known(page, "someone/good") and row_of_known(page, "someone/torn")
    )


def row_of_known(page, name):
    return any(each.name == name and (each.counts or each.why_not) for each in page.model.rows)


def test_each_line_is_counted_as_the_tokenizer_itself_counts_it(page, qtbot):
    from tokenizers import Tokenizer

    wait_for_counts(page, qtbot)
    counts = row_of(page, "someone/good").counts
    twin = Tokenizer.from_str(content_of("gpt2"))
    assert list(counts.counts) == [
        len(twin.encode(line, add_special_tokens=False).ids) for line in LINES
    ]
    assert counts.ratio(1) == counts.counts[1] / counts.counts[0]
    assert len(page.model.columns) == len(LINES) + 3


def test_a_row_that_fails_says_why_and_the_others_are_counted(page, qtbot):
    wait_for_counts(page, qtbot)
    torn = row_of(page, "someone/torn")
    assert torn.counts is None and "someone/torn" in torn.why_not and torn.status == "Try again"
    page.table.setCurrentIndex(page.model.index(place_of(page, "someone/torn"), 0))
    assert page.ids.toPlainText() == torn.why_not


def test_the_ids_of_the_chosen_row_are_a_line_each(page, qtbot):
    wait_for_counts(page, qtbot)
    page.table.setCurrentIndex(page.model.index(place_of(page, "someone/good"), 0))
    words = [line.split() for line in page.ids.toPlainText().splitlines()]
    assert [len(line) for line in words] == list(row_of(page, "someone/good").counts.counts)


def test_the_counts_follow_what_is_typed(page, workspace, qtbot):
    wait_for_counts(page, qtbot)
    workspace.set_typed_text("hugs")
    qtbot.waitUntil(lambda: page.model.lines == ("hugs",) and bool(page.counts()))
    assert len(row_of(page, "someone/good").counts.counts) == 1
    workspace.set_typed_text("\n".join(["a"] * 9))
    qtbot.waitUntil(lambda: len(page.model.lines) == 6)
    assert page.note.isVisible()


def test_a_published_one_is_fetched_with_one_click_if_that_is_possible(
    cache, shown, qtbot, monkeypatch
):
    monkeypatch.setattr(hub, "is_installed", lambda: True)
    workspace = Workspace()
    made = shown(TokenizersPage(workspace), 1000, 600)
    qtbot.waitUntil(lambda: len(workspace.known_tokenizers.entries) == 2 + len(known.PUBLISHED))
    opened = []
    monkeypatch.setattr(workspace.known_tokenizers, "open", opened.append)
    place = place_of(made, "Llama 3")
    assert row_of(made, "Llama 3").status == "Get"
    made.table.link_chosen.emit(made.model.index(place, len(made.model.columns) - 1))
    assert opened == ["Llama 3"]
    workspace.shutdown()


@pytest.mark.usefixtures("cache", "here")
def test_a_fetched_one_is_counted_like_the_others(shown, qtbot, monkeypatch):
    _, _, *rest = known.PUBLISHED[0]
    monkeypatch.setattr(known, "PUBLISHED", (("Some GPT", "someone/gpt2", *rest),))
    workspace = Workspace()
    workspace.set_typed_text("\n".join(LINES))
    made = shown(TokenizersPage(workspace), 1000, 600)
    workspace.shown_text_changed.connect(made.show_state)
    qtbot.waitUntil(lambda: "Some GPT" in [each.name for each in made.model.rows])
    place = place_of(made, "Some GPT")
    assert row_of(made, "Some GPT").status == "Get"
    made.table.link_chosen.emit(made.model.index(place, len(made.model.columns) - 1))
    qtbot.waitUntil(lambda: row_of(made, "Some GPT").counts is not None, timeout=30_000)
    fetched = row_of(made, "Some GPT").counts
    assert fetched.counts == row_of(made, "someone/good").counts.counts
    workspace.shutdown()


def test_one_that_waits_can_be_cancelled_and_the_next_is_opened(cache, qtbot):
    workspace = Workspace()
    tokenizers = workspace.known_tokenizers
    tokenizers.changed.connect(
        lambda: tokenizers.cancel("someone/good"), Qt.ConnectionType.SingleShotConnection
    )
    tokenizers.begin()
    qtbot.waitUntil(
        lambda: tokenizers.is_listed and not any(each.is_under_way for each in tokenizers.entries)
    )
    good, torn, *_ = tokenizers.entries
    assert good.tokenizer is None and "cancelled" in good.why_not
    assert "cancelled" not in torn.why_not
    tokenizers.open("someone/good")
    qtbot.waitUntil(lambda: tokenizers.entries[0].tokenizer is not None)
    workspace.shutdown()


def test_it_is_saved_as_a_picture_and_as_a_page(page, qtbot):
    wait_for_counts(page, qtbot)
    assert {suffix for suffix, _, _ in forms_of(page)} == {".svg", ".png", ".html"}
    for written in (made(picture_in_pieces(page, ".svg")), page.export_page()):
        text = written.decode()
        assert "someone/good" in text and "someone/torn" not in text and LINES[0] in text
        assert page.found.text() in text
    assert made(picture_in_pieces(page, ".png")).width() > 0


def made(pieces):
    try:
        while True:
            next(pieces)
    except StopIteration as stop:
        return stop.value


def test_the_page_escapes_what_is_typed():
    from bpe_studio.files.exports.counts_page import counts_page

    assert "<b>" not in counts_page("<b>", ["<b>"], [LineCounts("<b>", (1,))])


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("Yours", 34), ("GPT-4o", 21)], ["GPT-4o", "21", "yours needs 34"]),
        ([("Yours", 20), ("GPT-4o", 21)], ["Yours needs the fewest", "20", "GPT-4o needs 21"]),
        ([("Yours", 21), ("GPT-4o", 21)], ["Yours needs the fewest", "21"]),
    ],
)
def test_the_sentence_names_the_fewest_tokens_and_yours(rows, said):
    sentence = fewest_sentence([LineCounts(name, (count,)) for name, count in rows])
    assert all(part in sentence for part in said)


def test_no_row_is_chosen_at_first(page):
    assert page.table.currentIndex() == QModelIndex() and not page.ids.toPlainText()


def test_the_chosen_row_stays_while_a_line_is_typed(page, workspace, qtbot):
    wait_for_counts(page, qtbot)
    page.table.setCurrentIndex(page.model.index(place_of(page, "someone/good"), 0))
    before = page.ids.toPlainText()
    workspace.set_typed_text("\n".join((*LINES[:-1], "玻璃 and hugs")))
    qtbot.waitUntil(lambda: page.ids.toPlainText() not in ("", before))
    assert page.table.currentIndex().row() == place_of(page, "someone/good")
