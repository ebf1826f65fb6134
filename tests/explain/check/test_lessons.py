"""Each lesson about mistakes of trainers has words on which they change the merges, and says which
merges these are.
"""

from __future__ import annotations

from contextlib import suppress

import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.errors import ConfigError
from bpe_studio.explain.check.mistakes import MISTAKES, changed
from bpe_studio.explain.check.trainer import Pair, Procedure, merges_of
from bpe_studio.explain.lesson_pages import trainer_of
from bpe_studio.files.lessons.reader import list_lessons, read_lesson
from bpe_studio.files.lessons.records import Lesson

LESSONS = {lesson.title: lesson for lesson in (read_lesson(entry.path) for entry in list_lessons())}


def wrong_merges(lesson: Lesson, config: TrainingConfig) -> dict[str, list[Pair]]:
    """The merges of each mistake that changes those of a run of a lesson."""
    run = trainer_of(lesson, config).run_record
    procedure = Procedure(
        (lesson.text,) if lesson.text else run.corpus, run.config, len(run.merges)
    )
    right = list(merges_of(procedure))
    made = {}
    for mistake, other in changed(MISTAKES, procedure):
        with suppress(ConfigError):  # no trainer can do so on this text
            made[mistake.name] = list(merges_of(other))
    return {name: merges for name, merges in made.items() if merges != right}


@pytest.mark.parametrize(
    "title", sorted({mistake.lesson for mistake in MISTAKES if mistake.lesson})
)
def test_the_mistakes_of_a_lesson_change_its_merges(title: str) -> None:
    lesson = LESSONS[title]
    others = [step.other.config for step in lesson.steps if step.other and step.other.config]
    made = {name for config in (lesson.settings, *others) for name in wrong_merges(lesson, config)}
    right = {f"ties-{lesson.settings.ties}"}
    assert {mistake.name for mistake in MISTAKES if mistake.lesson == title} <= made | right


@pytest.mark.parametrize(
    "name", ["runs-counted-without-overlap", "counts-never-updated", "pieces-counted-once"]
)
def test_the_wrong_run_of_a_lesson_has_the_merges_of_the_mistake(name: str) -> None:
    mistake = next(each for each in MISTAKES if each.name == name)
    lesson = LESSONS[mistake.lesson]
    forced = next(
        step.other.config.force for step in lesson.steps if step.other and step.other.config
    )
    assert list(forced) == wrong_merges(lesson, lesson.settings)[name][: len(forced)]
