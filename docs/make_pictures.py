"""Makes the pictures of the pages in this folder, from the real window, without a display.

Run it from the checkout: `python docs/make_pictures.py TEXT`, where TEXT is a large text for the
pictures of the vocabulary sizes; without it these are left out. The fonts are those of the system
(Noto, as the README names them). The film of an exported page needs Chromium.
"""

# The folder of the checkout comes before what is in it, and the script says what it writes.
# ruff: noqa: E402, T201
from __future__ import annotations

import base64
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))

from PIL import Image, ImageQt
from PySide6.QtCore import QEventLoop, QSize, Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.training.trainer import train
from bpe_studio.files.exports.living_page import PageView, living_page
from bpe_studio.gui.app import make_application
from bpe_studio.gui.compare.difference_page import DifferencePage
from bpe_studio.gui.main_window import MainWindow
from bpe_studio.gui.widgets import window_settings
from bpe_studio.workspace.state import State
from tests.files.exports.test_living_page import browser
from tests.gui.hand import CONTROL, Hand

SIZE = QSize(1440, 900)
PATIENCE_S = 120
REST_MS = 1500
MAX_BYTES = {".png": 250_000, ".webp": 500_000}
FILM_SIZE = QSize(1120, 720)
FILM_MS = 100
FILM_S = 6
FILM_TEXT = "hug pug pun bun hugs"
PAGE_SIZE = (1000, 720)
PAGE_TEXT = "The girl knew the old bridge."
PAGE_NAME = "Katherine"
TYPED = (
    "The old bridge kept its bolts, and she was telling them where the river had been. ساعت هفت،"
    " زیر پل 🌉 橋"
)
PERSIAN = "باغ کوچک ما پر از درخت است و آب آرام می‌گذرد."


def wait(ms: int) -> None:
    """Run the event loop for so long, so that threads have their turn too."""
    loop = QEventLoop()
    QTimer.singleShot(ms, loop.quit)
    loop.exec()


def wait_until(is_so: Callable[[], bool]) -> None:
    """Run the event loop until something is so."""
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        wait(20)
        if time.monotonic() > end:
            raise SystemExit("what was waited for never came")


def window() -> Hand:
    """A hand at a window that has just opened."""
    shown = MainWindow()
    shown.set_theme("light")
    shown.resize(SIZE)
    shown.show()
    return Hand(shown, wait_until)


def rest(hand: Hand) -> None:
    """Wait until nothing is under way, and the panels have drawn what there is."""
    wait_until(lambda: hand.window.workspace.state not in (State.loading, State.running))
    wait(REST_MS)


def learn(hand: Hand, merges: int = 0) -> None:
    """Run to the target, or take so many merges of it."""
    rest(hand)
    hand.key(Qt.Key.Key_F5)
    rest(hand)
    if merges:
        hand.window.workspace.transport.go_to(merges)
        rest(hand)


def save(hand: Hand, name: str, shown: QWidget | None = None) -> None:
    """Save the window, or another one, as a picture of this folder."""
    path = FOLDER / f"{name}.png"
    (shown or hand.window).grab().save(str(path))
    with Image.open(path) as image:
        few = image.convert("RGB").quantize(
            256, dither=Image.Dither.NONE
        )  # a palette takes a third of the room
    buffer = io.BytesIO()
    few.save(buffer, "PNG", optimize=True)
    written(path, buffer.getvalue())


def written(path: Path, content: bytes) -> None:
    """Write a picture, which must be small."""
    path.write_bytes(content)
    print(f"{path.name}: {len(content):,} bytes")
    if len(content) > MAX_BYTES[path.suffix]:
        raise SystemExit(f"{path.name} is larger than {MAX_BYTES[path.suffix]:,} bytes")


def whole() -> None:
    """The whole window in the midst of a run, with one merge selected: the picture of the
    README.
    """
    hand = window()
    workspace = hand.window.workspace
    workspace.opener.open_files([FOLDER.parent / "resources" / "samples" / "bridge_story.txt"])
    rest(hand)
    workspace.set_typed_text(TYPED)
    learn(hand, 300)
    hand.show_panel("Skyline")
    hand.show_panel("Why")
    workspace.selection.select_merge(120)
    rest(hand)
    save(hand, "screenshot")
    hand.window.close()


class Film:
    """Pictures that are each shown so many milliseconds."""

    def __init__(self) -> None:
        self._pictures: list[tuple[Image.Image, int]] = []

    def take(self, image: Image.Image, ms: int) -> None:
        """Add a picture; one that has not changed prolongs the last."""
        if self._pictures and self._pictures[-1][0] == image:
            ms += self._pictures.pop()[1]
        self._pictures.append((image, ms))

    def save(self, name: str) -> None:
        """Save it as an animation of this folder."""
        pictures = [picture for picture, _ in self._pictures]
        buffer = io.BytesIO()
        pictures[0].save(
            buffer,
            "WEBP",
            save_all=True,
            append_images=pictures[1:],
            duration=[ms for _, ms in self._pictures],
            loop=0,
            lossless=True,
            minimize_size=True,
            method=4,
        )
        written(FOLDER / f"{name}.webp", buffer.getvalue())


def beginning() -> None:
    """From an empty window to the first merges, in ten seconds: the animation of the README."""
    hand = window()
    hand.window.resize(FILM_SIZE)
    rest(hand)
    film = Film()

    def take(ms: int) -> None:
        film.take(ImageQt.fromqimage(hand.window.grab().toImage()).convert("RGB"), ms)

    take(700)
    for letter in FILM_TEXT:
        hand.type(letter)
        wait(FILM_MS)
        take(FILM_MS)
    hand.key(Qt.Key.Key_Return, CONTROL)
    rest(hand)
    take(900)
    hand.window.workspace.transport.set_speed(1)
    hand.key(Qt.Key.Key_F5)
    begin = time.monotonic()
    while time.monotonic() - begin < FILM_S:
        before = time.monotonic()
        wait(FILM_MS)
        take(round((time.monotonic() - before) * 1000))
    rest(hand)
    take(2000)
    film.save("beginning")
    hand.window.close()


class Browser:
    """Chromium with one page, told what to do through a pipe, as its DevTools do."""

    def __init__(self, page: Path) -> None:
        theirs, self._out = os.pipe()
        self._in, back = os.pipe()
        command = [browser(), "--headless", "--no-sandbox", "--hide-scrollbars"]
        command += ["--remote-debugging-pipe", f"--user-data-dir={page.parent / 'profile'}"]
        joined = f'exec "$@" 3<&{theirs} 4>&{back}'
        self._process = subprocess.Popen(
            ["sh", "-c", joined, "sh", *command, "about:blank"],
            pass_fds=(theirs, back),
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs)
        os.close(back)
        self._read = os.fdopen(self._in, "rb")
        self._n_sent = 0
        self._session = ""
        (tab,) = self._targets()
        attached = self.do("Target.attachToTarget", targetId=tab["targetId"], flatten=True)
        self._session = attached["sessionId"]
        width, height = PAGE_SIZE
        self.do(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.do("Page.navigate", url=page.as_uri())

    def _targets(self) -> list[dict[str, Any]]:
        while True:
            found = self.do("Target.getTargets")["targetInfos"]
            pages = [target for target in found if target["type"] == "page"]
            if pages:
                return pages[:1]

    def do(self, method: str, **arguments: object) -> dict[str, Any]:
        """The answer to a command of the DevTools protocol."""
        self._n_sent += 1
        message = {"id": self._n_sent, "method": method, "params": arguments}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = json.loads(self._next())
            if answer.get("id") == self._n_sent:
                result: dict[str, Any] = answer["result"]
                return result

    def _next(self) -> bytes:
        message = bytearray()
        while (byte := self._read.read(1)) != b"\0":
            message += byte
        return bytes(message)

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        return self.do("Runtime.evaluate", expression=script)["result"].get("value")

    def picture(self) -> Image.Image:
        """The page as it looks now."""
        data = base64.b64decode(self.do("Page.captureScreenshot")["data"])
        return Image.open(io.BytesIO(data)).convert("RGB")

    def close(self) -> None:
        """End Chromium."""
        self._process.terminate()
        self._process.wait()


def page_beginning(folder: Path) -> None:
    """The first seconds of an exported page: its first merges play, and it asks for the next."""
    config = TrainingConfig.preset("gpt2", merges=200)
    story = FOLDER.parent / "resources" / "samples" / "bridge_story.txt"
    run = train(Corpus.from_files([story], config), config)
    page = folder / "page.html"
    page.write_bytes(living_page(run, PageView("The first merges of a story", PAGE_TEXT)))
    shown = Browser(page)
    film = Film()

    def watch(seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            before = time.monotonic()
            picture = shown.picture()
            time.sleep(max(0, before + FILM_MS / 1000 - time.monotonic()))
            film.take(picture, round((time.monotonic() - before) * 1000))

    def is_asked() -> bool:
        return bool(shown.run("!document.getElementById('lesson').hidden"))

    while not shown.run("document.readyState === 'complete'"):
        pass
    while not is_asked():
        watch(0.2)
    watch(2.5)
    shown.run("document.querySelector('#lesson-choices .guess').click()")
    watch(2)
    shown.run("document.getElementById('lesson-next').click()")
    watch(1)
    for letter in PAGE_NAME:
        shown.do("Input.insertText", text=letter)
        watch(0.1)
    watch(2)
    film.save("page-beginning")
    shown.close()


def lesson() -> None:
    """A question of the Persian lesson."""
    hand = window()
    hand.choose_from_menu("Learn", "Take a lesson", "Two Persian lines: a merge by hand")
    rest(hand)
    for _ in range(3):
        hand.key(Qt.Key.Key_PageDown, CONTROL)
        rest(hand)
    save(hand, "teaching-lesson")
    hand.window.close()


def game() -> None:
    """A round of the game over the English sample."""
    hand = window()
    hand.choose_from_menu("File", "Samples", "English story")
    rest(hand)
    hand.choose_from_menu("Learn", "Guess the next pair")
    rest(hand)
    wait_until(lambda: hand.window.workspace.game.round is not None)
    hand.key(Qt.Key.Key_1)
    rest(hand)
    save(hand, "teaching-game")
    hand.window.close()


def presenting() -> None:
    """A Persian text in a presentation."""
    hand = window()
    hand.window.workspace.opener.open_sample("persian")
    rest(hand)
    hand.window.workspace.set_typed_text(PERSIAN)
    learn(hand, 60)
    hand.window.present()
    shown = hand.window.presentation
    shown.setWindowState(Qt.WindowState.WindowNoState)
    shown.resize(1280, 720)
    rest(hand)
    save(hand, "teaching-present", shown)
    hand.window.close()


def sizes(text: Path) -> None:
    """The curve of a large text, and what the advice says of four sizes."""
    hand = window()
    workspace = hand.window.workspace
    workspace.opener.open_files([text])
    rest(hand)
    workspace.settings.apply(workspace.config.replace(vocab_size=32_768))
    rest(hand)
    workspace.settings.hold_out(0.1)
    learn(hand)
    hand.show_panel("Compare")
    rest(hand)
    hand.click("compare.add")
    hand.pick_in_popup("Sizes…")
    hand.type_into("compare.sizes", "4000 8000 16000 32000")
    hand.key(Qt.Key.Key_Return)
    workspace.set_typed_text(
        "The tokenization of uncommonly long words, such as counterrevolutionary, costs more."
    )
    for tab, name in (("Curve", "size-curve"), ("Advice", "size-advice")):
        hand.show_panel(tab)
        rest(hand)
        save(hand, name)
    hand.window.close()


def exploring() -> None:
    """A Persian corpus, cut by GPT-2's rules and as SentencePiece does it."""
    hand = window()
    workspace = hand.window.workspace
    workspace.opener.open_sample("persian")
    rest(hand)
    workspace.set_typed_text(PERSIAN)
    learn(hand)
    save(hand, "exploring-persian")
    hand.show_panel("Difference")
    rest(hand)
    config = TrainingConfig.preset("sentencepiece", vocab_size=700)
    workspace.side_runs.train(config, "As SentencePiece does it")
    wait_until(lambda: len(workspace.runs.entries) > 1)
    wait_until(lambda: bool(hand.window.findChild(DifferencePage).is_up_to_date))
    rest(hand)
    save(hand, "exploring-runs")
    hand.window.close()


def main() -> None:
    """Make all of them."""
    with tempfile.TemporaryDirectory() as folder:
        window_settings.keep_in(folder)
        application = make_application()
        beginning()
        page_beginning(Path(folder))
        whole()
        lesson()
        game()
        presenting()
        exploring()
        for text in sys.argv[1:2]:
            sizes(Path(text))
        assert isinstance(application, QApplication)


if __name__ == "__main__":
    main()
