"""Lessons as web pages: a lesson becomes a living page with the lesson beside it, and a folder of
lessons becomes a site for a class.

The page itself fills in what a sentence says about the run, and judges answers
(`resources/living_page/lesson.js`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.run import Run
from bpe_studio.engine.text.alphabet import to_stand_ins
from bpe_studio.engine.training.branch import branch
from bpe_studio.engine.training.trainer import Trainer
from bpe_studio.errors import LessonError
from bpe_studio.files.exports.living_page import PageView, filled_page, living_page, run_data
from bpe_studio.files.languages import ENGLISH, code_of, direction_of, in_language, known_language
from bpe_studio.files.lessons.reader import lessons_in, list_lessons, read_lesson
from bpe_studio.files.lessons.records import MAIN, Lesson, LessonStep, OtherRun, Question
from bpe_studio.files.samples import find_sample

INDEX = "index.html"


def lesson_site(folder: Path | None = None, language: str | None = None) -> dict[str, bytes]:
    """The lessons of a folder as pages, and an index.

    Args:
        folder: the folder; the program's own lessons by default.
        language: a language, for each lesson once, translated if possible; None for the lessons in
            all languages.

    Returns:
        The content of each page, by the name of its file.

    Raises:
        LessonError: there is no lesson, or one is not valid; the error names it.
        SaveError: a page cannot do what one of the runs needs.
    """
    lessons = []
    entries = list_lessons(folder)
    if language is not None:
        known = {entry.language for entry in entries}
        if language not in known:
            raise LessonError(
                f"No lesson is in {language}: choose one of {', '.join(sorted(known))}"
            )
        entries = lessons_in(language, entries)
    for entry in entries:
        if f"{entry.id}.html" == INDEX:
            raise LessonError(
                f"{entry.path} would be the index of the lessons: give it another name"
            )
        try:
            lessons.append((f"{entry.id}.html", read_lesson(entry.path)))
        except LessonError as error:
            raise LessonError(f"{entry.path}: {error}") from None
    if not lessons:
        raise LessonError(f"The folder {folder} has no lessons: give one with .yaml files")
    pages = {INDEX: site_index(lessons, language or lessons[0][1].language)}
    for place, (file, lesson) in enumerate(lessons, 1):
        following = [
            (name, each.title) for name, each in lessons[place:] if each.language == lesson.language
        ]
        pages[file] = lesson_page(
            lesson, [(INDEX, in_language(lesson.language, "Lessons")), *following[:1]]
        )
    return pages


def lesson_page(lesson: Lesson, links: Sequence[tuple[str, str]] = ()) -> bytes:
    """A lesson as a page.

    Args:
        lesson: the lesson.
        links: (address, text) of the links below it.

    Raises:
        SaveError: a page cannot do what one of its runs needs.
        BpeError: one of its runs cannot be trained.
    """
    trainer = trainer_of(lesson, lesson.settings)
    others = {step.other.name: step.other for step in lesson.steps if step.other is not None}
    others.pop(MAIN, None)
    numbers = {MAIN: 0} | {name: number for number, name in enumerate(others, 1)}
    data = {
        "lang": code_of(lesson.language),
        "dir": direction_of(lesson.language),
        "id": lesson.id,
        "title": lesson.title,
        "names": list(others),
        "others": [run_data(other_run(lesson, trainer, other)) for other in others.values()],
        "steps": [_step(step, numbers) for step in lesson.steps],
    }
    view = PageView(lesson.question or lesson.title, language=known_language(lesson.language))
    return living_page(trainer.run_record, view, data, links)


def site_index(lessons: Sequence[tuple[str, Lesson]], language: str = ENGLISH) -> bytes:
    """The page that lists the lessons of a site, language by language.

    Args:
        lessons: the file and the lesson of each page.
        language: the language of the page; its lessons come first.
    """
    parts = []
    last_heading = ("", "")
    for file, lesson in sorted(
        lessons, key=lambda each: (each[1].language != language, each[1].language)
    ):
        direction = direction_of(lesson.language)
        heading = lesson.language, lesson.group
        if heading != last_heading:
            parts.append(f'<h2 dir="{direction}">{escape(in_language(*heading))}</h2>')
            last_heading = heading
        parts.append(
            f'<p dir="{direction}"><a href="{quote(file)}">{escape(lesson.title)}</a><br>'
            f'<span class="quiet">{escape(lesson.about)}</span></p>'
        )
    values = {"title": in_language(language, "Lessons"), "entries": "\n".join(parts)}
    return filled_page("index.html", values, language=known_language(language))


def trainer_of(lesson: Lesson, config: TrainingConfig) -> Trainer:
    """A trainer that has trained a lesson's corpus to the end."""
    if lesson.sample is not None:
        corpus = Corpus.from_files([find_sample(lesson.sample).path], config)
    elif lesson.text is not None:
        corpus = Corpus.from_text(lesson.text, config)
    else:
        words: Iterable[tuple[str, int]] = lesson.counts
        if config.units == "bytes":
            words = [(to_stand_ins(word.encode()), count) for word, count in words]
        corpus = Corpus.from_counts(words, config)
    trainer = Trainer(corpus, config)
    trainer.run(trainer.target)
    return trainer


def other_run(lesson: Lesson, trainer: Trainer, other: OtherRun) -> Run:
    """Another run of a lesson: with other settings, or branched off from its own."""
    if other.config is not None:
        return trainer_of(lesson, other.config).run_record
    assert other.override is not None
    branched = branch(trainer, other.override)
    branched.run(branched.target)
    return branched.run_record


def _step(step: LessonStep, numbers: dict[str, int]) -> dict[str, Any]:
    """A step as JSON values; None for each thing that it does not change."""
    run = None if step.other is None else numbers[step.other.name]
    ask = None if step.ask is None else _question(step.ask)
    return {
        "heading": step.heading,
        "say": step.say,
        "at": step.at,
        "typed": step.typed,
        "look": step.look,
        "pick": step.pick,
        "run": run,
        "ask": ask,
    }


def _question(ask: Question) -> dict[str, Any]:
    computed = None if ask.computed is None else str(ask.computed)[1:-1]
    return {
        "text": ask.text,
        "kind": ask.kind,
        "choices": list(ask.choices),
        "reasons": list(ask.reasons),
        "answer": ask.answer,
        "computed": computed,
        "why": ask.why,
    }
