"""The same texts, written in each format and packed in each way, give the same table of counts and
the same merges.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import random
import tarfile
import zipfile
from collections.abc import Callable, Collection, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import bpe_studio as bpe
from bpe_studio.engine.counting.corpus import CorpusBuilder
from bpe_studio.files.text.reading import Reading
from bpe_studio.files.text.sources import Sources, open_source
from tests.facts import says

CONFIGS = {
    "documents are files": bpe.TrainingConfig.preset("gpt2", documents="file", vocab_size=400),
    "documents are lines": bpe.TrainingConfig.preset("gpt2", vocab_size=400),
    "sentencepiece": bpe.TrainingConfig.preset("sentencepiece", merges=60, normalize=("nfkc",)),
    "separators": bpe.TrainingConfig.preset("cl100k", documents="separator", vocab_size=400),
    "an expression of its own": bpe.TrainingConfig.preset(
        "gpt2", split=r"regex:\w+|\W", documents="file", merges=40
    ),
}
_SCRIPTS = (
    "The quick brown fox",
    "سلام دنیا، می‌روم",
    "日本語のテキスト。",
    "नमस्ते दुनिया",
    "שלום עולם",
    "สวัสดีชาวโลก",
    "👩‍👩‍👧‍👦🏳️‍🌈 ok",
    "Ĝis la revido\u2028",
    "e\u0301 ﬁ Ⅷ",
    "tab\tand\r\nlines\rand\n\nmore",
    " lead",
    "trail \n",
    '"quoted", "',
    "a,b;c|d\te",
    '\\n {"text": 1}',
    "<|endoftext|>",
    "\ufeffmark",
    "\x00NUL\x00",
    "x" * 70,
    "\x0b\x1c\x85\u3000",
)


@pytest.fixture(scope="module")
def texts() -> list[str]:
    chooser = random.Random(15)
    found = ["".join(chooser.choices(_SCRIPTS, k=chooser.randrange(0, 12))) for _ in range(994)]
    # No byte-order mark begins a text here: a reader of plain text would drop it.
    found = [text.removeprefix("\ufeff") for text in found]
    # Each is longer than the blocks in which a text is counted, and both than those in which a file
    # is read.
    long = "".join(chooser.choices(["word ", "سلام ", "x", "日", "7"], k=160_000))
    return [*found, "", "\n", long, "\x00", long[::-1] + "\n", ""]


@pytest.fixture(scope="module")
def written(texts: list[str]) -> Callable[[str], bytes]:
    """What is in the file of each format, made once."""
    return cache(lambda form: FORMATS[form][1](texts))


def _json_lines(texts: list[str]) -> bytes:
    lines = [
        json.dumps({"id": i, "text": text}, ensure_ascii=i % 2 == 0) for i, text in enumerate(texts)
    ]
    return "\n".join(lines).encode("utf-8")


def _json_array(texts: list[str]) -> bytes:
    return json.dumps(
        [{"id": [i, {}], "text": text} for i, text in enumerate(texts)],
        ensure_ascii=False,
        indent=1,
    ).encode()


def _separated(mark: str, ends: str) -> Callable[[list[str]], bytes]:
    def write(texts: list[str]) -> bytes:
        stream = io.StringIO(newline="")
        table = csv.writer(stream, delimiter=mark, lineterminator=ends)
        table.writerow(["id", "text"])
        table.writerows(enumerate(texts))
        return stream.getvalue().encode("utf-8")

    return write


def _table(texts: list[str], kind: str = "string"):
    import pyarrow as pa

    values = pa.array(texts, pa.string())
    if kind == "dictionary":
        values = values.dictionary_encode()
    elif kind != "string":
        values = values.cast(getattr(pa, kind)())
    return pa.table({"id": pa.array(range(len(texts)), pa.int64()), "text": values})


def _parquet(kind: str, **how: object) -> Callable[[list[str]], bytes]:
    def write(texts: list[str]) -> bytes:
        import pyarrow.parquet as pq

        stream = io.BytesIO()
        pq.write_table(_table(texts, kind), stream, row_group_size=300, **how)
        return stream.getvalue()

    return write


def _arrow(is_file: bool, kind: str = "string") -> Callable[[list[str]], bytes]:
    def write(texts: list[str]) -> bytes:
        import pyarrow as pa

        stream = io.BytesIO()
        table = _table(texts, kind)
        with (pa.ipc.new_file if is_file else pa.ipc.new_stream)(stream, table.schema) as writer:
            writer.write_table(table, max_chunksize=100)
        return stream.getvalue()

    return write


FORMATS: dict[str, tuple[str, Callable[[list[str]], bytes]]] = {
    "JSON lines": ("corpus.jsonl", _json_lines),
    "JSON array": ("corpus.json", _json_array),
    "CSV": ("corpus.csv", _separated(",", "\r\n")),
    "CSV with semicolons": ("corpus.csv", _separated(";", "\n")),
    "TSV": ("corpus.tsv", _separated("\t", "\n")),
    "Parquet": ("corpus.parquet", _parquet("string")),
    "Parquet, plain and large": (
        "corpus.parquet",
        _parquet("large_string", use_dictionary=False, compression="NONE"),
    ),
    "Parquet of bytes": ("corpus.parquet", _parquet("binary", compression="ZSTD")),
    "Arrow file": ("corpus.arrow", _arrow(True)),
    "Arrow stream": ("corpus.arrow", _arrow(False, "large_string")),
    "Arrow stream with a dictionary": ("corpus.arrow", _arrow(False, "dictionary")),
}


def _zstandard(data: bytes) -> bytes:
    import zstandard

    half = len(data) // 2
    return b"".join(
        zstandard.ZstdCompressor().compress(part) for part in (data[:half], data[half:])
    )


def _tar(suffix: str) -> Callable[[bytes, str], bytes]:
    def pack(data: bytes, name: str) -> bytes:
        stream = io.BytesIO()
        level = {"compresslevel": 1} if suffix else {}
        with tarfile.open(fileobj=stream, mode=f"w:{suffix}", **level) as archive:
            info = tarfile.TarInfo(f"folder/{name}")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        return stream.getvalue()

    return pack


def _zip(data: bytes, name: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("folder")
        archive.writestr(f"folder/{name}", data)
    return stream.getvalue()


PACKINGS: dict[str, tuple[str, Callable[[bytes, str], bytes]]] = {
    "plain": ("", lambda data, _: data),
    "gz": (".gz", lambda data, _: gzip.compress(data, 1)),
    "bz2": (".bz2", lambda data, _: bz2.compress(data, 1)),
    "xz": (".xz", lambda data, _: lzma.compress(data, preset=0)),
    "zst": (".zst", lambda data, _: _zstandard(data)),
    "zip": (".zip", _zip),
    "tar": (".tar", _tar("")),
    "tar.gz": (".tar.gz", _tar("gz")),
    "zip of gz": (".zip", lambda data, name: _zip(gzip.compress(data, 1), name + ".gz")),
}


def some_quick(ones: Collection[str], others: Collection[str]) -> list[Any]:
    """All pairs; those that are not marked as slow have each name of both, if there are no more
    others than ones.
    """
    slow = pytest.mark.slow(
        buys="each format in each packing and with each setting; each of them is in each run"
    )
    return [
        pytest.param(one, other, marks=[] if n == k % len(others) else slow)
        for k, one in enumerate(ones)
        for n, other in enumerate(others)
    ]


@pytest.fixture(scope="module")
def expected(texts: list[str]) -> dict[str, bpe.Corpus]:
    found = {}
    for name, config in CONFIGS.items():
        builder = CorpusBuilder(config)
        for text in texts:
            builder.add_text(text)
            builder.end_document()
        found[name] = builder.finish()
    return found


def _same(one: bpe.Corpus, other: bpe.Corpus) -> None:
    for name in ("blob", "offsets", "counts"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name
    for name in ("size_bytes", "n_characters", "n_whitespace_words", "n_documents"):
        assert getattr(one, name) == getattr(other, name), name


def _merges(corpus: bpe.Corpus) -> list[tuple[str, str, int, int]]:
    return [(m.left, m.right, m.count, m.tied) for m in bpe.train(corpus, corpus.config).merges]


@pytest.mark.parametrize(("form", "config"), some_quick(FORMATS, CONFIGS))
def test_each_format_gives_the_same_counts(
    form: str,
    config: str,
    written: Callable[[str], bytes],
    expected: dict[str, bpe.Corpus],
    tmp_path: Path,
) -> None:
    name = FORMATS[form][0]
    (tmp_path / name).write_bytes(written(form))
    corpus = bpe.Corpus.from_files(tmp_path / name, CONFIGS[config])
    _same(corpus, expected[config])
    if form == "JSON lines":  # of equal tables the merges are equal
        assert _merges(corpus) == _merges(expected[config])


@pytest.mark.parametrize(
    ("packing", "form"),
    some_quick(PACKINGS, ["JSON lines", "CSV", "Parquet", "Arrow file", "Arrow stream"]),
)
def test_each_packing_gives_the_same_counts(
    form: str,
    packing: str,
    written: Callable[[str], bytes],
    expected: dict[str, bpe.Corpus],
    tmp_path: Path,
) -> None:
    name = FORMATS[form][0]
    suffix, pack = PACKINGS[packing]
    path = tmp_path / f"{name}{suffix}"
    path.write_bytes(pack(written(form), name))
    _same(
        bpe.Corpus.from_files(path, CONFIGS["documents are files"]), expected["documents are files"]
    )


def _without_nul(texts: list[str]) -> list[str]:
    """Some texts; a small file of plain text with NULs would be taken for a binary one."""
    return [text for text in texts if "\0" not in text][:300]


@pytest.fixture
def as_files(texts: list[str], tmp_path: Path) -> Iterator[Path]:
    """A folder with a file of plain text for each text that is not empty, and what is left out."""
    folder = tmp_path / "texts"
    for number, text in enumerate(_without_nul(texts)):
        place = folder / f"{number // 100}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number:04}.txt").write_bytes(text.encode("utf-8"))
    (folder / ".hidden").write_bytes(b"no")
    (folder / "0" / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    return folder


def test_the_files_of_a_folder_a_pattern_and_an_archive(
    as_files: Path, texts: list[str], tmp_path: Path
) -> None:
    config = CONFIGS["documents are files"]
    builder = CorpusBuilder(config)
    for text in _without_nul(texts):
        builder.add_text(text)
        builder.end_document()
    expected = builder.finish()
    _same(bpe.Corpus.from_files(as_files, config), expected)
    _same(bpe.Corpus.from_files(f"{as_files}/*/*.txt", config), expected)
    with (
        zipfile.ZipFile(tmp_path / "all.zip", "w") as archive,
        tarfile.open(tmp_path / "all.tgz", "w:gz") as tar,
    ):
        for path in sorted(as_files.rglob("*.*")):
            archive.write(path, path.relative_to(as_files))
            tar.add(path, f"../../outside/{path.relative_to(as_files)}")
    _same(bpe.Corpus.from_files(tmp_path / "all.zip", config), expected)
    _same(bpe.Corpus.from_files(tmp_path / "all.tgz", config), expected)
    sources = Sources([as_files])
    for source in sources:
        list(source.pieces())
    (notice,) = sources.notices
    assert says(notice, "1 file", "picture.png", "PNG")


def test_a_saved_data_set_is_read_without_its_cache(texts: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "saved" / "train"
    folder.mkdir(parents=True)
    (tmp_path / "saved" / "dataset_dict.json").write_text('{"splits": ["train"]}')
    names = ["data-00000-of-00002.arrow", "data-00001-of-00002.arrow"]
    (folder / "state.json").write_text(
        json.dumps({"_data_files": [{"filename": name} for name in names]})
    )
    (folder / "dataset_info.json").write_text("{}")
    (folder / names[0]).write_bytes(_arrow(False)(texts[:500]))
    (folder / names[1]).write_bytes(_arrow(False)(texts[500:]))
    (folder / "cache-1234.arrow").write_bytes(_arrow(False)(["not this"]))
    assert [
        document for source in Sources([tmp_path / "saved"]) for document in source.documents()
    ] == texts


def test_addresses(texts: list[str], tmp_path: Path) -> None:
    import fsspec

    files = fsspec.filesystem("memory")
    for number in range(2):
        with files.open(f"/corpus/{number}.jsonl.gz", "wb") as stream:
            stream.write(gzip.compress(_json_lines(texts[number * 500 : number * 500 + 500])))
    for address in ("memory://corpus/*.jsonl.gz", "memory://corpus"):
        assert [
            document for source in Sources([address]) for document in source.documents()
        ] == texts
    (tmp_path / "one.parquet").write_bytes(_parquet("string")(texts))
    assert list(open_source((tmp_path / "one.parquet").as_uri()).documents()) == texts
    with pytest.raises(bpe.SourceError, match="There is no file memory://corpus/2"):
        open_source("memory://corpus/2")


def test_each_document_knows_its_record_and_its_file(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    def places(path: Path) -> list[tuple[str, int, str]]:
        found = []
        for content, ends, records, member in open_source(path).pieces():
            starts = [0, *ends]
            assert len(records) in (len(ends), 0)
            found += [
                (content[a:b].decode(), n, member)
                for a, b, n in zip(starts, ends, records, strict=False)
            ]
        return found

    lines = b'{"text": "a"}\n\n{"text": 1}\n{"text": ""}\n{"text": "c"}\n'
    (tmp_path / "rows.jsonl").write_bytes(lines)
    assert places(tmp_path / "rows.jsonl") == [("a", 1, ""), ("", 3, ""), ("c", 4, "")]
    (tmp_path / "rows.csv").write_text("n,text\n1,a\n2\n3,\n4,c\n")
    assert places(tmp_path / "rows.csv") == [("a", 1, ""), ("", 3, ""), ("c", 4, "")]
    pq.write_table(
        pa.table({"text": ["a", None, "", "c"] * 3000}),
        tmp_path / "rows.parquet",
        row_group_size=5000,
    )
    found = places(tmp_path / "rows.parquet")
    assert found[:3] == [("a", 1, ""), ("", 3, ""), ("c", 4, "")]
    assert [n for _, n, _ in found] == [n for n in range(1, 12001) if n % 4 != 2]
    (tmp_path / "all.zip").write_bytes(_zip(lines, "rows.jsonl"))
    assert places(tmp_path / "all.zip")[1] == ("", 3, "folder/rows.jsonl")


def test_the_column_is_chosen_or_found(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_text(
        '{"n": 1, "title": "a", "passage": "b"}\n{"n": 2, "title": "c", "passage": "d"}\n'
    )
    assert list(open_source(path).documents()) == ["b", "d"]
    assert list(open_source(path, reading=Reading(column="title")).documents()) == ["a", "c"]
    assert list(open_source(path, reading=Reading(is_plain=True)).documents()) == [path.read_text()]
    (tmp_path / "table").write_text("n,title\n1,a\n2,c\n")
    assert list(open_source(tmp_path / "table").documents()) == ["n,title\n1,a\n2,c\n"]
    assert list(open_source(tmp_path / "table", reading=Reading(column="title")).documents()) == [
        "a",
        "c",
    ]
