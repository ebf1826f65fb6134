"""`python -m bpe_studio`: the program; in a checkout on a fresh machine, it sets itself up first."""

from __future__ import annotations

import os
import sys

from bpe_studio import _bootstrap

COMMANDS = ("train", "encode", "decode", "compare", "convert", "count")


def main() -> int:
    """Runs the program here if its packages are here, and otherwise in the checkout's own environment."""
    arguments = sys.argv[1:]
    if not _bootstrap.is_ready():
        if _bootstrap.is_checkout():
            return _bootstrap.start("bpe_studio", arguments, window=not arguments or arguments[0] not in COMMANDS)
        missing = ", ".join(_bootstrap.missing_modules())
        print(
            f"bpe-studio needs {missing or 'Python 3.11 or newer'}; install it with: pip install bpe-studio",
            file=sys.stderr,
        )
        return 1
    os.environ.pop(_bootstrap.GUARD, None)
    from bpe_studio import cli

    return cli.main(arguments)


if __name__ == "__main__":
    sys.exit(main())
