"""The command palette (Ctrl+Shift+P): every action of the window, found by a few letters of its name.

    palette: the palette over the window.
    search_field: the field; its keys move through the list.
    results: the list of what was found, and how a row is painted.
    entries: what is found: each action of a window, and the step that was typed.
    fuzzy_match: how well a few letters fit a name.

It knows no panel: others add entries to it. It is imported by `shell` and `main_window`.
"""
