"""Looking for a token's lines in a thread of its own: batches, ends, files that have changed, no
thread left.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.run import Run
from bpe_studio.engine.training.trainer import train
from bpe_studio.explain.inspection.inspection import inspect
from bpe_studio.files.text.reading import Reading
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.concordance_search import (
    ConcordanceSearch,
    FoundLine,
    SearchEnd,
    SearchOutcome,
)
from bpe_studio.workspace.corpus.place_lines import found_places
from bpe_studio.workspace.corpus.reading import open_corpus
from bpe_studio.workspace.state import CorpusInfo, OpeningRequest

TEXT = "the hug pug\nbun, the hugs café\nthe end of the pun 😀\n"
CONFIG = TrainingConfig.preset("gpt2", vocab_size=None, merges=40, min_frequency=1)


class Watch:
    def __init__(self, search: ConcordanceSearch) -> None:
        self.batches: list[tuple[FoundLine, ...]] = []
        self.progress: list[Any] = []
        self.ends: list[SearchEnd] = []
        search.found.connect(self.batches.append)
        search.progressed.connect(self.progress.append)
        search.ended.connect(self.ends.append)

    @property
    def lines(self) -> list[FoundLine]:
        return [line for batch in self.batches for line in batch]


@pytest.fixture
def make_search(qapp: Any) -> Iterator[Callable[..., ConcordanceSearch]]:
    made: list[ConcordanceSearch] = []

    def make(**options: Any) -> ConcordanceSearch:
        made.append(ConcordanceSearch(**options))
        return made[-1]

    yield make
    for search in made:
        search.shutdown()
        search.deleteLater()


@pytest.fixture
def search(make_search: Callable[..., ConcordanceSearch]) -> ConcordanceSearch:
    return make_search()


@pytest.fixture
def watch(search: ConcordanceSearch) -> Watch:
    return Watch(search)


def _opened(request: OpeningRequest, config: TrainingConfig = CONFIG) -> tuple[Run, CorpusInfo]:
    """A corpus as the workspace opens it, and a run of it that is finished."""
    job = open_corpus(Backend(), request, config)
    while True:
        try:
            next(job)
        except StopIteration as stop:
            opened = stop.value
            break
    return train(opened.info.corpus, config), opened.info


def _in_files(*paths: Path, encoding: str | None = None) -> tuple[Run, CorpusInfo]:
    return _opened(OpeningRequest("Files", paths, Reading(encoding)))


def _in_text(text: str, config: TrainingConfig = CONFIG) -> tuple[Run, CorpusInfo]:
    return _opened(OpeningRequest("Pasted text", text=text), config)


def _id(run: Run, name: str) -> int:
    found = run.find_token(name)
    assert found is not None
    return found


def _ended(qtbot: Any, watch: Watch, n: int = 1) -> SearchEnd:
    qtbot.waitUntil(lambda: len(watch.ends) >= n)
    return watch.ends[-1]


def test_all_lines_of_a_text(qtbot: Any, search: ConcordanceSearch, watch: Watch) -> None:
    run, info = _in_text(TEXT)
    step = len(run.merges)
    search.start(run, info, _id(run, "Ġthe"), step)
    assert search.is_searching
    end = _ended(qtbot, watch)
    assert not search.is_searching
    assert [(line.found.line, line.found.text, line.found.start) for line in watch.lines] == [
        (2, "bun, the hugs café", 4),
        (3, "the end of the pun 😀", 10),
    ]
    assert {(line.source, line.name) for line in watch.lines} == {(0, "Pasted text")}
    assert end == SearchEnd(SearchOutcome.complete, 2, 2)
    last = watch.progress[-1]
    assert (last.done, last.total, last.unit) == (len(TEXT.encode()), len(TEXT.encode()), "bytes")


def test_lines_that_were_set_aside_are_passed_over(
    qtbot: Any, search: ConcordanceSearch, watch: Watch, tmp_path: Path
) -> None:
    texts = ["".join(f"café {name} hug {n}\n" for n in range(80)) for name in ("a", "b")]
    paths = tuple(tmp_path / f"{n}.txt" for n in range(2))
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text.encode())
    run, info = _opened(OpeningRequest("texts", paths, held_out=0.3))
    assert info.held_out is not None
    search.start(run, info, _id(run, "Ġhug"), len(run.merges))
    assert _ended(qtbot, watch).outcome is SearchOutcome.complete
    n_aside = info.held_out.corpus.counts[list(info.held_out.corpus.pre_tokens()).index(" hug")]
    assert len(watch.lines) == 160 - n_aside and 20 < n_aside < 80
    for each in watch.lines:
        found = each.found
        text = texts[each.source]
        assert text.splitlines()[found.line - 1] == found.text
        assert text.encode()[found.offset_bytes :].startswith(found.text.encode())


def test_places_in_records_and_archives(
    qtbot: Any, search: ConcordanceSearch, watch: Watch, tmp_path: Path
) -> None:
    rows = (
        "".join(f'{{"text": "a\\nthe\\u00ad {n}"}}\n' for n in range(3))
        + '{"text": \n{"text": "the\\u00ad 5"}\n'
    )
    (tmp_path / "a.jsonl").write_text(rows)
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr("c/d.txt", "none\nhere the\u00ad end\n")
        archive.writestr("e.jsonl", rows)
    (tmp_path / "f.txt").write_text("the\u00ad first\n", "utf-8")
    paths = tmp_path / "a.jsonl", tmp_path / "b.zip", tmp_path / "f.txt"
    _, info = _in_files(*paths)
    finding = next(each for each in inspect(paths).findings if each.name == "soft_hyphen")
    for number, chosen in enumerate(finding.places):
        places = found_places(info, finding, chosen)
        assert places is not None
        search.start_places(info, places)
        assert _ended(qtbot, watch, number + 1) == SearchEnd(SearchOutcome.complete, 10, 10)
        assert [line.is_chosen for line in watch.lines[-10:]].index(True) == number
    assert [(line.source, line.name, line.found.line) for line in watch.lines[-10:]] == [
        *(
            (0, f"a.jsonl, record {record}", line)
            for record, line in ((1, 2), (2, 2), (3, 2), (5, 1))
        ),
        (1, "c/d.txt in b.zip", 2),
        *(
            (1, f"e.jsonl in b.zip, record {record}", line)
            for record, line in ((1, 2), (2, 2), (3, 2), (5, 1))
        ),
        (2, "f.txt", 1),
    ]
    assert [line.found.text for line in watch.lines[-7:-5]] == ["the\u00ad 5", "here the\u00ad end"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "words.txt does not exist"),
        (b"other", "words.txt has changed since it was opened"),
        (TEXT.replace("the", "teh").encode(), "words.txt has changed since it was opened"),
    ],
    ids=["gone", "of another size", "of the same size and time"],
)
def test_a_file_that_is_not_what_it_was(
    qtbot: Any,
    search: ConcordanceSearch,
    watch: Watch,
    tmp_path: Path,
    content: bytes | None,
    message: str,
) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes(TEXT.encode())
    run, info = _in_files(path)
    times = path.stat()
    path.unlink()
    if content is not None:
        path.write_bytes(content)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    search.start(run, info, _id(run, "Ġthe"), len(run.merges))
    end = _ended(qtbot, watch)
    assert (
        end.outcome is SearchOutcome.failed and message in end.message and end.message.endswith(".")
    )
