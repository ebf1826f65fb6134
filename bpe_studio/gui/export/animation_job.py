"""The export of a range of steps, made in a thread: a preview, about how large the file is, and the file.

All of it runs in a thread of the pool, with progress and a way to stop; only `AnimationExport` belongs to the window.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QImage, QPalette

from bpe_studio.errors import BpeError, Cancelled, SaveError
from bpe_studio.explain.names import display_name
from bpe_studio.files.atomic_file import atomic_write
from bpe_studio.files.exports.living_page import PageView, living_page
from bpe_studio.files.exports.step_range import StepRange, names_of, take_step_range
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.export.animation_frames import FramePainter, Moment, moments
from bpe_studio.gui.export.gif import write_gif
from bpe_studio.gui.export.video import write_video
from bpe_studio.gui.tokens import colours

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

_log = logging.getLogger(__name__)

MOST_PICTURES = 1200
HOLD_S = 3.0
"""How long the last picture is shown before the animation repeats."""
BEFORE_SHARE = 0.6
"""The share of a step's time during which its pair is not yet merged."""


@dataclass(frozen=True, eq=False)
class ExportRequest:
    """The options of an export.

    Attributes:
        run: the run.
        corpus_name: the name of its corpus.
        first, last, every: the range.
        text: the text shown; "" for none.
        n_words: how many words are shown.
        changing: only words that the range changes.
        form: "html", "gif", "mp4" or "webm".
        theme: "light", "dark" or, for a page, "both".
        palette: that of a picture.
        family: the interface font's family.
        size: of a picture.
        seconds: how long a step of an animation is shown.
    """

    run: Run
    corpus_name: str
    first: int
    last: int
    every: int
    text: str
    n_words: int
    changing: bool
    form: str
    theme: str
    palette: QPalette
    family: str
    size: QSize
    seconds: float

    def step_range(self) -> StepRange:
        """The range of steps."""
        return take_step_range(
            self.run, self.first, self.last, every=self.every, text=self.text, n_words=self.n_words,
            changing=self.changing, corpus_name=self.corpus_name,
        )  # fmt: skip

    def page(self) -> bytes:
        """The range as a page."""
        title = f"Steps {self.first:,} to {self.last:,} of {self.corpus_name or 'a corpus'}"
        view = PageView(
            title, self.text, first=self.first, last=self.last, every=self.every, n_words=self.n_words,
            is_changing=self.changing, theme=self.theme, is_by_token=colours.is_by_token(),
        )  # fmt: skip
        return living_page(self.run, view)

    def name(self, token: int) -> str:
        """The name of a token."""
        return display_name(self.run, token)


@dataclass(frozen=True, eq=False)
class Preview:
    """What a request would make.

    Attributes:
        request: the request.
        picture: one picture of it, or None.
        message: what it would be, or why it cannot be.
        can_save: whether it can be written.
    """

    request: ExportRequest
    picture: QImage | None
    message: str
    can_save: bool


@dataclass(frozen=True, eq=False)
class Ended:
    """The outcome of an export: the file, or why it could not be written; neither after a cancel."""

    request: ExportRequest
    path: Path | None
    trouble: str = ""


def preview_of(request: ExportRequest) -> Preview:
    """One picture of what a request would make, and about how large the file would be."""
    try:
        step_range = request.step_range()
        painter = _painter(request, step_range)
        shown = moments(step_range)
        picture = painter.paint(shown[min(len(shown) - 1, len(shown) // 4 * 2)])
        if request.form == "html":
            return Preview(request, picture, f"One page of {_size(len(request.page()))}, {_steps(step_range)}", True)
        _check(shown)
        return Preview(
            request,
            picture,
            f"{len(shown):,} pictures, {_time(request, shown)}"
            + (f", about {_size(_gif_size(request, painter, shown))}" if request.form == "gif" else ""),
            True,
        )
    except BpeError as error:
        return Preview(request, None, str(error), False)


class AnimationExport(QObject):
    """Writes one file at a time.

    Signals:
        progressed: (done, of) pictures.
        ended: an `Ended`.
    """

    progressed = Signal(object)
    ended = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._stop = threading.Event()
        self._is_busy = False
        self._job = LatestAnswer(self._write, self)
        self._job.answered.connect(self._on_answered, Qt.ConnectionType.DirectConnection)

    @property
    def is_busy(self) -> bool:
        """Whether a file is being written."""
        return self._is_busy

    def start(self, request: ExportRequest, path: Path) -> None:
        """Write a file."""
        self._stop = threading.Event()
        self._is_busy = True
        self._job.ask(request, path, self._stop)

    def cancel(self) -> None:
        """Stop writing; no file is left."""
        self._stop.set()

    @Slot(object)
    def _on_answered(self, ended: Ended) -> None:
        self._is_busy = False
        self.ended.emit(ended)

    def _write(self, request: ExportRequest, path: Path, stop: threading.Event) -> Ended:
        try:
            content = request.page() if request.form == "html" else self._animation(request, stop)
            if stop.is_set():
                raise Cancelled
            atomic_write(path, content)
        except Cancelled:
            return Ended(request, None)
        except BpeError as error:
            return Ended(request, path, str(error))
        except Exception as error:
            # Without a result the dialog would wait forever.
            _log.exception("A range of steps could not be exported.")
            why = str(error) or type(error).__name__
            return Ended(request, path, f"{path} was not saved ({why}): export fewer merges, or save on another disk")
        return Ended(request, path)

    def _animation(self, request: ExportRequest, stop: threading.Event) -> bytes:
        step_range = request.step_range()
        painter, shown = _painter(request, step_range), moments(step_range)
        _check(shown)

        def images() -> Iterator[QImage]:
            for number, moment in enumerate(shown):
                if stop.is_set():
                    raise Cancelled
                self.progressed.emit((number, len(shown)))
                yield painter.paint(moment)

        durations = durations_ms(request.seconds, len(shown))
        if request.form == "gif":
            return write_gif(images, durations, _sample(painter, shown))
        return write_video(images(), durations, request.form, stop)


def durations_ms(seconds: float, n: int) -> list[int]:
    """How long each picture is shown: a pair apart, then joined; the last one longer."""
    before = max(20, round(1000 * seconds * BEFORE_SHARE / 10) * 10)
    after = max(20, round(1000 * seconds / 10) * 10 - before)
    found = [before if k % 2 == 0 else after for k in range(n)]
    found[-1] = max(found[-1], round(1000 * HOLD_S))
    return found


def _painter(request: ExportRequest, step_range: StepRange) -> FramePainter:
    return FramePainter(step_range, names_of(step_range, request.name), request.size, request.palette, request.family)


def _sample(painter: FramePainter, shown: list[Moment]) -> list[QImage]:
    return [painter.paint(shown[k]) for k in sorted({0, len(shown) // 2, len(shown) - 1})]


def _check(shown: list[Moment]) -> None:
    if len(shown) > MOST_PICTURES:
        raise SaveError(
            f"The animation would have {len(shown):,} pictures, and the limit is {MOST_PICTURES:,}: export fewer "
            "merges or only every n-th step, or choose a page"
        )


def _gif_size(request: ExportRequest, painter: FramePainter, shown: list[Moment]) -> float:
    """About how many bytes the pictures take, by what a few of them do."""
    whole, steps = 0, []
    for k in sorted({(len(shown) - 2) * part // 3 for part in range(4)}):
        pictures = [painter.paint(moment) for moment in shown[k : k + 2]]
        whole, both = (len(write_gif(some.__iter__, [20] * len(some), pictures)) for some in (pictures[:1], pictures))
        steps.append(both - whole)
    return whole + sum(steps) / len(steps) * (len(shown) - 1)


def _time(request: ExportRequest, shown: list[Moment]) -> str:
    seconds = sum(durations_ms(request.seconds, len(shown))) / 1000
    return f"{seconds:.0f} s long" if seconds < 120 else f"{seconds / 60:.0f} min long"


def _steps(step_range: StepRange) -> str:
    return f"{len(step_range.stops):,} steps, {len(step_range.merges):,} merge{'s' * (len(step_range.merges) != 1)}"


def _size(n_bytes: float) -> str:
    return f"{n_bytes / 1000:,.0f} kB" if n_bytes < 1e6 else f"{n_bytes / 1e6:,.1f} MB"
