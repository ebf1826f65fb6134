"""Why a text is cut at a place, and why a pair is merged; every number is compared with a recount."""

from __future__ import annotations

import re

from PySide6.QtCore import QPointF, Qt

from bpe_studio.gui.tokens.geometry import borders_of
from tests.gui.acceptance.recount import merge, shown
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
        assert section.sentence.text().startswith(f"Merge {expected[-1][0]} ")
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
    reader.wait(lambda: "no merge crosses" in reader.panels["why"].border.sentence.text())
    reader.key(Qt.Key.Key_BracketLeft, CONTROL)
    check(reader, story, " bridge", at, 120)


def number(text):
    return int(text.partition(" ")[0].replace(",", ""))


def holders(story, pair, step):
    """The words that hold a pair: their count and how often it stands in each."""
    found = {}
    for word, (cut, n) in story.words(step).items():
        times = sum(each == pair for each in zip(cut, cut[1:], strict=False))
        if times:
            found[word] = (n, times)
    return found


def test_with_nothing_picked_it_tells_of_the_next_merge_at_every_step(reader, story):
    reader.show_panel("Why")
    for step in (0, 40, 200):
        reader.go_to(step)
        learned, pairs = story.merges[step], story.pairs(step)
        section = reader.panels["why"].pair
        facts = reader.facts(section)
        assert reader.text("why.pair_title") == "Why this pair"
        assert [link.text for link in reader.find("why.picked").links][::2][:2] == [
            shown(each) for each in learned.pair
        ]
        assert number(facts["occurs"]) == learned.count == max(pairs.values())
        below = max(n for n in pairs.values() if n < learned.count)
        if learned.n_tied > 1:
            assert facts["margin"].startswith(f"tied with {learned.n_tied - 1} other")
            assert f"of {learned.n_tied} equally frequent pairs" in facts["decided by"]
            assert "smallest token ids" in facts["decided by"]
        else:
            assert number(facts["margin"]) == learned.count - below
            assert facts["decided by"].startswith("the count")
        found = holders(story, learned.pair, step)
        total = sum(n * times for n, times in found.values())
        n_words = len(story.words(0))
        assert reader.text("why.pair_words_total") == f"occurs {total} times in {len(found)} of {n_words} words"


def test_at_a_tie_it_says_what_each_rule_would_have_taken(reader, story):
    reader.show_panel("Why")
    rank = next(rank for rank, learned in enumerate(story.merges) if learned.n_tied > 3)
    reader.go_to(rank)
    choices = dict(reader.panels["why"].pair.rules.shown)
    tied = {pair for pair, n in story.pairs(rank).items() if n == story.merges[rank].count}
    assert len(tied) == story.merges[rank].n_tied
    names = {" + ".join(shown(each) for each in pair) for pair in tied}
    taken = set(choices.values())
    assert taken <= names and len(taken) > 1
    in_force = next(pair for rules, pair in choices.items() if "Smallest ids (Hugging Face) – current rule" in rules)
    assert in_force == " + ".join(shown(each) for each in story.merges[rank].pair)
    greatest = next(pair for rules, pair in choices.items() if "Last by bytes (CS336)" in rules)
    assert greatest == " + ".join(shown(each) for each in max(tied))
