"""How many processors there are to work with."""

from __future__ import annotations

import os


def n_processors() -> int:
    """How many processors this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
