"""Pictures written as a video, MP4 or WebM, by ffmpeg, if it is installed."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_studio.errors import SaveError

if TYPE_CHECKING:
    from PIL.Image import Image

FORMS = {"mp4": "MP4", "webm": "WebM"}
_FRAMES_PER_S = 20
_OPTIONS = {
    "mp4": ("-movflags", "+faststart"),
    "webm": ("-crf", "30", "-b:v", "0", "-deadline", "realtime", "-cpu-used", "8"),
}


def can_write_video() -> bool:
    """Whether ffmpeg is on the path."""
    return shutil.which("ffmpeg") is not None


def write_video(frames: Sequence[Image], ms: Sequence[int], form: str) -> bytes:
    """The content of a video.

    Args:
        frames: the pictures, one after the other.
        ms: how many milliseconds each is shown.
        form: "mp4" or "webm".

    Raises:
        SaveError: ffmpeg cannot write this form, or there is no room for the pictures.
    """
    lines = ["ffconcat version 1.0"]
    command = ["ffmpeg", "-nostdin", "-loglevel", "error", "-f", "concat", "-i", "list"]
    command += [
        "-vf",
        f"fps={_FRAMES_PER_S},format=yuv420p",
        "-t",
        str(sum(ms) / 1000),
        *_OPTIONS[form],
    ]
    try:
        with tempfile.TemporaryDirectory() as folder:
            for number, (frame, duration_ms) in enumerate(zip(frames, ms, strict=True)):
                frame.save(Path(folder) / f"{number}.png")
                lines += [f"file {number}.png", f"duration {duration_ms / 1000}"]
            # Old versions of ffmpeg take the duration of the last picture from one after it.
            Path(folder, "list").write_text("\n".join([*lines, lines[-2]]), encoding="utf-8")
            done = subprocess.run(
                [*command, f"video.{form}"], cwd=folder, capture_output=True, check=False
            )
            if done.returncode:
                why = done.stderr.decode("utf-8", "replace").strip().splitlines()
                raise SaveError(
                    f"ffmpeg cannot write {FORMS[form]} ({why[-1] if why else 'it ended early'}):"
                    " choose GIF"
                )
            return Path(folder, f"video.{form}").read_bytes()
    except OSError as error:
        raise SaveError(
            f"The video cannot be written ({error.strerror or error}): choose GIF"
        ) from error
