"""The Marks panel: where a run stops (breakpoints) and steps that have a name (bookmarks).

What the marks are and whether a merge meets a breakpoint is `workspace/marks.py`'s. Imported by the window alone.

Modules:
    breakpoint_editor: sets a breakpoint as a sentence, "Stop when ...".
    list: the list that breakpoints and bookmarks share.
    panel: both groups, their buttons, and what they change in the workspace.
"""
