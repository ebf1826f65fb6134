"""Which column of a corpus holds the text, where a person has to say: what is offered, and that it
is seldom asked.
"""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from bpe_studio.files.text.columns import ColumnChoice, column_choice
from bpe_studio.files.text.reading import DEFAULT_READING


def choice(*paths: Path | str) -> ColumnChoice | None:
    """The choice to be made for some files."""
    return [None, *column_choice(paths, DEFAULT_READING)][-1]


def lines(*rows: object) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


ROWS = lines(
    {"id": 1, "title": "a", "body": "a longer text"}, {"id": 2, "body": "b\nc", "more": [1]}
)


def test_nothing_is_asked_where_it_is_certain(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text, and more\nof it\n")
    (tmp_path / "a.jsonl").write_bytes(
        lines({"n": 1, "text": "a", "title": "b"}, {"n": 2, "text": "b"})
    )
    (tmp_path / "a.csv").write_text("id;content\n1;a\n")
    (tmp_path / "numbers.jsonl").write_bytes(lines({"n": 1}, {"n": 2}))
    (tmp_path / "one.json").write_bytes(lines({"title": "an object alone is no table"}))
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    assert choice(*tmp_path.iterdir()) is None
    assert choice(tmp_path) is None


def test_the_columns_of_json_lines(tmp_path: Path) -> None:
    (tmp_path / "rows").write_bytes(ROWS)
    found = choice(tmp_path / "rows")
    assert found is not None
    assert (found.name, found.form, found.best, found.can_be_plain) == (
        "rows",
        "JSON lines",
        2,
        True,
    )
    assert [(each.name, each.kind, each.is_text) for each in found.columns] == [
        ("id", "numbers", False),
        ("title", "text", True),
        ("body", "text", True),
        ("more", "lists", False),
    ]
    assert found.columns[1].cells == ("a", None)
    assert found.columns[2].cells == ("a longer text", "b\nc")


@pytest.mark.parametrize("form", ["parquet", "arrow", "stream"])
def test_the_columns_of_tables(form: str, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(
        {"n": range(50), "body": ["سلام"] * 50, "raw": pa.array([b"caf\xe9"] * 50, pa.binary())}
    )
    stream = io.BytesIO()
    if form == "parquet":
        pq.write_table(table, stream)
    else:
        with (pa.ipc.new_file if form == "arrow" else pa.ipc.new_stream)(
            stream, table.schema
        ) as writer:
            writer.write_table(table)
    (tmp_path / "rows").write_bytes(stream.getvalue())
    found = choice(tmp_path / "rows")
    assert found is not None
    assert [(each.name, each.kind, len(each.cells)) for each in found.columns] == [
        ("n", "int64", 0),
        ("body", "text", 20),
        ("raw", "text", 20),
    ]
    assert not found.can_be_plain
    assert found.columns[2].cells[0] == "caf\ufffd"
