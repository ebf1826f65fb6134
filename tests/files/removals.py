"""Waits for private folders that threads of their own remove."""

import threading


def wait_for_removals() -> None:
    """Returns when the folders are gone whose last reference is."""
    for thread in threading.enumerate():
        if thread.name == "removing":
            thread.join()
