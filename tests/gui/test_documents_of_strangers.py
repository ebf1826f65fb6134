"""A document names files of this computer: none of them is touched before the person in the window has allowed it."""

from __future__ import annotations

import io
import json
import os
import sys
import threading
import zipfile
import zlib
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QPlainTextEdit, QPushButton, QWidget

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.training.trainer import train
from bpe_studio.files.document.embedded_text import TextPart, write_with_texts
from bpe_studio.files.document.records import StoredBranch, StoredSource, StudioDocument, stored_columns
from bpe_studio.files.document.writing import pack
from bpe_studio.gui.views.layouts import PANELS
from bpe_studio.gui.widgets.containers import is_in_sight
from bpe_studio.gui.widgets.window_settings import WindowSettings
from bpe_studio.workspace.corpus.text_access import Access
from bpe_studio.workspace.excerpt import corpus_excerpt
from bpe_studio.workspace.state import State

whole_window = pytest.mark.slow(
    buys="what a person allows in a whole window; that nothing is touched before is in each run"
)

PATIENCE_MS = 30_000
CONFIG = TrainingConfig.preset("gpt2", merges=12)
TEXT = "the newest hugs and the lowest pugs, سلام دنیا\n" * 30
SECRET = b"canarywords of a private key that nobody may read\n" * 28
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes in folders there")

ISOLATES = dict.fromkeys(map(ord, "\u2068\u2069"))

_watched: list[str] = []
_touched: list[str] = []


def _hook(event: str, arguments: tuple) -> None:
    if _watched and event in ("open", "os.scandir", "os.listdir", "os.utime", "os.link", "os.rename"):
        _note(event, arguments[0])


def _note(what: str, path: object) -> None:
    if isinstance(path, str | bytes | os.PathLike) and any(name in os.fsdecode(path) for name in _watched):
        _touched.append(f"{what} {os.fsdecode(path)}")


sys.addaudithook(_hook)


@pytest.fixture
def watch(monkeypatch):
    """Notes whatever opens or looks at a path with some name in it."""

    def begin(name: str) -> list[str]:
        for function in ("stat", "lstat", "access", "readlink"):
            real = getattr(os, function)

            def noting(path, *args, _real=real, _what=function, **options):
                _note(_what, path)
                return _real(path, *args, **options)

            monkeypatch.setattr(os, function, noting)
        _watched.append(name)
        return _touched

    yield begin
    _watched.clear()
    _touched.clear()


def a_document(path: Path, sources: tuple[StoredSource, ...], text: bytes, *, checksum: int | None, inside=()) -> Path:
    """A document as a stranger may write one: its words are of one text, its sources name others."""
    corpus = Corpus.from_text(text.decode(), CONFIG)
    run = train(corpus, CONFIG)
    branch = StoredBranch(0, "Main run", None, None, CONFIG, stored_columns(run.columns, 12), 12, 12, was_run=True)
    view = {"front": ["compare", "lines", "corpus"]}
    document = StudioDocument(
        "their text", corpus, (branch,), sources, checksum=checksum, view=view, holds_text=bool(inside)
    )
    data = pack(document, path.parent)
    if inside:
        stream = io.BytesIO()
        list(write_with_texts(stream, data, inside))
        data = stream.getvalue()
    path.write_bytes(data)
    return path


def named(window, name: str, kind: type = QWidget):
    (found,) = window.findChildren(kind, name)
    return found


def settled(qtbot, workspace) -> None:
    qtbot.waitUntil(lambda: workspace.state not in (State.loading, State.running), timeout=PATIENCE_MS)


def opened(qtbot, window, path: Path) -> None:
    window.open_files([path])
    qtbot.waitUntil(lambda: window.workspace.document is not None, timeout=PATIENCE_MS)
    settled(qtbot, window.workspace)


def visit_everything(qtbot, window) -> None:
    """Every view and panel, with a token selected that the corpus has."""
    workspace = window.workspace
    workspace.selection.select_merge(0)
    for key in ("view.explore", "view.vocabulary", "view.compare", "view.corpus", "view.learn"):
        if key in window.actions_by_id:
            window.actions_by_id[key].trigger()
    for key in PANELS:
        window.views.show_panel(key)
        qtbot.wait(60)
    tabs = window.panels["compare"].tabs
    for number in range(tabs.count()):
        tabs.setCurrentIndex(number)
        qtbot.wait(20)
    for name in ("text.excerpt", "settings.preview_corpus"):
        named(window, name, QPushButton).click()
    window.open_palette()
    window.palette_of_actions.hide()
    window.grab()


def do_everything(qtbot, window, folder: Path) -> list[Path]:
    """What reads the text of a corpus, and saving; the files that were saved."""
    workspace = window.workspace
    visit_everything(qtbot, window)
    for change in (
        lambda: workspace.settings.apply(workspace.config.replace(split="whitespace")),
        lambda: workspace.side_runs.train(workspace.config.replace(split="whitespace"), "other"),
        lambda: workspace.settings.hold_out(0.2),
        lambda: workspace.side_runs.train(workspace.config.replace(ties="first-seen"), "same words"),
    ):
        change()
        settled(qtbot, workspace)
        workspace.leave_failure()
    window.views.show_panel("branches")
    qtbot.wait(200)
    saved = []
    for name, holds_text in (("plain.bpestudio", False), ("whole.bpestudio", True)):
        saved.append(folder / name)
        workspace.saver.save_document(saved[-1], window.document_view.to_dict(), holds_text=holds_text)
        qtbot.waitUntil(lambda: not workspace.saver.is_saving, timeout=PATIENCE_MS)
        settled(qtbot, workspace)
        workspace.leave_failure()
    workspace.saver.save_tokenizer(folder / "tok")
    qtbot.waitUntil(lambda: not workspace.saver.is_saving, timeout=PATIENCE_MS)
    script = folder / "run.py"
    from bpe_studio.files.exports.run_script import script_files
    from bpe_studio.workspace.runs.script_source import script_source

    making = script_files(script_source(workspace, workspace.runs), script.name)
    try:
        while True:
            next(making)
    except StopIteration as stop:
        for name, content in stop.value.items():
            (folder / name).write_bytes(content)
    return [path for path in folder.rglob("*") if path.is_file()]


def all_bytes(path: Path) -> bytes:
    """The content of a file, unpacked."""
    content = path.read_bytes()
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            content += b"".join(archive.read(name) for name in archive.namelist())
    return content


SLOW = pytest.mark.slow(buys="other files that a document names, with every panel looked at four times")


@pytest.mark.parametrize("kind", ["beside", pytest.param("elsewhere", marks=SLOW)])
def test_nothing_that_a_document_names_is_touched(kind, make_window, qtbot, tmp_path, watch):
    folder, out = tmp_path / "their", tmp_path / "out"
    folder.mkdir()
    out.mkdir()
    has_pipe = kind == "elsewhere" and sys.platform != "win32"
    canaries = [(folder if kind == "beside" else tmp_path) / "canary.txt"]
    canaries[0].write_bytes(SECRET)
    if has_pipe:
        canaries.insert(0, tmp_path / "canary.pipe")
        os.mkfifo(canaries[0])
    sources = tuple(
        StoredSource("notes.txt", "utf-8", len(SECRET), *((None, each) if kind == "beside" else (each, None)))
        for each in canaries
    )
    path = a_document(folder / "a.bpestudio", sources, TEXT.encode(), checksum=5)
    touched = watch("canary")
    window = make_window(1440, 900)
    opened(qtbot, window, path)
    saved = do_everything(qtbot, window, out)
    assert touched == []
    assert (out / "plain.bpestudio") in saved and (out / "whole.bpestudio") not in saved
    assert not [each for each in saved if b"canarywords" in all_bytes(each)]
    assert window.workspace.text_access.state is Access.asked
    paths = named(window, "corpus.access_paths", QPlainTextEdit).toPlainText().translate(ISOLATES)
    assert all(str(each) in paths for each in canaries)
    # What was saved meanwhile allows nothing either.
    opened(qtbot, window, out / "plain.bpestudio")
    visit_everything(qtbot, window)
    assert touched == [] and window.workspace.text_access.state is Access.asked
    # And allowed, it is not what the document says.
    window.views.show_panel("corpus")
    named(window, "corpus.access_allow", QPushButton).click()
    qtbot.waitUntil(lambda: window.workspace.text_access.state is Access.different, timeout=PATIENCE_MS)
    said = named(window, "corpus.access_state").text()
    assert ("is a pipe or a device" if has_pipe else "not the text of the document") in said
    assert not [each for each in touched if each.startswith("open") and "canary.pipe" in each], "not even opened"
    if not has_pipe:
        saved = do_everything(qtbot, window, out)
        assert not [each for each in saved if b"canarywords" in all_bytes(each)]
    assert corpus_excerpt(window.workspace.corpus) == ""


def test_a_document_with_fewer_texts_than_sources_is_refused(make_window, qtbot, tmp_path, watch):
    canary = tmp_path / "canary.txt"
    canary.write_bytes(SECRET)
    inside, name = tmp_path / "a.txt", "notes.txt"
    inside.write_text(TEXT, "utf-8")
    for number, sources in enumerate(((name, "canary.txt"), ())):
        stored = tuple(StoredSource(each, "utf-8", len(TEXT.encode()), tmp_path / each) for each in sources)
        part = TextPart(name, len(TEXT.encode()), inside)
        path = a_document(tmp_path / f"{number}.bpestudio", stored, TEXT.encode(), checksum=None, inside=(part,))
        touched = watch("canary")
        window = make_window(1000, 700)
        window.open_files([path])
        qtbot.waitUntil(lambda window=window: window.workspace.state is State.failed, timeout=PATIENCE_MS)
        assert "holds 1 texts, and says that its words are from" in window.workspace.failure.message
        assert window.workspace.run is None and touched == []


@pytest.fixture
def mine(tmp_path):
    """A document without its text, whose text is where it says."""
    text = tmp_path / "texts" / "نامه‌ها" / "متن.txt"
    text.parent.mkdir(parents=True)
    text.write_text(TEXT, "utf-8", newline="")
    source = StoredSource(text.name, "utf-8", len(TEXT.encode()), text)
    path = a_document(tmp_path / "a.bpestudio", (source,), TEXT.encode(), checksum=zlib.crc32(TEXT.encode()))
    return path, text


@whole_window
def test_allowed_the_text_is_there_and_it_is_remembered(mine, make_window, qtbot, tmp_path, watch):
    path, text = mine
    touched = watch(text.name)
    window = make_window(1440, 900)
    opened(qtbot, window, path)
    window.views.show_panel("compare")
    box = named(window, "compare.access")
    qtbot.waitUntil(lambda: is_in_sight(box), timeout=PATIENCE_MS)
    assert corpus_excerpt(window.workspace.corpus) == "" and touched == []
    assert not named(window, "text.excerpt", QPushButton).isEnabled()
    named(window, "compare.access_allow", QPushButton).click()
    qtbot.waitUntil(lambda: window.workspace.text_access.state is Access.open, timeout=PATIENCE_MS)
    assert not box.isVisible() and TEXT.startswith(corpus_excerpt(window.workspace.corpus))
    qtbot.waitUntil(lambda: "beginning of their text" in window.panels["compare"].which.text(), timeout=PATIENCE_MS)
    # As nothing is typed, the beginning of the corpus is shown.
    qtbot.waitUntil(lambda: window.text_panel.editor.text() != "", timeout=PATIENCE_MS)
    shown = window.text_panel.editor.text()
    assert TEXT.startswith(shown) and named(window, "text.excerpt", QPushButton).isEnabled()
    window.workspace.settings.apply(CONFIG.replace(split="whitespace"))
    settled(qtbot, window.workspace)
    assert window.workspace.failure is None and window.workspace.config.split == "whitespace"
    saved = tmp_path / "whole.bpestudio"
    window.workspace.saver.save_document(saved, {}, holds_text=True)
    qtbot.waitUntil(lambda: not window.workspace.saver.is_saving, timeout=PATIENCE_MS)
    with zipfile.ZipFile(saved) as archive:
        assert archive.read("corpus/text/0") == TEXT.encode()
    # In another window: the document is known, and only that.
    other = make_window(1440, 900)
    opened(qtbot, other, path)
    qtbot.waitUntil(lambda: corpus_excerpt(other.workspace.corpus) != "", timeout=PATIENCE_MS)
    assert not named(other, "compare.access").isVisible()
    source = StoredSource(text.name, "utf-8", len(TEXT.encode()), text)
    words = TEXT.replace("pugs", "bugs").encode()
    strange = a_document(tmp_path / "b.bpestudio", (source,), words, checksum=zlib.crc32(TEXT.encode()))
    touched.clear()
    opened(qtbot, other, strange)
    qtbot.waitUntil(lambda: other.workspace.document.path == strange, timeout=PATIENCE_MS)
    assert other.workspace.text_access.state is Access.asked and touched == []


@whole_window
def test_what_a_person_saves_of_their_own_text_is_theirs(make_window, qtbot, tmp_path):
    text, path = tmp_path / "a.txt", tmp_path / "a.bpestudio"
    text.write_text(TEXT, "utf-8")
    window = make_window(1000, 700)
    window.open_files([text])
    qtbot.waitUntil(lambda: window.workspace.state is State.ready, timeout=PATIENCE_MS)
    window.workspace.saver.save_document(path)
    qtbot.waitUntil(lambda: path.exists() and not window.workspace.saver.is_saving, timeout=PATIENCE_MS)
    window.memory.sync()
    assert len(WindowSettings()._strings("documents/allowed")) == 1
    other = make_window(1000, 700)
    opened(qtbot, other, path)
    qtbot.waitUntil(lambda: corpus_excerpt(other.workspace.corpus) != "", timeout=PATIENCE_MS)
    # Moved together, it still is; and an undo of what was opened later does not ask again.
    moved = tmp_path / "moved"
    moved.mkdir()
    for each in (text, path):
        each.rename(moved / each.name)
    opened(qtbot, window, moved / path.name)
    qtbot.waitUntil(lambda: corpus_excerpt(window.workspace.corpus) != "", timeout=PATIENCE_MS)
    window.workspace.opener.open_text("something else", "other")
    qtbot.waitUntil(lambda: window.workspace.document is None, timeout=PATIENCE_MS)
    settled(qtbot, window.workspace)
    window.actions_by_id["edit.undo"].trigger()
    assert window.workspace.document is not None and window.workspace.text_access.state is Access.open


@whole_window
def test_another_file_may_be_chosen_if_it_is_the_same_text(mine, make_window, qtbot, tmp_path, monkeypatch, watch):
    path, text = mine
    whole_window, wrong = tmp_path / "whole_window.txt", tmp_path / "wrong.txt"
    text.rename(whole_window)
    wrong.write_bytes(SECRET[: len(TEXT.encode())].ljust(len(TEXT.encode()), b"x"))
    window = make_window(1440, 900)
    opened(qtbot, window, path)
    touched = watch("متن")
    choose = named(window, "corpus.access_choose", QPushButton)
    for chosen, says in ((wrong, "not the text of the document"), (tmp_path, "is a folder")):
        monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *a, chosen=chosen, **k: ([str(chosen)], ""))
        choose.click()
        qtbot.waitUntil(lambda: window.workspace.text_access.state is Access.different, timeout=PATIENCE_MS)
        assert says in named(window, "corpus.access_state").text()
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *a, **k: ([str(whole_window)], ""))
    choose.click()
    qtbot.waitUntil(lambda: window.workspace.text_access.state is Access.open, timeout=PATIENCE_MS)
    assert TEXT.startswith(corpus_excerpt(window.workspace.corpus)) and touched == []
    window.workspace.saver.save_document(tmp_path / "b.bpestudio")
    qtbot.waitUntil(lambda: not window.workspace.saver.is_saving, timeout=PATIENCE_MS)
    with zipfile.ZipFile(tmp_path / "b.bpestudio") as archive:
        (source,) = json.loads(archive.read("document.json"))["corpus"]["sources"]
    assert source["path"] == str(whole_window)


@whole_window
def test_a_check_can_be_cancelled(mine, make_window, qtbot, monkeypatch):
    path, _ = mine
    window = make_window(1440, 900)
    opened(qtbot, window, path)
    is_held = threading.Event()
    real = window.workspace.backend.checked_source

    def slowly(file, encoding):
        is_held.wait(20)
        return real(file, encoding)

    monkeypatch.setattr(window.workspace.backend, "checked_source", slowly)
    named(window, "corpus.access_allow", QPushButton).click()
    assert window.workspace.text_access.state is Access.checking
    named(window, "corpus.access_cancel", QPushButton).click()
    assert "cancelled" in named(window, "corpus.access_state").text()
    is_held.set()
    named(window, "corpus.access_allow", QPushButton).click()
    qtbot.waitUntil(lambda: window.workspace.text_access.state is Access.open, timeout=PATIENCE_MS)


@POSIX
def test_a_pipe_that_a_person_opens_is_refused_at_once(make_window, qtbot, tmp_path):
    pipe = tmp_path / "pipe.txt"
    os.mkfifo(pipe)
    window = make_window(1000, 700)
    for place in (pipe, Path("/dev/zero")):
        window.open_files([place])
        qtbot.waitUntil(lambda: window.workspace.state is State.failed, timeout=PATIENCE_MS)
        assert "is a pipe or a device" in window.workspace.failure.message
        window.workspace.leave_failure()
