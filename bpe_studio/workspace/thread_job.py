"""Jobs in a thread of their own, which can be abandoned at any point.

A job stops at a `yield`, and some calls of the engine take a quarter of a second between two of
them. Nobody has to wait for such a call in a thread of its own: when it returns, its result is
dropped. Use this only for work that changes nothing shared, such as opening a text. Writing a file
is such work if the file takes its place when it is complete; training is not.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from bpe_studio.workspace.jobs import Work

POLL_S = 0.005


def run_in_thread(make: Callable[[], Work]) -> Work:
    """Runs the job of `make` in another thread; yields the newest of its news, or None.

    Closing it closes the job at its next `yield`, without waiting for that.
    """
    one = _ThreadJob(make)
    # Not a daemon, which Python does not wait for: a thread that still runs while Python exits may
    # crash the process.
    thread = threading.Thread(target=one.run, name="job", daemon=False)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(POLL_S)
            yield one.pop_news()
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

    def pop_news(self) -> Any:
        news = self._news
        self._news = None
        return news
