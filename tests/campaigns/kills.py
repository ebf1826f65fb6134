"""Every save, killed before each of its calls to the file system and at random moments.

Whatever is there afterwards is the old file or the new one, whole; a folder's files are all old or
all new once it is read. The next save leaves nothing else behind, and a person's other files stay
as they were."""

from __future__ import annotations

import contextlib
import io
import os
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import bpe_studio as bpe
from bpe_studio import cli
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.counting.counter import Counter as PreTokenCounter
from bpe_studio.files.atomic_file import atomic_file, atomic_write
from bpe_studio.files.counts.tsv import tsv_parts
from bpe_studio.files.document.embedded_text import TextPart, read_texts, write_with_texts
from bpe_studio.files.document.writing import pack
from bpe_studio.files.formats.registry import FORMATS
from bpe_studio.files.private_folder import PrivateFolder, remove_abandoned
from bpe_studio.gui.widgets.window_settings import WindowSettings
from tests.campaigns.campaign import Campaign, FaultInCaseError
from tests.campaigns.syscalls import CAN_TRACE, killed_after, killed_at
from tests.files.document.test_document import TEXT, document
from tests.files.formats.cases import trained

OTHER = "notes.txt"
OTHERS = b"a person's own"
_TEXTS = ("low lower lowest\n" * 40, "newest widest سلام\n" * 60)


@dataclass(frozen=True)
class Save:
    """Something that is saved.

    Attributes:
        name: what it is.
        write: saves it in a folder; which of two contents it is given.
        outputs: what it is called there.
        is_read: whether reading restores a folder that was being replaced.
    """

    name: str
    write: Callable[[Path, int], None]
    outputs: tuple[str, ...] = ("out",)
    is_read: bool = False
    seen: dict[int, dict[str, dict[str, bytes]]] = field(default_factory=dict)
    n_calls: dict[bool, int] = field(default_factory=dict)
    seconds: dict[bool, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """One kill: before a call, or after some time."""

    save: Save
    has_old: bool
    call: int | None
    seconds: float | None


def _tokenizer(form: str, folder: Path, which: int) -> None:
    presets = {
        "subword-nmt": "subword-nmt",
        "sentencepiece": "sentencepiece",
        "minbpe": "raw",
        "tiktoken": "raw",
    }
    options = {"merges": 30 + 20 * which, "vocab_size": None}
    if form == "sentencepiece":
        options["normalize"] = ()
    if form in ("minbpe", "tiktoken"):
        options["special"] = ()
    trained(presets.get(form, "gpt2"), **options).save(folder / "out", form)


def _document(folder: Path, which: int) -> None:
    atomic_write(folder / "out", pack(document(typed_text=f"typed {which}")))


def _document_with_text(folder: Path, which: int) -> None:
    data = pack(document(typed_text=f"typed {which}", holds_text=True))
    content = TEXT.encode()
    with atomic_file(folder / "out") as stream:
        part = TextPart("words.txt", len(content), lambda: io.BytesIO(content), is_pasted=True)
        for _done in write_with_texts(stream, data, [part]):
            pass


def _counts(folder: Path, which: int) -> None:
    atomic_write(
        folder / "out",
        b"".join(
            tsv_parts(
                PreTokenCounter.of(Corpus.from_text(_TEXTS[which], TrainingConfig.preset("gpt2")))
            )
        ),
    )


def _command(*arguments: str, source: Path, folder: Path, which: int) -> None:
    given = [
        each.format(text=source / f"{which}.txt", folder=folder, model=source / f"{which}")
        for each in arguments
    ]
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        status = cli.main(given)
    assert not status, f"{given} ended with status {status}"


class _SettingsOfOneSave(WindowSettings):
    """All changes are saved together, so that a file with some of them is a fault."""

    def _write_soon(self) -> None:
        pass


def _settings(folder: Path, which: int) -> None:
    memory = _SettingsOfOneSave(folder / "out.json")
    memory.theme = ("light", "dark")[which]
    memory.used_actions = [f"action.{which}.{k}" for k in range(80)]
    memory.sync()


class KillsCampaign(Campaign[Case]):
    """Every save, killed."""

    name = "kills"
    limit_s = 120.0

    def begin(self) -> None:
        self.source = self.folder / "source"
        self.source.mkdir()
        for which, text in enumerate(_TEXTS):
            (self.source / f"{which}.txt").write_text(text, "utf-8")
            trained("gpt2", merges=30 + 20 * which, vocab_size=None).save(self.source / f"{which}")
        self.inside = self.source / "inside.bpestudio"
        _document_with_text(self.source, 0)
        (self.source / "out").rename(self.inside)
        self.saves = self._saves()

    def _saves(self) -> list[Save]:
        formats = [
            Save(f"tokenizer: {form}", partial(_tokenizer, form), is_read=True)
            for form in FORMATS
            if form != "studio"
        ]
        train = (
            "train",
            "{text}",
            "--merges",
            "20",
            "--log",
            "{folder}/log",
            "-o",
            "{folder}/out",
            "--format",
        )
        commands = {
            "train: huggingface and log": (*train, "huggingface"),
            "train: document and log": (*train, "studio"),
        }
        single = {
            "count": ("count", "{text}", "-o", "{folder}/out"),
            "convert: gpt2": ("convert", "{model}", "{folder}/out", "--to", "gpt2"),
        }
        return [
            *formats,
            Save("document", _document),
            Save("document with its text", _document_with_text),
            Save("counts", _counts),
            *(
                Save(name, partial(self._run, given), ("out", "log"), is_read="hugging" in name)
                for name, given in commands.items()
            ),
            *(
                Save(name, partial(self._run, given), is_read="gpt2" in name)
                for name, given in single.items()
            ),
            Save("settings", _settings, ("out.json",)),
            Save("text taken out of a document", self._take_out, ()),
        ]

    def _run(self, given: tuple[str, ...], folder: Path, which: int) -> None:
        _command(*given, source=self.source, folder=folder, which=which)

    def _take_out(self, folder: Path, which: int) -> None:
        private = PrivateFolder()
        for _done in read_texts(self.inside, Path(private.path)):
            pass
        private.remove()

    def _measure(self, save: Save, has_old: bool) -> None:
        """Notes what a save writes, how many calls it makes and how long it takes, when it is first
        drawn.
        """
        if has_old in save.seconds:
            return
        folder = self._fresh()
        if has_old:
            _whole(save, folder, 0)
            save.seen[0] = _outputs(folder, save)
        begun = time.perf_counter()
        assert killed_after(partial(save.write, folder, 1), None) == 0, f"{save.name} fails"
        save.seconds[has_old] = time.perf_counter() - begun
        save.seen[1] = _outputs(folder, save)
        if CAN_TRACE:
            folder = self._fresh()
            if has_old:
                _whole(save, folder, 0)
            save.n_calls[has_old], status = killed_at(partial(save.write, folder, 1), None)
            assert status == 0, f"{save.name} fails when it is traced"

    def _fresh(self) -> Path:
        folder = self.folder / "case"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / OTHER).write_bytes(OTHERS)
        temporary = self.folder / "temporary"
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir()
        tempfile.tempdir = str(temporary)
        return folder

    def make(self, rng: random.Random) -> Case:
        save = rng.choice(self.saves)
        has_old = rng.random() < 0.75
        self._measure(save, has_old)
        if CAN_TRACE and rng.random() < 0.7:
            return Case(save, has_old, rng.randrange(save.n_calls[has_old]), None)
        return Case(save, has_old, None, rng.random() * save.seconds[has_old])

    def describe(self, case: Case) -> str:
        when = (
            f"before call {case.call}"
            if case.call is not None
            else f"after {1000 * (case.seconds or 0):.1f} ms"
        )
        return f"{case.save.name}, {'over an old one' if case.has_old else 'new'}, killed {when}"

    def check(self, case: Case) -> Counter[str]:
        save = case.save
        folder = self._fresh()
        if case.has_old:
            _whole(save, folder, 0)
        work = partial(save.write, folder, 1)
        if case.call is not None:
            _, status = killed_at(work, case.call)
        else:
            status = killed_after(work, case.seconds)
        assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the save failed"
        kind = "killed before a call" if case.call is not None else "killed at a moment"
        tried = Counter(
            {
                "kills": 1,
                save.name: 1,
                kind if os.WIFSIGNALED(status) else "ended before the kill": 1,
            }
        )
        left = sorted(path.relative_to(folder) for path in folder.rglob("*"))
        if save.is_read and (case.has_old or (folder / "out").exists()):
            bpe.load(folder / "out")
        found = _outputs(folder, save)
        for name in save.outputs:
            old = save.seen[0].get(name) if case.has_old else None
            if found.get(name) not in (old, save.seen[1][name]):
                raise FaultInCaseError(
                    f"{name} is neither old nor new: {_named(found.get(name))}; left: {left}", tried
                )
        tried["the new one" if found == save.seen[1] else "the old one"] += 1
        for path in folder.glob(".*.bpe-studio.tmp"):
            os.utime(path, (0, 0))  # another process may still be writing it
        _whole(save, folder, 1)
        for path in (self.folder / "temporary").iterdir():
            os.utime(
                path, (0, 0)
            )  # what has nothing in it may be another process's that has just made it
        remove_abandoned()
        there = sorted(path.name for path in folder.iterdir())
        if _outputs(folder, save) != save.seen[1] or there != sorted((*save.outputs, OTHER)):
            raise FaultInCaseError(
                f"left after the next save: {there}; after the kill: {left}", tried
            )
        if (folder / OTHER).read_bytes() != OTHERS:
            raise FaultInCaseError("another file was changed", tried)
        temporary = sorted(path.name for path in (self.folder / "temporary").iterdir())
        if temporary:
            raise FaultInCaseError(f"left among the temporary files: {temporary}", tried)
        return tried


def _whole(save: Save, folder: Path, which: int) -> None:
    """Saves in a process of its own, as the program that is started next would."""
    assert killed_after(partial(save.write, folder, which), None) == 0, f"{save.name} fails"


def _outputs(folder: Path, save: Save) -> dict[str, dict[str, bytes]]:
    """What there is of what was saved: the files of each output by their names; "" is the output
    itself.
    """
    found: dict[str, dict[str, bytes]] = {}
    for name in save.outputs:
        place = folder / name
        if place.is_dir():
            found[name] = {
                str(p.relative_to(place)): p.read_bytes()
                for p in sorted(place.rglob("*"))
                if p.is_file()
            }
        elif place.exists():
            found[name] = {"": place.read_bytes()}
    return found


def _named(files: dict[str, bytes] | None) -> str:
    return (
        "nothing"
        if files is None
        else ", ".join(f"{name or 'file'}: {len(data)} bytes" for name, data in files.items())
    )
