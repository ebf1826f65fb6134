"""The lessons that tests play, and what each of their steps says, asks and must not show."""

from __future__ import annotations

import re
from typing import Any

import pytest

from bpe_studio.engine.run import Run
from bpe_studio.explain.lesson_pages import other_run, trainer_of
from bpe_studio.explain.names import display_name
from bpe_studio.files.lessons.reader import list_lessons
from bpe_studio.files.lessons.records import MAIN, Lesson, Question
from bpe_studio.workspace.lessons.facts import StepFacts, filled_step
from bpe_studio.workspace.lessons.language import locale_of

QUICK = ("01-hug-pug", "06-ai-headlines", "12-two-right-answers.fa")
PLAYED = []
"""Each lesson once: a translation has the steps and questions of the original, which another test
compares.
"""
for entry in list_lessons():
    if entry.id in QUICK:
        PLAYED.append(entry.path)
    elif not entry.id.endswith(".fa"):
        PLAYED.append(pytest.param(entry.path, marks=pytest.mark.slow(buys="all lessons")))


def plain(text: str) -> str:
    return re.sub("[\u200e\u200f\u2066-\u2069]", "", text)


def runs_of(lesson: Lesson) -> dict[str, Run]:
    trainer = trainer_of(lesson, lesson.settings)
    others = {
        step.other.name: step.other
        for step in lesson.steps
        if step.other and step.other.name != MAIN
    }
    made = {name: other_run(lesson, trainer, other) for name, other in others.items()}
    return {MAIN: trainer.run_record, **made}


def expected_steps(lesson: Lesson) -> list[dict[str, Any]]:
    found = []
    runs = runs_of(lesson)
    name = MAIN
    at = 0
    typed = ""
    for step in lesson.steps:
        name = step.other.name if step.other else name
        typed = typed if step.typed is None else step.typed
        at = at if step.at is None else step.at
        run = runs[name]
        place = (
            len(run.merges)
            if at == "end"
            else 0
            if at == "start"
            else min(int(at), len(run.merges))
        )
        told, _, _ = filled_step(
            step, StepFacts(run, place, typed, display_name, locale_of(lesson.language))
        )
        ask = told.ask and (plain(told.ask.text), plain(told.ask.answer), plain(told.ask.why))
        wrong = wrong_choices(told.ask) if told.ask else {}
        found.append(
            {
                "heading": step.heading,
                "say": plain(told.say),
                "step": place,
                "ask": ask,
                "wrong": wrong,
                "answers": step.ask and answers_in_sight(run, place, step.ask, told.ask.answer),
            }
        )
    return found


def wrong_choices(ask: Question) -> dict[str, str]:
    """Each wrong choice of a question, and why it is wrong."""
    reasons = zip(map(plain, ask.choices), map(plain, ask.reasons), strict=True)
    return {choice: reason for choice, reason in reasons if choice != plain(ask.answer)}


def answers_in_sight(run: Run, place: int, ask: Question, answer: str) -> re.Pattern[str]:
    """What would answer a question in a line of the page: the pair that is merged next, with its
    count, and the number that is asked for with its unit or its pair.
    """
    answers = ["\\bnext$"]
    if place < len(run.merges):
        tokens = run.columns.left[place], run.columns.right[place], run.token_of(place)
        left, right, token = (re.escape(display_name(run, int(each))) for each in tokens)
        answers.append(rf"{left} \+ {right} → {token}")
        if ask.kind == "pair":
            answers.append(rf"{left} \+ {right}\b")
    name, _, of = str(ask.computed or "")[1:-1].partition(" of ")
    unit = {"ties": "pairs", "tokens": "tokens", "vocabulary": "tokens", "alphabet": "symbols"}
    if name == "vocabulary":
        answers.append(rf"vocabulary {re.escape(answer)}\b")
    if name == "step":
        answers.append(rf"^Step {re.escape(answer)}\b")
    if name in unit:
        answers.append(rf"\b{re.escape(answer)} {unit[name]}\b")
    if name == "count" and of:
        left, right = of.replace("Ġ", "␣").split(" ")
        answers.append(rf"{re.escape(left)} \+ {re.escape(right)} .*\b{re.escape(answer)}\b")
    return re.compile("|".join(answers))
