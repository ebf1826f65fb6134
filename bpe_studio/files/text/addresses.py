"""Recognizes the addresses of corpora, such as https://host/file.

Imports nothing and opens nothing; `remote` does.
"""

from __future__ import annotations

import os


def is_address(path: str | os.PathLike[str]) -> bool:
    """Whether a path is an address for fsspec, such as https://host/file or s3://bucket/file.

    >>> is_address("https://example.org/a.txt"), is_address("C:/a.txt"), is_address("a://b")
    (True, False, True)
    """
    scheme, mark, _ = os.fspath(path).partition("://")
    return bool(mark) and scheme.replace("::", "").replace("+", "").replace("-", "").isalnum()


def address_of(path: str | os.PathLike[str]) -> str | None:
    """The address that a path stands for, or `None`; a `Path` has lost one slash of an address.

    >>> from pathlib import PurePosixPath
    >>> address_of(PurePosixPath("https://example.org/a.txt")), address_of("C:/a.txt"), address_of("a/b:/c")
    ('https://example.org/a.txt', None, None)
    """  # noqa: E501
    text = os.fspath(path)
    if is_address(text):
        return text
    scheme, mark, rest = text.replace(os.sep, "/").partition(":/")
    address = f"{scheme}://{rest}"
    return address if mark and rest and len(scheme) > 1 and is_address(address) else None
