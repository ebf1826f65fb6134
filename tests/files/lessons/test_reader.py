"""Lesson files: what they say is read, whatever is wrong in one is told with its line, and hostile
ones do no harm.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import yaml

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.errors import LessonError
from bpe_studio.files.lessons.placeholders import (
    QUANTITIES,
    Quantity,
    fill_placeholders,
    quantities_of,
)
from bpe_studio.files.lessons.reader import (
    lessons_in,
    list_lessons,
    parse_lesson,
    read_lesson,
    template_path,
)
from bpe_studio.files.lessons.records import OtherRun

GOOD = """\
title: Two words
about: A short one
counts: {hug: 2, pug: 1}
settings:
  preset: textbook
  min-frequency: 1
  merges: 3
steps:
  - heading: First
    say: There are {tokens of hug} tokens, and {{braces}}.
    at: start
    type: hug
    look: corpus
    pick: u g
    ask:
      text: Which is next?
      choices: [u g, h u]
      answer: {next}
      why: It stands {count} times.
  - heading: Second
    say: Here.
    at: 2
    other:
      name: Others
      force: h u
      from: 1
"""


def parsed(text):
    return parse_lesson(text, Path("folder/two-words.yaml"))


def error_of(text):
    with pytest.raises(LessonError) as caught:
        parsed(text)
    return caught.value


def test_all_that_a_lesson_says():
    lesson = parsed(GOOD)
    assert (lesson.id, lesson.title, lesson.about, lesson.language) == (
        "two-words",
        "Two words",
        "A short one",
        "English",
    )
    assert (
        lesson.counts == (("hug", 2), ("pug", 1)) and lesson.text is None and lesson.sample is None
    )
    assert lesson.settings == TrainingConfig.preset("textbook", min_frequency=1, merges=3)
    first, second = lesson.steps
    assert (first.at, first.typed, first.look, first.pick, first.other) == (
        "start",
        "hug",
        "corpus",
        ("u", "g"),
        None,
    )
    assert (first.line, second.line) == (9, 20)
    assert first.ask is not None
    assert (first.ask.kind, first.ask.choices, first.ask.answer) == ("choice", ("u g", "h u"), "")
    assert first.ask.computed == Quantity("next") and first.ask.line == 15
    assert first.ask.reasons == ("", "")
    assert second.at == 2 and second.ask is None
    assert second.other == OtherRun("Others", override=Override(1, OverrideKind.force, "h", "u"))


def test_a_choice_says_why_it_is_wrong():
    choices = "choices:\n      - u g\n      - h u: It stands {count of h u} times."
    ask = parsed(GOOD.replace("choices: [u g, h u]", choices)).steps[0].ask
    assert (ask.choices, ask.reasons) == (("u g", "h u"), ("", "It stands {count of h u} times."))


@pytest.mark.parametrize(
    ("answer", "kind", "computed"),
    [
        ('"{next}"', "pair", Quantity("next")),
        ("{count of u  g}", "number", Quantity("count", "u g")),
        ('"{cut of bug}"', "text", Quantity("cut", "bug")),
        ('"7"', "number", None),
        ("2.5", "number", None),
        ("seven", "text", None),
    ],
)
def test_the_kind_of_a_question_follows_from_its_answer(answer, kind, computed):
    ask = (
        parsed(GOOD.replace("{next}", answer).replace("      choices: [u g, h u]\n", ""))
        .steps[0]
        .ask
    )
    assert (ask.kind, ask.computed) == (kind, computed)


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("look: corpus", "look: merge", 13, "no panel “merge”"),
        ("title: Two words", "titel: Two words", 1, "no “titel”"),
        ("title: Two words\n", "", 1, "no “title”"),
        ("title: Two words", "title:", 1, "“title” is empty"),
        ("title: Two words", "title: [a, b]", 1, "“title” is a list"),
        ("counts: {hug: 2, pug: 1}", "counts: {hug: 2, hug: 1}", 3, "“hug” occurs twice"),
        ("counts: {hug: 2, pug: 1}", "counts: {hug: many}", 3, "whole number"),
        ("counts: {hug: 2, pug: 1}", "counts: {hug: 99999999999}", 3, "to 1,000,000,000"),
        ("counts: {hug: 2, pug: 1}", 'counts: {"hug ": 2}', 3, "ends in white space"),
        ("counts: {hug: 2, pug: 1}", "sample: nothing", 3, "no sample “nothing”"),
        ("counts: {hug: 2, pug: 1}", "language: English", 1, "nothing to learn from"),
        ("about: A short one", "text: hug", 3, "both there"),
        ("merges: 3", "mergers: 3", 7, "no setting “mergers”"),
        ("merges: 3", "ties: coin", 7, "ties cannot be 'coin'"),
        ("merges: 3", "vocab-size: 9\n  merges: 3", 8, "both asked for"),
        ("preset: textbook", "preset: school", 5, "no preset “school”"),
        ("preset: textbook", "full-alphabet: maybe", 5, "yes or no"),
        ("preset: textbook", "character-coverage: most", 5, "a number"),
        ("merges: 3", "character-coverage: 2", 7, "at most 1"),
        ("preset: textbook", "split: 'regex:('", 5, "not valid"),
        ("merges: 3", "force: u", 7, "needs a pair"),
        ("at: 2", "at: 4", 22, "ask for 3 merges"),
        ("at: 2", "at: middle", 22, "start or end"),
        ("at: 2", "at: 2\n    at: 1", 23, "“at” occurs twice"),
        ("pick: u g", "pick: u g s", 14, "one token"),
        ("answer: {next}", "answer: g u", 18, "not one of the choices"),
        ("answer: {next}", "answer: {winner}", 18, "no {winner}"),
        ("choices: [u g, h u]", "choices: [u g, u g]", 17, "two different answers"),
        ("choices: [u g, h u]", "choices: u g", 17, "write a list"),
        ("choices: [u g, h u]", "choices: [u g, {h u: Wrong, s: 2}]", 17, "a line of its own"),
        ("choices: [u g, h u]", "choices: [u g, h u: '{winner}']", 17, "no {winner}"),
        ("choices: [u g, h u]", "choices: [u g, {}]", 17, "write a text"),
        (
            "why: It stands {count} times.",
            "why: It stands {count of u} times.",
            19,
            "needs two tokens",
        ),
        ("why: It stands {count} times.", "why: It stands {count times.", 19, "stands alone"),
        ("      force: h u\n", "", 24, "what is different"),
        ("force: h u", "force: h u\n      skip: h u", 24, "both there"),
        ("force: h u", "ties: coin", 25, "no tie rule 'coin'"),
        ("name: Others", "name: main", 24, "a run “main” already"),
        (
            "other:\n      name: Others\n      force: h u\n      from: 1",
            "other: Nobody",
            23,
            "no earlier step makes",
        ),
        ("about: A short one", "about: A: short one", 2, "cannot be read"),
        ("about: A short one", "about: 'A short one", 2, "cannot be read"),
        (
            "about: A short one",
            "about: &a A short one\nlanguage: *a",
            3,
            "“*” refers to another part",
        ),
        ("about: A short one", "? [a]\n: b", 2, "a name is a list"),
    ],
)
def test_an_error_names_its_line_and_what_to_do(old, new, line, said):
    assert old in GOOD
    error = error_of(GOOD.replace(old, new, 1))
    assert error.line == line
    assert str(error).startswith(f"line {line:,}: ") and said in str(error)


@pytest.mark.parametrize(
    "text", ["", "# nothing\n", "- a\n- b\n", "just a text", "\0", "%", "--- a\n--- b\n", "a: b: c"]
)
def test_what_is_no_lesson_is_refused(text):
    error_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "{a: " * 50_000,
        "a:\n" + "".join(" " * depth + "- \n" for depth in range(1, 400)),
        "[" + "a, " * 60_000 + "a]",
        "!!python/object/apply:os.system [echo]",
        "a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]",
    ],
)
def test_hostile_files_are_refused_at_once(text):
    begin_s = time.process_time()
    error_of(text)
    assert time.process_time() - begin_s < 5


def test_the_template_is_a_lesson_that_shows_all_that_there_is():
    lesson = read_lesson(template_path())
    text = template_path().read_text(encoding="utf-8")
    assert len(lesson.steps) >= 6
    assert all(f"{{{name}" in text for name in QUANTITIES)
    assert lesson.steps[-1].other == OtherRun("main")
    used = set(yaml.safe_load(text)["steps"][0]) | {
        name for step in yaml.safe_load(text)["steps"] for name in step
    }
    assert used == {"heading", "say", "at", "type", "look", "pick", "other", "ask"}


def test_the_lessons_are_listed_in_their_order(tmp_path):
    entries = list_lessons()
    assert len(entries) == len({entry.id for entry in entries})
    for entry in entries:
        lesson = read_lesson(entry.path)
        assert (lesson.title, lesson.about, lesson.id) == (entry.title, entry.about, entry.id)
        assert lesson.language == entry.language
        assert entry.about.endswith(".")
    assert list_lessons(tmp_path) == ()
    (tmp_path / "broken.yaml").write_text("[", encoding="utf-8")
    assert [entry.title for entry in list_lessons(tmp_path)] == ["broken"]


def test_a_lesson_is_listed_once_translated_where_it_is():
    entries = list_lessons()
    english, persian, klingon = (
        lessons_in(name, entries) for name in ("English", "Persian", "Klingon")
    )
    assert english == klingon and len(english) == len(persian) == len(entries) // 2
    assert {entry.language for entry in english} == {"English"}
    for original, entry in zip(english, persian, strict=True):
        assert entry == original or entry.id == f"{original.id}.fa"
    assert sum(entry.language == "Persian" for entry in persian) == len(persian)


@pytest.mark.parametrize(
    "entry", [each for each in list_lessons() if "." in each.id], ids=lambda entry: entry.id
)
def test_a_translation_differs_from_its_original_in_sentences_alone(entry):
    """The same corpus, settings, steps, panels and computed answers, and the same one of the
    choices.
    """
    original = read_lesson(entry.path.with_name(f"{entry.id.split('.')[0]}.yaml"))
    translated = read_lesson(entry.path)
    assert (translated.group, translated.language) == (original.group, entry.language)
    assert [getattr(translated, name) for name in ("settings", "text", "counts", "sample")] == [
        getattr(original, name) for name in ("settings", "text", "counts", "sample")
    ]
    for ours, theirs in zip(translated.steps, original.steps, strict=True):
        shown = ("at", "typed", "look", "pick", "other")
        assert [getattr(ours, name) for name in shown] == [getattr(theirs, name) for name in shown]
        assert _shape(ours.ask) == _shape(theirs.ask)


def _shape(ask):
    place = (
        ask.choices.index(ask.answer) if ask is not None and ask.choices and ask.answer else None
    )
    return ask and (ask.kind, len(ask.choices), ask.computed, place)


def test_what_is_filled_in():
    assert (
        fill_placeholders("{next} {{stands}} {count of u g}", str)
        == "{next} {stands} {count of u g}"
    )
    assert fill_placeholders("{next} here", lambda quantity: quantity.name.upper()) == "NEXT here"
    assert quantities_of("{tokens of  a} and {next}", 1) == (
        Quantity("tokens", " a"),
        Quantity("next"),
    )
    assert quantities_of("no braces", 1) == ()
