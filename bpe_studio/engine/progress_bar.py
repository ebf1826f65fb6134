"""A progress bar on a terminal or in a notebook, drawn by tqdm."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from bpe_studio.engine.generators import Report

DELAY_S = 0.3
"""A job that ends sooner shows no bar, and does not import tqdm."""


class ProgressBar:
    """Shows how far a job is, until the job ends.

    >>> with ProgressBar("Reading") as bar:
    ...     bar.update(3, 10)
    """

    def __init__(self, what: str, *, is_shown: bool = True) -> None:
        self._what = what
        self._is_shown = is_shown
        self._begun = time.monotonic()
        self._bar: Any = None

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def update(self, done: float, total: float, note: str = "") -> None:
        """Redraws the bar, at most ten times a second.

        Args:
            done: how much is done.
            total: how much there is; 0 if unknown.
            note: additional text, such as a count.
        """
        if not self._is_shown or time.monotonic() - self._begun < DELAY_S:
            return
        from bpe_studio.engine.kernels import loader  # a fresh checkout has no packages for it

        if not note and loader.is_compiling():
            note = "compiling for this computer, the first time only"
        share = min(1.0, done / total) if total else 0.0
        full = "{percentage:3.0f}%|{bar}| " if total else ""
        left = "<{remaining}" if 0 < share < 1 else ""
        note = note.replace("{", "{{").replace("}", "}}")
        layout = f"{{desc}}{full}{note} [{{elapsed}}{left}]"
        if self._bar is None or share < self._bar.n:
            self._begin(share, layout)
        else:
            self._bar.bar_format = layout
            self._bar.update(share - self._bar.n)

    def _begin(self, share: float, layout: str) -> None:
        from tqdm.auto import tqdm

        class Bar(tqdm):  # type: ignore[misc]
            monitor_interval = 0  # no thread that watches it

        if self._bar is not None:
            self._bar.close()
        how = {"leave": False, "miniters": 0, "dynamic_ncols": True}
        self._bar = Bar(desc=self._what, total=1, initial=share, bar_format=layout, **how)


@contextmanager
def reported(progress: Report | bool | None, what: str) -> Iterator[Report]:
    """The function that a job reports to: the caller's, that of a bar if `progress` is true, or one
    that does nothing.
    """
    if callable(progress):
        yield progress
        return
    with ProgressBar(what, is_shown=bool(progress)) as bar:
        yield bar.update
