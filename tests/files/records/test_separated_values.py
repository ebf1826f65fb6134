"""CSV and TSV, wherever the file is cut into pieces: the texts and the broken rows that the module
csv gives.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from hypothesis import example, given
from hypothesis import strategies as st

from bpe_studio.errors import SourceError
from bpe_studio.files.records.broken_records import RecordCount
from bpe_studio.files.records.separated_values import read_separated_values

PARTS = [
    *[
        '"',
        '""',
        '"',
        ",",
        "\n",
        "\r",
        "\r\n",
        "\t",
        " ",
        "a",
        "é",
        "\U0001f600",
        "\0",
        "\udc80",
        'x"y',
        "some more words",
    ],
    *[
        '"quoted, with a comma"',
        '"over\r\nlines\n"',
        '"a ""word"" in a longer text"',
        "1,plain text\n",
        '2,"text"\r\n',
    ],
    *[',"', '",', '"\n', "1,two\n", "three\n"],
]
TABLE = [
    'id,text\n1,one\n2,"two ""words""',
    " and a line\r\n",
    'end"\r',
    "\n\n3,",
    "\n4,four,4\n",
    '5,"five"x\n6,',
    "six",
]

Outcome = tuple[list[tuple[bytes, int]], list[object]] | str


def outcome(pieces: Iterable[bytes], kind: str) -> Outcome:
    """The texts with the numbers of their records, and what is said of the broken ones."""
    count = RecordCount()
    found = list[tuple[bytes, int]]()
    try:
        for piece in read_separated_values(pieces, kind, None, "it", count):
            starts = [0, *piece.ends]
            texts = [
                piece.content[start:end] for start, end in zip(starts, piece.ends, strict=False)
            ]
            found += zip(texts, piece.records, strict=True)
    except SourceError as error:
        return str(error)
    return found, [count.n_records, count.n_broken, count.n_replaced, count.n_invalid, count._named]


def row_by_row(content: bytes, mark: str) -> Outcome:
    """The same by the module csv."""
    count = RecordCount()
    found = list[tuple[bytes, int]]()
    text = content.decode("utf-8", "surrogatepass")
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    head = next(rows)
    while True:
        try:
            row = next(rows, None)
        except csv.Error as error:
            count.add_broken(f"cannot be read ({error})")
            continue
        if row is None:
            break
        if row and len(row) != len(head):
            fields = "1 field" if len(row) == 1 else f"{len(row)} fields"
            count.add_broken(f"has {fields} and not {len(head)}", mark.join(row))
        elif row:
            count.add()
            found.append(
                (row[head.index("text")].encode("utf-8", "surrogatepass"), count.n_records)
            )
    if count.n_records and not found:
        return " ".join(count.notices("it"))
    return found, [count.n_records, count.n_broken, count.n_replaced, count.n_invalid, count._named]


@given(
    st.sampled_from(["id,text", "text", "text,id", "a,text,c", "id\ttext"]),
    st.lists(st.sampled_from(PARTS), max_size=40),
    st.lists(st.integers(0, 300), max_size=5),
)
@example("id,text", TABLE, [])
@example("id,text", TABLE, [*range(300)])
def test_pieces_of_any_size_give_what_the_module_gives(
    head: str, parts: list[str], cuts: list[int]
) -> None:
    content = (head + "\n" + "".join(parts)).encode("utf-8", "surrogatepass")
    places = {cut for cut in cuts if 0 < cut < len(content) and content[cut] & 0xC0 != 0x80}
    starts = [0, *sorted(places), len(content)]
    pieces = [content[start:end] for start, end in zip(starts, starts[1:], strict=False)]
    kind, mark = ("TSV", "\t") if "\t" in head else ("CSV", ",")
    assert outcome(pieces, kind) == row_by_row(content, mark)
