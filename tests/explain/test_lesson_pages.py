"""Lessons as pages say what they say in the window, and judge the answers in the same way."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from bpe_studio.explain.lesson_pages import lesson_page, site_index
from bpe_studio.explain.names import display_name
from bpe_studio.files.lessons.reader import list_lessons, parse_lesson, read_lesson
from bpe_studio.files.lessons.results import Answer, results_json
from bpe_studio.workspace.lessons.facts import StepFacts
from tests.files.exports.test_living_page import in_browser
from tests.played_lessons import PLAYED, expected_steps, plain, runs_of

LESSONS = [entry.path for entry in list_lessons()]
_PLAYED = """
const READ = "main .head, main .card, main tr, main .row, main p, main dd, main .word, #growth, #where";
const inSight = () => Array.from(document.querySelectorAll(READ)).filter((part) => !by("lesson").contains(part))
  .map((part) => part.innerText.trim().split(/\\s+/).join(" ")).filter(Boolean);
const plain = (text) => text.replace(/[\u200e\u200f\u2066-\u2069]/g, "");
const seen = [];
for (;;) {
  const ask = !by("lesson-ask").hidden && { text: by("lesson-text").textContent };
  if (ask) {
    await new Promise((resume) => setTimeout(resume, 100));
    ask.sight = inSight();
    ask.later = document.querySelectorAll("#skyline .later").length;
    by("lesson-first").value = by("lesson-second").value = "surely wrong";
    if (!by("lesson-fields").hidden) by("lesson-check").click();
    const isWrong = (choice) => WRONG[seen.length].includes(plain(choice.textContent.slice(1).trim()));
    ask.reasons = [];
    for (;;) {
      const wrong = Array.from(by("lesson-choices").children).find((choice) => !choice.disabled && isWrong(choice));
      if (!wrong) break;
      wrong.click();
      ask.reasons.push(by("lesson-verdict").textContent);
    }
    by("lesson-reveal").click();
    ask.answer = by("lesson-verdict").textContent;
    ask.why = by("lesson-why").textContent;
    ask.uncovered = document.querySelectorAll(".covered").length === 0;
  }
  const { top } = document.querySelector(".look").getBoundingClientRect();
  const isBeside = top >= document.querySelector("header").getBoundingClientRect().bottom && top < 0.8 * innerHeight;
  const step = document.documentElement.dataset.step, framed = document.querySelectorAll(".look").length;
  const isLast = by("lesson-next").disabled, saysWhatNext = !by("lesson-then").hidden;
  const fits = document.documentElement.scrollWidth <= innerWidth;
  const shows = { framed, isBeside, fits, isLast, saysWhatNext, picked: document.querySelectorAll(".picked").length, runs: by("runs").children.length };
  const heading = by("lesson-head").textContent, say = by("lesson-say").textContent;
  seen.push({ heading, say, step: Number(step), ask, ...shows });
  if (by("lesson-next").disabled) return { seen, results: await save("Ada") };
  by("lesson-next").click();
}
"""


@pytest.mark.parametrize("path", PLAYED, ids=lambda path: path.stem)
def test_a_lesson_says_and_asks_in_its_page_what_it_does_in_the_window(
    tmp_path: Path, path: Path
) -> None:
    lesson = read_lesson(path)
    expected_of = expected_steps(lesson)
    wrong_ones = json.dumps([list(expected["wrong"]) for expected in expected_of])
    script = f"const WRONG = {wrong_ones};{_PLAYED}"
    played = in_browser(tmp_path, lesson_page(lesson), script)
    answers = []
    has_other = False
    for step, seen, expected in zip(lesson.steps, played["seen"], expected_of, strict=True):
        has_other = has_other or step.other is not None
        assert (
            seen["framed"]
            and seen["isBeside"]
            and seen["isLast"] == seen["saysWhatNext"]
            and (step.pick is None or seen["picked"])
            and (seen["runs"] == 2) == has_other
            and seen["fits"]
        )
        assert (seen["heading"], plain(seen["say"]), seen["step"]) == tuple(expected.values())[:3]
        assert bool(seen["ask"]) == bool(expected["ask"])
        if expected["ask"]:
            text, answer, why = expected["ask"]
            assert (plain(seen["ask"]["text"]), plain(seen["ask"]["why"])) == (text, why)
            read = map(plain, seen["ask"]["sight"])
            assert list(filter(expected["answers"].search, read)) == [], step.heading
            assert not seen["ask"]["later"]
            assert answer in plain(seen["ask"]["answer"]) and seen["ask"]["uncovered"]
            reasons = [f"✗ {reason}" for reason in expected["wrong"].values()]
            assert list(map(plain, seen["ask"]["reasons"])) == reasons
            given = ("surely wrong",)
            if step.ask.kind == "choice":
                given = tuple(expected["wrong"])
            elif step.ask.kind == "pair":
                given = ("surely wrong + surely wrong",)
            answers.append(Answer(text, answer, given, False))
    when = datetime.fromisoformat(json.loads(played["results"])["date"])
    assert played["results"] == results_json(
        "Ada", lesson.id, lesson.title, 0, len(answers), answers, when
    )


def test_right_answers_are_accepted_in_any_spelling(tmp_path: Path) -> None:
    script = """
    const say = (first, second) => {
      by("lesson-first").value = first;
      by("lesson-second").value = second || "";
      by("lesson-check").click();
      return by("lesson-verdict").textContent[0];
    };
    by("lesson-next").click();
    const isVisible = () => getComputedStyle(by("text-tokens")).visibility === "visible";
    const isSeen = () => isVisible();
    const found = [isSeen(), say("8"), say("7"), isSeen()];
    by("lesson-next").click();
    say("3");
    found.push(by("lesson-verdict").textContent.includes("different words"));
    found.push(isSeen(), say("\\u06f2\\u06f0"));
    by("lesson-next").click();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "2", bubbles: true }));
    found.push(by("lesson-verdict").textContent[0]);
    by("lesson-next").click();
    found.push(document.querySelectorAll(".covered").length > 0, say("h", "ug"));
    found.push(by("lesson-verdict").textContent.includes("15 times"), say("u", "n"));
    found.push(document.querySelectorAll(".covered").length === 0);
    return found;
    """
    found = in_browser(tmp_path, lesson_page(read_lesson(LESSONS[0])), script)
    expected = [False, "✗", "✓", True, True, False, "✓", "✓", True, "✗", True, "✓", True]
    assert found == expected


_SPACED = "{name: Spaced, settings: {preset: gpt2, full-alphabet: no, merges: 9}}"
_BYTES = "{name: Bytes, settings: {preset: gpt2, merges: 9}}"
_MARKED = "{name: Marked, settings: {word-end: </w>, word-end-as: own-symbol}}"
_PIECES = "{name: Pieces, settings: {split: sentencepiece}}"
_MISTAKES = [
    ("main", "end", "{tokens of hug}", "3", "the number of characters"),
    ("main", "end", "{tokens of gup gup}", "2", "the number of words"),
    ("main", "end", "{tokens of hug pug}", "6", ""),
    ("main", "start", "{alphabet}", "8", ""),
    ("main", "start", "{count of a b}", "1", "twice counts twice"),
    ("main", "start", "{count of u g}", "3", "different words"),
    (_SPACED, "start", "{tokens of hug pug}", "6", "A space is a symbol"),
    ("Spaced", "start", "{alphabet}", "9", "a space are symbols"),
    ("Spaced", "start", "{next}", "␣ t", "occurs once, and another"),
    ("Spaced", "start", "{next}", "t ␣", "nowhere neighbours"),
    (_BYTES, "start", "{tokens of ☕}", "1", "the number of characters"),
    ("Bytes", "start", "{alphabet}", "255", ""),
    (_MARKED, "start", "{alphabet}", "9", "A mark"),
    (_PIECES, "start", "{alphabet}", "9", "A mark"),
]
"""A run, a step, a question, a wrong answer, and a part of its reason; "" for none."""


def test_a_wrong_answer_gets_a_true_reason_or_none(tmp_path: Path) -> None:
    steps = ""
    for place, (other, at, ask, _, _) in enumerate(_MISTAKES):
        steps += f"  - {{heading: S{place}, say: Look., at: {at}, other: {other},"
        steps += f" ask: {{text: What, answer: '{ask}'}}}}\n"
    lesson = parse_lesson(
        "title: Mistakes\ntext: hug pug hug thug ababcabcd\n"
        f"settings: {{preset: textbook, merges: 9}}\nsteps:\n{steps}",
        Path("mistakes.yaml"),
    )
    runs = runs_of(lesson)
    expected = []
    for step, (_, at, _, given, reason) in zip(lesson.steps, _MISTAKES, strict=True):
        run = runs[step.other.name]
        facts = StepFacts(run, len(run.merges) if at == "end" else 0, "", display_name)
        answer = given.split() if step.ask.kind == "pair" else given
        said = plain(facts.forgotten(step.ask.computed, answer))
        assert reason in said and bool(reason) == bool(said), (step.ask.computed, said)
        expected.append(f"✗ {said}" if said else f"✗ Not {given}: try again")
    script = f"""
    const found = [];
    for (const given of {json.dumps([given for _, _, _, given, _ in _MISTAKES])}) {{
      [by("lesson-first").value, by("lesson-second").value] = [...given.split(" "), ""];
      by("lesson-check").click();
      found.push(by("lesson-verdict").textContent);
      by("lesson-next").click();
    }}
    return found;
    """
    assert list(map(plain, in_browser(tmp_path, lesson_page(lesson), script))) == expected


def test_the_index_names_each_lesson_in_its_direction() -> None:
    lessons = [(f"{path.stem}.html", read_lesson(path)) for path in LESSONS]
    page = site_index(lessons, "Persian").decode("utf-8")
    assert "مثال‌های منتشرشده" in page and page.index(LESSONS[1].stem) < page.index(
        f"{LESSONS[0].stem}.html"
    )
    assert all(f'href="{file}"' in page for file, _ in lessons)
    assert page.count('<p dir="rtl"') == sum(lesson.language == "Persian" for _, lesson in lessons)
    assert "script-src 'none'" in page.replace("&#x27;", "'")


def test_a_language_without_words_has_its_direction_in_an_english_page() -> None:
    page = lesson_page(replace(read_lesson(LESSONS[0]), language="Arabic")).decode("utf-8")
    assert '<html lang="en" dir="ltr">' in page and '"lang":"ar","dir":"rtl"' in page
