"""The text of a document and its positions: code points and UTF-16 units, lines in several blocks,
what is replaced.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QTextCursor

from bpe_studio.gui.text.plain_editor import PlainEditor, insert_text
from bpe_studio.gui.tokens.qt_positions import (
    BLOCK_LIMIT,
    Edit,
    block_cuts,
    continuation_number,
    sanitize,
    to_points,
    to_units,
    unit_places,
)

FAMILY = "👨‍👩‍👧‍👦"


@given(st.text(), st.integers(0, 20))
def test_units_and_points_are_inverse(text, n):
    n = min(n, len(text))
    units = to_units(text, n)
    assert units == len(text[:n].encode("utf-16-le", "surrogatepass")) // 2
    assert to_points(text, units) == n
    places = unit_places(text)
    assert (places is None) == all(char <= "\uffff" for char in text)
    assert places is None or places[n] == units


@pytest.mark.parametrize(
    ("text", "kept", "words"),
    [
        ("plain\nسلام\0\v\u00a0\u2028", "plain\nسلام\0\v\u00a0\u2028", ()),
        ("a\r\nb\rc", "a\nb\nc", ("2 carriage returns",)),
        ("a\u2029b", "a\nb", ("1 paragraph separator ",)),
        ("caf\udce9", "caf\ufffd", ("1 stray byte ",)),
        ("\ufeffabc\ufeff", "abc\ufeff", ("byte-order mark",)),
        ("\ufdd0\ufdd1", "\ufffd\ufffd", ("2 noncharacters",)),
        ("\ufeff\r", "\n", ("byte-order mark", "1 carriage return ")),
    ],
)
def test_what_cannot_be_kept_is_said(text, kept, words):
    sanitized = sanitize(text)
    assert sanitized.text == kept
    assert bool(sanitized.notice) == bool(words)
    assert all(word in sanitized.notice for word in words)


@given(st.text(alphabet=st.sampled_from("ab \u00e9漢😀\u200d\u0301س\t")).map(lambda text: text * 7))
def test_a_sanitized_text_is_what_the_document_keeps(qapp, text):
    editor = PlainEditor()
    editor.set_text(text)
    assert editor.text() == sanitize(text).text
    assert editor.document().toRawText().replace("\u2029", "\n") == editor.text()


def test_long_lines_are_cut_behind_white_space_and_never_inside_a_grapheme():
    line = "word and more " * 500
    cuts = block_cuts(line)
    assert all(line[cut - 1] == " " for cut in cuts)
    assert max(b - a for a, b in zip([0, *cuts], [*cuts, len(line)], strict=True)) <= BLOCK_LIMIT
    unbroken = FAMILY * 300
    assert all(cut % len(FAMILY) == 0 for cut in block_cuts(unbroken))
    assert block_cuts("a" * BLOCK_LIMIT) == []


def followed(qtbot):
    editor = PlainEditor()
    qtbot.addWidget(editor)
    edits: list[Edit] = []
    editor.text_edited.connect(edits.append)
    return editor, edits


def replayed(text, edits):
    for start, n_removed, added in edits:
        text = text[:start] + added + text[start + n_removed :]
    edits.clear()
    return text


def borders(editor):
    blocks = []
    block = editor.document().begin()
    while block.isValid():
        blocks.append(bool(continuation_number(block)))
        block = block.next()
    return blocks


def check(editor, expected):
    record = editor.record
    assert editor.text() == expected
    assert borders(editor) == record.is_continuation, (
        "formats, which undo restores, tell the truth between edits"
    )
    block = editor.document().begin()
    lengths = []
    while block.isValid():
        lengths.append(len(block.text()))
        point = record.starts[block.blockNumber()]
        assert expected[point : point + lengths[-1]] == block.text()
        block = block.next()
    assert max(lengths) <= BLOCK_LIMIT
    for point in {0, len(expected), len(expected) // 2, *record.starts}:
        assert record.point(record.position(point)) == point


def place(editor, first, last):
    cursor = editor.textCursor()
    cursor.setPosition(editor.record.position(first))
    cursor.setPosition(editor.record.position(last), QTextCursor.MoveMode.KeepAnchor)
    return cursor


SNIPPETS = [
    "x",
    "\n",
    "two\nlines",
    "",
    " ",
    "😀",
    "سلام دنیا",
    "long words " * 150,
    "😀" * 700,
    FAMILY * 200,
    "a\n" + "b" * 2500,
    "\n\n\n",
]


@pytest.mark.parametrize("seed", range(12))
def test_any_edit_undone_and_redone_leaves_the_text_as_if_there_were_no_borders(qtbot, seed):
    chance = random.Random(seed)
    editor, edits = followed(qtbot)
    text = "one two three " * 300 + "\nshort\n" + "چهار پنج " * 200
    editor.set_text(text)
    assert replayed("", edits) == text
    check(editor, text)
    past = [text]
    future: list[str] = []
    for _ in range(60):
        what = chance.random()
        if what < 0.15 and len(past) > 1:
            editor.undo()
            future.append(past.pop())
        elif what < 0.25 and future:
            editor.redo()
            past.append(future.pop())
        else:
            marks = [
                p
                for p in editor.record.starts
                for p in (p - 1, p, p + 1)
                if 0 <= p <= len(past[-1])
            ]
            first, last = sorted(
                chance.choice([chance.randint(0, len(past[-1])), chance.choice(marks)])
                for _ in "ab"
            )
            last = last if chance.random() < 0.5 else min(last, first + 3)
            snippet = chance.choice(SNIPPETS)
            expected = past[-1][:first] + snippet + past[-1][last:]
            if expected == past[-1]:
                continue
            cursor = place(editor, first, last)
            if chance.random() < 0.5:
                insert_text(cursor, snippet)
            else:
                # As Qt itself edits, which knows nothing of continued lines.
                cursor.beginEditBlock()
                cursor.insertText(snippet)
                cursor.endEditBlock()
            past.append(expected)
            future.clear()
        if edits:
            last_text = replayed(getattr(editor, "seen", text), edits)
            editor.seen = last_text
            assert last_text == past[-1]
        check(editor, past[-1])
