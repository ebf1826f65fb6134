"""The panel Stops and bookmarks: breakpoints, at which a run stops, and bookmarks, which are steps
with a name.

`workspace/marks.py` has the marks and checks merges against breakpoints. Only the window imports
this package.

Modules:
    panel: both groups, their list, the editor of a breakpoint, and what they change in the
        workspace.
"""
