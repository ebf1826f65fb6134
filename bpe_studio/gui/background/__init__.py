"""When the window does its work, and what it does out of its own thread. Imports `look` and
`widgets`.

Modules:
    panel: the base class of the panels; when a panel shows what is new.
    scheduling: debouncing, and the queue of panels that want to repaint.
    latest_answer: a question answered in the pool; only the newest counts.
    file_writing: files written in one move, in the pool.
    plain_imports: modules are imported without their sources being read.
    garbage: garbage is collected in the window's thread only.
    sliced_save: what is saved is made a few milliseconds at a time.
"""
