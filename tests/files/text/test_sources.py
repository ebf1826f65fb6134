"""Text comes out of a file as it stands; every bad file gets one plain sentence."""

from __future__ import annotations

import gzip
import io
import os
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_studio.errors import SourceError
from bpe_studio.files.text.sources import open_source
from tests.examples import examples
from tests.files.text.whole import read_text

FRENCH = "Les élèves étudient à l'école où l'été s'achève ; être ou ne pas être. "
PERSIAN = "زبان فارسي يکي از زبانهاي هندواروپايي است که در ايران و افغانستان صحبت مي شود.\n"
CHINESE = "今天天气很好，孩子们在花园里玩耍。语言模型把文字切成小块，然后一个一个地预测。\n"
JAPANESE = "今日は天気がとても良いので、子供たちは庭で遊んでいます。言語モデルは文章を小さな単位に分けます。\n"
RUSSIAN = "Съешь же ещё этих мягких французских булок, да выпей чаю. Сегодня хорошая погода.\n"


@pytest.fixture
def write(tmp_path):
    def write(data: bytes, name: str = "corpus.txt") -> str:
        path = tmp_path / name
        path.write_bytes(data)
        return str(path)

    return write


@pytest.mark.parametrize("codec", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_a_mark_names_the_encoding_and_is_dropped(write, codec):
    text = "﻿Grüße,\r\nسلام 世界 😀\n"
    read = read_text(write(text.encode(codec)))
    assert (read.text, read.encoding, read.notices) == (text[1:], codec, ())


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-32-be"])
@pytest.mark.parametrize("text", ["hello", "Plain text.\n" * 9, PERSIAN * 3, RUSSIAN])
def test_utf_16_and_32_without_a_mark_have_to_be_named(write, codec, text):
    with pytest.raises(SourceError, match=r"binary file, not text: .* name its encoding"):
        read_text(write(text.encode(codec)))
    assert read_text(write(text.encode(codec)), codec).text == text


@pytest.mark.parametrize(
    "codec", ["utf-7", "hz", "iso2022_jp_2", "iso2022_kr", "utf-16", "mac_farsi", "cp037"]
)
def test_an_encoding_that_is_named_is_read_across_the_ends_of_blocks(write, codec):
    data = ("A+B ~ 今天 سلام " * 99_999).encode(codec, "ignore")
    assert read_text(write(data), codec).text == data.decode(codec)


def test_text_is_read_as_it_stands(write):
    text = "  a\r\nb\rc\u2028d\t\f\x1b \n\n"
    read = read_text(write(text.encode()))
    assert (read.text, read.encoding, read.notices, read.size_bytes) == (
        text,
        "utf-8",
        (),
        len(text.encode()),
    )


@pytest.mark.parametrize(
    ("text", "codec", "name"),
    [
        ("café", "latin-1", "iso8859-1"),
        ("Die Straße nach Österreich führt über die Brücke.", "latin-1", "iso8859-1"),
        ("Où est-il ? À Noël, l'« été » coûte 5 €.", "cp1252", "cp1252"),
        (FRENCH * 40, "latin-1", "iso8859-1"),
        (FRENCH * 40 + "œuvre – “cœur”", "cp1252", "cp1252"),
        (PERSIAN, "cp1256", "cp1256"),
        (PERSIAN * 200, "cp1256", "cp1256"),
        (CHINESE, "gb18030", "gb18030"),
        (CHINESE * 200, "gb18030", "gb18030"),
        (JAPANESE, "shift_jis", "cp932"),
        (RUSSIAN, "cp1251", "cp1251"),
        (RUSSIAN, "koi8-r", "koi8-r"),
        ("plain ascii line\n" * 70_000 + FRENCH * 9, "latin-1", "iso8859-1"),
        ("plain ascii line\n" * 70_000 + CHINESE * 9, "gb18030", "gb18030"),
    ],
)
def test_an_older_encoding_is_guessed_and_said(write, text, codec, name):
    read = read_text(write(text.encode(codec)))
    assert (read.text, read.encoding) == (text, name)
    assert len(read.notices) == 1
    assert "was read as" in read.notices[0] and "--encoding" in read.notices[0]


@pytest.mark.parametrize(
    ("data", "n", "byte", "line"),
    [
        (b"first line\nhello \xff\xfe world\n", 2, 17, 2),
        (b"abc\xc3(def", 1, 3, 1),
        (b"price \xe2\x82 100", 2, 6, 1),
        ("naïve café\n".encode() * 9 + b"ab\x80cd", 1, 119, 10),
        ("naïve café\n".encode() + b"caf\xe9", 1, 16, 2),
        (b"x\n" * 1_000_000 + b"\xff" + b"y" * 3_000_000, 1, 2_000_000, 1_000_001),
        (b"\xef\xbb\xbfa\xff", 1, 4, 1),
        (b"\xed\xa0\x80 a surrogate", 3, 0, 1),
    ],
)
def test_stray_bytes_are_kept_and_counted(write, data, n, byte, line):
    read = read_text(write(data))
    assert read.text.encode("utf-8", "surrogateescape") == data.removeprefix(b"\xef\xbb\xbf")
    assert read.encoding == "utf-8"
    assert f"{n:,} byte{'s' * (n > 1)} that" in read.notices[0]
    assert f"at byte {byte:,} in line {line:,}:" in read.notices[0]


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf", "is empty but for a byte-order mark"),
        (bytes(range(256)) * 40, "binary file"),
        (b"\0\1\2\3", "binary file"),
        (b"\0" * 100, "binary file"),
        pytest.param(
            b"good text\n" * 200_000 + bytes(range(256)) * 40_000,
            "binary file",
            marks=pytest.mark.slow(buys="twelve megabytes that begin as a text"),
        ),
        (b"PK\x03\x04rest", "cannot be read as a zip archive"),
        (b"\x89PNG\r\n\x1a\nrest", "PNG image"),
        (b"PAR1\x15rest", "Parquet table"),
        (b"\x1f\x8b\x08\x00 not really", "damaged gzip"),
        (b"\xff\xfea", "UTF-16-LE at byte 2"),
    ],
)
def test_what_is_no_text_is_refused_in_one_sentence(write, data, match):
    with pytest.raises(SourceError, match=match) as caught:
        read_text(write(data))
    assert "\n" not in str(caught.value)


def test_missing_folder_and_impossible_names(tmp_path):
    with pytest.raises(SourceError, match="does not exist"):
        read_text(tmp_path / "no.txt")
    with pytest.raises(SourceError, match="is a folder"):
        read_text(tmp_path)
    with pytest.raises(SourceError, match="cannot be the name"):
        read_text("a\0b")
    (tmp_path / "file").write_text("x")
    with pytest.raises(SourceError, match="cannot be read"):
        read_text(tmp_path / "file" / "under")


def test_standard_input_and_pipes(tmp_path, monkeypatch):
    data = FRENCH.encode("latin-1") * 5000
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    source = open_source("-")
    assert "".join(source.documents()) == FRENCH * 5000
    assert "".join(source.documents()) == FRENCH * 5000  # what a pipe gave is kept
    monkeypatch.setattr(sys, "stdin", io.StringIO("text"))
    assert read_text("-").text == "text"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(SourceError, match="standard input is empty"):
        read_text("-")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(data))))
    assert read_text("-").text == FRENCH * 5000
    if hasattr(os, "mkfifo"):
        fifo = str(tmp_path / "fifo")
        os.mkfifo(fifo)
        writer = threading.Thread(target=Path(fifo).write_bytes, args=(data,))
        writer.start()
        assert read_text(fifo).text == FRENCH * 5000
        writer.join()


@settings(max_examples=examples(60))
@given(st.binary(min_size=1, max_size=60))
def test_any_bytes_give_text_or_one_sentence(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "any.txt"
    path.write_bytes(data)
    try:
        read = read_text(path)
    except SourceError as error:
        assert str(error) and "\n" not in str(error)
        return
    if read.encoding == "utf-8":
        assert read.text.encode("utf-8", "surrogateescape") == data.removeprefix(b"\xef\xbb\xbf")
    else:
        assert (
            read.notices
            or data[:2] in (b"\xff\xfe", b"\xfe\xff")
            or read.encoding.startswith("utf-32")
        )
