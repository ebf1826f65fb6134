"""Records, packed files, archives and folders in the workspace: opened, cut in another way,
searched and stored.
"""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bpe_studio as bpe
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.workspace.corpus.concordance_search import ConcordanceSearch

CONFIG = TrainingConfig.preset("gpt2", merges=20, vocab_size=None, documents="file")
OTHER = TrainingConfig.preset("sennrich", merges=12)
TEXTS = [
    "the hug pug",
    "bun, the hugs café\n",
    "سلام دنیا the end\nof the pun 😀",
    "",
    "the newest\r\nand lowest pugs",
] * 30


def _json_lines() -> bytes:
    return "\n".join(json.dumps({"text": text}) for text in TEXTS).encode()


def _parquet() -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    stream = io.BytesIO()
    pq.write_table(pa.table({"text": TEXTS}), stream)
    return stream.getvalue()


def _zip() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for number, text in enumerate(TEXTS):
            archive.writestr(f"{number:04}.txt", text)
    return stream.getvalue()


CORPORA: dict[str, Callable[[], bytes]] = {
    "corpus.jsonl": _json_lines,
    "corpus.jsonl.gz": lambda: gzip.compress(_json_lines()),
    "corpus.parquet": _parquet,
    "corpus.zip": _zip,
}


def _expected(config: TrainingConfig) -> list[tuple[str, int]]:
    counter = bpe.Counter(config)
    counter.update(TEXTS)
    return list(counter.corpus().items())


@pytest.fixture
def opened(make_workspace: Any, watched: Any, wait_for: Any, tmp_path: Path) -> Callable[..., Any]:
    def open_it(*paths: Path, state: str = "ready") -> Any:
        workspace = make_workspace(config=CONFIG)
        workspace.watch = watched(workspace)
        workspace.opener.open_files(paths)
        wait_for(workspace, state)
        return workspace

    return open_it


@pytest.mark.parametrize("name", CORPORA)
def test_a_corpus_is_opened_and_read_again(
    name: str, opened: Any, wait_for: Any, tmp_path: Path, qtbot: Any
) -> None:
    path = tmp_path / name
    path.write_bytes(CORPORA[name]())
    workspace = opened(path)
    assert list(workspace.corpus.corpus.items()) == _expected(CONFIG)
    workspace.settings.apply(OTHER)
    wait_for(workspace, "ready")
    assert list(workspace.corpus.corpus.items()) == _expected(OTHER)
    workspace.settings.apply(CONFIG)
    wait_for(workspace, "ready")
    workspace.transport.run_training()
    wait_for(workspace, "done")
    run = workspace.run
    info = workspace.corpus
    search = ConcordanceSearch()
    try:
        lines: list[Any] = []
        ends: list[Any] = []
        search.found.connect(lambda batch: lines.extend(batch))
        search.ended.connect(ends.append)
        token = run.find_token("Ġthe")
        search.start(run, info, token, len(run.merges))
        qtbot.waitUntil(lambda: bool(ends))
    finally:
        search.shutdown()
        search.deleteLater()
    assert ends[0].outcome.name == "complete"
    # An empty file of an archive is no text.
    per_round = 4 if name == "corpus.zip" else 5
    assert [line.name for line in lines[:2]] == [f"{name}, text 2", f"{name}, text 3"]
    assert len(lines) == 30 * 3
    assert lines[-1].name == f"{name}, text {29 * per_round + 3}"
    document = tmp_path / "a.bpestudio"
    n = len(workspace.watch.notices)
    workspace.saver.save_document(document, {}, holds_text=True)
    qtbot.waitUntil(
        lambda: len(workspace.watch.notices) > n or workspace.failure is not None, timeout=20_000
    )
    assert workspace.failure is None
    path.unlink()
    other = opened(document, state="done")
    other.settings.apply(OTHER)
    wait_for(other, "ready")
    assert list(other.corpus.corpus.items()) == _expected(OTHER)


def test_a_folder_is_opened_without_what_is_no_text(opened: Any, tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    (folder / "more").mkdir(parents=True)
    for number, text in enumerate(TEXTS):
        (folder / ("more" if number > 70 else ".") / f"{number:04}.txt").write_bytes(text.encode())
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    workspace = opened(folder)
    assert list(workspace.corpus.corpus.items()) == _expected(CONFIG)
    assert workspace.corpus.name == "texts"
    assert len(workspace.corpus.sources) == len([text for text in TEXTS if text])
    assert any(
        "1 file of texts could not be read as text and was skipped" in each
        for each in workspace.watch.notices
    )


def test_empty_files_among_others_are_left_out_and_named(opened: Any, tmp_path: Path) -> None:
    contents = {
        "none.txt": b"",
        "a.txt": b"the hug",
        "mark.txt": b"\xef\xbb\xbf",
        "b.jsonl": b'{"text": "pug"}\n',
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    workspace = opened(*(tmp_path / name for name in contents))
    assert [word for word, _ in workspace.corpus.corpus.items()] == ["the", " hug", "pug"]
    assert workspace.corpus.name == "a.txt and 1 more"
    said = (
        "2 files of the corpus could not be read as text and were skipped: none.txt is empty;"
        " mark.txt is empty but for a byte-order mark."
    )
    assert said in workspace.corpus.notices
    assert said in workspace.watch.notices
