"""The panel Stops and bookmarks: conditions at which a run stops, and steps with a name.

`workspace/marks.py` has the marks and checks merges against breakpoints. Only the window imports
this package.

Modules:
    panel: the lists of breakpoints and of bookmarks, and the editor of a breakpoint.
"""
