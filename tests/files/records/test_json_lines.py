"""JSON lines, wherever the file is cut into pieces: the texts and the broken records that each line gives by itself."""

from __future__ import annotations

import json

from hypothesis import example, given
from hypothesis import strategies as st

from bpe_studio.files.records.broken_records import RecordCount
from bpe_studio.files.records.json_lines import read_json_lines

LINES = [
    '{"text": "ok"}',
    '{"text": "\\ud83d\\ude00 \U0001f600 é", "id": 7}',
    '{"text": ""}',
    ' \t{"text": "spaces"} \r',
    '{"text": "first", "text": "second"}',
    '{"text": NaN}',
    '{"other": "no text"}',
    '{"text": null}',
    '{"text": "one"} {"text": "two"}',
    '{"text": "comma"},',
    '{"text": "cut',
    '"}',
    "{",
    '"text": "over lines"',
    "}",
    '["text"]',
    '"text"',
    "7",
    "",
    "  ",
    "\u00a0",
    '{"text": "\udc80"}',
    '{"text": "\\ud800"}',
    '{"text": "\x01"}',
    "[" * 100_000,
]


@given(st.lists(st.sampled_from(LINES), max_size=12), st.booleans(), st.lists(st.integers(0, 400), max_size=4))
@example(LINES, True, [])
@example(LINES, False, [1, 30, 100, 200])
def test_pieces_of_any_size_give_what_each_line_gives(lines: list[str], ends_line: bool, cuts: list[int]) -> None:
    content = "\n".join(['{"text": "found"}', *lines]).encode("utf-8", "surrogatepass") + b"\n" * ends_line
    places = sorted({0, len(content), *(cut for cut in cuts if cut < len(content) and content[cut] & 0xC0 != 0x80)})
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
    texts, records, n_records = list[bytes](), list[int](), 0
    for line in content.split(b"\n"):
        if not line.strip():
            continue
        n_records += 1
        try:
            text = json.loads(line.decode("utf-8", "surrogatepass"))["text"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if isinstance(text, str):
            whole = text if "\\ud800" not in line.decode("utf-8", "surrogatepass") else "\ufffd"
            texts.append(whole.encode("utf-8", "surrogatepass"))
            records.append(n_records)
    return texts, records, n_records, n_records - len(texts)
