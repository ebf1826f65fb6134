"""`python -m tests [pytest's arguments]`: runs the tests; in a checkout on a fresh machine, sets up all first."""

from __future__ import annotations

import os
import sys

from bpe_studio import _bootstrap


def main() -> int:
    """Runs pytest here if all is here, and otherwise in the checkout's own environment."""
    if not _bootstrap.is_checkout():
        print("The tests run in a checkout of the project only; there is no pyproject.toml here.", file=sys.stderr)
        return 1
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    if not _bootstrap.is_ready(tests=True):
        return _bootstrap.start("tests", sys.argv[1:], tests=True)
    os.environ.pop(_bootstrap.GUARD, None)
    import pytest

    return int(pytest.main(sys.argv[1:]))


if __name__ == "__main__":
    sys.exit(main())
