"""All that is open, and every action on it. QtCore only: no widgets, no drawing.

`Workspace` builds the parts and connects them; a part is handed `OpenState` and the parts below it. A window or a test
reads what is open from the workspace and acts through its parts. The modules from the top down; each imports only what
stands below it, which a contract in `pyproject.toml` holds:

    workspace: the facade; what the window holds.
    lessons/: the lesson that is followed.
    game/: the game "Guess the next pair".
    opening/: from a request to what is open, other settings, and saving.
    runs/: the runs of the open text, how they are trained, and how the step moves.
    corpus/: jobs that read texts: counting them, holding out a part, taking them out of a document, finding lines.
    timeline_marks: what the timeline marks of a run.
    open_state: every value that is open, with the signals that say what changed.
    selection: what is selected to look at, and the way back through it.
    session: records of what is open as a whole, to be kept and returned to.
    marks: breakpoints and bookmarks, and asking breakpoints of merges.
    undo: one step of the undo history.
    thread_job: a job that goes on in a thread of its own.
    jobs: the worker thread and the window's side of it.
    messages: the sentences of failures, and of what a change discards.
    backend: the parts of the engine and the files layer that the workspace calls; tests put others in.
    relay: a job inside a job.
    document_text: the text of an open document, and the permission to read it.
    state: small records: state, progress, failures, what a corpus was read from.
"""
