"""Reads untrusted JSON, and returns its parts only if they have the expected type.

Every surprise (a missing part, a wrong type, a file cut short) is a `TokenizerFormatError`.
"""

from __future__ import annotations

import gc
import json
from codecs import BOM_UTF8
from typing import Any, TypeVar

from bpe_studio.errors import TokenizerFormatError

_T = TypeVar("_T")
_KINDS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a text",
    int: "a whole number",
    bool: "true or false",
}


def parse_json(data: bytes, name: str, *, allows_repeats: bool = False) -> Any:
    """The value of JSON bytes.

    Args:
        data: the bytes.
        name: the file, for a sentence.
        allows_repeats: whether of several members with the same name the last one counts, which is
            faster.

    Raises:
        TokenizerFormatError: the bytes are not valid JSON, or nested too deeply, or a name occurs
            twice.
    """
    is_collecting = gc.isenabled()
    # To collect garbage among so many new objects takes a tenth of the time, and finds none.
    gc.disable()
    try:
        text = data.removeprefix(BOM_UTF8).decode()
        hook = None if allows_repeats else _object
        return json.loads(text, object_pairs_hook=hook, parse_constant=_no_constant)
    except RecursionError:
        raise TokenizerFormatError(
            f"{name} is nested too deeply to be a tokenizer: choose another file"
        ) from None
    except (ValueError, MemoryError) as error:
        what = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        if "integer string conversion" in what:
            what = "a number in it has thousands of digits"
        where = f" in line {error.lineno:,}" if isinstance(error, json.JSONDecodeError) else ""
        raise TokenizerFormatError(
            f"{name} is not valid JSON ({what[:200]}{where}): save or download it again"
        ) from None
    finally:
        if is_collecting:
            gc.enable()


def member(parts: dict[str, Any], key: str, kind: type[_T], where: str) -> _T:
    """A required member of an object.

    Raises:
        TokenizerFormatError: it is missing or of another type.
    """
    value = optional(parts, key, kind, where)
    if value is None:
        raise TokenizerFormatError(f"{where} has no {key!r}")
    return value


def optional(parts: dict[str, Any], key: str, kind: type[_T], where: str) -> _T | None:
    """An optional member of an object; `None` if it is missing or null.

    Raises:
        TokenizerFormatError: it is of another type.
    """
    value = parts.get(key)
    return None if value is None else checked(value, kind, f"{key!r} of {where}")


def checked(value: object, kind: type[_T], where: str) -> _T:
    """The value, if it has the expected type.

    Raises:
        TokenizerFormatError: it has another type.
    """
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TokenizerFormatError(f"{where} is {_described(value)}, not {_KINDS[kind]}")
    return value


def _described(value: object) -> str:
    kind = next((words for kind, words in _KINDS.items() if type(value) is kind), "a number")
    return kind if isinstance(value, dict | list) or len(repr(value)) > 40 else repr(value)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"{twice!r} occurs twice in one object")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")
