"""A package that is imported when it is first used, by whichever threads use it first."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys, threading
from bpe_studio._lazy_import import import_when_used
import_when_used("numpy")
import numpy
assert "numpy.linalg" not in sys.modules
found = []
threads = [threading.Thread(target=lambda: found.append(numpy.zeros(3).sum())) for _ in range(8)]
[each.start() for each in threads], [each.join() for each in threads]
from numpy import linalg
assert not hasattr(numpy, "nothing") and sys.modules["numpy.linalg"] is linalg
print(len(found))
"""


def test_threads_that_use_it_at_once_all_get_it() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=100
    )
    assert ran.stdout == "8\n", ran.stderr
