"""JSON lines, wherever the file is cut into pieces: the texts and the broken records that each line
gives by itself.
"""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bpe_studio.files.records.broken_records import RecordCount
from bpe_studio.files.records.json_lines import read_json_array, read_json_lines
from bpe_studio.files.records.pieces import documents_of

LINES = [
    '{"text": "ok"}',
    '{"text": "\\ud83d\\ude00 \U0001f600 é", "id": 7}',
    ' \t{"text": "spaces"} \r',
    '{"text": "first", "text": "second"}',
    '{"text": NaN}',
    '{"other": "no text"}',
    '{"text": null}',
    '{"text": "one"} {"text": "two"}',
    '{"text": "cut',
    '["text"]',
    "",
    "\u00a0",
    '{"text": "\udc80"}',
    '{"text": "\\ud800"}',
    '{"text": "\x01"}',
    "[" * 100_000,
    '{"id": ' + "9" * 5000 + ', "text": "a long number"}',
    '{"t\\u0065xt": "an escaped name"}',
]


@given(
    st.lists(st.sampled_from(LINES), max_size=12),
    st.booleans(),
    st.lists(st.integers(0, 400), max_size=4),
)
@example(LINES, True, [])
@example(LINES, False, [1, 30, 100, 200])
def test_pieces_of_any_size_give_what_each_line_gives(
    lines: list[str], ends_line: bool, cuts: list[int]
) -> None:
    content = (
        "\n".join(['{"text": "found"}', *lines]).encode("utf-8", "surrogatepass")
        + b"\n" * ends_line
    )
    places = sorted(
        {
            0,
            len(content),
            *(cut for cut in cuts if cut < len(content) and content[cut] & 0xC0 != 0x80),
        }
    )
    pieces = [content[start:end] for start, end in zip(places, places[1:], strict=False)]
    count = RecordCount()
    found = list(read_json_lines(pieces, None, "it", count))
    texts: list[bytes] = []
    records: list[int] = []
    for piece in found:
        start = 0
        for end, record in zip(piece.ends, piece.records, strict=True):
            texts.append(piece.content[start:end])
            records.append(record)
            start = end
    assert (texts, records, count.n_records, count.n_broken) == _line_by_line(content)


def _line_by_line(content: bytes) -> tuple[list[bytes], list[int], int, int]:
    texts = list[bytes]()
    records = list[int]()
    n_records = 0
    for line in content.split(b"\n"):
        if not line.strip():
            continue
        n_records += 1
        try:
            text = json.loads(line.decode("utf-8", "surrogatepass"))["text"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if isinstance(text, str):
            is_escaped = (
                b"\\u" in line.lower()
            )  # else half a character is a stray byte, which is kept
            whole = re.sub("[\ud800-\udfff]", "\ufffd", text) if is_escaped else text
            texts.append(whole.encode("utf-8", "surrogatepass"))
            records.append(n_records)
    return texts, records, n_records, n_records - len(texts)


@pytest.mark.parametrize("column", [None, "text"])
def test_the_first_object_with_a_text_tells_the_column(column: str | None) -> None:
    rows = [
        {"id": 1},
        {"text": None},
        {"text": 3},
        {"text": "a", "content": "no"},
        {"content": "b"},
    ]
    lines = ["not JSON", *map(json.dumps, rows)]
    count = RecordCount()
    texts = b"".join(
        piece.content
        for piece in read_json_lines(["\n".join(lines).encode()], column, "a.jsonl", count)
    )
    assert (texts, count.column, count.n_records, count.n_broken) == (b"a", "text", 6, 5)
    (notice,) = count.notices("a.jsonl")
    for key_words in (
        "record 1 is not JSON (not JSON)",
        "record 3 has null as 'text'",
        "record 6 has no 'text'",
    ):
        assert key_words in notice


_VALUES = st.recursive(
    st.text('ab"\\\n[]{},:é ') | st.none() | st.integers(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text('a"{,'), inner),
    max_leaves=9,
)


def _texts_of_array(pieces: list[bytes], count: RecordCount) -> list[str]:
    return [
        b"".join(parts).decode()
        for parts in documents_of(read_json_array(pieces, "text", "it", count))
    ]


@given(
    st.lists(_VALUES, max_size=6),
    st.sampled_from([None, 0, 3]),
    st.booleans(),
    st.lists(st.integers(0, 400)),
)
def test_an_array_gives_the_texts_of_its_objects(
    values: list[object], indent: int | None, is_ascii: bool, cuts: list[int]
) -> None:
    rows = [{"n": value, "text": json.dumps(value)} for value in ["first", *values]]
    content = json.dumps(rows, indent=indent, ensure_ascii=is_ascii).encode()
    places = sorted(
        {
            0,
            len(content),
            *(cut for cut in cuts if cut < len(content) and content[cut] & 0xC0 != 0x80),
        }
    )
    pieces = [content[start:end] for start, end in zip(places, places[1:], strict=False)]
    texts = _texts_of_array([b"", *pieces, b""], count := RecordCount())
    assert texts == [row["text"] for row in rows]
    assert (count.n_records, count.n_broken) == (len(rows), 0)
