from __future__ import annotations

import gc
import threading
import weakref

import shiboken6
from PySide6.QtCore import QCoreApplication, QObject, QThreadPool

from bpe_studio.gui.background.latest_answer import LatestAnswer


def test_only_the_newest_question_is_answered(qtbot):
    go_on = threading.Event()
    asked = []
    answers = []

    def answer(question):
        asked.append(question)
        go_on.wait(60.0)
        return question

    job = LatestAnswer(answer)
    job.answered.connect(answers.append)
    job.ask("first")
    qtbot.waitUntil(lambda: asked == ["first"])
    job.ask("second")
    job.ask("third")
    go_on.set()
    qtbot.waitUntil(lambda: answers == ["third"])
    assert asked == ["first", "third"]


def test_a_forgotten_question_is_not_answered_and_a_failed_one_does_not_block(qtbot, capsys):
    go_on = threading.Event()
    answers = []

    def answer(number):
        go_on.wait(60.0)
        return 1 / number

    job = LatestAnswer(answer)
    job.answered.connect(answers.append)
    job.ask(2)
    job.forget()
    go_on.set()
    job.ask(0)
    qtbot.waitUntil(lambda: "ZeroDivisionError" in capsys.readouterr().err)
    job.ask(4)
    qtbot.waitUntil(lambda: answers == [0.25])


def test_work_in_steps_is_given_up_when_nobody_waits_for_it(qtbot):
    answers = []
    steps = []
    closed = []

    def answer(question):
        try:
            while question == "endless":
                steps.append(question)
                yield
            yield
            return f"answer to {question}"
        finally:
            closed.append(question)

    job = LatestAnswer(answer)
    job.answered.connect(answers.append)
    job.ask("endless")
    qtbot.waitUntil(lambda: len(steps) > 2)
    job.ask("short")
    qtbot.waitUntil(lambda: answers == ["answer to short"])
    steps.clear()
    job.ask("endless")
    qtbot.waitUntil(lambda: len(steps) > 2)
    job.forget()
    qtbot.waitUntil(lambda: closed == ["endless", "short", "endless"] and not job.is_busy)
    assert answers == ["answer to short"]


def test_nothing_is_kept_of_what_was_asked(qtbot):
    class Asked:
        pass

    job = LatestAnswer(id)
    answers = []
    left = []
    job.answered.connect(answers.append)
    for n in range(50):
        asked = Asked()
        left.append(weakref.ref(asked))
        job.ask(asked)
        qtbot.waitUntil(lambda n=n: len(answers) == n + 1)
    del asked
    gc.collect()
    assert not any(each() for each in left)


def test_whoever_asked_may_be_deleted_while_the_answer_is_sent(qtbot):
    for _ in range(300):
        window = QObject()
        for _ in range(4):
            LatestAnswer(sum, window).ask(range(2000))
        shiboken6.delete(window)
        QCoreApplication.processEvents()
    assert QThreadPool.globalInstance().waitForDone(60_000)
