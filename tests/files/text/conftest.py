"""What unpacks gzip and zip: isal, or zlib where isal is not installed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import pytest


@contextmanager
def without_isal() -> Iterator[None]:
    """As if isal were not installed."""
    with pytest.MonkeyPatch.context() as patched:
        for module in ("isal.igzip", "isal.isal_zlib"):
            patched.setitem(sys.modules, module, None)
        yield


@pytest.fixture(params=["isal", "zlib"])
def each_inflater(request: pytest.FixtureRequest) -> Iterator[None]:
    """Runs a test with and without isal."""
    with without_isal() if request.param == "zlib" else nullcontext():
        yield
