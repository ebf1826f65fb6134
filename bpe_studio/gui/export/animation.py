"""File > Export an animation: records a presentation of the steps between two steps."""

from __future__ import annotations

import io
import shutil
import subprocess
import tempfile
from collections.abc import Generator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QComboBox, QDialog, QDoubleSpinBox, QFormLayout, QSpinBox, QWidget

from bpe_studio.errors import SaveError
from bpe_studio.explain.wording import number, plural
from bpe_studio.gui.widgets.containers import GROUP_PX, column
from bpe_studio.gui.widgets.controls import WholeNumber, enable, finish_controls, named
from bpe_studio.gui.widgets.form_dialog import FORM_MARGINS, accept_or_cancel, begin_form
from bpe_studio.gui.widgets.labels import Note

if TYPE_CHECKING:
    from PIL.Image import Image

    from bpe_studio.gui.background.file_writing import Content
    from bpe_studio.gui.present.presentation import Presentation
    from bpe_studio.workspace.workspace import Workspace

SIZE = QSize(1280, 720)
USUAL_MERGES = 20
MOST_PICTURES = 300
HOLD_S = 3.0
"""The time for which the last picture is shown before the animation begins again."""
_N_COLOURS = 255
"""One of the 256 colours of a GIF means "unchanged"."""
NO_VIDEO = "MP4 and WebM need ffmpeg: install it to have them here"
_TIP = "Asks for a file, plays the steps and records them"


_VIDEO_FORMS = {"mp4": "MP4", "webm": "WebM"}
_FRAMES_PER_S = 20
_VIDEO_OPTIONS = {
    "mp4": ("-movflags", "+faststart"),
    "webm": ("-crf", "30", "-b:v", "0", "-deadline", "realtime", "-cpu-used", "8"),
}


class AnimationDialog(QDialog):
    """A dialog that asks for the steps.
    Signals:
        chosen: (list of int, float, str), the steps, the seconds for which each is shown, and
            "gif", "mp4" or "webm".
    """

    chosen = Signal(object, float, str)

    def __init__(self, workspace: Workspace, parent: QWidget) -> None:
        super().__init__(parent)
        begin_form(self, "animation", "Export an animation")
        last = workspace.step or min(USUAL_MERGES, workspace.n_merges)
        self.begin = self._number(
            "begin", "From step", 0, workspace.n_merges - 1, max(0, last - USUAL_MERGES)
        )
        self.end = self._number("end", "To step", 1, workspace.n_merges, last)
        self.every = self._number("every", "Merges per picture", 1, 10_000, 1)
        self.seconds = named(QDoubleSpinBox(self), "animation.seconds", "Seconds per picture")
        self.seconds.setRange(0.1, 20)
        self.seconds.setDecimals(1)
        self.seconds.setSingleStep(0.1)
        self.seconds.setValue(1.5)
        self.form = named(QComboBox(self), "animation.form", "Format")
        self.form.addItem("GIF", "gif")
        if _can_write_video():
            for suffix, title in _VIDEO_FORMS.items():
                self.form.addItem(title, suffix)
        else:
            self.form.setToolTip(NO_VIDEO)
        self.about = named(Note("", "help", self), "animation.about", "Length of the animation")
        buttons, self.save = accept_or_cancel(
            self, "save", "&Export…", _TIP, cancel_tip="Exports nothing (Esc)"
        )
        form = QFormLayout()
        for label, field in (
            ("&From step", self.begin),
            ("&To step", self.end),
            ("&Merges per picture", self.every),
            ("&Seconds per picture", self.seconds),
        ):
            form.addRow(label, field)
            field.valueChanged.connect(self._refresh)
        form.addRow("Fo&rmat", self.form)
        column(form, self.about, buttons, parent=self, spacing=GROUP_PX, margins=FORM_MARGINS)
        self.save.clicked.connect(self._on_save)
        finish_controls(self)
        self._refresh()

    @property
    def steps(self) -> list[int]:
        """The steps, each of which is a picture: the first, every n-th after it, and the last."""
        first = self.begin.value()
        last = self.end.value()
        return [*range(first, last, self.every.value()), last] if first < last else []

    @Slot()
    def _refresh(self) -> None:
        n = len(self.steps)
        if not n:
            why_not = "choose a later last step"
            about = ""
        elif n > MOST_PICTURES:
            why_not = "choose fewer steps"
            about = (
                f"{number(n)} pictures are too many: choose fewer steps, or more merges per"
                " picture."
            )
        else:
            why_not = ""
            seconds = (n - 1) * self.seconds.value() + max(HOLD_S, self.seconds.value())
            about = (
                f"{plural(n, 'picture')}, {number(seconds)} s: the steps as a presentation plays"
                " them."
            )
        enable(self.save, _TIP, why_not)
        self.about.set_message(about, "help")

    @Slot()
    def _on_save(self) -> None:
        self.accept()
        self.chosen.emit(self.steps, self.seconds.value(), self.form.currentData())

    def _number(self, name: str, label: str, low: int, high: int, value: int) -> QSpinBox:
        field = named(WholeNumber(self), f"animation.{name}", label)
        field.setRange(low, max(low, high))
        field.setGroupSeparatorShown(True)
        field.setValue(value)
        return field


def recorded(
    workspace: Workspace, stage: Presentation, steps: list[int], seconds: float, form: str
) -> Generator[tuple[int, int] | None, None, Content]:
    """An animation of some steps, for `SlicedSave`; afterwards the window is at its step again.
    All pictures have the same colours and no dithering, so that still parts do not flicker. Pillow
    chooses the colours from the first, the middle and the last picture.

    Args:
        workspace: the workspace whose steps are played.
        stage: a presentation that is not yet shown; it is painted, but not on the screen, and
            closed in the end.
        steps: the steps, one for each picture.
        seconds: the time for which each is shown; the last one is shown longer.
        form: "gif", "mp4" or "webm".

    Raises:
        SaveError: the run or its step has changed meanwhile.
    """
    from PIL import Image

    run = workspace.run
    before = workspace.step
    stage.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    stage.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    stage.hint.hide()
    stage.show()
    stage.resize(SIZE)
    try:
        sample = Image.new("RGB", (SIZE.width(), 3 * SIZE.height()))
        for k, step in enumerate((steps[0], steps[len(steps) // 2], steps[-1])):
            picture = yield from _picture(workspace, stage, step)
            sample.paste(picture, (0, k * SIZE.height()))
        palette = sample.quantize(_N_COLOURS, dither=Image.Dither.NONE)
        frames = []
        for done, step in enumerate(steps):
            yield done, len(steps)
            picture = yield from _picture(workspace, stage, step)
            frames.append(picture.quantize(palette=palette, dither=Image.Dither.NONE))
            if workspace.run is not run or workspace.step != step:
                raise SaveError(
                    "The step has changed meanwhile: pause the run, and leave its step until it is"
                    " saved"
                )
    finally:
        stage.close()
        if workspace.run is run:
            workspace.transport.go_to(before)
    ms = [round(1000 * seconds)] * (len(steps) - 1)
    ms.append(round(1000 * max(HOLD_S, seconds)))
    if form == "gif":
        return partial(_gif, frames, ms)
    return partial(write_video, frames, ms, form)


def _picture(workspace: Workspace, stage: Presentation, step: int) -> Generator[None, None, Image]:
    from PIL import Image

    workspace.transport.go_to(step)
    yield
    while not stage.is_up_to_date:
        yield
    shown = stage.grab(stage.rect()).toImage().convertToFormat(QImage.Format.Format_RGB888)
    pixels = Image.frombytes(
        "RGB", shown.size().toTuple(), bytes(shown.constBits()), "raw", "RGB", shown.bytesPerLine()
    )
    return pixels.resize(SIZE.toTuple())  # a screen with a high resolution has more pixels


def _gif(frames: list[Image], ms: list[int]) -> bytes:
    buffer = io.BytesIO()
    frames[0].save(
        buffer, "GIF", save_all=True, append_images=frames[1:], duration=ms, loop=0, optimize=False
    )
    return buffer.getvalue()


def _can_write_video() -> bool:
    """Whether ffmpeg is on the path."""
    return shutil.which("ffmpeg") is not None


def write_video(frames: Sequence[Image], ms: Sequence[int], form: str) -> bytes:
    """The pictures as a video, by ffmpeg.

    Args:
        frames: the pictures, in order.
        ms: the milliseconds for which each is shown.
        form: "mp4" or "webm".

    Raises:
        SaveError: ffmpeg cannot write this form, or the disk has no room for the pictures.
    """
    lines = ["ffconcat version 1.0"]
    command = ["ffmpeg", "-nostdin", "-loglevel", "error", "-f", "concat", "-i", "list"]
    command += [
        "-vf",
        f"fps={_FRAMES_PER_S},format=yuv420p",
        "-t",
        str(sum(ms) / 1000),
        *_VIDEO_OPTIONS[form],
    ]
    try:
        with tempfile.TemporaryDirectory() as folder:
            for number, (frame, duration_ms) in enumerate(zip(frames, ms, strict=True)):
                frame.save(Path(folder) / f"{number}.png")
                lines += [f"file {number}.png", f"duration {duration_ms / 1000}"]
            # Old versions of ffmpeg use the duration of the last picture only if one follows it.
            Path(folder, "list").write_text("\n".join([*lines, lines[-2]]), encoding="utf-8")
            done = subprocess.run(
                [*command, f"video.{form}"], cwd=folder, capture_output=True, check=False
            )
            if done.returncode:
                why = done.stderr.decode("utf-8", "replace").strip().splitlines()
                reason = why[-1] if why else "it ended early"
                raise SaveError(f"ffmpeg cannot write {_VIDEO_FORMS[form]} ({reason}): choose GIF")
            return Path(folder, f"video.{form}").read_bytes()
    except OSError as error:
        raise SaveError(
            f"The video cannot be written ({error.strerror or error}): choose GIF"
        ) from error
