"""Jobs that go on in a thread of their own, so that they can be stopped wherever they are.

A job stops at a `yield`, and some calls of the engine take a quarter of a second between two of them. Beside the
worker such a call need not be waited for: what it finds when it comes back is that nobody wants it any more. That is
only for work that changes nothing which others hold: opening a text, not learning merges and not writing files.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from bpe_studio.workspace.jobs import Work

POLL_S = 0.005


def run_in_thread(make: Callable[[], Work]) -> Work:
    """The job that `make` gives, advanced in another thread; yields the newest of its news, or None.

    When it is closed, the job is closed too, at its own next `yield`; that is not waited for.
    """
    one = _ThreadJob(make)
    # Not a daemon: one that still runs while Python takes itself down may crash the process.
    thread = threading.Thread(target=one.run, name="job")
    thread.start()
    try:
        while thread.is_alive():
            thread.join(POLL_S)
            yield one.take_news()
    finally:
        one.is_wanted = False
    if one.error is not None:
        raise one.error
    return one.result


class _ThreadJob:
    def __init__(self, make: Callable[[], Work]) -> None:
        self._make = make
        self._news: Any = None
        self.is_wanted = True
        self.result: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            work = self._make()
            try:
                while self.is_wanted:
                    self._news = next(work)
            except StopIteration as stop:
                self.result = stop.value
            finally:
                work.close()
        except BaseException as error:
            self.error = error

    def take_news(self) -> Any:
        news, self._news = self._news, None
        return news
