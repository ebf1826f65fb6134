"""Everything that is open, and every action on it. QtCore only: no widgets, no drawing.

`Workspace` builds the parts and connects them; each part gets `OpenState` and the parts below it. A
window or a test reads values from the workspace, and acts through its parts. The modules from the
top down; each imports only those below it, which a contract in `pyproject.toml` checks:

    possible: the reasons why an action is not possible now.
    workspace: the facade that the window holds.
    keeping: keeps unsaved work for the next start, and finds the work of earlier windows.
    lessons/: playing a lesson.
    game/: the game "Guess the next pair".
    opening/: opening anything, changing settings, and saving.
    runs/: the runs of the open text: training, branching, moving the step.
    corpus/: jobs that read texts: counting, holding out a part, extracting from a document,
        searching lines.
    timeline_marks: the marks on the timeline of a run.
    open_state: every open value, with the signals for its changes.
    unsaved: the unsaved work in an open project.
    selection: the selection, with its history.
    session: records of everything that is open, to store and to return to.
    marks: breakpoints and bookmarks, and the search for merges at which a breakpoint stops.
    user_job: a job that the user asks for, whose result is kept: examining, inspecting, sampling.
    undo: one step of the undo history.
    thread_job: a job in a thread of its own.
    jobs: the worker thread and its interface in the window's thread.
    messages: sentences about failures and about settings that differ, and free names.
    backend: the functions of the engine and of the file layer that the workspace calls; tests
        replace them.
    excerpt: the beginning of the open corpus.
    state: small records: state, progress, failures, the source of a corpus.
"""
