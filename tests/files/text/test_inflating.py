"""Files in gzip, with isal and without it, and in zip."""

from __future__ import annotations

import gzip
import io
import sys
import zipfile
from pathlib import Path

import pytest

from bpe_studio.errors import SourceError
from bpe_studio.files.text.sources import open_source

TEXT = "".join(f"{number} hugs and pugs, {number * 7919 % 10007} é\n" for number in range(300)).encode()


def outcome(path: Path) -> list[str] | str:
    """The documents of a file, or the sentence that reading it ends with."""
    try:
        return list(open_source(path).documents())
    except SourceError as error:
        return str(error)


def with_fields(flags: int, fields: bytes) -> bytes:
    """A gzip file whose head has more fields."""
    return b"\x1f\x8b\x08" + bytes([flags]) + bytes(5) + b"\xff" + fields + gzip.compress(TEXT)[10:]


def zipped(*texts: bytes) -> bytes:
    """A zip of some files."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, text in enumerate(texts):
            archive.writestr(f"{number}.txt", text)
    return stream.getvalue()


@pytest.mark.parametrize("has_isal", [True, False])
def test_whatever_a_gzip_file_is_made_of(has_isal: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not has_isal:
        monkeypatch.setitem(sys.modules, "isal.igzip", None)
    packed = gzip.compress(TEXT)
    for content, n_times in [
        (packed, 1),
        (packed + gzip.compress(b"") + packed, 2),
        (packed + bytes(512) + packed + bytes(3), 2),
        (with_fields(8, b"name\0"), 1),
        (with_fields(4 | 16, b"\5\0extra" + b"comment\0"), 1),
        (gzip.compress(TEXT, 0), 1),
        (gzip.compress(TEXT * 99, 9), 99),
    ]:
        (tmp_path / "a.gz").write_bytes(content)
        assert outcome(tmp_path / "a.gz") == [TEXT.decode() * n_times]
    for damaged in (packed + b"garbage", packed[:-1], packed[:-9], packed[:-5] + b"\1" + packed[-4:], packed[:200]):
        (tmp_path / "a.gz").write_bytes(damaged)
        assert "a.gz is a damaged gzip file: unpack it again" in str(outcome(tmp_path / "a.gz"))


def test_the_files_of_a_zip(tmp_path: Path) -> None:
    # The encoding of the last one is known after a part that is not read again without going back.
    latin = b"x" * (5 << 18) + "café vu\n".encode("latin-1") * 1000
    (tmp_path / "a.zip").write_bytes(zipped(TEXT, TEXT * 150, gzip.compress(TEXT), latin))
    text = TEXT.decode()
    assert outcome(tmp_path / "a.zip") == [text, text * 150, text, latin.decode("latin-1")]
