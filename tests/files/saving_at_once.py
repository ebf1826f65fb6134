"""Many threads and processes that save to one place at once."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor


def save_at_once(save: Callable[[int], object], n_threads: int = 8, n_processes: int = 3) -> None:
    """Call it with numbers from 0 to 9, in threads and in forked processes.

    Raises what any of them raises.
    """
    children = []
    for number in range(n_processes if sys.platform != "win32" else 0):
        child = os.fork()
        if not child:
            status = 1
            try:
                for _ in range(5):
                    save(number)
                status = 0
            finally:
                os._exit(status)
        children.append(child)
    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(lambda number: save(number % 10), range(3 * n_threads)))
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * len(children)
