"""Corpora that are damaged, hostile or change: one sentence each, or a notice, with bounded time
and memory.
"""

from __future__ import annotations

import contextlib
import gzip
import http.server
import io
import json
import lzma
import os
import socket
import struct
import sys
import tarfile
import threading
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import bpe_studio as bpe
from bpe_studio.errors import SourceError
from bpe_studio.files.records import broken_records
from bpe_studio.files.text import packing, remote
from bpe_studio.files.text.reading import Reading
from bpe_studio.files.text.sources import Sources, open_source
from tests.facts import says


class Answers(http.server.BaseHTTPRequestHandler):
    """A server's answers, of which nothing is printed."""

    def do_HEAD(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def served(answers: type[Answers]) -> Iterator[str]:
    """The address of a server on this machine."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), answers) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def refusal(path: object, **reading: object) -> str:
    """The sentence that reading a corpus ends with."""
    with pytest.raises(SourceError) as caught:
        for source in Sources([path], Reading(**reading)):
            for _ in source.pieces():
                pass
    message = str(caught.value)
    assert "\n" not in message
    assert "Traceback" not in message
    return message


def read(path: Path, **reading: object) -> tuple[list[str], list[str]]:
    """The documents of a file, and its notices."""
    source = open_source(path, reading=Reading(**reading))
    return list(source.documents()), source.notices


def _zip(*files: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return stream.getvalue()


def _overlapping_zip() -> bytes:
    """A zip of which each entry in the list is the same file."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", os.urandom(1000).hex())
        archive.filelist *= 100
    return stream.getvalue()


def _tar(content: bytes = b"text\n" * 120) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for number in range(3):
            info = tarfile.TarInfo(f"{number}.txt")
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return stream.getvalue()


def _large_tar_header() -> bytes:
    info = tarfile.TarInfo("pax")
    info.type = tarfile.XHDTYPE
    info.size = 7 << 30
    return gzip.compress(info.tobuf(tarfile.PAX_FORMAT) + bytes(1 << 20))


def _encrypted_zip() -> bytes:
    data = bytearray(_zip(("a.txt", b"text")))
    data[data.rfind(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def _encrypted_parquet() -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyarrow.parquet import encryption as keys

    class Plain(keys.KmsClient):  # type: ignore[misc]
        def wrap_key(self, key: bytes, name: str) -> bytes:
            return key.hex().encode()

    settings = keys.EncryptionConfiguration(
        "key", column_keys={"key": ["text"]}, plaintext_footer=True
    )
    factory = keys.CryptoFactory(lambda _: Plain())
    properties = factory.file_encryption_properties(keys.KmsConnectionConfig(), settings)
    table = pa.table({"text": ["hug"]})
    stream = io.BytesIO()
    with pq.ParquetWriter(stream, table.schema, encryption_properties=properties) as writer:
        writer.write_table(table)
    return stream.getvalue()


def _arrow(kind: str, values: object = None, column: str = "text") -> bytes:
    import pyarrow as pa

    stream = io.BytesIO()
    table = pa.table({column: values or ["abcdefgh"] * 64})
    with (pa.ipc.new_file if kind == "file" else pa.ipc.new_stream)(stream, table.schema) as writer:
        writer.write_table(table)
    return stream.getvalue()


REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "packed three times": (
        lambda: gzip.compress(gzip.compress(gzip.compress(b"hug"))),
        "more than 2 times",
    ),
    "gzip with something after it": (
        lambda: gzip.compress(b"hug") + b"garbage",
        "other data after its end",
    ),
    "xz that was cut": (lambda: lzma.compress(b"hug") + lzma.compress(b"hugs")[:-3], "damaged xz"),
    "an encrypted zip": (_encrypted_zip, "encrypted"),
    "a zip whose files overlap": (_overlapping_zip, "overlap"),
    "a tar that was cut": (lambda: _tar()[:2136], "cannot be read as a tar archive"),
    "a damaged header in a tar": (
        lambda: _tar().replace(b"1.txt", b"\xff\xff\xff\xff"),
        "as a tar archive",
    ),
    # From Python 3.14 on, the module reads it in small parts.
    "a large header in a tar": (
        _large_tar_header,
        "claims to contain a part" if sys.version_info < (3, 14) else "empty header",
    ),
    "encrypted Parquet": (_encrypted_parquet, "is encrypted"),
    "Parquet that was cut": (lambda: b"PAR1\x15" + bytes(100) + b"PAR1", "as a Parquet table"),
    "an Arrow file that was cut": (lambda: _arrow("file")[:-1], "its end is missing"),
    "a large Arrow stream": (
        lambda: b"\xff\xff\xff\xff" + struct.pack("<i", 1 << 29) + bytes(99),
        "Arrow stream",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_file_is_refused(what: str, tmp_path: Path) -> None:
    content, key_words = REFUSED[what]
    (tmp_path / "corpus").write_bytes(content())
    assert key_words in refusal(tmp_path / "corpus")


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_a_table_unpacks_to_too_much(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    monkeypatch.setattr(packing, "FREELY_UNPACKED_BYTES", 1 << 20)
    repeated = pa.DictionaryArray.from_arrays(pa.array([0] * 3000, pa.int32()), ["word " * 1000])
    if form == "parquet":
        pq.write_table(pa.table({"text": repeated}), tmp_path / "table")
    else:
        (tmp_path / "table").write_bytes(_arrow("stream", repeated))
    assert "table unpacks to more than" in refusal(tmp_path / "table")


def test_columns_that_do_not_exist_or_hold_no_text(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"n": 1, "title": "a"}\n{"n": 2, "title": "b"}\n')
    assert says(refusal(rows, column="body"), "rows.jsonl", "body", "'n', 'title'", "--column")
    assert "contains no text" in refusal(rows, column="n")
    assert "name the column with --column, such as 'title'" in refusal(rows)
    table = tmp_path / "table.parquet"
    pq.write_table(pa.table({"n": [1, 2], "title": ["a", "b"]}), table)
    assert "no column 'body'" in refusal(table, column="body")
    assert says(refusal(table, column="n"), "n", "table.parquet", "no text")
    (tmp_path / "t.csv").write_text("n,title\n1,a\n")
    assert "no column 'body'" in refusal(tmp_path / "t.csv", column="body")
    assert says(refusal(tmp_path / "t.csv", column="n"), "n", "t.csv", "no text")
    (tmp_path / "years.tsv").write_text("year\ttitle\n1984\tx\n\t\n-1.5e3\ty\n")
    assert "contains no text" in refusal(tmp_path / "years.tsv", column="year")
    (tmp_path / "years.tsv").write_text("year\ttitle\n1984\tx\nnever\ty\n")
    assert read(tmp_path / "years.tsv", column="year")[0] == ["1984", "never"]
    tried = "text, content, sentence, document or passage"
    assert says(refusal(tmp_path / "t.csv"), "no column", tried)
    texts, (notice,) = read(tmp_path / "t.csv", is_lenient=True)
    assert texts == ["n,title\n1,a\n"]
    assert says(notice, "t.csv", "no column", tried, "plain text")


def test_broken_records_are_counted_and_named(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    lines = [
        '{"text": "one"}',
        '{"text": "two',
        "",
        '{"text": 3}',
        '{"text": null}',
        "[1]",
        '{"other": 1}',
        "[" * 9999,
    ]
    path.write_text("\n".join([*lines, '{"text": "last\\ud800"}', '{"text": "cut i']))
    texts, notices = read(path)
    assert texts == ["one", "last\ufffd"]
    skipped, replaced = notices
    assert says(skipped, "7 of the 9 records", "rows.jsonl", "2 more")
    records = [line for line in lines if line]
    for number, line in enumerate(records[1:6], 2):
        assert says(skipped, f"record {number}", line)
    assert says(replaced, 1, "rows.jsonl", "U+FFFD")
    (tmp_path / "t.csv").write_text(
        'text,n\none,1\n"two"x,2\nthree\nfour,4,4\n"fi\nve",5\n"never ends,6\n'
    )
    texts, notices = read(tmp_path / "t.csv")
    assert texts == ["one", "fi\nve"]
    assert "4 of the 6 records of t.csv could not be read" in notices[0]
    assert "record 3 has 1 field and not 2 (three)" in notices[0]
    (tmp_path / "none.jsonl").write_text('{"text": \n{"text": \n')
    assert "2 of the 2 records of none.jsonl could not be read" in refusal(tmp_path / "none.jsonl")


def test_json_without_records_is_plain_text_with_a_notice(tmp_path: Path) -> None:
    for name, content in {
        "lines": '{"body": "a"}\n{"body": "b"}\n',
        "array": '[\n {\n  "body": "a"\n },\n {"body": "b"}\n]',
    }.items():
        (tmp_path / name).write_text(content)
        texts, (notice,) = read(tmp_path / name)
        assert texts == [content] and says(notice, name, "no column", "plain text")
        assert read(tmp_path / name, column="body")[0] == ["a", "b"]
        assert says(refusal(tmp_path / name, column="title"), name, "title", "body", "--column")
        assert read(tmp_path / name, is_plain=True) == ([content], [])
    (tmp_path / "object.json").write_text('{"data": [{"text": "a"}]}')
    _, (notice,) = read(tmp_path / "object.json")
    assert says(notice, "object.json", "neither an array of objects")
    (tmp_path / "settings.json").write_text('{"size": 7}')
    assert read(tmp_path / "settings.json") == (['{"size": 7}'], [])


def test_bytes_that_are_not_utf_8_are_kept(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    (tmp_path / "rows.jsonl").write_bytes(b'{"text": "caf\xe9"}\n{"text": "\xc3\xa9"}\n')
    pq.write_table(
        pa.table({"text": pa.array([b"caf\xe9", b"\xc3", b"\xa9"], pa.binary())}),
        tmp_path / "t.parquet",
    )
    texts, notices = read(tmp_path / "t.parquet")
    assert texts == ["caf\udce9", "\udcc3", "\udca9"]
    assert "3 records of t.parquet contain bytes that are not valid UTF-8" in notices[0]
    assert read(tmp_path / "rows.jsonl")[0] == ["caf\udce9", "é"]


def test_a_long_record_is_broken_and_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bpe_studio.files.records import json_lines

    monkeypatch.setattr(json_lines, "MAX_RECORD_BYTES", 3 << 20)
    path = tmp_path / "rows.jsonl"
    path.write_text(
        json.dumps({"text": "a"}) + "\n" + json.dumps({"text": "b" * (9 << 20)}) + '\n{"text": "c"}'
    )
    assert read(path)[0] == ["a", "c"]
    assert broken_records.MAX_RECORD_BYTES == 64 << 20


@pytest.fixture
def parquet(tmp_path: Path) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(
        pa.table({"text": [f"text {i}" for i in range(5000)]}), tmp_path / "good.parquet"
    )
    return (tmp_path / "good.parquet").read_bytes()


def _number(value: int) -> bytes:
    """A number as the footer of Parquet writes it."""
    return (
        b""
        if not value
        else bytes([value & 127 | (128 if value > 127 else 0)]) + _number(value >> 7)
    )


def test_a_parquet_file_that_claims_to_be_large(parquet: bytes, tmp_path: Path) -> None:
    import pyarrow as pa

    size = int.from_bytes(parquet[-8:-4], "little")
    footer = parquet[-8 - size : -8]
    claims = footer.replace(b"\x16" + _number(2 * 5000), b"\x16" + _number(2 * 10**12))
    assert len(claims) > len(footer)
    path = tmp_path / "claims.parquet"
    path.write_bytes(parquet[: -8 - size] + claims + len(claims).to_bytes(4, "little") + b"PAR1")
    before = pa.total_allocated_bytes()
    assert "says that it has 1,000,000,000,000 rows where 5,000 are: it is damaged" in refusal(path)
    assert pa.total_allocated_bytes() - before < 64 << 20
    with ThreadPoolExecutor(1) as executor, pytest.raises(SourceError):
        bpe.count(path, bpe.TrainingConfig.preset("gpt2"), executor)


@pytest.mark.parametrize("use_dictionary", [True, False])
def test_a_parquet_file_that_repeats_a_long_text(tmp_path: Path, use_dictionary: bool) -> None:
    import pyarrow as pa
    import pyarrow.parquet

    pool = pa.default_memory_pool()
    table = pa.table({"text": pa.array(["a b " * (1 << 18)]).take(pa.array([0] * 300))})
    path = tmp_path / "bomb.parquet"
    pa.parquet.write_table(table, path, compression="zstd", use_dictionary=use_dictionary)
    del table
    before = pool.max_memory()
    assert "bomb.parquet unpacks to more than 64 MB" in refusal(path)
    assert pool.max_memory() == before


def test_what_unpacks_to_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import zstandard

    monkeypatch.setattr(packing, "FREELY_UNPACKED_BYTES", 1 << 20)
    bomb = b"a b c d\n" * (1 << 20)
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(bomb))
    (tmp_path / "bomb.zst").write_bytes(zstandard.ZstdCompressor().compress(bomb))
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(9):
            archive.writestr(f"{number}.txt", bomb)
    with tarfile.open(tmp_path / "bomb.tgz", "w:gz") as tar:
        info = tarfile.TarInfo("a.txt")
        info.size = len(bomb)
        tar.addfile(info, io.BytesIO(bomb))
    for name in ("bomb.gz", "bomb.zst", "bomb.zip", "bomb.tgz"):
        tracemalloc.start()
        assert f"{name} unpacks to more than" in refusal(tmp_path / name)
        assert tracemalloc.get_traced_memory()[1] < 40 << 20, name
        tracemalloc.stop()


def test_a_file_that_changes_or_vanishes(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_text("line\n" * 500_000)
    source = open_source(path)
    pieces = source.pieces()
    next(pieces)
    with open(path, "a") as stream:
        stream.write("more\n")
    with pytest.raises(SourceError, match=r"log\.txt changed while"):
        list(pieces)
    sources = Sources([tmp_path])
    path.unlink()
    with pytest.raises(SourceError, match="does not exist"):
        list(sources)
    with pytest.raises(SourceError, match="does not exist"):
        list(source.pieces())


@pytest.fixture(autouse=True, scope="module")
def fsspec_is_ready() -> None:
    """The thread of fsspec, which is never ended, is started before any test.

    So is what it reads from the web with imported, which on a busy machine takes longer than a test
    lets it wait, and longer than a test's threads may take to end."""
    import fsspec.asyn

    fsspec.asyn.get_loop()
    fsspec.get_filesystem_class("http")


@pytest.fixture
def silent_server() -> Iterator[int]:
    """A server that accepts and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        held: list[socket.socket] = []

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    held.append(server.accept()[0])

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        for each in held:
            each.close()
    thread.join()


def test_an_address_that_does_not_answer(
    silent_server: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "TIMEOUT_S", 0.3)
    assert "sent nothing" in refusal(f"http://127.0.0.1:{silent_server}/a.txt")
    assert "cannot be read (Protocol not known" in refusal("nothing://a/b")


def test_what_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1" + bytes(100))
    (tmp_path / "a.zst").write_bytes(b"\x28\xb5\x2f\xfd" + bytes(100))
    for name in ("pyarrow", "fsspec", "zstandard"):
        monkeypatch.setitem(sys.modules, name, None)
    assert f"needs pyarrow: install it with `{sys.executable} -m pip install pyarrow`" in refusal(
        tmp_path / "a.parquet"
    )
    assert "needs zstandard: install it" in refusal(tmp_path / "a.zst")
    assert "needs fsspec: install it" in refusal("s3://bucket/a.txt")


def test_the_bundle_says_that_it_lacks_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    for name in ("s3fs", "fsspec"):
        monkeypatch.setitem(sys.modules, name, None)
        assert "bundle" in refusal("s3://bucket/a.txt")


@pytest.mark.parametrize("has_ranges", [True, False])
def test_servers_with_and_without_ranges(has_ranges: bool, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    text = "".join(f"line {number} of a text that is a little longer\n" for number in range(30_000))
    files = {
        "a.txt": text.encode(),
        "a.txt.gz": gzip.compress(text.encode()),
        "latin.txt": b"caf\xe9 vu\n" * 90_000,
    }
    files["a.jsonl"] = "\n".join(json.dumps({"text": line}) for line in text.splitlines()).encode()
    stream = io.BytesIO()
    pq.write_table(
        pa.table({"text": text.splitlines()}), stream, compression="NONE", use_dictionary=False
    )
    files["a.parquet"] = stream.getvalue()
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("a.txt", text)
    files["a.zip"] = stream.getvalue()

    class Handler(Answers):
        def do_GET(self) -> None:
            data = files.get(self.path[1:])
            wanted = self.headers.get("Range")
            first = 0
            last = len(data or b"") - 1
            if wanted and has_ranges:
                begin, _, end = wanted.removeprefix("bytes=").partition("-")
                first = int(begin)
                last = min(int(end or last), last)
            self.send_response(404 if data is None else 206 if wanted and has_ranges else 200)
            part = (data or b"")[first : last + 1]
            self.send_header("Content-Length", str(len(part)))
            if has_ranges:
                self.send_header("Accept-Ranges", "bytes")
                self.send_header("Content-Range", f"bytes {first}-{last}/{len(data or b'')}")
            self.end_headers()
            if self.command == "GET":
                with contextlib.suppress(OSError):
                    self.wfile.write(part)

    with served(Handler) as place:
        for name in ("a.txt", "a.txt.gz", "a.zip"):
            assert list(open_source(f"{place}/{name}").documents()) == [text], name
        for name in ("a.jsonl", "a.parquet"):
            assert list(open_source(f"{place}/{name}").documents()) == text.splitlines(), name
        assert list(open_source(f"{place}/latin.txt").documents()) == ["café vu\n" * 90_000]
        assert "There is no file" in refusal(f"{place}/none.txt")
    assert "cannot be read" in refusal(f"{place}/a.txt") or "There is no file" in refusal(
        f"{place}/a.txt"
    )
