"""Compiles the fast code of the program for this computer, so that no later command waits for it.

The command has something to do only if numba compiles the code. That takes about half a minute,
once on each computer. Use it when you build a container or a cache for tests. The compiled code is
kept in the user's cache folder, or in the folder that the variable NUMBA_CACHE_DIR names.

Example:
    bpe-studio warm-up
"""

from __future__ import annotations

import argparse

from bpe_studio.commands.output import ProgressBar, say
from bpe_studio.engine import warm_up
from bpe_studio.engine.kernels import loader
from bpe_studio.errors import SaveError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds nothing: the command has no arguments of its own."""


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Compiles the code that is not compiled yet."""
    if loader.why_plain():
        raise SaveError(loader.why_plain())
    if loader.is_on_disk():
        say("Nothing is left to do: the compiled code is on disk")
        return
    if loader.use_cache_folder() is not None:
        with ProgressBar("Warming up") as bar:
            for _ in loader.compile_in_thread("merging", warm_up.warm_up):
                bar.update(0, 0)
    if not loader.is_on_disk():
        raise SaveError(
            "The compiled code cannot be kept, because the cache folder is full or cannot be"
            " written: name another folder in the variable NUMBA_CACHE_DIR"
        )
    say("The compiled code is on disk")
