"""Asking why a text is cut at a place, as a person does: in the typed text, the skyline and the words, and by keys.

An acceptance test: see `tests/gui/acceptance/conftest.py`.
"""

from __future__ import annotations

import re

from PySide6.QtCore import QPointF, Qt

from bpe_studio.gui.tokens.geometry import borders_of
from tests.gui.acceptance.see_why.recount import merge, shown
from tests.gui.hand import CONTROL


def meetings(story, word, at):
    """Pairs of tokens that meet before a byte of a word, and the first step of each; None once the border is gone."""
    cut, found = tuple(bytes([byte]) for byte in word.encode()), []
    for step in range(len(story.merges) + 1):
        place, pair = 0, None
        for left, right in zip(cut, cut[1:], strict=False):
            place += len(left)
            pair = (left, right) if place == at else pair
        if not found or found[-1][1] != pair:
            found.append((step, pair))
        if step < len(story.merges):
            cut = merge(cut, story.merges[step].pair)
    return found


def counted(story, pair, step):
    """How often a pair occurs at a step, and in how many words."""
    words = story.words(step).values()
    times = [(sum(two == pair for two in zip(cut, cut[1:], strict=False)), n) for cut, n in words]
    return sum(k * n for k, n in times), sum(k > 0 for k, _ in times)


def check(reader, story, word, at, step):
    """Hold what "why" says of a border to the recount."""
    reader.rest()
    reader.wait(reader.panels["why"].border.isVisible)
    section = reader.panels["why"].border
    expected = meetings(story, word, at)
    rows = [(row.first_step, row.left.name, row.right.name) for row in section.answer.meetings]
    assert rows == [(k, shown(pair[0]), shown(pair[1])) for k, pair in expected if pair is not None]
    pair = [pair for first, pair in expected if first <= step][-1]
    assert [link.text for link in reader.find("why.picked").links] == [shown(pair[0]), "|", shown(pair[1])]
    count, n_words = counted(story, pair, step)
    said = reader.facts(section)["occurs"] if count else ""
    numbers = re.findall(r"(?:([\d,]+) times|(once)) in ([\d,]+) word", said)
    assert [(int(a.replace(",", "")) if a else 1, int(n)) for a, _, n in numbers] == [(count, n_words)][: count > 0]
    end = len(story.merges)
    if expected[-1][1] is None:
        assert section.sentence.text().endswith(f"merge {expected[-1][0] - 1} does")
    else:
        last, _ = counted(story, expected[-1][1], end)
        least_text = {0: "the two never occur together", 1: "it occurs once at the end of the run, below the minimum"}
        assert least_text[last] in section.sentence.text()  # the sample is trained until no pair occurs twice
    return section


def type_text(reader, text):
    reader.click("text.input")
    reader.key(Qt.Key.Key_A, CONTROL)
    reader.type(text)
    reader.rest()


def border_in_text(reader, number):
    """The place in the editor of the border before a token."""
    editor = reader.window.text_panel.editor
    block, top = next(iter(editor._visible_blocks(editor.viewport().rect())))
    shape = editor._shapes(block, editor._tokens.of_block(block))[0]
    mark = next(mark for mark in borders_of(shape) if mark.token == number)
    return QPointF(mark.x + editor.contentOffset().x(), top + shape.top + shape.height / 2)


def test_a_click_on_a_border_of_the_typed_text_says_why_it_is_there_at_any_step(reader, story):
    reader.go_to(120)
    type_text(reader, "the bridge")
    tokens = story.tokens_of("the bridge", 120)
    number = tokens.index(b" bridge"[: len(tokens[-1])]) if tokens[-1] == b" bridge" else len(tokens) - 1
    at = len(b"".join(tokens[:number])) - len(b"the")
    assert at > 0
    editor = reader.window.text_panel.editor
    reader.click(editor.viewport(), border_in_text(reader, number))
    check(reader, story, " bridge", at, 120)
    for step in (40, 0):
        reader.go_to(step)
        check(reader, story, " bridge", at, step)
    reader.go_to(120)
    # A border of the split, and back.
    split_at = next(k for k in range(len(tokens)) if b"".join(tokens[:k]) == b"the")
    reader.click(editor.viewport(), border_in_text(reader, split_at))
    reader.rest()
    reader.wait(lambda: "no merge ever crosses" in reader.panels["why"].border.sentence.text())
    reader.key(Qt.Key.Key_BracketLeft, CONTROL)
    check(reader, story, " bridge", at, 120)
