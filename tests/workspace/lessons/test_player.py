"""The lesson player: what it opens and keeps, and how it finds back from whatever a person makes of
the workspace.
"""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.files.lessons.reader import parse_lesson
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.lessons.facts import Value, is_value
from tests.facts import says

LESSON = """\
title: Four words
counts: {hug: 10, pug: 5, pun: 12, bun: 4, hugs: 5}
settings: {preset: textbook, merges: 5}
steps:
  - {heading: One, say: "There are {tokens}.", at: start, type: hug bug, look: corpus}
  - heading: Two
    say: The last was {last}.
    at: 2
    pick: u g
    ask: {text: 'Which is next?', answer: "{next}", why: "It stands {count} times."}
  - heading: Three
    say: Here {last} was merged.
    at: 1
    other: {name: Other, force: p u, from: 0}
    ask: {text: 'Why?', choices: [by hand, by count], answer: by hand}
  - heading: Four
    say: "{alphabet} symbols."
    at: end
    other: {name: Bytes, settings: {units: bytes}}
    type: pun
  - {heading: Five, say: "{cut}", other: main, at: end}
"""


def lesson_of(text=LESSON):
    return parse_lesson(text, Path("four-words.yaml"))


@pytest.fixture
def open_workspace(make_workspace, watched):
    workspace = make_workspace(backend=Backend())
    workspace.watch = watched(workspace)
    return workspace


@pytest.fixture
def wait(open_workspace, qtbot):
    def wait_until_ready():
        player = open_workspace.lesson
        qtbot.waitUntil(lambda: not player.is_busy, timeout=20_000)
        return player.step

    return wait_until_ready


@pytest.fixture
def player(open_workspace, wait):
    open_workspace.lesson.start(lesson_of())
    wait()
    return open_workspace.lesson


def shown(workspace):
    return workspace.runs.shown.name, workspace.step, workspace.typed_text


def test_forth_and_back(player, open_workspace, wait):
    assert open_workspace.corpus.name == "Lesson: Four words"
    assert player.step.say == "There are 6."
    seen = [shown(open_workspace)]
    for _ in range(4):
        player.next()
        assert player.is_busy and not player.is_ready and player.answer("u n") is None
        wait()
        assert player.is_ready
        seen.append(shown(open_workspace))
    assert [each[:2] for each in seen] == [
        ("Main run", 0),
        ("Main run", 2),
        ("Other", 1),
        ("Bytes", 5),
        ("Main run", 5),
    ]
    assert player.step.say == "pun"
    again = [seen[-1]]
    player.next()
    wait()
    assert player.place == 4
    for _ in range(4):
        player.back()
        wait()
        again.append(shown(open_workspace))
    assert again[::-1] == seen
    assert len(open_workspace.runs.entries) == 3
    player.back()
    wait()
    assert player.place == 0


def test_a_step_is_told_and_picked(player, open_workspace, wait):
    looked = []
    player.look_requested.connect(looked.append)
    player.go(1)
    step = wait()
    assert (step.say, step.ask.answer, step.ask.why) == (
        "The last was u + n.",
        "h + ug",
        "It stands 15 times.",
    )
    pick = open_workspace.selection.current
    assert [open_workspace.run.token_name(token) for token in (pick.left, pick.right)] == ["u", "g"]
    assert looked == []
    assert player.lesson.steps[1].say == "The last was {last}."


@pytest.mark.parametrize("given", ["h ug", "h + ug", " h  ug ", "h,ug", ("h", "ug"), ["h", "ug"]])
def test_a_pair_may_be_answered_in_many_ways(player, wait, given):
    player.go(1)
    wait()
    verdicts = []
    player.answered.connect(verdicts.append)
    assert not player.answer("ug h").is_right and not player.answer("hug").is_right
    verdict = player.answer(given)
    assert verdict.is_right and verdict.right == "h + ug"
    assert len(verdicts) == 3
    player.next()
    assert player.verdict is None
    wait()
    player.back()
    wait()
    assert player.verdict is verdict
    assert player.reveal().is_revealed


@pytest.mark.parametrize("language", ["English", "Persian"])
def test_a_choice_has_its_reason_or_none(open_workspace, wait, language):
    choices = '[by hand, by count: "It was {last}.", by chance]'
    text = LESSON.replace("[by hand, by count]", choices)
    player = open_workspace.lesson
    player.start(lesson_of(f"language: {language}\n{text}"))
    wait()
    player.go(2)
    wait()
    _, by_count, by_chance = player.step.ask.choices
    assert "p + u" in player.answer(by_count).reason
    assert player.answer(by_chance).reason == player.verdict.why == ""


@pytest.mark.parametrize("language", ["English", "Persian"])
@pytest.mark.parametrize(
    ("answer", "given", "forgot"),
    [
        ("{count of u g}", "3", "That many different words have the pair"),
        ("{tokens of hug pug}", "2", "That is the number of words"),
        ("{vocabulary}", "0", "The alphabet is in the vocabulary"),
        ("{next}", ("h", "u"), "and another pair occurs more often"),
        ("{next}", ("h", "p"), "are nowhere neighbours"),
        ("{alphabet}", "1234", ""),
    ],
)
def test_a_wrong_answer_gets_what_it_forgot(open_workspace, wait, language, answer, given, forgot):
    text = LESSON.replace("look: corpus}", f'ask: {{text: What, answer: "{answer}"}}}}', 1)
    player = open_workspace.lesson
    player.start(lesson_of(f"language: {language}\n{text}"))
    wait()
    reason = player.answer(given).reason
    assert bool(reason) == bool(forgot)
    assert (forgot in reason) == (language == "English" or not forgot)


def test_the_persons_settings_stay_theirs(open_workspace, wait, wait_for):
    own = TrainingConfig.preset("gpt2", vocab_size=300, ties="raw-ids")
    open_workspace.settings.apply(own)
    player = open_workspace.lesson
    player.start(lesson_of())
    wait()
    assert open_workspace.config.preset_name == "textbook"
    player.start(lesson_of(LESSON.replace("Four words", "Others")))
    wait()
    open_workspace.settings.apply(open_workspace.config.replace(ties="raw-ids"))
    wait_for(open_workspace, "ready")
    open_workspace.opener.open_text("some text of their own", "Own")
    wait_for(open_workspace, "ready")
    assert open_workspace.config == own


def test_what_was_open_comes_back_by_undo(open_workspace, wait, wait_for):
    open_workspace.opener.open_text("low low lower lowest " * 9, "Own")
    wait_for(open_workspace, "ready")
    open_workspace.transport.step_forward(3)
    wait_for(open_workspace, "paused")
    open_workspace.set_typed_text("mine")
    own = open_workspace.run
    steps = []
    open_workspace.undo_step_added.connect(steps.append)
    player = open_workspace.lesson
    player.start(lesson_of())
    wait()
    assert open_workspace.typed_text == "hug bug"
    player.next()
    wait()
    player.start(lesson_of(LESSON.replace("hugs: 5", "hugs: 6")))
    wait()
    for step in reversed(steps):
        step.undo()
    assert open_workspace.run is own and open_workspace.step == 3
    assert player.lesson is None and open_workspace.typed_text == "mine"
    (notice,) = open_workspace.watch.notices
    assert says(notice, "Four words", "ended")


def test_leaving_keeps_the_text_open(player, open_workspace):
    changes = []
    player.changed.connect(lambda: changes.append(player.lesson))
    open_workspace.set_typed_text("typed meanwhile")
    player.leave()
    player.leave()
    assert changes == [None] and player.step is None and player.verdict is None
    assert (
        open_workspace.corpus.name == "Lesson: Four words"
        and open_workspace.typed_text == "typed meanwhile"
    )
    player.next()
    assert player.step is None and not player.is_busy


def test_a_lesson_that_was_left_keeps_no_run(player, open_workspace, wait_for):
    player.leave()
    run = weakref.ref(open_workspace.run)
    open_workspace.opener.open_text("some text of their own", "Own")
    wait_for(open_workspace, "ready")
    gc.collect()
    assert run() is None


def test_next_finds_back_from_anywhere(player, open_workspace, wait, wait_for):
    player.go(1)
    wait()
    # The person goes elsewhere, types, branches off and changes the settings.
    open_workspace.transport.go_to_start()
    open_workspace.set_typed_text("mine")
    open_workspace.runs.branch_off(Override(0, OverrideKind.forbid, "u", "n"))
    wait_for(open_workspace, "paused")
    player.go(1)
    wait()
    assert shown(open_workspace) == ("Main run", 2, "hug bug")
    open_workspace.settings.apply(open_workspace.config.replace(ties="raw-ids", min_frequency=3))
    wait_for(open_workspace, "ready")
    assert player.lesson is not None
    player.next()
    wait()
    assert shown(open_workspace) == ("Other", 1, "hug bug")
    assert open_workspace.runs.entries[0].config.ties == "first-seen"
    open_workspace.runs.remove(1)
    player.go(2)
    wait()
    assert shown(open_workspace) == ("Other", 1, "hug bug")


def test_a_failure_keeps_the_lesson_and_the_text(open_workspace, wait, wait_for):
    open_workspace.opener.open_text("low low lower", "Own")
    wait_for(open_workspace, "ready")
    player = open_workspace.lesson
    text = LESSON.replace("merges: 5", "vocab-size: 3").replace("at: 2", "at: start")
    player.start(lesson_of(text))
    wait()
    assert not player.is_ready and player.lesson is not None and player.place == 0
    assert open_workspace.corpus.name == "Own"
    assert "too small" in open_workspace.failure.message
    player.next()
    wait()
    assert player.place == 1 and not player.is_ready


def test_a_question_without_an_answer_is_left_out(open_workspace, wait):
    player = open_workspace.lesson
    text = LESSON.replace('"{next}"', '"{count of x y}"').replace("pick: u g", "pick: hug")
    player.start(lesson_of(text))
    wait()
    player.next()
    step = wait()
    assert (
        player.is_ready
        and step.ask is None
        and player.answer("1") is None
        and player.reveal() is None
    )
    (notice,) = open_workspace.watch.notices
    assert says(notice, "Line 6", "no token “hug”")
    player.start(lesson_of(LESSON.replace('"{next}"', '"{next}", choices: [a b, c d]')))
    wait()
    player.next()
    assert wait().ask is None
    assert "not one of the choices" in open_workspace.watch.notices[-1]


@pytest.mark.parametrize(
    ("value", "right", "wrong"),
    [
        (
            Value("1,204", 1204),
            ["1204", "1,204", 1204, "۱۲۰۴", " 1204 "],
            ["1205", "", "many", "1204.5", None],
        ),
        (Value("2.3", 7 / 3), ["2.3", "2.33", 2.333], ["2", "2.5", "7"]),
        (
            Value("a · b", tokens=(frozenset("a"), frozenset("b"))),
            ["a b", "a|b", "a · b", ("a", "b")],
            ["ab", "a b b"],
        ),
        (Value("+", tokens=(frozenset("+"),)), ["+"], ["-", ""]),
        (
            Value("+ + ,", tokens=(frozenset("+"), frozenset(","))),
            ["+ ,", "+ + ,", ("+", ",")],
            ["+", ",", "+ +", ", +"],
        ),
    ],
)
def test_the_ways_to_answer(value, right, wrong):
    assert all(is_value(value, given) for given in right)
    assert not any(is_value(value, given) for given in wrong)
