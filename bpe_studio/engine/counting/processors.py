"""How many processors the work may be spread over."""

from __future__ import annotations

import os

MAX_PROCESSES = 4
"""More than this would spend what they save on adding up what they found."""


def n_processors() -> int:
    """How many processors this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
