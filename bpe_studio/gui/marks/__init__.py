"""The panel Stops and bookmarks: breakpoints, at which a run stops, and bookmarks, which are steps
with a name.

`workspace/marks.py` has the marks and checks merges against breakpoints. Only the window imports
this package.

Modules:
    breakpoint_editor: adds a breakpoint as a sentence, "Stop when ...".
    list: the list that breakpoints and bookmarks share.
    panel: both groups, their buttons, and what they change in the workspace.
"""
