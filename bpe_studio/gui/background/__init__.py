"""Scheduling of the window's work, and work outside its thread. Imports `look` and `widgets`.

Modules:
    panel: the base class of the panels, which decides when one is refreshed.
    scheduling: debouncing, and the queue of panels that want to repaint.
    latest_answer: answers computed in the pool, of which only the latest counts.
    file_writing: files written atomically, in the pool.
    sliced_save: files whose content is made a few milliseconds at a time.
    plain_imports: Python's own import in place of PySide6's.
    garbage: garbage collection in the window's thread only.
    unexpected_errors: uncaught errors, shown in the window.
"""
