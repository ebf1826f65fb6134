"""Zstandard is unpacked a block at a time: however a file was packed, and where it is cut or damaged."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator

import pytest
import zstandard

from bpe_studio.files.text.packing import ZSTANDARD, unpacked

RNG = random.Random(31)
TEXT = " ".join(RNG.choices(["hugs", "and", "pugs", "\u0633\u0644\u0627\u0645", "\U0001f600"], k=60_000)).encode()
SKIPPED = b"\x53\x2a\x4d\x18" + (9000).to_bytes(4, "little") + RNG.randbytes(9000)


def packed_files() -> Iterator[tuple[bytes, bytes]]:
    """Files, and what they unpack to."""
    for content in (b"", b"a", TEXT, b"a" * 1_000_000, RNG.randbytes(300_000)):
        for has_checksum in (False, True):
            for has_size in (False, True):
                options = {"write_checksum": has_checksum, "write_content_size": has_size}
                yield zstandard.ZstdCompressor(3, **options).compress(content), content
    one, other = zstandard.compress(TEXT), zstandard.compress(TEXT[:300])
    yield one + SKIPPED + other + one, TEXT + TEXT[:300] + TEXT
    yield SKIPPED + other * 50, TEXT[:300] * 50
    stream = zstandard.ZstdCompressor(3).compressobj()
    flushed = b""
    for start in range(0, 30_000, 300):
        flushed += stream.compress(TEXT[start : start + 300]) + stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    yield flushed + stream.flush() + one, TEXT[:30_000] + TEXT


def outcome(content: bytes) -> bytes | str:
    """What a file unpacks to, or the kind of error."""
    try:
        return unpacked(io.BytesIO(content), ZSTANDARD, "a.zst").read()
    except (EOFError, zstandard.ZstdError) as error:
        return type(error).__name__


def test_however_it_was_packed() -> None:
    for file, content in packed_files():
        assert outcome(file) == content
        stream = unpacked(io.BytesIO(file), ZSTANDARD, "a.zst")
        first = stream.read(len(content) // 2)
        stream.seek(0)
        assert stream.read(100) == content[:100]
        stream.seek(len(first))
        assert first + stream.read() == content


@pytest.mark.parametrize("has_checksum", [False, True])
def test_a_file_that_is_cut_is_no_whole_one(has_checksum: bool) -> None:
    file = zstandard.ZstdCompressor(3, write_checksum=has_checksum).compress(TEXT)
    for end in [*range(1, 40), *RNG.choices(range(40, len(file)), k=40), *range(len(file) - 9, len(file))]:
        assert outcome(file[:end]) in ("EOFError", "ZstdError"), end
    assert outcome(file + b"\0") in ("EOFError", "ZstdError")
