"""The results of a lesson or a game, as a file that a student hands in.

It is plain JSON that anybody can edit: it helps to gather results, and proves nothing. It has no
personal data but the name that the student typed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

_MARKS = re.compile("[\u200e\u200f\u2066-\u2069]")


@dataclass(frozen=True)
class Answer:
    """A question that was answered.

    Attributes:
        question: the question.
        answer: the right answer.
        given: all answers that were given, in order; none if the answer was only shown.
        right: whether the last of them was right, before the answer was shown.
    """

    question: str
    answer: str
    given: tuple[str, ...]
    right: bool


def results_json(
    name: str,
    lesson: str,
    title: str,
    score: int,
    out_of: int,
    answers: Sequence[Answer],
    when: datetime,
) -> str:
    """The content of the file.

    Args:
        name: the name that the student typed.
        lesson: the id of the lesson, or "game".
        title: its name in the window.
        score: the questions that were answered right, or the points of the game.
        out_of: the highest possible score.
        answers: the questions that were answered, in order.
        when: when the results were saved, in local time.
    """
    results = {
        "name": name,
        "lesson": lesson,
        "title": title,
        "date": when.isoformat(sep=" ", timespec="minutes"),
        "score": score,
        "out_of": out_of,
        "answers": [asdict(answer) for answer in answers],
    }
    # Marks of direction belong to the window.
    return _MARKS.sub("", json.dumps(results, ensure_ascii=False, indent=1)) + "\n"
