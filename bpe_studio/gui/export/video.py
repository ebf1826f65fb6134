"""Pictures written as a video, MP4 or WebM, by ffmpeg, if it is installed."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path

from PySide6.QtGui import QImage

from bpe_studio.errors import Cancelled, SaveError

FORMS = {"mp4": "MP4", "webm": "WebM"}
MISSING = "Install ffmpeg to export videos, too"
_FRAMES_PER_S = 20
_POLL_S = 0.1
_OPTIONS = {
    "mp4": ("-movflags", "+faststart"),
    "webm": ("-crf", "30", "-b:v", "0", "-deadline", "realtime", "-cpu-used", "8"),
}


def can_write_video() -> bool:
    """Whether ffmpeg is on the path."""
    return shutil.which("ffmpeg") is not None


def write_video(images: Iterable[QImage], durations_ms: Sequence[int], form: str, stop: threading.Event) -> bytes:
    """The content of a video.

    Args:
        images: the pictures, one after the other.
        durations_ms: how long each is shown.
        form: "mp4" or "webm".
        stop: ends the encoding when it is set.

    Raises:
        Cancelled: it was stopped.
        SaveError: ffmpeg is not there any more, or cannot write this form.
    """
    with tempfile.TemporaryDirectory() as folder:
        place, lines = Path(folder), ["ffconcat version 1.0"]
        for number, (image, duration_ms) in enumerate(zip(images, durations_ms, strict=True)):
            name = f"{number}.png"
            if not image.save(str(place / name)):
                raise SaveError(f"{folder} has no room for the pictures of a video: free some, or export a GIF")
            lines += [f"file {name}", f"duration {duration_ms / 1000}"]
        # Old versions of ffmpeg take the duration of the last picture from one after it.
        lines.append(lines[-2])
        (place / "list").write_text("\n".join(lines), encoding="utf-8")
        _encode(place, form, sum(durations_ms) / 1000, stop)
        return (place / f"video.{form}").read_bytes()


def _encode(place: Path, form: str, seconds: float, stop: threading.Event) -> None:
    command = ["ffmpeg", "-nostdin", "-loglevel", "error", "-f", "concat", "-i", "list"]
    command += ["-vf", f"fps={_FRAMES_PER_S},format=yuv420p", "-t", str(seconds), *_OPTIONS[form], f"video.{form}"]
    try:
        with (place / "log").open("wb") as log:
            encoder = subprocess.Popen(command, cwd=place, stderr=log, stdout=subprocess.DEVNULL)
    except OSError as error:
        raise SaveError(f"ffmpeg cannot be run ({error.strerror or error}): export a GIF") from error
    with encoder:
        while encoder.poll() is None:
            if stop.wait(_POLL_S):
                encoder.kill()
                raise Cancelled
    if encoder.returncode:
        why = (place / "log").read_text("utf-8", "replace").strip().splitlines()
        raise SaveError(f"ffmpeg cannot write {FORMS[form]} ({why[-1] if why else 'it ended early'}): export a GIF")
