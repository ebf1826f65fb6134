"""No module's source is read because it is imported after Qt."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import linecache, sys
from bpe_studio.gui.app import make_application
application = make_application()
before = {*sys.modules}
linecache.clearcache()
import bpe_studio.gui.main_window
assert len({*sys.modules} - before) > 100
print(*linecache.cache)
"""


@pytest.mark.slow(buys="all modules of the window in a program of its own")
def test_the_sources_of_the_windows_modules_are_not_kept():
    found = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True).stdout.split()
    assert found == []
