"""Damaged files for every reader: each is refused with one of our errors, or read and of use.

Time and memory are limited: no file here is larger than a megabyte, and none may take ten seconds
of the processor or a gigabyte and a half."""

from __future__ import annotations

import contextlib
import random
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import bpe_studio as bpe
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.errors import BpeError
from bpe_studio.files.counts.files import load_counter
from bpe_studio.files.document import studio
from bpe_studio.files.document.embedded_text import read_texts
from bpe_studio.files.document.reading import read_now
from bpe_studio.files.formats.registry import FORMATS
from bpe_studio.files.lessons.reader import read_lesson
from bpe_studio.files.loading import load
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.opening.documents import open_document
from tests.campaigns.campaign import Campaign, FaultInCaseError
from tests.campaigns.mutations import mutated
from tests.campaigns.samples import Sample, make_samples
from tests.files.text.whole import read_text

MOST_CPU_S = 10.0
_TEXTS = (
    "low lower",
    "سلام 😀 \0",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "The quick\n brown\udcff fox",
)


@dataclass(frozen=True)
class Case:
    """Damaged files, and who reads them."""

    sample: Sample
    files: dict[str, bytes]
    damage: str
    choice: random.Random


class ReadersCampaign(Campaign[Case]):
    """Damaged files for every reader."""

    name = "readers"
    limit_s = 120.0
    memory_bytes: ClassVar[int | None] = 3 << 29

    def begin(self) -> None:
        from bpe_studio.engine import warm_up
        from bpe_studio.engine.kernels import loader

        warm_up.warm_up()
        loader._ready.clear()
        self.samples = make_samples(self.folder)
        self.readers = sorted({sample.reader for sample in self.samples})
        for sample in self.samples:
            assert self.check(Case(sample, sample.files, "", random.Random(1)))["read"], (
                f"{sample.name} is no sound file"
            )

    def make(self, rng: random.Random) -> Case:
        reader = rng.choice([*self.readers, "huggingface", "huggingface", "document", "document"])
        sample = rng.choice([each for each in self.samples if each.reader == reader])
        names = rng.sample(
            sorted(sample.files), 1 if rng.random() < 0.8 else min(2, len(sample.files))
        )
        files = dict(sample.files)
        damages = []
        for name in names:
            files[name], damage = mutated(rng, files[name], sample.kinds[name])
            damages.append(f"{name}: {damage}")
        if len(files) > 1 and rng.random() < 0.05:
            del files[names[0]]
        return Case(sample, files, "; ".join(damages), rng)

    def describe(self, case: Case) -> str:
        shown = {
            name: data if len(data) < 600 else data[:600] + b"..."
            for name, data in case.files.items()
        }
        return f"{case.sample.reader}, {case.sample.name}; {case.damage}\n{shown}"

    def check(self, case: Case) -> Counter[str]:
        place = self._written(case)
        begun = time.process_time()
        read: Callable[[Path, Case], None] = {
            "document": self._read_document,
            "lesson": _read_lesson,
            "text": _read_text,
            "counts": _read_counts,
        }.get(case.sample.reader, self._read_tokenizer)
        outcome = "read"
        try:
            read(place, case)
        except BpeError as error:
            outcome = "refused"
            message = str(error)
            if not message or len(message) > 2000:
                raise AssertionError(f"a message that nobody reads: {message!r}") from error
        taken = time.process_time() - begun
        tried = Counter({"files": 1, outcome: 1, f"{case.sample.reader}: {outcome}": 1})
        if taken > MOST_CPU_S:
            raise FaultInCaseError(f"it took {taken:.1f} s of the processor", tried)
        return tried

    def _written(self, case: Case) -> Path:
        place = self.folder / "damaged"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        for name, data in case.files.items():
            (place / name).write_bytes(data)
        return place if len(case.sample.files) > 1 else place / next(iter(case.files))

    def _read_tokenizer(self, place: Path, case: Case) -> None:
        self._use(load(place), case.choice)

    def _use(self, tokenizer: Tokenizer, rng: random.Random) -> None:
        """What a person does with a tokenizer that was loaded."""
        for text in _TEXTS:
            with _or_refused():
                encoding = tokenizer.encode(text, recognize_special=rng.random() < 0.5)
                assert tokenizer.encode_ids(text).dtype.name == "int32"
                tokenizer.decode(encoding.ids)
                assert all(0 <= a <= b <= len(text) for a, b in encoding.offsets), encoding.offsets
        step = rng.randint(0, tokenizer.n_merges)
        with _or_refused():
            tokenizer.at(step).encode(_TEXTS[0])
        with _or_refused():
            tokenizer.encode(_TEXTS[0], step=step, add_special_tokens=True)
        with _or_refused():
            tokenizer(list(_TEXTS[:2]), padding=True, truncation=True, max_length=8)
        ids = list(tokenizer.tokens)[:300]
        tokenizer.decode(ids)
        tokenizer.convert_ids_to_tokens(ids)
        if rng.random() < 0.2:
            saved = self.folder / "saved"
            shutil.rmtree(saved, ignore_errors=True)
            saved.unlink(missing_ok=True)
            with _or_refused():
                form = rng.choice([name for name in FORMATS if name != "studio"])
                tokenizer.save(saved, form)
                self._load_again(saved, form)

    def _load_again(self, saved: Path, form: str) -> None:
        try:
            load(saved)
        except BpeError as error:
            raise AssertionError(f"written as {form}, and not read back: {error}") from error

    def _read_document(self, place: Path, case: Case) -> None:
        folder = self.folder / "texts"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        document = read_now(place)
        with _or_refused():
            self._use(studio.tokenizer_of(document), case.choice)
        with _or_refused():
            _drained(read_texts(place, folder))
            outside = [path for path in self.folder.parent.rglob("*") if path.name == "passwd"]
            assert not outside, f"written outside: {outside}"
        if case.choice.random() < 0.4:
            opened = _drained(open_document(Backend(), place))
            assert opened.project.session is not None


def _read_lesson(place: Path, case: Case) -> None:
    lesson = read_lesson(place)
    assert lesson.title is not None and len(lesson.steps) <= 200


def _read_text(place: Path, case: Case) -> None:
    encoding = (
        None
        if case.choice.random() < 0.7
        else case.choice.choice(("utf-8", "utf-16", "cp1252", "gb18030", "nonsense"))
    )
    found = read_text(place, encoding)
    assert found.text or found.size_bytes
    if len(found.text) < 5000:
        config = TrainingConfig.preset("gpt2", merges=3)
        bpe.train(Corpus.from_text(found.text, config), config)


def _read_counts(place: Path, case: Case) -> None:
    units = case.sample.name if case.choice.random() < 0.8 else "bytes"
    config = TrainingConfig.preset(
        "raw", units=units, merges=5, split=case.choice.choice(("none", "whitespace", "gpt2"))
    )
    corpus = load_counter(str(place), config).corpus(config)
    if len(corpus.blob) < 5000:
        bpe.train(corpus, config).tokenizer()


def _drained(steps: Iterator[Any]) -> Any:
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value


@contextlib.contextmanager
def _or_refused() -> Iterator[None]:
    """Errors of ours are an answer."""
    with contextlib.suppress(BpeError):
        yield
