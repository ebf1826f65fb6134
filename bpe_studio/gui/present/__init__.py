"""The presentation: words, text, skyline and the next pair, so large that the last row of a room
can read them.
It has a full-screen window of its own, so the main window stays as it is. Only `main_window` and
`export`, which records it, import this package.
Modules:
    presentation: the window, its keys, and its parts, which follow the workspace.
    words: words cut into tokens, those that hold some pairs first; the game shows them, too.
    next_pair: the line at the bottom: the merge that was just made, the next one, and the step.
"""
