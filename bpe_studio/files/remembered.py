"""Keeps the answers of checks of files in the user's cache folder.

An answer has the name of a checksum of all that it depends on: the content of the file, the library
and our own code. So a file that has changed is checked anew. Two processes that check the same file
write the same answer. Anything else in the folder is ignored.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

from bpe_studio.errors import SaveError
from bpe_studio.files.atomic_file import atomic_write

_MOST_ANSWERS = 500
_MOST_BYTES = 1 << 14


def remembered(check: str, library: str, checksum: bytes, ask: Callable[[], str | None]) -> str:
    """The answer of a check, which is made only if its answer is not known.

    Args:
        check: the name of the check.
        library: the library that takes part in it.
        checksum: of the content that is checked.
        ask: makes the check; `None`, if it could not be made, and an error that it raises are not
            remembered.
    """
    version = importlib.import_module(library).__version__
    key = hashlib.sha256(
        repr((check, library, version, _own_code())).encode() + checksum
    ).hexdigest()
    file = _folder() / key
    with contextlib.suppress(OSError, ValueError), open(file, "rb") as stream:
        answer = json.loads(stream.read(_MOST_BYTES))
        if isinstance(answer, str):
            return answer
    answer = ask()
    if answer is None:
        return ""
    with contextlib.suppress(OSError, SaveError):
        file.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(file, json.dumps(answer))
        for old in sorted(file.parent.iterdir(), key=os.path.getmtime)[:-_MOST_ANSWERS]:
            old.unlink()
    return answer


def _folder() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("bpe-studio") / "checks"


@cache
def _own_code() -> str:
    """A checksum of the modules that read, check and encode."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for folder in ("files", "engine"):
        for path in sorted((package / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()
