"""Computes answers in a thread of the pool, where they would take too long for the window's thread.

One question is computed at a time. Of the questions that wait, only the latest counts; outdated
answers are dropped.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Generator
from functools import cache, partial
from typing import Any

from PySide6.QtCore import QObject, Qt, QThreadPool, Signal, Slot
from shiboken6 import isValid

from bpe_studio.gui.background.scheduling import Debouncer, RefreshSlot


class LatestAnswer(QObject):
    """Answers questions of one kind.

    Args:
        answer: called in the pool with the arguments of `ask`. If it is a generator, it is closed
            at its next yield once its answer is not wanted any more.
        rest_ms: the time without another question after which one is computed, in milliseconds.
        in_turn_of: the workspace in whose queue of panels an answer waits for its turn; None
            delivers it at once.
        keeps_late: whether to deliver an answer even if another question was asked meanwhile, for
            a panel that says which state it shows.

    Signals:
        answered: the result of `answer`, only for the latest question unless late ones are kept.
    """

    answered = Signal(object)

    def __init__(
        self,
        answer: Callable[..., Any],
        parent: QObject | None = None,
        *,
        rest_ms: int = 0,
        in_turn_of: QObject | None = None,
        keeps_late: bool = False,
    ) -> None:
        super().__init__(parent)
        self._answer = answer
        self._keeps_late = keeps_late
        self._wanted: tuple[Any, ...] | None = None
        self._computed: tuple[Any, ...] | None = None
        self._is_busy = False
        self._found: Any = None
        self._rest_ms = rest_ms
        self._rest = Debouncer(rest_ms, self)
        self._rest.timeout.connect(self._begin)
        self._turn = RefreshSlot(in_turn_of, self) if in_turn_of is not None else None
        if self._turn is not None:
            self._turn.granted.connect(self._deliver)

    def ask(self, *question: Any) -> None:
        """Ask a question; it is computed when the current one is done."""
        self._wanted = question
        if self._rest_ms:
            self._rest.restart()
        else:
            self._begin()

    @property
    def is_busy(self) -> bool:
        """Whether a question is being computed."""
        return self._is_busy

    def forget(self) -> None:
        """Drop the question; its answer is not delivered."""
        self._wanted = None
        self._computed = None
        self._found = None
        self._rest.stop()

    @Slot()
    def _begin(self) -> None:
        if self._wanted is not None and not self._is_busy and not self._rest.isActive():
            self._is_busy = True
            # Not a QRunnable: one that ends before this returns is never deleted by PySide.
            wanted = self._computed = self._wanted
            QThreadPool.globalInstance().start(
                partial(_run, self._answer, wanted, lambda: self._is_awaited(wanted), _post(), self)
            )

    def _is_awaited(self, question: tuple[Any, ...]) -> bool:
        last = self._computed if self._keeps_late else self._wanted
        return question is last

    def take(self, question: tuple[Any, ...], answer: Any) -> None:
        """Receive the answer to a question, in the window's thread."""
        self._is_busy = False
        is_awaited = self._is_awaited(question)
        if question is self._wanted:
            self._wanted = None
        self._computed = None
        if is_awaited:
            self._found = answer
            if self._turn is not None:
                self._turn.request()
            else:
                self._deliver()
        self._begin()

    @Slot()
    def _deliver(self) -> None:
        found = self._found
        self._found = None
        if found is not None:
            self.answered.emit(found)


class _Post(QObject):
    """Brings answers to the window's thread.

    It is never deleted; the one who asked may be deleted while an answer is on its way.
    """

    sent = Signal(object, object, object)

    def __init__(self) -> None:
        super().__init__()
        self.sent.connect(self._on_sent, Qt.ConnectionType.QueuedConnection)

    @Slot(object, object, object)
    def _on_sent(self, asker: LatestAnswer, question: tuple[Any, ...], answer: Any) -> None:
        if isValid(asker):  # its window was not closed meanwhile
            asker.take(question, answer)


_post = cache(_Post)


def _run(
    answer: Callable[..., Any],
    question: tuple[Any, ...],
    is_wanted: Callable[[], bool],
    post: _Post,
    asker: LatestAnswer,
) -> None:
    """Answers a question, in a thread of the pool."""
    found = None
    try:
        found = answer(*question)
        if isinstance(found, Generator):
            found = _while_wanted(found, is_wanted)
    except Exception:
        # The caller must get an answer, whatever goes wrong.
        traceback.print_exc()
    post.sent.emit(asker, question, found)


def _while_wanted(work: Generator[Any, None, Any], is_wanted: Callable[[], bool]) -> Any:
    """The result of some work; None if it was given up."""
    try:
        while is_wanted():
            next(work)
    except StopIteration as stop:
        return stop.value
    finally:
        work.close()
    return None
