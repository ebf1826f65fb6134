"""Damage: what a disk, a careless program or a stranger may make of a file.

`mutated` takes a sound file's bytes and what they are (JSON, a zip, YAML, text), and damages them
as bytes or in their structure. Each function is given the random numbers and the bytes."""

from __future__ import annotations

import copy
import io
import json
import random
import re
import zipfile
from collections.abc import Callable
from typing import Any

MOST_BYTES = 1 << 20
"""What is damaged grows no larger: time and memory are measured for small files."""

_NUMBERS = (
    b"0",
    b"-1",
    b"1e999",
    b"9" * 19,
    b"9" * 400,
    b"18446744073709551616",
    b"2147483648",
    b"1.5",
    b"NaN",
    b"-0",
    b"0x7f",
    b"007",
    b"4294967295",
    b"10000001",
)
_WEIRD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31,
    2**32,
    2**63,
    -(2**63),
    2**64,
    10**40,
    1.5,
    1e308,
    "",
    "a",
    "\0",
    "\ud800",
    "a" * 5000,
    "[UNK]",
    " ",
    "\u202e",
    "(a+)+$",
    "(?<=a)b",
    "\\p{L}+",
    [],
    {},
    [[]],
    [None],
    {"": {}},
    ["a", "b"],
    [0, 1],
    [-1, 0],
    "\n",
    "Ġ",
    "ĠĠ",
    "</w>",
    "../../etc/passwd",
    "/dev/zero",
    "//host/share",
    "NUL",
)
_SNIPPETS = (
    b"\0",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xc0\x80",
    b"\r\n",
    b"\n\n",
    b"\t",
    b" ",
    b'"',
    b"'",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"&a [*a,*a]",
    b"*a",
    b"<<: *a",
    b"!!python/object/apply:os.system [true]",
    b"!!binary aGk=",
    b"---\n",
    b"%YAML 9\n",
    b"#",
    b"| \n",
    b"\x1f\x8b\x08",
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"\xff" * 9,
    b"\x80" * 12,
    "\u2028".encode(),
    "𐌰".encode(),
    "e\u0301".encode(),
)

Mutation = Callable[[random.Random, bytes], bytes]


def mutated(rng: random.Random, data: bytes, kind: str) -> tuple[bytes, str]:
    """Damaged bytes, and by what."""
    names = []
    for _ in range(rng.choice((1, 1, 1, 2, 3, 5))):
        of_kind = _BY_KIND.get(kind, ())
        mutation = rng.choice(of_kind) if of_kind and rng.random() < 0.6 else rng.choice(_ANY)
        data = mutation(rng, data)[:MOST_BYTES]
        names.append(mutation.__name__)
    return data, ", ".join(names)


# Bytes, whatever they mean.


def _place(rng: random.Random, data: bytes) -> int:
    return rng.randint(0, len(data)) if rng.random() < 0.7 else rng.randint(0, min(64, len(data)))


def _stretch(rng: random.Random, data: bytes) -> tuple[int, int]:
    begin = _place(rng, data)
    return begin, min(len(data), begin + rng.choice((1, 2, 4, 8, 30, 200, 3000)))


def flip_bits(rng: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        if changed:
            changed[min(_place(rng, data), len(changed) - 1)] ^= 1 << rng.randint(0, 7)
    return bytes(changed)


def set_bytes(rng: random.Random, data: bytes) -> bytes:
    begin, end = _stretch(rng, data)
    filled = rng.choice((b"\0", b"\xff", b" ", b"\x80", b"9", b"A"))
    return data[:begin] + filled * (end - begin) + data[end:]


def cut_short(rng: random.Random, data: bytes) -> bytes:
    return data[: rng.randint(0, len(data))]


def cut_front(rng: random.Random, data: bytes) -> bytes:
    return data[rng.randint(0, min(len(data), 100)) :]


def insert(rng: random.Random, data: bytes) -> bytes:
    at = _place(rng, data)
    new = rng.choice(_SNIPPETS) if rng.random() < 0.7 else rng.randbytes(rng.choice((1, 2, 9, 100)))
    return data[:at] + new * rng.choice((1, 1, 1, 2, 50)) + data[at:]


def delete(rng: random.Random, data: bytes) -> bytes:
    begin, end = _stretch(rng, data)
    return data[:begin] + data[end:]


def duplicate(rng: random.Random, data: bytes) -> bytes:
    begin, end = _stretch(rng, data)
    at = _place(rng, data) if rng.random() < 0.5 else end
    n = rng.choice((1, 1, 2, 20, 300))
    return data[:at] + data[begin:end][: MOST_BYTES // n + 1] * n + data[at:]


def swap(rng: random.Random, data: bytes) -> bytes:
    (a, b), (c, d) = sorted((_stretch(rng, data), _stretch(rng, data)))
    return data if b > c else data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def inflate_numbers(rng: random.Random, data: bytes) -> bytes:
    found = list(re.finditer(rb"-?\d+", data[:200_000]))
    if not found:
        return data
    for match in sorted(
        rng.sample(found, min(len(found), rng.choice((1, 1, 2, 10)))), key=lambda m: -m.start()
    ):
        data = data[: match.start()] + rng.choice(_NUMBERS) + data[match.end() :]
    return data


def nest(rng: random.Random, data: bytes) -> bytes:
    at = _place(rng, data)
    n = rng.choice((2, 40, 900, 20_000))
    opening, closing = rng.choice(
        ((b"[", b"]"), (b'{"a":', b"}"), (b"(", b")"), (b"- ", b""), (b"{a: ", b"}"))
    )
    return data[:at] + opening * n + (b"" if rng.random() < 0.3 else closing * n) + data[at:]


def lines(rng: random.Random, data: bytes) -> bytes:
    rows = data.split(b"\n")
    k = rng.randrange(len(rows))
    change = rng.randrange(6)
    if change == 0:
        del rows[k]
    elif change == 1:
        rows.insert(rng.randrange(len(rows)), rows[k])
    elif change == 2:
        rng.shuffle(rows)
    elif change == 3:
        n = rng.choice((2, 100, 3000))
        rows[k] = (rows[k][: MOST_BYTES // n + 1] * n)[:MOST_BYTES]
    elif change == 4:
        rows[k] = rows[k][::-1]
    else:
        rows[k : k + 1] = [rows[k][:3], rows[k][3:]]
    return b"\n".join(rows)


_ANY: tuple[Mutation, ...] = (
    flip_bits,
    set_bytes,
    cut_short,
    cut_front,
    insert,
    delete,
    duplicate,
    swap,
    inflate_numbers,
    nest,
    lines,
)


# JSON.


def change_json(rng: random.Random, data: bytes) -> bytes:
    try:
        root = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return flip_bits(rng, data)
    try:
        for _ in range(rng.choice((1, 1, 2, 6))):
            root = _changed(rng, root)
        text = json.dumps(root, ensure_ascii=rng.random() < 0.3, allow_nan=True)
    except (ValueError, RecursionError):
        return data
    if rng.random() < 0.1:
        text = text.replace("{", '{"a":1,"a":2,', 1)
    return text.encode("utf-8", "surrogatepass")


def _changed(rng: random.Random, value: Any) -> Any:
    """The value with something in it changed, at any depth."""
    keys: list[Any] = (
        list(value)
        if isinstance(value, dict)
        else list(range(len(value)))
        if isinstance(value, list)
        else []
    )
    if not keys or rng.random() < 0.12:
        return _instead(rng, value)
    key = rng.choice(keys)
    change = rng.random()
    if change < 0.72:
        value[key] = _changed(rng, value[key])
    elif change < 0.82:
        del value[key]
    elif change < 0.9 and isinstance(value, dict):
        value[rng.choice((str(key) + "x", "", "id", "type", "\0", "__class__", key))] = value.pop(
            key
        )
    else:
        other = rng.choice(keys)
        value[key], value[other] = value[other], value[key]
        if isinstance(value, list) and rng.random() < 0.5:
            value.extend(copy.deepcopy(value[key]) for _ in range(rng.choice((1, 3, 500))))
    return value


def _instead(rng: random.Random, value: Any) -> Any:
    if isinstance(value, int) and rng.random() < 0.4:
        return value + rng.choice((1, -1, 10**6, 2**31, 2**53))
    if isinstance(value, str) and rng.random() < 0.4:
        return rng.choice(
            (
                value * 2,
                value[:-1],
                value + " ",
                value.upper(),
                value[::-1],
                value + "\0",
                " " + value,
            )
        )
    new = copy.deepcopy(rng.choice(_WEIRD))
    for _ in range(rng.choice((0, 0, 0, 1, 3, 500))):
        new = [new] if rng.random() < 0.5 else {"a": new}
    return new


# Archives.


def change_zip(rng: random.Random, data: bytes) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = [
                (info.filename, archive.read(info), info.compress_type)
                for info in archive.infolist()
            ]
    except Exception:  # it is damaged already
        return flip_bits(rng, data)
    for _ in range(rng.choice((1, 1, 2))):
        if not parts:
            break
        k = rng.randrange(len(parts)) if rng.random() < 0.5 else _main(parts)
        name, content, method = parts[k]
        change = rng.random()
        if change < 0.6:
            content = (
                change_json(rng, content)
                if name.endswith("json")
                else rng.choice(_ANY)(rng, content)
            )
            parts[k] = name, content[:MOST_BYTES], method
        elif change < 0.7:
            del parts[k]
        elif change < 0.8:
            parts[k] = (
                rng.choice(
                    ("../" + name, "/" + name, name + "x", name.upper(), "", "a\\b", "mimetype")
                ),
                content,
                method,
            )
        elif change < 0.9:
            parts.insert(rng.randint(0, len(parts)), parts[k])
        else:
            parts[k] = (
                name,
                rng.choice((b"", b"\0" * 400_000, content * 3)),
                rng.choice((0, 8, 8, 12, 14)),
            )
    return _zipped(parts)


def _main(parts: list[tuple[str, bytes, int]]) -> int:
    return next((k for k, part in enumerate(parts) if part[0].endswith(".json")), 0)


def _zipped(parts: list[tuple[str, bytes, int]]) -> bytes:
    import warnings

    stream = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w") as archive:
        warnings.simplefilter("ignore")  # two parts of one name are part of the damage
        for name, content, method in parts:
            info = zipfile.ZipInfo(name or "x", (1980, 1, 1, 0, 0, 0))
            info.compress_type = method
            archive.writestr(info, content)
    return stream.getvalue()


_BY_KIND: dict[str, tuple[Mutation, ...]] = {
    "json": (change_json,),
    "zip": (change_zip,),
    "yaml": (insert, lines, inflate_numbers, nest),
    "text": (lines, insert),
}
