"""The command palette (Ctrl+Shift+P): every action of the window, found by a few letters of its name.

    palette: the palette over the window.
    search_field: the field; its keys move through the list.
    results: the list of results, and how a row is painted.
    entries: an entry for each action of a window, and for a step that is typed.
    fuzzy_match: how well a few letters match a name.

It knows no panel: the window adds the entries of panels. It is imported by `shell` and `main_window`.
"""
